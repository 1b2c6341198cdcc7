//! What an interface and its protocol tell each other of packets: offers, frames, what an event did.

use crate::engine::{Bytes, Class, FlowKey, Head, NodeId};

/// A place that a packet has: for sending from before it is composed, for receiving until it was
/// read.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Slot(pub u32);

/// Whether the handler of a packet answers its sender.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Answer {
    /// It does not, or nobody knows.
    None,
    /// It does: what the protocol has to say may ride in the answer.
    Follows,
}

/// What a sender says of a packet, beside whom it is for.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Marks {
    /// More packets for this node follow, enough to want a burst of them admitted.
    pub burst: bool,
    /// The last of its message.
    pub last: bool,
    /// It answers a packet of the destination.
    pub answers: bool,
    /// It goes past the protocol: no order, no acknowledgement.
    pub bypasses: bool,
}

impl Marks {
    /// A packet by itself.
    pub const ALONE: Marks = Marks { burst: false, last: true, answers: false, bypasses: false };
}

/// A packet that is offered.
#[derive(Clone, Debug)]
pub struct Offer<P> {
    /// Whom it is for.
    pub to: NodeId,
    /// Its connection to that node.
    pub flow: FlowKey,
    /// Its class.
    pub class: Class,
    /// What is said of it.
    pub marks: Marks,
    /// Its length, headers of the interface and all.
    pub bytes: Bytes,
    /// The packet.
    pub body: P,
}

/// What crosses the fabric.
#[must_use = "a frame that is not sent is lost"]
#[derive(Clone, Debug)]
pub struct Frame<P> {
    /// Who sends it.
    pub from: NodeId,
    /// Whom it is for.
    pub to: NodeId,
    /// The connection of the two that it belongs to; 0 of a protocol that keeps its state by node alone.
    pub flow: FlowKey,
    /// The class it takes.
    pub class: Class,
    /// What the protocol says.
    pub head: Head,
    /// Its length.
    pub bytes: Bytes,
    /// Whether it waits in the fabric until the receiver has a place.
    pub takes_place: bool,
    /// Whether it was sent before.
    pub again: bool,
    /// The packet; none where the protocol speaks for itself.
    pub body: Option<P>,
}

/// What an event did, beside what can be asked for.
#[must_use = "whoever waits must be told"]
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub struct Effects {
    /// A place of this class is free: the fabric may be told.
    pub place: Option<Class>,
    /// What arrived is a packet that came back.
    pub returned: bool,
    /// What arrived lands nowhere here: it is a copy, or goes back.
    pub discards: bool,
    /// A packet may be taken that had come before, and waited for a place.
    pub ready: bool,
    /// A timer goes off sooner than any did before.
    pub timer: bool,
    /// It freed no room, as far as that is known.
    pub frees_none: bool,
}

impl Effects {
    /// None of them.
    pub const NONE: Effects =
        Effects { place: None, returned: false, discards: false, ready: false, timer: false, frees_none: false };
}

/// A packet that its reader has.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Taken<P> {
    /// Who sent it.
    pub from: NodeId,
    /// Its place, to be released.
    pub slot: Slot,
    /// The packet.
    pub body: P,
}
