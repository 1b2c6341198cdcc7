//! Recalls by the home. A recall is answered at once, or when what is on the way has come and was used.
//!
//! | recalled by | meets | answer |
//! |---|---|---|
//! | Invalidate | a copy to read; none; a request | at once; a request for a copy to read is marked |
//! | Invalidate | a copy to read that is held | at once; who waited may still read it |
//! | either fetch | the only copy | at once, with the block; when it was used, if it is held |
//! | either fetch | a request to write: overtook its answer | when that has come and was used |
//! | either fetch | a write-back: crosses it | at once, that they crossed |

use super::copy::{Fill, Phase};
use super::transaction::Transaction;
use crate::protocol::directory::{Access, CoherenceKind};

impl Transaction<'_> {
    /// A copy to read is invalid, or will be when it comes.
    pub fn invalidate(&mut self) {
        let (known, block) = (self.known, self.block);
        match &mut self.known.phase {
            // Of a copy that is on the way, or of one that was dropped before: nobody can tell. If two
            // come, the second is of the copy that is on the way: all who wait have waited since before.
            Phase::Asked { writes: false, fill, .. } => *fill = Fill::Once,
            Phase::Asked { recall: Some(_), .. } | Phase::Leaving => {
                panic!("{block:?}: nothing to invalidate: {known:?}")
            }
            // A request to write is served later: its answer is of the time after.
            _ => {}
        }
        assert!(known.access != Access::Writable, "{block:?}: the only copy is fetched, not invalidated");
        self.give(CoherenceKind::Invalidate);
    }

    /// The only copy is to be shown or given.
    pub fn fetch(&mut self, kind: CoherenceKind) {
        let (known, block) = (self.known, self.block);
        match &mut self.known.phase {
            Phase::Stable if known.access == Access::Writable => self.give(kind),
            Phase::Held { recall: recall @ None } if known.access == Access::Writable => {
                *recall = Some(kind);
            }
            Phase::Asked { writes: true, recall: recall @ None, .. } => *recall = Some(kind),
            Phase::Leaving => self.send(CoherenceKind::Crossed),
            _ => panic!("{block:?}: nothing to fetch: {known:?}"),
        }
    }

    /// Answers what is recalled.
    pub fn give(&mut self, recall: CoherenceKind) {
        let shows = recall == CoherenceKind::Fetch;
        self.allow(if shows { Access::ReadOnly } else { Access::Invalid });
        self.send(match recall {
            CoherenceKind::Invalidate => CoherenceKind::Invalidated,
            _ => CoherenceKind::Fetched,
        });
    }
}
