//! What sits on a bus, and what it does there: agents and kinds of transaction.

use super::moesi::{Snooped, State};
use crate::engine::Time;
use crate::host::block::{Address, Block};

/// What a transaction does.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[repr(u8)]
pub enum TransactionKind {
    /// Fetches a block to read it.
    Read,
    /// Fetches a block to write it; no other copy stays.
    ReadExclusive,
    /// Takes all other copies away: an upgrade, or a claim to overwrite the whole block.
    Invalidate,
    /// Returns a replaced block to its home.
    WriteBack,
    /// Reads 64 bytes for a register or a device that keeps no copy.
    ReadBlock,
    /// Writes 64 bytes (or the part of a block given) to the home; no copy stays.
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

    /// Its name in reports.
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

    /// A home that posts takes these into its buffer.
    pub(super) const fn may_be_posted(self) -> bool {
        matches!(self, TransactionKind::WriteBlock | TransactionKind::WriteBack)
    }

    pub(super) const fn reads(self) -> bool {
        matches!(
            self,
            TransactionKind::Read
                | TransactionKind::ReadExclusive
                | TransactionKind::ReadBlock
                | TransactionKind::ReadWord
        )
    }
}

/// Whatever sits on the bus: a processor's cache, memory, an interface.
///
/// An agent that caches answers `snoop` and `state`; one that is a home answers the `home_`
/// functions for the addresses with which it was attached, and where that is all it is, says that it does not
/// [snoop](Agent::snoops).
pub trait Agent {
    /// Another agent's transaction passes. A copy here changes state now; if its holder supplies
    /// the block, it writes it to `data`.
    fn snoop(&self, _kind: TransactionKind, _block: Address, _data: &mut Block) -> Snooped {
        Snooped::NOTHING
    }

    /// Whether it may have a copy of a block: else transactions pass it by. It says so when it is attached.
    fn snoops(&self) -> bool {
        true
    }

    /// Whether it may ever ask for the bus. It says so when it is attached.
    fn asks(&self) -> bool {
        true
    }

    /// The time to supply a block from here that `snoop` said is supplied.
    fn supply_time(&self) -> Time {
        Time::ZERO
    }

    /// The state of the copy of `block` here.
    fn state(&self, _block: Address) -> State {
        State::Invalid
    }

    /// The access time of the home at `address`.
    fn home_time(&self, _address: Address) -> Time {
        Time::ZERO
    }

    /// Whether the home takes a block into a buffer before its memory.
    fn home_posts(&self) -> bool {
        false
    }

    /// The home is read; what was asked for must be at its place in `data`.
    fn home_read(&self, address: Address, _bytes: usize, _data: &mut Block) {
        panic!("nothing to read at {address:#x}")
    }

    /// The home is written.
    fn home_write(&self, address: Address, _bytes: usize, _data: &Block) {
        panic!("nothing to write at {address:#x}")
    }

    /// The block as seen from here without a transaction, if this agent's copy is the one that
    /// counts: for tests and for reading results.
    fn peek(&self, _block: Address) -> Option<Block> {
        None
    }
}

/// The number of an agent on its bus.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct AgentId(pub usize);
