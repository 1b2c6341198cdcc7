//! Tests of the processor's times with cycle precision.

use super::*;
use crate::engine::{Outcome, Sim};
use crate::host::memory_bus::node::{INTERFACE_BASE, MemoryBusNode};
use std::future::Future;

struct Device;

impl Agent for Device {
    fn home_time(&self, _: Address) -> Time {
        Time::from_ns(60)
    }
    fn home_read(&self, _: Address, _: usize, _: &mut Block) {}
    fn home_write(&self, _: Address, _: usize, _: &Block) {}
}

/// Runs a program on a node with a device whose access time is 60 ns.
fn run_on_node<F: Future<Output = ()> + 'static>(program: impl FnOnce(MemoryBusProcessor, Sim) -> F) {
    let simulation = simulation();
    let sim = simulation.sim();
    let node = MemoryBusNode::new(&sim, "node", &NodeParameters::PAPER);
    node.attach(Rc::new(Device), INTERFACE_BASE..INTERFACE_BASE + 4096);
    sim.spawn("program", program(node.cores[0].clone(), sim.clone()));
    assert_eq!(simulation.run(Default::default()), Outcome::Done);
}

#[test]
fn an_uncached_access_takes_100_ns_and_the_wait_for_the_clock() {
    run_on_node(|processor, _| async move {
        processor.read_uncached(INTERFACE_BASE, 8).await;
        // The access takes 10 ns to the bus, 2 ns to the next edge, 80 ns on the bus, and 10 ns back.
        assert_eq!(processor.time(), Time::from_ns(102));
        processor.write_uncached(INTERFACE_BASE, 8, 1).await;
        assert_eq!(processor.time(), Time::from_ns(202), "the second access requests the bus at an edge");
    });
}

#[test]
fn hits_take_a_cycle_and_no_event() {
    run_on_node(|processor, sim| async move {
        processor.load(4096, 8).await;
        let (time, events) = (processor.time(), sim.events());
        for word in 0..8 {
            assert_eq!(processor.try_load(4096 + 8 * word, 8), Some(0));
        }
        assert_eq!((processor.time() - time, sim.events()), (Time::from_ns(8), events));
    });
}

#[test]
fn stores_do_not_wait_for_their_block_until_the_buffer_is_full() {
    run_on_node(|processor, _| async move {
        for word in 0..8 {
            processor.store(4096 + 8 * word, 8, word).await;
        }
        assert_eq!(processor.time(), Time::from_ns(8));
        assert_eq!(processor.load(4096 + 24, 8).await, 3, "a load takes the value of a waiting store");
        processor.store(8192, 8, 8).await;
        assert!(processor.time() > Time::from_ns(150), "the ninth store waits for an entry");
        processor.fence().await;
        assert_eq!(processor.load(8192, 8).await, 8);
    });
}

#[test]
fn stores_narrower_than_a_word_change_only_their_bytes() {
    run_on_node(|processor, _| async move {
        processor.store(4096, 8, u64::MAX).await;
        processor.store(4099, 2, 0).await;
        assert_eq!(
            processor.load(4096, 8).await,
            0xffff_ff00_00ff_ffff,
            "a load waits for a store to a part of its word"
        );
    });
}
