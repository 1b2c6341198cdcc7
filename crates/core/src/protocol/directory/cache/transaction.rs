//! A transaction on one block, and the steps that all share: request from the home, notify the processor, send.

use super::copy::{CopyState, CopyUse, Phase};
use crate::protocol::directory::{Access, AccessMode, BlockId, CoherenceAction, CoherenceKind};

/// A transaction on one block: its state, taken out of the table, and the actions for the caller.
pub(super) struct Transaction<'a> {
    pub block: BlockId,
    pub copy: CopyState,
    pub actions: &'a mut Vec<CoherenceAction>,
}

impl Transaction<'_> {
    /// Requests the access that is still in demand, if any.
    pub fn request_demand(&mut self) {
        if let Some(mode) = self.copy.demand {
            self.request(mode);
        }
    }

    /// Sends the home the request that obtains `mode`, given this node's present access right.
    pub fn request(&mut self, mode: AccessMode) {
        let kind = match (mode, self.copy.access) {
            (AccessMode::Read, _) => CoherenceKind::Read,
            (AccessMode::Write, Access::ReadOnly) => CoherenceKind::Upgrade,
            (AccessMode::Write, _) => CoherenceKind::Write,
        };
        self.copy.phase = Phase::Requested { writes: mode == AccessMode::Write, fill: CopyUse::Keep, recall: None };
        self.send(kind);
    }

    /// Sets this node's access right and reports a change. A stable block without any right leaves the prefetch buffer.
    pub fn allow(&mut self, access: Access) {
        if access == Access::Invalid && self.copy.phase == Phase::Stable {
            self.copy.is_prefetched = false;
        }
        if self.copy.access != access {
            self.copy.access = access;
            self.actions.push(CoherenceAction::Access(access));
        }
    }

    pub fn send(&mut self, kind: CoherenceKind) {
        self.actions.push(CoherenceAction::send(self.block.home, kind, self.block.number));
    }
}
