//! A transaction on one block, and the steps that all share: request from the home, notify the processor, send.

use super::copy::{Fill, Known, Phase};
use crate::protocol::directory::{Access, BlockId, CoherenceAction, CoherenceKind, Want};

/// A transaction on one block: its state, taken out of the table, and the actions for the caller.
pub(super) struct Transaction<'a> {
    pub block: BlockId,
    pub known: Known,
    pub actions: &'a mut Vec<CoherenceAction>,
}

impl Transaction<'_> {
    /// Requests the access that is still in demand, if any.
    pub fn ask_on(&mut self) {
        if let Some(want) = self.known.demand {
            self.ask(want);
        }
    }

    /// Asks the home, by what this node has.
    pub fn ask(&mut self, want: Want) {
        let kind = match (want, self.known.access) {
            (Want::Read, _) => CoherenceKind::Read,
            (Want::Write, Access::ReadOnly) => CoherenceKind::Upgrade,
            (Want::Write, _) => CoherenceKind::Write,
        };
        self.known.phase = Phase::Asked { writes: want == Want::Write, fill: Fill::Keep, recall: None };
        self.send(kind);
    }

    /// From now on any access may do this; nothing more: its place in the prefetch buffer is free.
    pub fn allow(&mut self, access: Access) {
        if access == Access::Invalid && self.known.phase == Phase::Stable {
            self.known.prefetched = false;
        }
        if self.known.access != access {
            self.known.access = access;
            self.actions.push(CoherenceAction::Access(access));
        }
    }

    pub fn send(&mut self, kind: CoherenceKind) {
        self.actions.push(CoherenceAction::send(self.block.home, kind, self.block.number));
    }
}
