//! Tests of the bus with cycle precision, of the protocol over all reachable states, and of traffic against a
//! reference.

mod coherent_port;
mod memory_view;
mod occupancy;
mod outstanding_stores;
mod polls;
mod processor;
mod protocol;
mod split;
mod traffic;
mod within_event;
mod write_combining;

use super::*;
use crate::engine::{Bytes, Outcome, Recorder, Simulation, Time};
use std::rc::Rc;

/// Returns a bus with a main memory of 64 KiB.
pub fn bus_with_memory(simulation: &Simulation) -> Rc<Bus> {
    bus_with(simulation, BusTransactions::Held)
}

/// Returns a bus with this kind of transactions and a main memory of 64 KiB.
pub fn bus_with(simulation: &Simulation, transactions: BusTransactions) -> Rc<Bus> {
    let parameters = BusParameters { transactions, ..NodeParameters::PAPER.bus };
    let bus = Rc::new(Bus::new(&simulation.sim(), "test", parameters));
    bus.attach(Rc::new(Memory::new(Bytes(1 << 16), Time::from_ns(120))), Some(0..1 << 16));
    bus
}

/// Returns the parameters of a cache of `blocks` blocks in sets of `ways`.
pub fn cache_of(blocks: u64, ways: usize) -> CacheParameters {
    CacheParameters { size: Bytes(blocks * BLOCK_BYTES as u64), ways, supply_time: Time::from_ns(20) }
}

/// Returns an empty simulation.
pub fn simulation() -> Simulation {
    Simulation::new(Recorder::off())
}

#[test]
fn all_parameter_errors_are_reported() {
    let mut parameters = NodeParameters::PAPER;
    assert_eq!(parameters.check(), []);
    parameters.cache.size = Bytes(1000);
    parameters.cache.ways = 3;
    parameters.bus.width = Bytes(24);
    parameters.processor.store_buffer_entries = 0;
    let invalid_keys: Vec<&str> = parameters.check().iter().map(|problem| problem.parameter).collect();
    assert_eq!(invalid_keys, ["cache.size", "cache.ways", "bus.width", "processor.store-buffer-entries"]);
}

#[test]
fn exhausted_memory_ends_the_run_and_is_named_in_the_report() {
    let simulation = simulation();
    let sim = simulation.sim();
    let parameters = NodeParameters { memory_size: Bytes(1 << 16), ..NodeParameters::PAPER };
    let node = MemoryBusNode::new(&sim, "node", &parameters);
    let greedy_sim = sim.clone();
    sim.spawn("greedy", async move {
        loop {
            let address = node.allocate(1000);
            node.cores[0].store(address, 8, 1).await;
            greedy_sim.delay(Time::from_us(1)).await;
        }
    });
    let outcome = simulation.run(Default::default());
    let Outcome::Deadlock(deadlock) = &outcome else { panic!("{outcome:?}") };
    let expected = "greedy waits for 1000 B of the main memory of node, whose 64 KiB are all in use";
    assert!(deadlock.to_string().ends_with(expected), "{deadlock}");
}
