//! Tests of routers against formulas and at their limits. `tests/routers.rs` compares them with a plain implementation.

mod blocking;
mod descriptions;
mod streams;
mod timing;

use super::{Injection, Network, PacketEvent, RouterParameters, Switching};
use crate::text::Parameters;

/// Returns the parameters of routers with narrow links and no delays, as in the networks of packet-switched machines.
fn serial_links(cycles_per_flit: u32) -> RouterParameters {
    RouterParameters {
        link_bits: 32 / cycles_per_flit,
        routing_delay: 0,
        vc_allocation_delay: 0,
        switch_allocation_delay: 0,
        switch_traversal_delay: 0,
        ..RouterParameters::defaults()
    }
}

fn packet(source: u32, destination: u32, flits: u16, tag: u32) -> Injection {
    Injection::whole(source, destination, flits, tag)
}

/// Steps the network until it has no work, skipping idle cycles, and returns all events.
fn run(network: &mut Network) -> Vec<PacketEvent> {
    let mut events = Vec::new();
    while let Some(next) = network.next_work() {
        network.skip_to(next);
        network.step();
        network.check();
        network.take_events(&mut events);
        assert!(network.cycle() < 1_000_000, "the network becomes idle");
    }
    events
}
