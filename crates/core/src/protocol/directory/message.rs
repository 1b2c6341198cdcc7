//! Messages between a home and its requesters: kinds, classes, and their one word on the wire.
//!
//! A message concerns one block of its home. Source and destination determine the home ([`CoherenceMessage::block`]),
//! so the word holds only the block's number there and the kind; with an eight-byte header (source and destination) a
//! message has twelve bytes. A forwarded fetch, and the block that its owner sends to the requester, also name a third
//! node ([`CoherenceMessage::party`]), which the caller carries next to the word.
//!
//! ```text
//!   31                                4 3      0
//!  ┌───────────────────────────────────┬────────┐
//!  │ block's number at its home        │ kind   │   = the address of a 16-byte block, its low bits used
//!  └───────────────────────────────────┴────────┘
//! ```
//!
//! The block's bytes are not modelled: the caller appends them to the word if the kind carries them.

use crate::engine::{Class, NodeId};

/// Number of low-order bits of a word that encode the kind.
const KIND_BITS: u32 = 4;
/// Largest number of blocks of a home.
pub const BLOCKS_MAX: u32 = 1 << (u32::BITS - KIND_BITS);

/// A block of shared memory.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct BlockId {
    /// Node whose memory holds the block, and whose directory records its copies.
    pub home: NodeId,
    /// Number of the block at its home, below [`BLOCKS_MAX`].
    pub number: u32,
}

/// A message about a block.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct CoherenceMessage {
    /// Kind of the message.
    pub kind: CoherenceKind,
    /// The block's number at its home.
    pub number: u32,
    /// Third node of a transfer from an owner to a requester: in a fetch, the requester to which the owner sends the
    /// block; in a block that the owner sends, the block's home. `None` in all other messages.
    pub party: Option<NodeId>,
}

/// Kind of a coherence message.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(u8)]
pub enum CoherenceKind {
    /// To the home: requests a read-only copy.
    Read,
    /// To the home: requests the only copy.
    Write,
    /// To the home: requests that the node's read-only copy become the only copy.
    Upgrade,
    /// To the home: returns the only copy, which the node gives up.
    WriteBack,
    /// From the home: recalls a read-only copy.
    Invalidate,
    /// From the home: recalls the bytes of the only copy, which becomes read-only. A forwarded fetch names the
    /// requester, to which the owner sends a copy.
    Fetch,
    /// From the home: recalls the only copy. A forwarded fetch names the requester, to which the owner sends the copy.
    FetchInvalidate,
    /// From the home, or from the owner of a forwarded fetch: carries a read-only copy.
    Shared,
    /// From the home, or from the owner of a forwarded fetch: carries the only copy.
    Exclusive,
    /// From the home: makes the node's copy the only one.
    Upgraded,
    /// From the home: rejects the request, which may be repeated later.
    Nack,
    /// From the home: acknowledges a write-back.
    WrittenBack,
    /// To the home: acknowledges an invalidation, or that the only copy has left for the requester.
    Invalidated,
    /// To the home: carries the fetched block.
    Fetched,
    /// To the home: the fetch found the block already written back.
    Crossed,
}

impl CoherenceKind {
    /// All kinds, indexed by code.
    pub const ALL: [CoherenceKind; 15] = [
        CoherenceKind::Read,
        CoherenceKind::Write,
        CoherenceKind::Upgrade,
        CoherenceKind::WriteBack,
        CoherenceKind::Invalidate,
        CoherenceKind::Fetch,
        CoherenceKind::FetchInvalidate,
        CoherenceKind::Shared,
        CoherenceKind::Exclusive,
        CoherenceKind::Upgraded,
        CoherenceKind::Nack,
        CoherenceKind::WrittenBack,
        CoherenceKind::Invalidated,
        CoherenceKind::Fetched,
        CoherenceKind::Crossed,
    ];

    /// Returns the logical network that carries messages of the kind. Replies are always consumed on arrival.
    pub const fn class(self) -> Class {
        match self {
            CoherenceKind::Read
            | CoherenceKind::Write
            | CoherenceKind::Upgrade
            | CoherenceKind::WriteBack
            | CoherenceKind::Invalidate
            | CoherenceKind::Fetch
            | CoherenceKind::FetchInvalidate => Class::REQUESTS,
            _ => Class::REPLIES,
        }
    }

    /// Returns whether the message carries the block's bytes.
    pub const fn carries_block(self) -> bool {
        matches!(
            self,
            CoherenceKind::WriteBack | CoherenceKind::Shared | CoherenceKind::Exclusive | CoherenceKind::Fetched
        )
    }

    /// Returns whether the message goes to the home; otherwise it goes to a requester.
    pub const fn is_for_home(self) -> bool {
        matches!(
            self,
            CoherenceKind::Read
                | CoherenceKind::Write
                | CoherenceKind::Upgrade
                | CoherenceKind::WriteBack
                | CoherenceKind::Invalidated
                | CoherenceKind::Fetched
                | CoherenceKind::Crossed
        )
    }
}

impl CoherenceMessage {
    /// Returns a message between a home and one other node.
    pub const fn new(kind: CoherenceKind, number: u32) -> CoherenceMessage {
        CoherenceMessage { kind, number, party: None }
    }

    /// Returns the message's word on the wire, which does not include the third node.
    pub fn encode(self) -> u32 {
        assert!(self.number < BLOCKS_MAX, "block {} of {BLOCKS_MAX} fits a word", self.number);
        self.number << KIND_BITS | self.kind as u32
    }

    /// Returns the message that `word` encodes, without a third node, or `None` if its kind does not exist.
    pub fn decode(word: u32) -> Option<CoherenceMessage> {
        let code = word & ((1 << KIND_BITS) - 1);
        let kind = *CoherenceKind::ALL.get(code as usize)?;
        Some(CoherenceMessage::new(kind, word >> KIND_BITS))
    }

    /// Returns the block that a message from `from` to `to` concerns.
    pub const fn block(self, from: NodeId, to: NodeId) -> BlockId {
        let home = match (self.kind, self.party) {
            (CoherenceKind::Shared | CoherenceKind::Exclusive, Some(home)) => home,
            _ if self.kind.is_for_home() => to,
            _ => from,
        };
        BlockId { home, number: self.number }
    }
}
