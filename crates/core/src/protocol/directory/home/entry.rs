//! A directory's entry: where a block stands, what is being done, who waits.
//!
//! | stands | home's processor may | from there |
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

/// All that is known of a block.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub(super) struct Entry {
    pub stands: Stands,
    pub busy: Option<Busy>,
    /// Who waits until it is no longer busy.
    pub waiting: VecDeque<Asker>,
    /// The home's processor is among those, or is served.
    pub own_asked: bool,
    /// What the home's processor waits for.
    pub demand: Option<Want>,
}

/// Where copies are.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub(super) enum Stands {
    #[default]
    Uncached,
    Shared(Sharers),
    Exclusive(NodeId),
}

/// A request.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Asker {
    /// Of another node: [`CoherenceKind::Read`], `Write` or `Upgrade`.
    Node(NodeId, CoherenceKind),
    /// Of the home's processor.
    Own(Want),
}

impl Asker {
    /// Whether it wants to store.
    pub fn writes(self) -> bool {
        !matches!(self, Asker::Node(_, CoherenceKind::Read) | Asker::Own(Want::Read))
    }
}

/// What the block is busy with.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Busy {
    /// So many acknowledgements are awaited. The asker may keep a copy that it has.
    Invalidating { asker: Asker, awaited: u32, keeps: Option<NodeId> },
    /// The only copy is awaited.
    Fetching { asker: Asker, crossed: bool, written: bool },
    /// The home's processor uses the block.
    Held,
}

impl Entry {
    /// What the home's processor may do.
    pub fn access(&self) -> Access {
        match (&self.busy, &self.stands) {
            (Some(Busy::Invalidating { .. } | Busy::Fetching { .. }), _) | (_, Stands::Exclusive(_)) => Access::Invalid,
            (_, Stands::Shared(_)) => Access::ReadOnly,
            (_, Stands::Uncached) => Access::Writable,
        }
    }

    /// Whether it says no more than no entry would.
    pub fn is_blank(&self) -> bool {
        *self == Entry::default()
    }
}
