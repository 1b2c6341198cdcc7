//! The network: the state of all routers in flat rows, stage after stage over all of them.
//!
//! | file | holds |
//! |---|---|
//! | `mod.rs` | the network, as others see it |
//! | `cycle.rs` | the order of a cycle |
//! | `build.rs` | from a shape to sectors of ports |
//! | `state.rs` | what a port, a channel remembers |
//! | `packets.rs` | packets and flits |
//! | `ring.rs` | what is due in a later cycle |
//! | `sieve.rs` | some of many, chosen without a branch |
//! | `active.rs` | which sources have something to do |
//! | `sources.rs` | from a source's queue into the first router |
//! | `buffers.rs` | flits and credits that arrive |
//! | `route.rs` | a header at the front of its buffer |
//! | `channel_allocation.rs` | headers and output channels |
//! | `sleep.rs` | headers that found none |
//! | `switch_allocation.rs` | flits and outputs |
//! | `departure.rs` | leaving a router |
//! | `sinks.rs` | flits that arrive at a node |
//! | `timings.rs` | cycles of links that differ from one another |
//! | `links.rs`, `crossings.rs` | what instruments ask: flits by link, packets by channel |
//! | `check.rs` | what must hold between any two cycles |

mod active;
mod buffers;
mod build;
mod channel_allocation;
mod check;
mod crossings;
mod cycle;
mod departure;
mod links;
mod packets;
mod ring;
mod route;
mod sieve;
mod sinks;
mod sleep;
mod sources;
mod state;
mod switch_allocation;
mod timings;

use super::{Counts, Injection, PacketEvent, RouterParameters};
use crate::fabric::topology::Shape;
pub use crossings::{Crossing, LinkChannel};
use cycle::Rows;
pub use links::{Link, LinkEnd};
use std::fmt;

/// A network of routers, its sources and its sinks.
#[derive(Debug)]
pub struct Network {
    rows: Box<dyn Cycles>,
}

/// What a network does, whatever the number of its channels.
trait Cycles: fmt::Debug + Send {
    fn cycle(&self) -> u64;
    fn counts(&self) -> Counts;
    fn links(&self) -> Vec<Link>;
    fn take_events(&mut self, into: &mut Vec<PacketEvent>);
    fn keep_crossings(&mut self);
    fn take_crossings(&mut self, into: &mut Vec<Crossing>);
    fn channel(&self, number: u32) -> LinkChannel;
    fn offer(&mut self, injection: Injection);
    fn supply(&mut self, node: u32, network: u8, tag: u32, flits: u16);
    fn take(&mut self, node: u32, network: u8, tag: u32, flits: u16);
    fn set_places(&mut self, node: u32, network: u8, places: u32);
    fn add_place(&mut self, node: u32, network: u8);
    fn step(&mut self);
    fn next_work(&self) -> Option<u64>;
    fn skip_to(&mut self, cycle: u64);
    fn check(&self);
}

impl Network {
    /// A network of this shape, empty.
    pub fn new(shape: Shape, parameters: &RouterParameters, seed: u64) -> Network {
        let channels = build::channels(parameters);
        let links = parameters.link_timings(&shape.wiring);
        let is_plain = links.is_none() && build::is_plain(parameters);
        let rows: Box<dyn Cycles> = match (channels, is_plain) {
            (..=4, true) => Box::new(Rows::<4, true>::new(shape, (parameters, links), seed)),
            (..=4, false) => Box::new(Rows::<4, false>::new(shape, (parameters, links), seed)),
            (..=8, true) => Box::new(Rows::<8, true>::new(shape, (parameters, links), seed)),
            (..=8, false) => Box::new(Rows::<8, false>::new(shape, (parameters, links), seed)),
            _ => Box::new(Rows::<32, false>::new(shape, (parameters, links), seed)),
        };
        Network { rows }
    }

    /// The next cycle that [`step`](Network::step) simulates.
    pub fn cycle(&self) -> u64 {
        self.rows.cycle()
    }

    /// What went through the network.
    pub fn counts(&self) -> Counts {
        self.rows.counts()
    }

    /// How many flits crossed each link: the nodes' first, then the routers'.
    pub fn links(&self) -> Vec<Link> {
        self.rows.links()
    }

    /// Moves what happened in the cycles stepped since into `into`, cycle by cycle.
    pub fn take_events(&mut self, into: &mut Vec<PacketEvent>) {
        self.rows.take_events(into);
    }

    /// Keeps which packet had which channel from now on, for spans.
    pub fn keep_crossings(&mut self) {
        self.rows.keep_crossings();
    }

    /// Moves what was kept since into `into`.
    pub fn take_crossings(&mut self, into: &mut Vec<Crossing>) {
        self.rows.take_crossings(into);
    }

    /// The channel of a crossing.
    pub fn channel(&self, number: u32) -> LinkChannel {
        self.rows.channel(number)
    }

    /// A packet joins its source's queue.
    pub fn offer(&mut self, injection: Injection) {
        self.rows.offer(injection);
    }

    /// So many more flits of a packet are there: the first with this tag of those that this node is sending
    /// or that wait in its queue.
    pub fn supply(&mut self, node: u32, network: u8, tag: u32, flits: u16) {
        self.rows.supply(node, network, tag, flits);
    }

    /// A node's interface takes flits that it was told of, of the first packet with this tag: their slots
    /// behind the last router are free again, as from the last cycle stepped.
    pub fn take(&mut self, node: u32, network: u8, tag: u32, flits: u16) {
        self.rows.take(node, network, tag, flits);
    }

    /// Sets how many places a node's interface has free; without it, there is no limit.
    pub fn set_places(&mut self, node: u32, network: u8, places: u32) {
        self.rows.set_places(node, network, places);
    }

    /// A node's interface freed a place.
    pub fn add_place(&mut self, node: u32, network: u8) {
        self.rows.add_place(node, network);
    }

    /// Simulates a cycle.
    pub fn step(&mut self) {
        self.rows.step();
    }

    /// The earliest cycle from [`cycle`](Network::cycle) on in which anything can happen; none if nothing
    /// will before a packet is offered or supplied, flits are taken or a place is added.
    pub fn next_work(&self) -> Option<u64> {
        self.rows.next_work()
    }

    /// Goes on to a cycle, at most that of [`next_work`](Network::next_work).
    pub fn skip_to(&mut self, cycle: u64) {
        self.rows.skip_to(cycle);
    }

    /// Checks that flits are conserved, credits are for free slots, and masks say what the channels are;
    /// slow, for tests.
    pub fn check(&self) {
        self.rows.check();
    }
}
