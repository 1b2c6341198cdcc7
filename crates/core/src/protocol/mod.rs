//! What two interfaces agree on: who may send when, in which order packets are handed up, and what
//! becomes of those that are lost.
//!
//! | folder or file | protocol |
//! |---|---|
//! | `plain/` | none: queues, and whatever the fabric makes of them |
//! | `return_to_sender/` | what finds no room is sent back, and sent again (Mukherjee and Hill 1998) |
//! | `nifdy/` | admission control and in-order delivery (Callahan and Goldstein 1995) |
//! | `window/` | a sliding window for each peer, acknowledgements and time-outs |
//! | `directory/` | blocks of shared memory kept coherent by messages: over active messages, or in hardware |
//! | `udp_ip/` | UDP over IPv4, in real bytes: no rules of flow control, but what a sockets stack is made of |
//!
//! `spec.rs` is a protocol before it runs, `handle.rs` what it knows a packet by.
//!
//! Each is without time or I/O of its own: time is an argument. All but the last two are state machines of packets,
//! events in, frames out. Whoever has the wire (a hardware port, a chip's firmware) asks one through
//! [`Protocol`] what may enter now; it drives nobody. `P` is a handle on a packet, so that one may be
//! admitted while its bytes are still coming; it is let go when the packet will not be sent again. A
//! new protocol is a folder whose `spec.rs` implements [`ProtocolSpec`], and a line of the registry.
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

#[doc = include_str!("example.md")]
pub use frame::{Answer, Effects, Frame, Marks, Offer, Slot, Taken};
#[doc = include_str!("example.md")]
pub use handle::PacketHandle;
#[doc = include_str!("example.md")]
pub use spec::{ProtocolEnvironment, ProtocolSpec};

#[doc(hidden)]
pub use spec::ProtocolBinding;

use crate::engine::{Class, NodeId, Time};

/// What a protocol guarantees, and what it asks for.
///
#[doc = include_str!("example.md")]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Guarantees {
    /// Packets of a pair and a class are handed up in the order in which they were offered, whatever
    /// the fabric does.
    pub in_order: bool,
    /// What the fabric loses is sent again.
    pub survives_loss: bool,
    /// It is right only on a fabric that keeps the order of a pair.
    pub needs_order: bool,
    /// Packets of a pair may overtake each other, even on a fabric that keeps their order.
    pub reorders: bool,
    /// Receive slots that are free at first, in each class; `None` where packets never wait in the fabric for one.
    pub slots: Option<u32>,
    /// A packet that was offered waits here until it may enter, while the interface goes on.
    pub pools: bool,
    /// Timers may go off.
    pub has_timers: bool,
}

impl Guarantees {
    /// Returns the guarantees of a protocol that promises nothing about order or loss and has no timers: packets that
    /// are offered wait here, and those that arrive wait in the fabric for one of `slots` of their class.
    pub const fn new(slots: Option<u32>) -> Guarantees {
        let (in_order, survives_loss, needs_order, reorders, has_timers) = (false, false, false, false, false);
        Guarantees { in_order, survives_loss, needs_order, reorders, slots, pools: true, has_timers }
    }
}

/// Counts, in packets.
///
#[doc = include_str!("example.md")]
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
#[non_exhaustive]
pub struct Statistics {
    /// Packets handed up.
    pub accepted: u64,
    /// Packets that were sent in a burst.
    pub bulk: u64,
    /// Acknowledgements sent by themselves.
    pub acknowledgements: u64,
    /// Acknowledgements that rode in packets.
    pub carried: u64,
    /// Packets that were sent again.
    pub retransmitted: u64,
    /// Copies that came of what had come before.
    pub duplicates: u64,
    /// Packets that were sent back for lack of room.
    pub returned: u64,
}

/// Admission, order, reliability.
///
#[doc = include_str!("example.md")]
pub trait Protocol<P: Clone> {
    /// How many packets of a class may be composed now.
    fn room(&self, class: Class) -> u32;

    /// Takes a slot for a packet to be composed, if there is one.
    fn reserve(&mut self, class: Class) -> Option<Slot>;

    /// A composed packet.
    fn offer(&mut self, slot: Slot, packet: Offer<P>);

    /// Whether anything may enter this class, as far as that is known without [`Protocol::next`].
    fn may_send(&self, _class: Class) -> bool {
        true
    }

    /// What may enter this class now. It counts as sent: the caller sends it.
    fn next(&mut self, class: Class, now: Time) -> Option<Frame<P>>;

    /// What was given last for this class has left the interface.
    fn left(&mut self, _class: Class) -> Effects {
        Effects::NONE
    }

    /// A frame came. It is always consumed.
    fn arrive(&mut self, frame: Frame<P>, now: Time) -> Effects;

    /// The source and the packet that [`Protocol::take`] would give.
    fn front(&self, class: Class) -> Option<(NodeId, &P)>;

    /// Whether there is one.
    fn has_front(&self, class: Class) -> bool {
        self.front(class).is_some()
    }

    /// Its reader takes the next packet of a class, which keeps its place until it is released.
    fn take(&mut self, class: Class, answer: Answer) -> Option<Taken<P>>;

    /// A packet was read.
    fn release(&mut self, class: Class, slot: Slot) -> Effects;

    /// When a timer goes off next.
    fn next_timer(&self) -> Option<Time> {
        None
    }

    /// Timers due by `now` go off.
    fn on_time(&mut self, _now: Time) {}

    /// Packets sent to a node, or to any, that are not answered for and will be, whatever is sent next.
    fn unanswered(&self, to: Option<NodeId>) -> u32;

    /// A note that rides in what is sent back from now on: this node's pace.
    fn tell(&mut self, _note: u64) {}

    /// The note that came last from a node; 0 before.
    fn told(&self, _by: NodeId) -> u64 {
        0
    }

    /// Counts since the start.
    fn statistics(&self) -> Statistics;

    /// Bytes of state for packets of `packet` bytes.
    fn state_bytes(&self, packet: usize) -> usize;
}
