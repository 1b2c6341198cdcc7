//! A directory's entry: state of a block, the operation that keeps it busy, and waiting requests.
//!
//! | state | the home's processor may | transitions |
//! |---|---|---|
//! | Uncached | load and store | read: Shared; write: Exclusive |
//! | Shared | load | write: Invalidating, then Exclusive (a write of the home itself: Uncached) |
//! | Exclusive | nothing | read: Fetching, then Shared; write: Fetching, then Exclusive; write-back: Uncached |
//!
//! | busy | until | then |
//! |---|---|---|
//! | Invalidating | every acknowledgement has arrived | the request is served |
//! | Fetching | the block, or both its write-back and Crossed, have arrived | the request is served |
//! | Fetching, forwarded | the owner's block or acknowledgement has arrived, or both its write-back and Crossed | the requester is recorded, or the request is served |
//! | Held | the home's processor has used the block | the next waiting request is served |

use super::sharers::Sharers;
use crate::engine::NodeId;
use crate::protocol::directory::{Access, AccessMode, CoherenceKind};
use std::collections::VecDeque;

/// Directory entry of a block.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub(super) struct Entry {
    pub state: DirState,
    pub busy: Option<Busy>,
    /// Requests that wait until the block is no longer busy.
    pub waiting_requests: VecDeque<PendingRequest>,
    /// Whether a request of the home's processor waits or is being served.
    pub has_own_request: bool,
    /// Access that the home's processor waits for.
    pub demand: Option<AccessMode>,
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
    Own(AccessMode),
}

impl PendingRequest {
    /// Returns whether the request is for an access that stores.
    pub fn writes(self) -> bool {
        !matches!(self, PendingRequest::Node(_, CoherenceKind::Read) | PendingRequest::Own(AccessMode::Read))
    }
}

/// Operation that keeps a block busy.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Busy {
    /// `awaited_count` acknowledgements of invalidations are outstanding. `keeper` is the requester, if it has a copy,
    /// which it retains.
    Invalidating { request: PendingRequest, awaited_count: u32, keeper: Option<NodeId> },
    /// The home has fetched the only copy, and waits for the owner's answer.
    Fetching(Fetching),
    /// The home's processor uses the block.
    Held,
}

/// A fetch of the only copy.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct Fetching {
    pub request: PendingRequest,
    /// Node to which the owner sends the block, if the fetch is forwarded.
    pub forwarded_to: Option<NodeId>,
    /// Whether the owner has answered that the fetch crossed its write-back.
    pub has_crossed: bool,
    /// Whether the owner's write-back has arrived.
    pub is_written_back: bool,
    /// Whether the requester has already written back the only copy, which the owner sent to it.
    pub is_returned: bool,
}

impl Entry {
    /// Returns the access right of the home's processor.
    pub fn access(&self) -> Access {
        match (&self.busy, &self.state) {
            (Some(Busy::Invalidating { .. } | Busy::Fetching(_)), _) | (_, DirState::Exclusive(_)) => Access::Invalid,
            (_, DirState::Shared(_)) => Access::ReadOnly,
            (_, DirState::Uncached) => Access::Writable,
        }
    }

    /// Returns whether the entry describes a block that is only in memory and idle, so that the entry may be removed.
    pub fn is_blank(&self) -> bool {
        *self == Entry::default()
    }
}
