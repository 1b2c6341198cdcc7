//! Types exchanged between an interface and its protocol: offered packets, frames and the effects of an event.

use crate::engine::{Bytes, Class, FlowKey, Head, NodeId, PacketMarks};
use std::rc::Rc;

/// A buffer slot of a packet. A send slot is taken before the packet is composed; a receive slot is held until the
/// packet was read.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Slot(pub u32);

/// Whether the handler of a packet answers its sender.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Answer {
    /// No answer follows, or it is unknown whether an answer follows.
    None,
    /// An answer follows, and may carry the protocol's acknowledgement of the packet.
    Follows,
}

/// Attributes that a sender gives a packet, apart from its destination.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Marks {
    /// Whether enough packets for the same node follow to request admission of a burst.
    pub burst: bool,
    /// Whether the packet is the last of its message.
    pub last: bool,
    /// Whether the packet answers a packet from its destination.
    pub answers: bool,
    /// Whether the packet bypasses the protocol, so that it is neither ordered nor acknowledged.
    pub bypasses: bool,
}

impl Marks {
    /// Attributes of a message of a single packet.
    pub const SINGLE_PACKET: Marks = Marks { burst: false, last: true, answers: false, bypasses: false };
}

/// A packet offered for sending.
#[derive(Clone, Debug)]
pub struct Offer<P> {
    /// Destination node.
    pub to: NodeId,
    /// Connection to the destination.
    pub flow: FlowKey,
    /// Logical network of the packet.
    pub class: Class,
    /// Attributes given by the sender.
    pub marks: Marks,
    /// Length of the packet, including the interface's headers.
    pub bytes: Bytes,
    /// The packet.
    pub body: P,
}

/// A frame that crosses the fabric: a packet, a control frame, or both in one.
#[must_use = "a frame that is not sent is lost"]
#[derive(Clone, Debug)]
pub struct Frame<P> {
    /// Source node.
    pub from: NodeId,
    /// Destination node.
    pub to: NodeId,
    /// Connection between the two nodes; 0 for a protocol whose state is per node, not per connection.
    pub flow: FlowKey,
    /// Logical network that carries the frame.
    pub class: Class,
    /// Header of the protocol.
    pub head: Head,
    /// Header bytes beyond the two words of `head`, if the protocol has any. `bytes` includes them.
    pub extension: Option<Rc<[u8]>>,
    /// Marks of the sender and, in a frame that arrived, of the switches.
    pub marks: PacketMarks,
    /// Length of the frame.
    pub bytes: Bytes,
    /// Whether the frame waits in the fabric until the receiver has a free receive slot.
    pub needs_slot: bool,
    /// Whether the frame is a retransmission.
    pub is_retransmission: bool,
    /// The packet; `None` in a control frame.
    pub body: Option<P>,
}

impl<P> Default for Frame<P> {
    /// Returns a control frame without bytes from node 0 to itself, for use as the default of fields that a protocol
    /// does not set.
    fn default() -> Frame<P> {
        Frame {
            from: NodeId(0),
            to: NodeId(0),
            flow: FlowKey(0),
            class: Class::REQUESTS,
            head: Head::default(),
            extension: None,
            marks: PacketMarks::default(),
            bytes: Bytes::ZERO,
            needs_slot: false,
            is_retransmission: false,
            body: None,
        }
    }
}

/// Effects of an event that the caller cannot query.
#[must_use = "waiting tasks must be notified"]
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub struct Effects {
    /// Class in which a receive slot became free, so that the fabric may deliver a waiting packet.
    pub slot_freed: Option<Class>,
    /// Whether the frame that arrived was a packet returned by its receiver.
    pub returned: bool,
    /// Whether the packet that arrived was not stored, because it is a duplicate or is returned to its sender.
    pub is_discarded: bool,
    /// Whether a packet that arrived earlier and waited for a receive slot may now be taken.
    pub ready: bool,
    /// Whether a timer was set that expires before all others.
    pub timer: bool,
    /// Whether the event is known to have freed no slot.
    pub no_slot_freed: bool,
}

impl Effects {
    /// The effects of an event that has none.
    pub const NONE: Effects = Effects {
        slot_freed: None,
        returned: false,
        is_discarded: false,
        ready: false,
        timer: false,
        no_slot_freed: false,
    };
}

/// A packet taken by its reader.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AcceptedPacket<P> {
    /// Source node.
    pub from: NodeId,
    /// Receive slot, to be released after reading.
    pub slot: Slot,
    /// The packet.
    pub body: P,
}
