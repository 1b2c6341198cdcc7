//! Replies from the home: blocks, NACKs, and acknowledgements of write-backs.

use super::copy::{Fill, Phase};
use super::transaction::Transaction;
use crate::protocol::directory::{Access, CoherenceAction, CoherenceKind, Want};

impl Transaction<'_> {
    /// The answer to what was asked.
    pub fn answered(&mut self, kind: CoherenceKind) {
        let (known, block) = (self.known, self.block);
        match (kind, known.phase) {
            (CoherenceKind::Shared, Phase::Asked { writes: false, fill, .. }) => self.came_to_read(fill),
            (CoherenceKind::Exclusive, Phase::Asked { writes: true, recall, .. }) => {
                assert!(known.access == Access::Invalid, "{block:?} comes to where it is");
                self.actions.push(CoherenceAction::Store);
                self.arrived(Access::Writable, recall);
            }
            (CoherenceKind::Upgraded, Phase::Asked { writes: true, recall, .. }) => {
                assert!(known.access == Access::ReadOnly, "{block:?} is upgraded where it is");
                // It is not in the prefetch buffer: what is there is not asked for again.
                self.known.prefetched = false;
                self.arrived(Access::Writable, recall);
            }
            (CoherenceKind::Nack, Phase::Asked { recall: None, .. }) => self.turned_away(),
            (CoherenceKind::WrittenBack, Phase::Leaving) => {
                self.known.phase = Phase::Stable;
                self.ask_on();
            }
            _ => panic!("{block:?}: {kind:?} answers nothing: {known:?}"),
        }
    }

    /// A copy to read, which may have been invalidated on the way.
    fn came_to_read(&mut self, fill: Fill) {
        let is_for_readers = self.known.demand == Some(Want::Read);
        match fill {
            Fill::Keep => {
                self.actions.push(CoherenceAction::Store);
                self.arrived(Access::ReadOnly, None);
            }
            Fill::Once if is_for_readers => {
                self.known.demand = None;
                self.known.phase = Phase::Held { recall: None };
                self.actions.extend([CoherenceAction::Store, CoherenceAction::Granted(Access::ReadOnly)]);
            }
            Fill::Once | Fill::Drop => {
                (self.known.phase, self.known.prefetched) = (Phase::Stable, false);
                self.ask_on();
            }
        }
    }

    /// The block may be used, by who waits first.
    fn arrived(&mut self, access: Access, recall: Option<CoherenceKind>) {
        self.known.phase = Phase::Stable;
        self.allow(access);
        match self.known.demand {
            Some(want) if access.allows(want) => {
                self.known.demand = None;
                self.known.phase = Phase::Held { recall };
                self.actions.push(CoherenceAction::Granted(access));
            }
            // A copy to read, and somebody came to want more.
            Some(want) => self.ask(want),
            None => recall.into_iter().for_each(|recall| self.give(recall)),
        }
    }

    /// A demand tries again; a prefetch does not.
    fn turned_away(&mut self) {
        if self.known.demand.is_some() {
            self.known.phase = Phase::Nack;
            self.actions.push(CoherenceAction::Retry);
        } else {
            (self.known.phase, self.known.prefetched) = (Phase::Stable, false);
        }
    }
}
