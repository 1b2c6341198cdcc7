//! Replies from the home, or from the owner of a forwarded fetch: blocks, NACKs, and acknowledgements of write-backs.

use super::copy::{CopyUse, Phase, Recall};
use super::transaction::Transaction;
use crate::protocol::directory::{Access, AccessMode, CoherenceAction, CoherenceKind};

impl Transaction<'_> {
    /// Handles the reply to the outstanding request or write-back.
    pub fn handle_reply(&mut self, kind: CoherenceKind) {
        let (copy, block) = (self.copy, self.block);
        match (kind, copy.phase) {
            (CoherenceKind::Shared, Phase::Requested { writes: false, fill, .. }) => self.handle_shared(fill),
            (CoherenceKind::Exclusive, Phase::Requested { writes: true, recall, .. }) => {
                assert!(copy.access == Access::Invalid, "{block:?}: the block arrives although there is a copy");
                self.actions.push(CoherenceAction::Store);
                self.complete(Access::Writable, recall);
            }
            (CoherenceKind::Upgraded, Phase::Requested { writes: true, recall, .. }) => {
                assert!(copy.access == Access::ReadOnly, "{block:?}: only a read-only copy is upgraded");
                // The block was present already, so it no longer occupies the prefetch buffer.
                self.copy.is_prefetched = false;
                self.complete(Access::Writable, recall);
            }
            (CoherenceKind::Nack, Phase::Requested { recall: None, .. }) => self.handle_nack(),
            (CoherenceKind::WrittenBack, Phase::WritingBack) => {
                self.copy.phase = Phase::Stable;
                self.request_demand();
            }
            _ => panic!("{block:?}: unexpected {kind:?}: {copy:?}"),
        }
    }

    /// Handles the arrival of a read-only copy, which may have been invalidated in transit.
    fn handle_shared(&mut self, fill: CopyUse) {
        let is_for_readers = self.copy.demand == Some(AccessMode::Read);
        match fill {
            CopyUse::Keep => {
                self.actions.push(CoherenceAction::Store);
                self.complete(Access::ReadOnly, None);
            }
            CopyUse::Once if is_for_readers => {
                self.copy.demand = None;
                self.copy.phase = Phase::Held { recall: None };
                self.actions.extend([CoherenceAction::Store, CoherenceAction::Granted(Access::ReadOnly)]);
            }
            CopyUse::Once | CopyUse::Drop => {
                (self.copy.phase, self.copy.is_prefetched) = (Phase::Stable, false);
                self.request_demand();
            }
        }
    }

    /// Ends the request, after which the node has access right `access`. If that right suffices for the waiting
    /// accesses, they are granted, and `recall` is deferred until they are done. If no access waits, `recall` is
    /// answered at once.
    fn complete(&mut self, access: Access, recall: Option<Recall>) {
        self.copy.phase = Phase::Stable;
        self.allow(access);
        match self.copy.demand {
            Some(mode) if access.allows(mode) => {
                self.copy.demand = None;
                self.copy.phase = Phase::Held { recall };
                self.actions.push(CoherenceAction::Granted(access));
            }
            // The copy is read-only, but an access that joined the request later stores.
            Some(mode) => self.request(mode),
            None => recall.into_iter().for_each(|recall| self.answer_recall(recall)),
        }
    }

    /// Handles a NACK: a demand is retried, a prefetch is dropped.
    fn handle_nack(&mut self) {
        if self.copy.demand.is_some() {
            self.copy.phase = Phase::Nack;
            self.actions.push(CoherenceAction::Retry);
        } else {
            (self.copy.phase, self.copy.is_prefetched) = (Phase::Stable, false);
        }
    }
}
