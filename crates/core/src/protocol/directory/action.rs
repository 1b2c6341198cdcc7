//! What both sides tell their caller: what a processor wants and may, and what is to be done now.

use super::{CoherenceKind, CoherenceMessage};
use crate::engine::NodeId;

/// What a processor wants of a block.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Want {
    /// To load.
    Read,
    /// To store.
    Write,
}

/// What a processor may do with a block.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Access {
    /// Nothing.
    Invalid,
    /// Load.
    ReadOnly,
    /// Load and store.
    Writable,
}

impl Access {
    /// Whether it is enough.
    pub const fn allows(self, want: Want) -> bool {
        match want {
            Want::Read => !matches!(self, Access::Invalid),
            Want::Write => matches!(self, Access::Writable),
        }
    }
}

/// What became of an access.
#[must_use = "a processor waits or goes on"]
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Touch {
    /// It may be done now.
    Hit,
    /// The processor waits for [`CoherenceAction::Granted`].
    Waits,
}

/// What became of a prefetch. It binds to nothing: whatever it is, the program goes on.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Prefetched {
    /// It was asked for.
    Started,
    /// The block is there, or under way.
    Useless,
    /// It was dropped: the prefetch buffer is full.
    Full,
}

/// What became of an eviction.
#[must_use = "a block that stays keeps its place"]
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Evicted {
    /// There was no copy.
    Absent,
    /// A copy to read was dropped; nobody is told.
    Dropped,
    /// The only copy goes home.
    WrittenBack,
    /// It stays: it is in use or under way, or too many blocks are being written back.
    Stays,
}

/// Why a directory's software must run.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Trap {
    /// The hardware's pointers are full: software empties them into its own list.
    Pointers,
    /// A write to a block some of whose sharers only software knows.
    Write,
}

/// What the caller does, in this order, of the block that the call was about.
///
/// What the protocol did is in the list, too, so that a caller may charge for it: pointers, traps, and
/// as many invalidations as are sent. The bytes of a block stay where they are until the list is done.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum CoherenceAction {
    /// Send this; with the block's bytes as they are now, if the kind carries them.
    Send {
        /// Whom it is for.
        to: NodeId,
        /// What it says.
        message: CoherenceMessage,
    },
    /// The bytes that came are the block's: in memory at its home, else in this node's copy.
    Store,
    /// This node's processor may do this from now on, and no more. What its caches have is taken back
    /// or written through before anything is sent.
    Access(Access),
    /// Who waits may do this much now, once; then the caller says `used`. Until then the bytes stay, even
    /// if nobody else may use them: the access is [`Access::Invalid`] already, or becomes so.
    Granted(Access),
    /// Turned away: the caller says `retry`, after a while of its choice.
    Retry,
    /// The directory wrote a pointer.
    Pointer,
    /// The directory's software ran.
    Trap(Trap),
}

impl CoherenceAction {
    /// To send this.
    pub(super) const fn send(to: NodeId, kind: CoherenceKind, number: u32) -> CoherenceAction {
        CoherenceAction::Send { to, message: CoherenceMessage { kind, number } }
    }
}
