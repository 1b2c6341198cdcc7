//! Tests of an Alewife node: the cycles of hits and misses, replaced blocks, and the decisions of a coherence
//! controller.

use super::{AlewifeNode, AlewifeParameters, CoherenceController, LINE_BYTES, REMOTE, home_of, line_of, remote};
use crate::engine::{Bytes, Hertz, NodeId, Outcome, Recorder, Sim, Simulation};
use crate::host::{Address, Fault, Processor};
use std::cell::RefCell;
use std::rc::Rc;

const NODE: AlewifeParameters = AlewifeParameters {
    clock_min: None,
    clock_max: None,
    clock: Hertz(20_000_000),
    load_cycles: 2,
    store_cycles: 3,
    miss_cycles: 11,
    contexts: 4,
    switch_cycles: 14,
    cache: Bytes(64 << 10),
    memory: Bytes(1 << 20),
};

/// Runs a program on a node.
fn run<F: Future<Output = ()> + 'static>(program: impl FnOnce(Rc<AlewifeNode>) -> F) {
    let simulation = Simulation::new(Recorder::off());
    let sim: Sim = simulation.sim();
    let node = Rc::new(AlewifeNode::new(&sim, "node", &NODE));
    sim.spawn("program", program(node));
    assert_eq!(simulation.run(Default::default()), Outcome::Done);
}

/// Returns the cycles that an access takes.
async fn cycles(node: &AlewifeNode, access: impl Future<Output = ()>) -> u64 {
    let begun = node.processor.now();
    access.await;
    NODE.clock.cycle_at(node.processor.now() - begun)
}

#[test]
fn a_hit_takes_its_cycles_and_a_miss_eleven() {
    run(|node| async move {
        let cpu = &node.processor;
        let at = node.allocate(64);
        let load = async |at| _ = cpu.load(at, 8).await.expect("its own");
        assert_eq!(cycles(&node, load(at)).await, 11);
        assert_eq!(cycles(&node, load(at + 8)).await, 2);
        assert_eq!(cycles(&node, load(at + 16)).await, 11);
        let store = async |at| cpu.store(at, 8, 7).await.expect("its own");
        assert_eq!(cycles(&node, store(at)).await, 3);
        assert_eq!(cycles(&node, store(at + 32)).await, 11);
    });
}

#[test]
fn a_replaced_block_is_written_to_memory() {
    run(|node| async move {
        let cpu = &node.processor;
        let (at, other) = (node.allocate(64), 64 << 10);
        let same_frame = at + other;
        cpu.store(at, 8, 0xA1).await.expect("its own");
        cpu.store(same_frame, 8, 0xB2).await.expect("its own");
        // Both blocks map to the same frame of the cache.
        assert_eq!(cpu.load(at, 8).await, Ok(0xA1));
        assert_eq!(cpu.load(same_frame, 8).await, Ok(0xB2));
        assert_eq!(node.peek(at, 8), 0xA1u64.to_le_bytes());
    });
}

#[test]
fn poked_bytes_replace_cached_ones() {
    run(|node| async move {
        let cpu = &node.processor;
        let at = node.allocate(64);
        cpu.store(at, 8, u64::MAX).await.expect("its own");
        node.write_untimed(at + 2, &[0; 4]);
        assert_eq!(cpu.load(at, 8).await, Ok(0xFFFF_0000_0000_FFFF));
    });
}

/// A coherence controller that allows no stores, and no eviction of other nodes' blocks.
#[derive(Default)]
struct Strict(RefCell<Vec<Address>>);

impl CoherenceController for Strict {
    fn allows(&self, _: Address, stores: bool) -> bool {
        !stores
    }

    fn evict(&self, block: Address) -> bool {
        self.0.borrow_mut().push(block);
        false
    }
}

#[test]
fn a_keeper_determines_allowed_accesses_and_evictions() {
    run(|node| async move {
        let (cpu, controller) = (&node.processor, Rc::new(Strict::default()));
        node.set_coherence_controller(controller.clone());
        let at = node.allocate(64);
        assert_eq!(cpu.load(at, 8).await, Ok(0));
        assert_eq!(cpu.store(at, 8, 1).await, Err(Fault { address: at, stores: true }));
        let far = remote(NodeId(3), at + 64);
        assert_eq!(home_of(far), (Some(NodeId(3)), at + 64));
        assert_eq!(cpu.load(far, 8).await, Err(Fault { address: far, stores: false }));
        // An arriving copy is used from the transaction store until it is moved to the cache, where it stays.
        node.take_copy(line_of(far), [9; LINE_BYTES]);
        assert!(!cpu.may_access(far, false) && cpu.try_load(far, 4) == Some(0x0909_0909));
        node.move_to_cache(far);
        assert!(cpu.may_access(far, false) && far > REMOTE);
        let same_frame = (far & (REMOTE - 1)) + (64 << 10);
        assert_eq!(cpu.load(same_frame, 8).await, Ok(0));
        assert_eq!(*controller.0.borrow(), [line_of(far)]);
        assert_eq!(cpu.try_load(far, 1), Some(9));
    });
}
