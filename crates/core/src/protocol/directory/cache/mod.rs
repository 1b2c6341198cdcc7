//! The requester's side: a node's copies of blocks from other nodes' memory.
//!
//! | file | what it does |
//! |---|---|
//! | `copy.rs` | state of one block |
//! | `transaction.rs` | steps of all transactions: request, set access rights, send |
//! | `answers.rs` | replies from the home |
//! | `recalls.rs` | recalls by the home |
//!
//! At most one request for a block is outstanding: a demand that finds a prefetch or another context's demand
//! outstanding joins it. A read-only copy is dropped without a message; the only copy is written back, and is not
//! requested again before the home has acknowledged the write-back.

mod answers;
mod copy;
mod recalls;
mod transaction;

use super::{Access, BlockId, CoherenceAction, CoherenceKind, CoherenceMessage};
use super::{AccessMode, AccessOutcome, EvictionOutcome, PrefetchOutcome, RequesterParameters};
use crate::engine::NodeId;
use copy::{CopyState, Phase, Recall};
use std::collections::BTreeMap;
use transaction::Transaction;

/// A node's side of the protocol as a requester of other nodes' blocks.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Requester {
    own_node: NodeId,
    parameters: RequesterParameters,
    blocks: BTreeMap<BlockId, CopyState>,
    /// Number of occupied entries of the prefetch buffer.
    prefetch_count: u32,
    /// Number of blocks that are being written back.
    write_backs: u32,
    /// Number of blocks for which the processor waits.
    demands: u32,
}

impl Requester {
    /// Returns the requester of node `own_node`, without any copies.
    pub fn new(own_node: NodeId, parameters: RequesterParameters) -> Requester {
        Requester { own_node, parameters, blocks: BTreeMap::new(), prefetch_count: 0, write_backs: 0, demands: 0 }
    }

    /// Accesses a block for one context. If several contexts wait for the block, the strongest access is requested for
    /// all of them.
    pub fn access(&mut self, block: BlockId, mode: AccessMode, actions: &mut Vec<CoherenceAction>) -> AccessOutcome {
        self.run_transaction(block, actions, |transaction| {
            if transaction.copy.access.allows(mode) {
                // The access removes the block from the prefetch buffer, unless the block's prefetch requests a
                // stronger access right and is still outstanding.
                transaction.copy.is_prefetched &= transaction.copy.phase != Phase::Stable;
                return AccessOutcome::Hit;
            }
            transaction.copy.join(mode);
            if transaction.copy.phase == Phase::Stable {
                transaction.request(mode);
            }
            AccessOutcome::Waits
        })
    }

    /// Requests a block that a program will access later.
    pub fn prefetch(
        &mut self,
        block: BlockId,
        mode: AccessMode,
        actions: &mut Vec<CoherenceAction>,
    ) -> PrefetchOutcome {
        let copy = self.blocks.get(&block).copied().unwrap_or(CopyState::new());
        if copy.phase != Phase::Stable || copy.is_prefetched || copy.access.allows(mode) {
            return PrefetchOutcome::NotNeeded;
        }
        if self.prefetch_count >= self.parameters.prefetches {
            return PrefetchOutcome::Full;
        }
        self.run_transaction(block, actions, |transaction| {
            transaction.copy.is_prefetched = true;
            transaction.request(mode);
        });
        PrefetchOutcome::Started
    }

    /// Gives up a block whose memory the caller needs, if possible.
    pub fn evict(&mut self, block: BlockId, actions: &mut Vec<CoherenceAction>) -> EvictionOutcome {
        let Some(copy) = self.blocks.get(&block) else { return EvictionOutcome::Absent };
        let can_write_back = self.write_backs < self.parameters.write_backs;
        match (copy.phase, copy.access) {
            (Phase::Stable, Access::Writable) if can_write_back => {
                self.run_transaction(block, actions, |transaction| {
                    transaction.allow(Access::Invalid);
                    transaction.copy = CopyState { phase: Phase::WritingBack, ..CopyState::new() };
                    transaction.send(CoherenceKind::WriteBack);
                    EvictionOutcome::WrittenBack
                })
            }
            (Phase::Stable, Access::ReadOnly) => self.run_transaction(block, actions, |transaction| {
                transaction.allow(Access::Invalid);
                EvictionOutcome::Dropped
            }),
            _ => EvictionOutcome::NotEvicted,
        }
    }

    /// Ends the use of a granted block: the accesses that waited for it are done.
    pub fn end_use(&mut self, block: BlockId, actions: &mut Vec<CoherenceAction>) {
        self.run_transaction(block, actions, |transaction| {
            let Phase::Held { recall } = transaction.copy.phase else { panic!("{block:?} was not granted") };
            transaction.copy.phase = Phase::Stable;
            recall.into_iter().for_each(|recall| transaction.answer_recall(recall));
            transaction.request_demand();
        });
    }

    /// Repeats the request for a block, which was NACKed.
    pub fn retry(&mut self, block: BlockId, actions: &mut Vec<CoherenceAction>) {
        self.run_transaction(block, actions, |transaction| {
            assert_eq!(transaction.copy.phase, Phase::Nack, "{block:?}: only a NACKed request is retried");
            transaction.copy.phase = Phase::Stable;
            transaction.request_demand();
        });
    }

    /// Handles a message from a block's home, or from the owner of a block that is forwarded to this node.
    pub fn arrive(&mut self, from: NodeId, message: CoherenceMessage, actions: &mut Vec<CoherenceAction>) {
        assert!(from != self.own_node && !message.kind.is_for_home(), "{from} sends {} {message:?}", self.own_node);
        let block = message.block(from, self.own_node);
        self.run_transaction(block, actions, |transaction| match message.kind {
            CoherenceKind::Invalidate => transaction.invalidate(),
            kind @ (CoherenceKind::Fetch | CoherenceKind::FetchInvalidate) => {
                transaction.fetch(Recall { kind, requester: message.party })
            }
            kind => transaction.handle_reply(kind),
        });
    }

    /// Returns the access right of this node's processor to `block`.
    pub fn allowed(&self, block: BlockId) -> Access {
        self.blocks.get(&block).map_or(Access::Invalid, |copy| copy.access)
    }

    /// Returns whether no transaction is in progress and no access waits.
    pub fn is_quiet(&self) -> bool {
        self.blocks.values().all(|copy| copy.phase == Phase::Stable)
    }

    /// Returns the number of blocks in the prefetch buffer, including those that were requested for it.
    pub const fn prefetches(&self) -> u32 {
        self.prefetch_count
    }

    /// Returns the number of blocks that are being written back.
    pub const fn write_backs(&self) -> u32 {
        self.write_backs
    }

    fn run_transaction<R>(
        &mut self,
        block: BlockId,
        actions: &mut Vec<CoherenceAction>,
        perform: impl FnOnce(&mut Transaction) -> R,
    ) -> R {
        assert!(block.home != self.own_node, "{}: {block:?} is in the memory of this node", self.own_node);
        let stored = self.blocks.entry(block).or_insert(CopyState::new());
        let previous_copy = *stored;
        let mut transaction = Transaction { block, copy: previous_copy, actions };
        let result = perform(&mut transaction);
        let copy = transaction.copy;
        match copy.is_blank() {
            true => _ = self.blocks.remove(&block),
            false => *stored = copy,
        }
        self.count(&previous_copy, |total, part| total - part);
        self.count(&copy, |total, part| total + part);
        let Requester { own_node, parameters, .. } = self;
        assert!(self.prefetch_count <= parameters.prefetches, "{own_node}: more prefetches than allowed");
        assert!(self.write_backs <= parameters.write_backs, "{own_node}: more write-backs than allowed");
        assert!(self.demands <= parameters.contexts, "{own_node}: more blocks are awaited than there are contexts");
        result
    }

    /// Adds a block's state to the counts by `sum`, or subtracts the state.
    fn count(&mut self, copy: &CopyState, sum: impl Fn(u32, u32) -> u32) {
        self.prefetch_count = sum(self.prefetch_count, copy.is_prefetched.into());
        self.write_backs = sum(self.write_backs, (copy.phase == Phase::WritingBack).into());
        self.demands = sum(self.demands, copy.demand.is_some().into());
    }
}
