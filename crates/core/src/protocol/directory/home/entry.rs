//! A directory's entry: state of a block, the operation that keeps it busy, and waiting requests.
//!
//! | state | home's processor may | from there |
//! |---|---|---|
//! | Uncached | load and store | a read: Shared; a write: Exclusive |
//! | Shared | load | a write: Invalidating, then Exclusive (of the home itself: Uncached) |
//! | Exclusive | nothing | a read: Fetching, then Shared; a write: Fetching, then Exclusive; a write-back: Uncached |
//!
//! | is busy | until | then |
//! |---|---|---|
//! | Invalidating | every acknowledgement is in | what was asked is tried again |
//! | Fetching | the block, or its write-back and the word that they crossed | so too |
//! | Held | the home's processor has used the block | whoever waits is next |

use super::sharers::Sharers;
use crate::engine::NodeId;
use crate::protocol::directory::{Access, CoherenceKind, Want};
use std::collections::VecDeque;

/// Directory entry of a block.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub(super) struct Entry {
    pub state: DirState,
    pub busy: Option<Busy>,
    /// Requests that wait until the block is no longer busy.
    pub waiting: VecDeque<PendingRequest>,
    /// The home's processor is among those, or is served.
    pub own_asked: bool,
    /// Access that the home's processor waits for.
    pub demand: Option<Want>,
}

/// Location of a block's copies.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub(super) enum DirState {
    #[default]
    Uncached,
    Shared(Sharers),
    Exclusive(NodeId),
}

/// A request that is served or waits.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum PendingRequest {
    /// Request of another node: [`CoherenceKind::Read`], `Write` or `Upgrade`.
    Node(NodeId, CoherenceKind),
    /// Request of the home's processor.
    Own(Want),
}

impl PendingRequest {
    /// Returns whether the request is for an access that stores.
    pub fn writes(self) -> bool {
        !matches!(self, PendingRequest::Node(_, CoherenceKind::Read) | PendingRequest::Own(Want::Read))
    }
}

/// Operation that keeps a block busy.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Busy {
    /// `awaited` acknowledgements are outstanding. `keeps` is the requester, if it has a copy, which it retains.
    Invalidating { request: PendingRequest, awaited: u32, keeps: Option<NodeId> },
    /// The only copy is awaited.
    Fetching { request: PendingRequest, crossed: bool, written: bool },
    /// The home's processor uses the block.
    Held,
}

impl Entry {
    /// Returns the access right of the home's processor.
    pub fn access(&self) -> Access {
        match (&self.busy, &self.state) {
            (Some(Busy::Invalidating { .. } | Busy::Fetching { .. }), _) | (_, DirState::Exclusive(_)) => {
                Access::Invalid
            }
            (_, DirState::Shared(_)) => Access::ReadOnly,
            (_, DirState::Uncached) => Access::Writable,
        }
    }

    /// Returns whether the entry is that of a block in memory alone, so that it may be removed.
    pub fn is_blank(&self) -> bool {
        *self == Entry::default()
    }
}
