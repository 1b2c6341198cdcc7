//! The agents on a bus, and the kinds of their transactions.

use super::moesi::{MoesiState, SnoopEffect};
use crate::engine::Time;
use crate::host::block::{Address, Block};

/// The kinds of transactions on a memory bus.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[repr(u8)]
pub enum TransactionKind {
    /// Fetches a block to read it.
    Read,
    /// Fetches a block to write it, and invalidates all other copies.
    ReadExclusive,
    /// Invalidates all other copies, because the agent has the block or will overwrite the whole block.
    Invalidate,
    /// Returns a replaced block to its home.
    WriteBack,
    /// Reads 64 bytes for a register or a device that keeps no copy.
    ReadBlock,
    /// Writes 64 bytes (or a part of a block) to the home, and invalidates all copies.
    WriteBlock,
    /// Reads 1 to 8 bytes, uncached.
    ReadWord,
    /// Writes 1 to 8 bytes, uncached.
    WriteWord,
}

impl TransactionKind {
    /// All kinds, in the order of the counters.
    pub const ALL: [TransactionKind; 8] = [
        TransactionKind::Read,
        TransactionKind::ReadExclusive,
        TransactionKind::Invalidate,
        TransactionKind::WriteBack,
        TransactionKind::ReadBlock,
        TransactionKind::WriteBlock,
        TransactionKind::ReadWord,
        TransactionKind::WriteWord,
    ];

    /// Returns the name of the kind in reports.
    pub const fn name(self) -> &'static str {
        match self {
            TransactionKind::Read => "read",
            TransactionKind::ReadExclusive => "read-exclusive",
            TransactionKind::Invalidate => "invalidate",
            TransactionKind::WriteBack => "write-back",
            TransactionKind::ReadBlock => "read-block",
            TransactionKind::WriteBlock => "write-block",
            TransactionKind::ReadWord => "read-word",
            TransactionKind::WriteWord => "write-word",
        }
    }

    pub(super) const fn is_word(self) -> bool {
        matches!(self, TransactionKind::ReadWord | TransactionKind::WriteWord)
    }

    /// Returns whether a home that posts writes takes the transaction into its buffer.
    pub(super) const fn may_be_posted(self) -> bool {
        matches!(self, TransactionKind::WriteBlock | TransactionKind::WriteBack)
    }

    pub(super) const fn is_read(self) -> bool {
        matches!(
            self,
            TransactionKind::Read
                | TransactionKind::ReadExclusive
                | TransactionKind::ReadBlock
                | TransactionKind::ReadWord
        )
    }
}

/// An agent on the bus: a processor's cache, memory, or an interface.
///
/// An agent that caches blocks implements `snoop` and `state`. A home implements the `home_` functions for the
/// addresses with which it was attached; if it caches no blocks, it returns `false` from [`snoops`](Agent::snoops).
pub trait Agent {
    /// Handles another agent's transaction. The state of this agent's copy changes at once. An agent that supplies the
    /// block writes the block to `data`.
    fn snoop(&self, _kind: TransactionKind, _block: Address, _data: &mut Block) -> SnoopEffect {
        SnoopEffect::NO_COPY
    }

    /// Returns whether the agent may have copies of blocks. If not, the agent does not see transactions. This method is
    /// called once, when the agent is attached.
    fn snoops(&self) -> bool {
        true
    }

    /// Returns whether the agent may request the bus. This method is called once, when the agent is attached.
    fn requests_bus(&self) -> bool {
        true
    }

    /// Returns the time to supply a block from [`snoop`](Agent::snoop).
    fn supply_time(&self) -> Time {
        Time::ZERO
    }

    /// Returns whether the agent needs time to answer a snoop for which it supplies no data. This method is called
    /// once, when the agent is attached.
    fn answers_late(&self) -> bool {
        false
    }

    /// Returns the time that the answer to the last snoop takes; that snoop was for `block`. The time is zero unless
    /// the agent lost its copy or is the home of the block, because a transaction waits for no other answers.
    fn answer_time(&self, _block: Address) -> Time {
        Time::ZERO
    }

    /// Returns the state of the agent's copy of `block`.
    fn state(&self, _block: Address) -> MoesiState {
        MoesiState::Invalid
    }

    /// Returns the access time of the home at `address`.
    fn home_time(&self, _address: Address) -> Time {
        Time::ZERO
    }

    /// Returns whether the home posts writes, that is, buffers a block before it writes the block to its memory.
    fn home_posts_writes(&self) -> bool {
        false
    }

    /// Reads `bytes` bytes of the home at `address` into `data`, at their offset in the block.
    fn home_read(&self, address: Address, _bytes: usize, _data: &mut Block) {
        panic!("nothing to read at {address:#x}")
    }

    /// Writes `bytes` bytes of `data`, at their offset in the block, to the home at `address`.
    fn home_write(&self, address: Address, _bytes: usize, _data: &Block) {
        panic!("nothing to write at {address:#x}")
    }

    /// Returns the agent's copy of a block, if it is the current one, without a transaction. This method is for tests,
    /// and for reading results.
    fn peek(&self, _block: Address) -> Option<Block> {
        None
    }
}

/// The number of an agent on its bus.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct AgentId(pub usize);
