//! The network: the state of all routers in flat arrays. Each stage processes all routers before the next stage begins.
//!
//! | file | contents |
//! |---|---|
//! | `mod.rs` | the network's interface |
//! | `cycle.rs` | the state between cycles, and the order of stages |
//! | `build.rs` | the construction from a shape |
//! | `state.rs` | the state of ports and channels |
//! | `packets.rs` | packets and flits |
//! | `delay_line.rs` | items that are due in a later cycle |
//! | `branchless_filter.rs` | selection of items without a branch |
//! | `active.rs` | the set of active sources |
//! | `sources.rs` | queues of sources, and injection into the first router |
//! | `buffers.rs` | arrival of flits and credits |
//! | `route.rs` | routing of the header at the front of a buffer |
//! | `channel_allocation.rs` | allocation of output channels to headers |
//! | `blocked_headers.rs` | headers that found no free channel |
//! | `switch_allocation.rs` | allocation of outputs to flits |
//! | `departure.rs` | departure of flits from routers |
//! | `sinks.rs` | arrival of flits at nodes |
//! | `timings.rs` | cycles of links that differ from one another |
//! | `links.rs`, `crossings.rs` | statistics: flits by link, packets by channel |
//! | `check.rs` | invariants between cycles |

mod active;
mod blocked_headers;
mod branchless_filter;
mod buffers;
mod build;
mod channel_allocation;
mod check;
mod crossings;
mod cycle;
mod delay_line;
mod departure;
mod links;
mod packets;
mod route;
mod sinks;
mod sources;
mod state;
mod switch_allocation;
mod timings;

use super::{Counts, Injection, PacketEvent, RouterParameters};
use crate::fabric::topology::Shape;
pub use crossings::{Crossing, LinkChannel};
use cycle::SpecializedNetwork;
pub use links::{Link, LinkEnd};
use std::fmt;

/// A network of routers, its sources and its sinks.
#[derive(Debug)]
pub struct Network {
    specialized: Box<dyn NetworkOps>,
}

/// The operations of a network with any number of channels.
trait NetworkOps: fmt::Debug + Send {
    fn cycle(&self) -> u64;
    fn counts(&self) -> Counts;
    fn links(&self) -> Vec<Link>;
    fn take_events(&mut self, events: &mut Vec<PacketEvent>);
    fn report_deliveries_only(&mut self);
    fn record_crossings(&mut self);
    fn take_crossings(&mut self, completed: &mut Vec<Crossing>);
    fn channel(&self, number: u32) -> LinkChannel;
    fn offer(&mut self, injection: Injection);
    fn supply(&mut self, node: u32, network: u8, tag: u32, flits: u16);
    fn take(&mut self, node: u32, network: u8, tag: u32, flits: u16);
    fn set_slots(&mut self, node: u32, network: u8, slots: u32);
    fn add_slot(&mut self, node: u32, network: u8);
    fn step(&mut self);
    fn next_work(&self) -> Option<u64>;
    fn skip_to(&mut self, cycle: u64);
    fn check(&self);
}

impl Network {
    /// Creates an empty network of this shape.
    pub fn new(shape: Shape, parameters: &RouterParameters, seed: u64) -> Network {
        let channels = build::channels(parameters);
        let links = parameters.link_timings(&shape.wiring);
        let is_simple_wormhole = links.is_none() && build::is_simple_wormhole(parameters);
        let specialized: Box<dyn NetworkOps> = match (channels, is_simple_wormhole) {
            (..=4, true) => Box::new(SpecializedNetwork::<4, true>::new(shape, (parameters, links), seed)),
            (..=4, false) => Box::new(SpecializedNetwork::<4, false>::new(shape, (parameters, links), seed)),
            (..=8, true) => Box::new(SpecializedNetwork::<8, true>::new(shape, (parameters, links), seed)),
            (..=8, false) => Box::new(SpecializedNetwork::<8, false>::new(shape, (parameters, links), seed)),
            _ => Box::new(SpecializedNetwork::<32, false>::new(shape, (parameters, links), seed)),
        };
        Network { specialized }
    }

    /// Returns the next cycle that [`step`](Network::step) simulates.
    pub fn cycle(&self) -> u64 {
        self.specialized.cycle()
    }

    /// Returns the numbers of packets and flits that the network has carried.
    pub fn counts(&self) -> Counts {
        self.specialized.counts()
    }

    /// Returns all links with the number of flits that crossed them: first those of nodes, then those of routers.
    pub fn links(&self) -> Vec<Link> {
        self.specialized.links()
    }

    /// Moves the events of the cycles since the last call to `events`, cycle by cycle.
    pub fn take_events(&mut self, events: &mut Vec<PacketEvent>) {
        self.specialized.take_events(events);
    }

    /// Reports only deliveries of packets from now on, not their injections and the arrivals of their headers. Streamed
    /// packets, which need these reports, may not be offered.
    pub fn report_deliveries_only(&mut self) {
        self.specialized.report_deliveries_only();
    }

    /// Records which packet holds which channel from now on, for spans.
    pub fn record_crossings(&mut self) {
        self.specialized.record_crossings();
    }

    /// Moves the crossings that have ended since the last call to `completed`.
    pub fn take_crossings(&mut self, completed: &mut Vec<Crossing>) {
        self.specialized.take_crossings(completed);
    }

    /// Returns the link channel with the number that a crossing states.
    pub fn channel(&self, number: u32) -> LinkChannel {
        self.specialized.channel(number)
    }

    /// Adds a packet to its source's queue.
    pub fn offer(&mut self, injection: Injection) {
        self.specialized.offer(injection);
    }

    /// Supplies this number of further flits to the first packet with this tag that `node` is sending or has in its
    /// queue.
    pub fn supply(&mut self, node: u32, network: u8, tag: u32, flits: u16) {
        self.specialized.supply(node, network, tag, flits);
    }

    /// Takes flits of the first packet with this tag. These flits were reported to the interface of `node` before.
    /// Their slots behind the last router become free as if the flits had been taken in the last simulated cycle.
    pub fn take(&mut self, node: u32, network: u8, tag: u32, flits: u16) {
        self.specialized.take(node, network, tag, flits);
    }

    /// Sets the number of free receive slots of a node's interface. Without this call it is unlimited.
    pub fn set_slots(&mut self, node: u32, network: u8, slots: u32) {
        self.specialized.set_slots(node, network, slots);
    }

    /// Adds a receive slot, which a node's interface has freed.
    pub fn add_slot(&mut self, node: u32, network: u8) {
        self.specialized.add_slot(node, network);
    }

    /// Simulates one cycle.
    pub fn step(&mut self) {
        self.specialized.step();
    }

    /// Returns the earliest cycle from [`cycle`](Network::cycle) on in which the state can change. Returns `None` if it
    /// cannot change before a packet is offered or supplied, flits are taken or a receive slot is added.
    pub fn next_work(&self) -> Option<u64> {
        self.specialized.next_work()
    }

    /// Advances to `cycle` without simulating the cycles before it. `cycle` is at most that of
    /// [`next_work`](Network::next_work).
    pub fn skip_to(&mut self, cycle: u64) {
        self.specialized.skip_to(cycle);
    }

    /// Checks that flits are conserved, that credits equal free slots, and that bit masks agree with the states of the
    /// channels. This is slow, and only for tests.
    pub fn check(&self) {
        self.specialized.check();
    }
}
