//! State at a node of a block that it holds, requests, or writes back.
//!
//! | phase | the processor may | until |
//! |---|---|---|
//! | Stable | load, or load and store | it is evicted or recalled |
//! | Asked | nothing; to upgrade: load | the home answers |
//! | Nack | as while Asked | the caller tries again |
//! | Held | what was granted | who waited has used it |
//! | Leaving | nothing | the home acknowledges the write-back |
//!
//! A block of which nothing is known is invalid.

use crate::protocol::directory::{Access, CoherenceKind, Want};

/// A block.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct Known {
    /// Access right now.
    pub access: Access,
    pub phase: Phase,
    /// The most that waits for it.
    pub demand: Option<Want>,
    /// It takes a place of the prefetch buffer: nobody wanted it yet.
    pub prefetched: bool,
}

/// Phase of the transaction on a block.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Phase {
    Stable,
    /// For the copy that comes: what it will be good for, and who wants it back already.
    Asked {
        writes: bool,
        fill: Fill,
        recall: Option<CoherenceKind>,
    },
    Nack,
    /// For those who waited, and for them alone if no access is allowed; and who wants it back when they
    /// are done.
    Held {
        recall: Option<CoherenceKind>,
    },
    Leaving,
}

/// Use of a read-only copy when it arrives.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Fill {
    /// It stays.
    Keep,
    /// It was invalidated on the way; whoever waits has waited since before that, and may still read it.
    Once,
    /// It was invalidated on the way, and then somebody came to wait.
    Drop,
}

impl Known {
    /// Returns the state of an unknown block.
    pub const fn new() -> Known {
        Known { access: Access::Invalid, phase: Phase::Stable, demand: None, prefetched: false }
    }

    /// Returns whether the state is that of an unknown block, so that it may be removed.
    pub fn is_blank(&self) -> bool {
        *self == Known::new()
    }

    /// Records another access that waits for the block.
    pub fn join(&mut self, want: Want) {
        self.demand = self.demand.max(Some(want));
        self.prefetched = false;
        if let Phase::Asked { fill: fill @ Fill::Once, .. } = &mut self.phase {
            *fill = Fill::Drop;
        }
    }
}
