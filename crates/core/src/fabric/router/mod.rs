//! Flit-level routers: virtual-channel routers with input queues, stepped a cycle at a time.
//!
//! | file or folder | contents |
//! |---|---|
//! | `parameters.rs` | the parameters of routers and links |
//! | `link_timing.rs` | the cycles of single links, if a shape states rates and latencies |
//! | `network/` | the network: the state of all routers in flat arrays; a cycle visits only the active ones |
//!
//! A packet waits in its source's queue and enters a router's input buffer flit by flit. At each router, the packet is
//! routed and allocated a virtual channel of an output; then the switch is allocated for each of its flits. For each
//! flit that leaves a buffer, a credit returns upstream. See docs/fabric.md. The pipeline equals that of BookSim2's
//! input-queued router (Jiang et al., ISPASS 2013) in each cycle. The module does not model speculation, input and
//! output speedup, or faults. In tests, a plain implementation of the same network serves as the reference
//! (`tests/reference_network`).

pub mod link_timing;
pub mod network;
pub mod parameters;
#[cfg(test)]
mod tests;

pub use link_timing::{LinkTiming, LinkTimings};
pub use network::{Crossing, Link, LinkChannel, LinkEnd, Network};
pub use parameters::{RouterParameters, Sharing, Switching};

/// A packet to be sent. Either it is complete and reported as a whole ([`Injection::whole`]), or it is streamed.
///
/// A streamed packet may start to leave before its source has all flits, and its receiver may start to take flits
/// before all have arrived. If its source lacks flits, the packet waits. If its receiver does not take flits, they keep
/// the slots behind the last router, and back-pressure reaches through the network.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Injection {
    /// Source node.
    pub source: u32,
    /// Destination node.
    pub destination: u32,
    /// Length in flits, at least 1.
    pub flits: u16,
    /// Logical network.
    pub network: u8,
    /// Identifier of the packet in its events.
    pub tag: u32,
    /// Whether the packet needs a slot in the receiving interface.
    pub needs_slot: bool,
    /// Number of flits that the source has; the others are supplied later ([`Network::supply`]).
    pub available_flits: u16,
    /// Flow-control unit in flits, at most the size of a buffer; 0 if the packet is reported as a whole. A packet with
    /// a flow-control unit is streamed: departures and arrivals are reported by units, and the receiver must take the
    /// flits ([`Network::take`]).
    pub flow_unit: u16,
}

impl Injection {
    /// Returns a complete packet of logical network 0 that is reported as a whole and needs no receive slot.
    pub const fn whole(source: u32, destination: u32, flits: u16, tag: u32) -> Injection {
        Injection {
            source,
            destination,
            flits,
            network: 0,
            tag,
            needs_slot: false,
            available_flits: flits,
            flow_unit: 0,
        }
    }
}

/// An event of a packet at its source or destination.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct PacketEvent {
    /// Cycle of the event.
    pub cycle: u64,
    /// Node at which it occurred.
    pub node: u32,
    /// Logical network of the packet.
    pub network: u8,
    /// Tag of the packet.
    pub tag: u32,
    /// Kind of the event.
    pub kind: EventKind,
}

/// The kinds of events of a packet, in the order in which they occur.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum EventKind {
    /// This number of further flits of a streamed packet left the queue of the source.
    FlitsSent(u16),
    /// The tail of the packet left the queue of the source.
    Injected,
    /// All of the packet's header flit has arrived at the receiving interface.
    HeaderArrived,
    /// This number of further flits of a streamed packet have arrived at the receiving interface.
    FlitsArrived(u16),
    /// The packet's tail flit has arrived at the receiving interface.
    Delivered,
}

/// The numbers of packets and flits that a network has carried.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Counts {
    /// Packets that joined a source's queue.
    pub offered: u64,
    /// Packets whose tail left the source's queue.
    pub injected: u64,
    /// Packets whose tail arrived.
    pub delivered: u64,
    /// Flits that left a source's queue.
    pub injected_flits: u64,
    /// Flits that arrived.
    pub delivered_flits: u64,
    /// Flits that left a router's buffer: the crossings of links between routers and to interfaces.
    pub flit_hops: u64,
}

impl Counts {
    /// Returns the number of packets that were offered and have not arrived.
    pub fn in_flight(&self) -> u64 {
        self.offered - self.delivered
    }

    /// Returns the number of flits inside the network.
    pub fn in_flight_flits(&self) -> u64 {
        self.injected_flits - self.delivered_flits
    }
}
