//! Recalls by the home. A recall is answered at once, or after the requested block has arrived and was used.
//!
//! | recall | state of the block | answer |
//! |---|---|---|
//! | Invalidate | a read-only copy, no copy, or a request | at once; an outstanding read request is marked |
//! | Invalidate | a read-only copy that is held | at once; accesses that waited may still read it |
//! | either fetch | the only copy | at once, with the block; if the copy is held, after its use |
//! | either fetch | an outstanding write request, whose reply the fetch overtook | after the reply's arrival and use |
//! | either fetch | a write-back that the fetch crosses | at once, with Crossed |
//!
//! A forwarded fetch is answered twice, except with Crossed: the requester gets the block, and the home the block (a
//! fetch) or an acknowledgement (the only copy has left).

use super::copy::{CopyUse, Phase, Recall};
use super::transaction::Transaction;
use crate::protocol::directory::{Access, CoherenceAction, CoherenceKind};

impl Transaction<'_> {
    /// Invalidates a read-only copy, or marks the outstanding read request so that its copy is invalid on arrival.
    pub fn invalidate(&mut self) {
        let (copy, block) = (self.copy, self.block);
        match &mut self.copy.phase {
            // The invalidation is for the requested copy or for one that was dropped earlier; the node cannot
            // distinguish the two. If two invalidations arrive, the second is for the requested copy, and every access
            // that waits joined before it.
            Phase::Requested { writes: false, fill, .. } => *fill = CopyUse::Once,
            Phase::Requested { recall: Some(_), .. } | Phase::WritingBack => {
                panic!("{block:?}: nothing to invalidate: {copy:?}")
            }
            // An outstanding write request is served after this recall, so its reply is not affected.
            _ => {}
        }
        assert!(copy.access != Access::Writable, "{block:?}: the only copy is fetched, not invalidated");
        self.answer_recall(Recall { kind: CoherenceKind::Invalidate, requester: None });
    }

    /// Answers or defers the recall of the only copy, a [`CoherenceKind::Fetch`] or `FetchInvalidate`.
    pub fn fetch(&mut self, fetch: Recall) {
        let (copy, block) = (self.copy, self.block);
        match &mut self.copy.phase {
            Phase::Stable if copy.access == Access::Writable => self.answer_recall(fetch),
            Phase::Held { recall: recall @ None } if copy.access == Access::Writable => {
                *recall = Some(fetch);
            }
            Phase::Requested { writes: true, recall: recall @ None, .. } => *recall = Some(fetch),
            Phase::WritingBack => self.send(CoherenceKind::Crossed),
            _ => panic!("{block:?}: nothing to fetch: {copy:?}"),
        }
    }

    /// Answers a recall, and reduces this node's access right accordingly.
    pub fn answer_recall(&mut self, Recall { kind, requester }: Recall) {
        let keeps_copy = kind == CoherenceKind::Fetch;
        self.allow(if keeps_copy { Access::ReadOnly } else { Access::Invalid });
        if let Some(requester) = requester {
            let kind = if keeps_copy { CoherenceKind::Shared } else { CoherenceKind::Exclusive };
            let block = CoherenceAction::send(requester, kind, self.block.number);
            self.actions.push(block.with_party(Some(self.block.home)));
        }
        self.send(match (kind, requester) {
            (CoherenceKind::Invalidate, _) | (CoherenceKind::FetchInvalidate, Some(_)) => CoherenceKind::Invalidated,
            _ => CoherenceKind::Fetched,
        });
    }
}
