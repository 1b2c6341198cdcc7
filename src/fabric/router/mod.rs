//! Flit-level routers: virtual-channel routers with input queues, stepped a cycle at a time.
//!
//! | file or folder | holds |
//! |---|---|
//! | `parameters.rs` | what routers and links are like |
//! | `network/` | the network: many routers as rows of small state, only the active ones touched |
//! | `twin/` | the same network written plainly, which tests hold against it |
//!
//! A packet waits in its source's queue, enters a router's input buffer flit by flit, and at each router
//! is routed, gets a virtual channel of an output, then the switch for each of its flits; a slot of the
//! buffer it leaves goes back as a credit. See docs/fabric.md. The pipeline is that of BookSim2's
//! input-queued router (Jiang et al., ISPASS 2013), cycle by cycle. Leaves out: speculation, input and
//! output speedup, faults.

pub mod network;
pub mod parameters;
#[cfg(test)]
mod tests;
pub mod twin;

pub use network::Network;
pub use parameters::{RouterParameters, Sharing, Switching};

/// A packet to be sent.
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
}

/// Something that happened to a packet.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Event {
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

/// What happened to a packet.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum EventKind {
    /// Its tail left the source's queue.
    Entered,
    /// Its header flit is wholly at the receiving interface.
    Header,
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

/// A number that packet `number` has at `router`, the same in every run: where its search among several
/// ports begins.
fn hash(seed: u64, number: u64, router: u32) -> u64 {
    let mut mixed = seed ^ number.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ (u64::from(router) << 32);
    for factor in [0xbf58_476d_1ce4_e5b9, 0x94d0_49bb_1331_11eb] {
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(factor);
    }
    mixed ^ (mixed >> 31)
}
