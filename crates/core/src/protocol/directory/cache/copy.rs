//! State at a node of a block that it holds, requests, or writes back.
//!
//! | phase | permitted accesses | ends when |
//! |---|---|---|
//! | Stable | loads, or loads and stores | the block is evicted or recalled |
//! | Requested | none; during an upgrade: loads | the home answers |
//! | Nack | as in Requested | the caller retries |
//! | Held | the granted accesses | the accesses that waited are done |
//! | WritingBack | none | the home acknowledges the write-back |
//!
//! A block without recorded state is invalid.

use crate::engine::NodeId;
use crate::protocol::directory::{Access, AccessMode, CoherenceKind};

/// State of a node's copy of a block.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct CopyState {
    /// Present access right of the node's processor.
    pub access: Access,
    pub phase: Phase,
    /// Strongest access that waits for the block.
    pub demand: Option<AccessMode>,
    /// Whether the block occupies the prefetch buffer: it was prefetched and not yet accessed.
    pub is_prefetched: bool,
}

/// Phase of the transaction on a block.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Phase {
    Stable,
    /// A request for the block is outstanding. `fill` is the use of a read-only copy on arrival, and `recall` a fetch
    /// that arrived before the block.
    Requested {
        writes: bool,
        fill: CopyUse,
        recall: Option<Recall>,
    },
    Nack,
    /// The block is reserved for the accesses that waited for it, exclusively so if the access right is invalid.
    /// `recall` is answered when these accesses are done.
    Held {
        recall: Option<Recall>,
    },
    WritingBack,
}

/// A recall by the home.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct Recall {
    /// [`CoherenceKind::Invalidate`], `Fetch` or `FetchInvalidate`.
    pub kind: CoherenceKind,
    /// Node to which the block is sent, if the fetch is forwarded.
    pub requester: Option<NodeId>,
}

/// Use of a read-only copy when it arrives.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum CopyUse {
    /// The copy is kept.
    Keep,
    /// The copy was invalidated in transit; every access that waits joined before the invalidation, and may still read
    /// it once.
    Once,
    /// The copy was invalidated in transit, and another access joined after that.
    Drop,
}

impl CopyState {
    /// Returns the state of a block without a copy.
    pub const fn new() -> CopyState {
        CopyState { access: Access::Invalid, phase: Phase::Stable, demand: None, is_prefetched: false }
    }

    /// Returns whether the state is that of a block without a copy, so that it may be removed.
    pub fn is_blank(&self) -> bool {
        *self == CopyState::new()
    }

    /// Records another access that waits for the block.
    pub fn join(&mut self, mode: AccessMode) {
        self.demand = self.demand.max(Some(mode));
        self.is_prefetched = false;
        if let Phase::Requested { fill: fill @ CopyUse::Once, .. } = &mut self.phase {
            *fill = CopyUse::Drop;
        }
    }
}
