//! Tests of routers: against the plain twin, against formulas, and at their limits.

mod blocking;
mod described;
mod shapes;
mod timing;
mod twin;

use super::{Event, Injection, Network, RouterParameters, Switching};
use crate::engine::rng;

/// Cycles per flit of 4 or 8, no delay but routing's: the networks of packet-switched machines.
fn serial(cycles_per_flit: u32) -> RouterParameters {
    RouterParameters {
        link_bits: 32 / cycles_per_flit,
        routing_delay: 0,
        vc_allocation_delay: 0,
        switch_allocation_delay: 0,
        switch_traversal_delay: 0,
        ..RouterParameters::BOOKSIM
    }
}

fn packet(source: u32, destination: u32, flits: u16, tag: u32) -> Injection {
    Injection { source, destination, flits, network: 0, tag, takes_place: false }
}

/// Steps until nothing is left to do, skipping idle cycles; all events.
fn run(network: &mut Network) -> Vec<Event> {
    let mut events = Vec::new();
    while let Some(next) = network.next_work() {
        network.skip_to(next);
        network.step();
        network.check();
        network.take_events(&mut events);
        assert!(network.cycle() < 1_000_000, "it comes to an end");
    }
    events
}
