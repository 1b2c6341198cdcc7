//! Results that both sides return to their caller: access rights, outcomes of requests, and actions to be done now.

use super::{CoherenceKind, CoherenceMessage};
use crate::engine::NodeId;

/// Access that a processor requests to a block.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum AccessMode {
    /// The processor loads.
    Read,
    /// The processor stores.
    Write,
}

/// Access right of a processor to a block.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Access {
    /// The processor may neither load nor store.
    Invalid,
    /// The processor may load.
    ReadOnly,
    /// The processor may load and store.
    Writable,
}

impl Access {
    /// Returns whether the right permits the access that `mode` requests.
    pub const fn allows(self, mode: AccessMode) -> bool {
        match mode {
            AccessMode::Read => !matches!(self, Access::Invalid),
            AccessMode::Write => matches!(self, Access::Writable),
        }
    }
}

/// Outcome of an access.
#[must_use = "a processor waits or goes on"]
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum AccessOutcome {
    /// The processor has the access right, and may access the block now.
    Hit,
    /// The processor waits for [`CoherenceAction::Granted`].
    Waits,
}

/// Outcome of a prefetch. A prefetch is non-binding: the program continues whatever the outcome.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum PrefetchOutcome {
    /// A request for the block was sent to its home.
    Started,
    /// The block is present or already requested.
    NotNeeded,
    /// The prefetch was dropped, because the prefetch buffer is full.
    Full,
}

/// Outcome of an eviction.
#[must_use = "a block that stays keeps its space"]
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum EvictionOutcome {
    /// The node had no copy of the block.
    Absent,
    /// A read-only copy was dropped. No message is sent.
    Dropped,
    /// The node had the only copy, which is sent to the block's home.
    WrittenBack,
    /// The copy stays at the node, because it is in use or requested, or because too many blocks are being written
    /// back.
    NotEvicted,
}

/// Event for which the directory's software must run.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Trap {
    /// A reader was added while all hardware pointers were in use: software moves the pointers into its list.
    Pointers,
    /// A write was requested to a block that has sharers in software's list.
    Write,
}

/// An action on the block that the call was about. The caller executes the actions of a call in the order of the list.
///
/// The list also records the protocol's work (pointers, traps, and the invalidations among the sent messages), so that
/// a caller may charge for it. The bytes of a block must not move until the whole list is executed.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum CoherenceAction {
    /// Send a message, with the block's present bytes if the kind carries them.
    Send {
        /// Destination of the message.
        to: NodeId,
        /// The message.
        message: CoherenceMessage,
    },
    /// Store the bytes that arrived with the message: in memory at the block's home, otherwise in this node's copy.
    Store,
    /// This node's processor has exactly this access right from now on. Its caches are invalidated or written through
    /// accordingly before any message is sent.
    Access(Access),
    /// The waiting accesses that this right permits may be done once, now; then the caller calls `end_use`. The bytes
    /// stay in place until that call, but no other access may use them: the node's access right is, or becomes,
    /// [`Access::Invalid`].
    Granted(Access),
    /// The request was NACKed: the caller calls `retry` after a delay of its choice.
    Retry,
    /// The directory wrote a pointer.
    Pointer,
    /// The directory's software ran.
    Trap(Trap),
}

impl CoherenceAction {
    /// Returns the action that sends a message of `kind` about block `number` to node `to`.
    pub(super) const fn send(to: NodeId, kind: CoherenceKind, number: u32) -> CoherenceAction {
        CoherenceAction::Send { to, message: CoherenceMessage::new(kind, number) }
    }

    /// Returns the same action with the third node `party` in its message.
    pub(super) const fn with_party(self, party: Option<NodeId>) -> CoherenceAction {
        match self {
            CoherenceAction::Send { to, message } => {
                CoherenceAction::Send { to, message: CoherenceMessage { party, ..message } }
            }
            other => other,
        }
    }
}
