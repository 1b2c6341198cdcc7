//! Protocols between two interfaces: admission of packets to the fabric, order of delivery, and recovery from loss.
//!
//! | folder or file | protocol |
//! |---|---|
//! | `plain/` | no protocol: queues only; order and loss are those of the fabric |
//! | `return_to_sender/` | a packet that finds no free buffer is returned to its sender, which retries it (Mukherjee and Hill 1998) |
//! | `nifdy/` | admission control and in-order delivery (Callahan and Goldstein 1995) |
//! | `window/` | a sliding window for each peer, acknowledgements and time-outs |
//! | `directory/` | messages that keep shared memory coherent, over active messages or in hardware |
//! | `udp_ip/` | UDP over IPv4, in real bytes: no flow control; the packet formats and reassembly of a sockets stack |
//!
//! `spec.rs` defines the specification of a protocol, which is fixed before time 0, and `handle.rs` the handle of a
//! packet.
//!
//! A protocol has no clock and no I/O of its own: time is an argument. All protocols but the last two are state
//! machines whose inputs are events and whose outputs are frames. Their user (a hardware port or a chip's firmware)
//! calls [`Protocol`] for the next frame that may enter the fabric; a protocol never calls its user. The type `P` is a
//! handle to a packet, so that a packet may be admitted while its bytes are still arriving; the protocol drops the
//! handle when the packet will not be retransmitted. A new protocol is a folder whose `spec.rs` implements
//! [`ProtocolSpec`], and a line of the registry.
//!
#![doc = include_str!("example.md")]

pub mod directory;
mod frame;
mod handle;
mod limits;
pub mod nifdy;
pub mod plain;
pub mod return_to_sender;
mod spec;
pub mod udp_ip;
pub mod window;

#[cfg_attr(not(doctest), doc = include_str!("example.md"))]
pub use frame::{AcceptedPacket, Answer, Effects, Frame, Marks, Offer, Slot};
#[cfg_attr(not(doctest), doc = include_str!("example.md"))]
pub use handle::PacketHandle;
#[cfg_attr(not(doctest), doc = include_str!("example.md"))]
pub use spec::{ProtocolEnvironment, ProtocolSpec};

#[doc(hidden)]
pub use spec::ProtocolBinding;

use crate::engine::{Class, NodeId, Time};

/// Guarantees of a protocol, and its requirements on the fabric and the interface.
///
#[cfg_attr(not(doctest), doc = include_str!("example.md"))]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Guarantees {
    /// Whether packets between two nodes in a class are delivered in the order in which they were offered, even on a
    /// fabric that reorders packets.
    pub in_order: bool,
    /// Whether packets that the fabric loses are retransmitted.
    pub survives_loss: bool,
    /// Whether the protocol is correct only on a fabric that keeps the order of packets between two nodes.
    pub needs_order: bool,
    /// Whether the protocol may reorder packets between two nodes, even on a fabric that keeps their order.
    pub reorders: bool,
    /// Initial number of free receive slots in each class; `None` if packets never wait in the fabric for a slot.
    pub slots: Option<u32>,
    /// Whether an offered packet waits in the protocol until it may enter the fabric, so that it does not block the
    /// interface.
    pub pools: bool,
    /// Whether the protocol sets timers.
    pub has_timers: bool,
}

impl Guarantees {
    /// Returns the guarantees of a protocol without timers that adds nothing to the fabric's order and reliability.
    /// Offered packets wait in the protocol; arriving packets wait in the fabric for one of `slots` receive slots of
    /// their class.
    pub const fn new(slots: Option<u32>) -> Guarantees {
        let (in_order, survives_loss, needs_order, reorders, has_timers) = (false, false, false, false, false);
        Guarantees { in_order, survives_loss, needs_order, reorders, slots, pools: true, has_timers }
    }
}

/// Counters of a protocol, in packets.
///
#[cfg_attr(not(doctest), doc = include_str!("example.md"))]
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
#[non_exhaustive]
pub struct Statistics {
    /// Packets accepted for delivery to their reader.
    pub accepted: u64,
    /// Packets sent in bulk mode.
    pub bulk: u64,
    /// Acknowledgements sent in frames of their own.
    pub acknowledgements: u64,
    /// Acknowledgements piggybacked on packets.
    pub piggybacked: u64,
    /// Retransmitted packets.
    pub retransmitted: u64,
    /// Duplicates that arrived.
    pub duplicates: u64,
    /// Packets returned to their sender because the receiver had no free buffer.
    pub returned: u64,
}

/// A protocol's endpoint at one node: admission, order and reliability of packets.
///
#[cfg_attr(not(doctest), doc = include_str!("example.md"))]
pub trait Protocol<P: Clone> {
    /// Returns the number of free send slots of `class`.
    fn free_send_slots(&self, class: Class) -> u32;

    /// Reserves a send slot of `class` for a packet to be composed; returns `None` if all are in use.
    fn reserve(&mut self, class: Class) -> Option<Slot>;

    /// Hands a composed packet to the protocol in the `slot` reserved for it.
    fn offer(&mut self, slot: Slot, packet: Offer<P>);

    /// Returns `false` if [`Protocol::next`] is known to return `None` for this class.
    fn may_send(&self, _class: Class) -> bool {
        true
    }

    /// Returns the next frame of `class` that may enter the fabric, if there is one. The protocol counts the frame as
    /// sent, so the caller must send it.
    fn next(&mut self, class: Class, now: Time) -> Option<Frame<P>>;

    /// Records that the frame last returned by [`Protocol::next`] for this class has left the interface.
    fn on_departure(&mut self, _class: Class) -> Effects {
        Effects::NONE
    }

    /// Handles a frame that has arrived, and consumes it.
    fn arrive(&mut self, frame: Frame<P>, now: Time) -> Effects;

    /// Handles a packet whose payload a switch has removed: `frame` has a header but no body. By default the packet is
    /// lost.
    fn arrive_trimmed(&mut self, _frame: Frame<P>, _now: Time) -> Effects {
        Effects { is_discarded: true, ..Effects::NONE }
    }

    /// Returns the source and the packet that [`Protocol::take`] would return.
    fn front(&self, class: Class) -> Option<(NodeId, &P)>;

    /// Returns whether [`Protocol::take`] would return a packet of `class`.
    fn can_take(&self, class: Class) -> bool {
        self.front(class).is_some()
    }

    /// Removes the next packet of `class` for its reader. Its receive slot stays occupied until [`Protocol::release`].
    fn take(&mut self, class: Class, answer: Answer) -> Option<AcceptedPacket<P>>;

    /// Frees the receive slot of a packet that its reader has consumed.
    fn release(&mut self, class: Class, slot: Slot) -> Effects;

    /// Returns the time at which the next timer expires, or `None` if no timer runs.
    fn next_timer(&self) -> Option<Time> {
        None
    }

    /// Handles all timers that have expired at `now`.
    fn on_time(&mut self, _now: Time) {}

    /// Returns the number of unacknowledged packets to node `to`, or to all nodes if `to` is `None`. Packets that are
    /// acknowledged only after further packets are sent are not counted.
    fn unacknowledged(&self, to: Option<NodeId>) -> u32;

    /// Sets the feedback word that this node's acknowledgements and replies carry from now on, such as its rate.
    fn set_feedback(&mut self, _feedback: u64) {}

    /// Returns the last feedback word received from `node`, or 0 if there is none.
    fn feedback_from(&self, _node: NodeId) -> u64 {
        0
    }

    /// Returns the counts since the start.
    fn statistics(&self) -> Statistics;

    /// Returns the size in bytes of the protocol's state with packets of `packet_bytes` bytes.
    fn state_bytes(&self, packet_bytes: usize) -> usize;
}
