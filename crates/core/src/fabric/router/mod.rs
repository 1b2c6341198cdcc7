//! Flit-level routers: virtual-channel routers with input queues, stepped a cycle at a time.
//!
//! | file or folder | holds |
//! |---|---|
//! | `parameters.rs` | what routers and links are like |
//! | `link_timing.rs` | the cycles of single links, where a shape states rates and latencies |
//! | `network/` | the network: many routers as rows of small state, only the active ones touched |
//!
//! A packet waits in its source's queue, enters a router's input buffer flit by flit, and at each router
//! is routed, gets a virtual channel of an output, then the switch for each of its flits; a slot of the
//! buffer it leaves goes back as a credit. See docs/fabric.md. The pipeline is that of BookSim2's
//! input-queued router (Jiang et al., ISPASS 2013), cycle by cycle. Leaves out: speculation, input and
//! output speedup, faults. The same network is written plainly in `tests/twin`, and held against it.

pub mod link_timing;
pub mod network;
pub mod parameters;
#[cfg(test)]
mod tests;

pub use link_timing::{LinkTiming, LinkTimings};
pub use network::{Crossing, Link, LinkChannel, LinkEnd, Network};
pub use parameters::{RouterParameters, Sharing, Switching};

/// A packet to be sent: there and told of as a whole ([`Injection::whole`]), or streamed.
///
/// A streamed packet may leave while it is still coming to its source, and its receiver may take it
/// while it is still coming out: flits that are not there yet are waited for, and those that are not
/// taken yet keep the slots behind the last router, so that back-pressure reaches through the network.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Injection {
    /// The node it comes from.
    pub source: u32,
    /// The node it goes to.
    pub destination: u32,
    /// Its length; at least 1.
    pub flits: u16,
    /// Its logical network.
    pub network: u8,
    /// Given back in events.
    pub tag: u32,
    /// Whether it needs a place in the receiving interface.
    pub takes_place: bool,
    /// Flits that are there already; the rest is supplied later ([`Network::supply`]).
    pub ready: u16,
    /// 0 if it is told of as a whole. If not, it is streamed: its source and its receiver are told of
    /// its flits whenever so many have gathered, at most what a buffer holds, and its receiver takes
    /// them ([`Network::take`]).
    pub grain: u16,
}

impl Injection {
    /// A packet of logical network 0 that is all there, told of as a whole, and takes no place.
    pub const fn whole(source: u32, destination: u32, flits: u16, tag: u32) -> Injection {
        Injection { source, destination, flits, network: 0, tag, takes_place: false, ready: flits, grain: 0 }
    }
}

/// Something that happened to a packet.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct PacketEvent {
    /// When.
    pub cycle: u64,
    /// At which node.
    pub node: u32,
    /// On which logical network.
    pub network: u8,
    /// The packet's tag.
    pub tag: u32,
    /// What.
    pub kind: EventKind,
}

/// What happened to a packet, in the order in which it does.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum EventKind {
    /// So many more flits of it left the source's queue; of a streamed packet only.
    Left(u16),
    /// Its tail left the source's queue.
    Entered,
    /// Its header flit is wholly at the receiving interface.
    Header,
    /// So many more flits of it are; of a streamed packet only.
    Came(u16),
    /// Its tail flit is.
    Delivered,
}

/// What went through a network since its beginning.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Counts {
    /// Packets that joined a source's queue.
    pub offered: u64,
    /// Packets whose tail left it.
    pub injected: u64,
    /// Packets whose tail arrived.
    pub delivered: u64,
    /// Flits that left a source's queue.
    pub injected_flits: u64,
    /// Flits that arrived.
    pub delivered_flits: u64,
    /// Flits that left a router's buffer: links between routers and to interfaces that were crossed.
    pub flit_hops: u64,
}

impl Counts {
    /// Packets that were offered and have not arrived.
    pub fn in_flight(&self) -> u64 {
        self.offered - self.delivered
    }

    /// Flits inside the network.
    pub fn in_flight_flits(&self) -> u64 {
        self.injected_flits - self.delivered_flits
    }
}
