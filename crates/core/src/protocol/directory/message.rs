//! Messages between a home and its requesters: kinds, classes, and their one word on the wire.
//!
//! A message is about one block of its home: whoever is asked knows the home, so the word holds the
//! block's number there and the kind, and an eight-byte header (who, to whom) makes twelve bytes.
//!
//! ```text
//!   31                                4 3      0
//!  ┌───────────────────────────────────┬────────┐
//!  │ block's number at its home        │ kind   │   = the address of a 16-byte block, its low bits used
//!  └───────────────────────────────────┴────────┘
//! ```
//!
//! Left out: the block's bytes, which the caller puts behind the word where the kind carries them.

use crate::engine::{Class, NodeId};

/// Bits of a word that are the kind.
const KIND_BITS: u32 = 4;
/// Blocks that a home may have.
pub const BLOCKS_MAX: u32 = 1 << (u32::BITS - KIND_BITS);

/// A block of shared memory.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct BlockId {
    /// The node whose memory it is in, and that knows who has copies.
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
}

/// Kind of a coherence message.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(u8)]
pub enum CoherenceKind {
    /// To the home: a copy to read, please.
    Read,
    /// To the home: the only copy, please.
    Write,
    /// To the home: my copy to read shall be the only one.
    Upgrade,
    /// To the home: here is my only copy; I want it no more.
    WriteBack,
    /// From the home: give up your copy.
    Invalidate,
    /// From the home: show me your only copy, and keep it to read.
    Fetch,
    /// From the home: give me your only copy.
    FetchInvalidate,
    /// From the home: a copy to read.
    Shared,
    /// From the home: the only copy.
    Exclusive,
    /// From the home: your copy is the only one.
    Upgraded,
    /// From the home: ask again later.
    Nack,
    /// From the home: what you wrote back is in memory.
    WrittenBack,
    /// To the home: I have no copy any more.
    Invalidated,
    /// To the home: here is what you fetch.
    Fetched,
    /// To the home: what you fetch I have written back.
    Crossed,
}

impl CoherenceKind {
    /// All kinds, by their code.
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

    /// The logical network it takes. A reply is never waited with: it is consumed when it comes.
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

    /// Whether the block's bytes go with it.
    pub const fn carries_block(self) -> bool {
        matches!(
            self,
            CoherenceKind::WriteBack | CoherenceKind::Shared | CoherenceKind::Exclusive | CoherenceKind::Fetched
        )
    }

    /// Whether it is for the home; else it is for a requester.
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
    /// Returns the message's word on the wire.
    pub fn encode(self) -> u32 {
        assert!(self.number < BLOCKS_MAX, "block {} of {BLOCKS_MAX} fits a word", self.number);
        self.number << KIND_BITS | self.kind as u32
    }

    /// The message of a word; none if it has no kind that there is.
    pub fn decode(word: u32) -> Option<CoherenceMessage> {
        let code = word & ((1 << KIND_BITS) - 1);
        let kind = *CoherenceKind::ALL.get(code as usize)?;
        Some(CoherenceMessage { kind, number: word >> KIND_BITS })
    }

    /// The block, of a message between these two.
    pub const fn block(self, from: NodeId, to: NodeId) -> BlockId {
        let home = if self.kind.is_for_home() { to } else { from };
        BlockId { home, number: self.number }
    }
}
