//! Frames of the protocol: packets on the first network, replies on the second.

use crate::engine::NodeId;

/// An outgoing buffer of one node. A packet carries its number, and the reply returns it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct OutgoingBuffer(pub(super) u32);

/// An incoming buffer of one node.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct IncomingBuffer(pub(super) u32);

impl OutgoingBuffer {
    /// Returns the buffer's number, below the count of outgoing buffers.
    pub const fn number(self) -> u32 {
        self.0
    }
}

impl IncomingBuffer {
    /// Returns the buffer's number, below the count of incoming buffers.
    pub const fn number(self) -> u32 {
        self.0
    }
}

/// A packet on the first network, for the incoming half of node `to`.
#[must_use = "a packet that is not injected is lost, and its buffer with it"]
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct DataPacket<P> {
    /// The sender.
    pub from: NodeId,
    /// The receiver.
    pub to: NodeId,
    /// The sender's buffer, which it still owns.
    pub buffer: OutgoingBuffer,
    /// The sender's packet.
    pub payload: P,
}

/// A reply on the second network, for the outgoing half of node `to`, the packet's sender.
#[must_use = "a reply that is not injected leaves its sender's buffer in use for ever"]
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Reply<P> {
    /// The receiver of the packet.
    pub from: NodeId,
    /// The sender of the packet.
    pub to: NodeId,
    /// The outgoing buffer of node `to` whose packet is replied to.
    pub buffer: OutgoingBuffer,
    /// Outcome at the receiver.
    pub verdict: Verdict<P>,
}

/// Outcome of a packet at its receiver.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Verdict<P> {
    /// The packet found a free buffer: the reply is an acknowledgment.
    Accepted,
    /// The packet found no free buffer, and is returned whole.
    Returned(P),
}

impl<P> Reply<P> {
    /// Returns `true` for an acknowledgment and `false` for a returned packet; their lengths differ.
    pub const fn is_accepted(&self) -> bool {
        matches!(self.verdict, Verdict::Accepted)
    }
}
