//! The requester's side: a node's state of blocks of other nodes' memory.
//!
//! | file | what it does |
//! |---|---|
//! | `copy.rs` | state of one block |
//! | `transaction.rs` | steps of all transactions: request, set access rights, send |
//! | `answers.rs` | replies from the home |
//! | `recalls.rs` | recalls by the home |
//!
//! One request of a block is under way at most, whoever wants it: a demand that meets a prefetch, or
//! another context's demand, joins it. A copy to read is dropped without a word; the only copy is
//! written back, and not asked for again before the home has acknowledged that.

mod answers;
mod copy;
mod recalls;
mod transaction;

use super::{Access, BlockId, CoherenceAction, CoherenceKind, CoherenceMessage};
use super::{AccessOutcome, Evicted, Prefetched, RequesterParameters, Want};
use crate::engine::NodeId;
use copy::{Known, Phase};
use std::collections::BTreeMap;
use transaction::Transaction;

/// A node that asks others for their blocks.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Requester {
    own: NodeId,
    parameters: RequesterParameters,
    blocks: BTreeMap<BlockId, Known>,
    /// Places of the prefetch buffer that are taken.
    prefetches: u32,
    /// Blocks on their way home.
    write_backs: u32,
    /// Blocks that a processor waits for.
    demands: u32,
}

impl Requester {
    /// A node that has no copies.
    pub fn new(own: NodeId, parameters: RequesterParameters) -> Requester {
        Requester { own, parameters, blocks: BTreeMap::new(), prefetches: 0, write_backs: 0, demands: 0 }
    }

    /// A context wants a block. If others wait for it, the strongest wish holds for all.
    pub fn access(&mut self, block: BlockId, want: Want, actions: &mut Vec<CoherenceAction>) -> AccessOutcome {
        self.run_transaction(block, actions, |transaction| {
            if transaction.known.access.allows(want) {
                // Out of the prefetch buffer, unless it is a wish for more that took the place.
                transaction.known.prefetched &= transaction.known.phase != Phase::Stable;
                return AccessOutcome::Hit;
            }
            transaction.known.join(want);
            if transaction.known.phase == Phase::Stable {
                transaction.ask(want);
            }
            AccessOutcome::Waits
        })
    }

    /// A program will want a block.
    pub fn prefetch(&mut self, block: BlockId, want: Want, actions: &mut Vec<CoherenceAction>) -> Prefetched {
        let known = self.blocks.get(&block).copied().unwrap_or(Known::new());
        if known.phase != Phase::Stable || known.prefetched || known.access.allows(want) {
            return Prefetched::Useless;
        }
        if self.prefetches >= self.parameters.prefetches {
            return Prefetched::Full;
        }
        self.run_transaction(block, actions, |transaction| {
            transaction.known.prefetched = true;
            transaction.ask(want);
        });
        Prefetched::Started
    }

    /// The caller wants a block's place.
    pub fn evict(&mut self, block: BlockId, actions: &mut Vec<CoherenceAction>) -> Evicted {
        let Some(known) = self.blocks.get(&block) else { return Evicted::Absent };
        let has_room = self.write_backs < self.parameters.write_backs;
        match (known.phase, known.access) {
            (Phase::Stable, Access::Writable) if has_room => self.run_transaction(block, actions, |transaction| {
                transaction.allow(Access::Invalid);
                transaction.known = Known { phase: Phase::Leaving, ..Known::new() };
                transaction.send(CoherenceKind::WriteBack);
                Evicted::WrittenBack
            }),
            (Phase::Stable, Access::ReadOnly) => self.run_transaction(block, actions, |transaction| {
                transaction.allow(Access::Invalid);
                Evicted::Dropped
            }),
            _ => Evicted::Stays,
        }
    }

    /// Those who waited have done what they were granted.
    pub fn used(&mut self, block: BlockId, actions: &mut Vec<CoherenceAction>) {
        self.run_transaction(block, actions, |transaction| {
            let Phase::Held { recall } = transaction.known.phase else { panic!("{block:?}: what is used was granted") };
            transaction.known.phase = Phase::Stable;
            recall.into_iter().for_each(|recall| transaction.give(recall));
            transaction.ask_on();
        });
    }

    /// Requests a block again whose request was NACKed.
    pub fn retry(&mut self, block: BlockId, actions: &mut Vec<CoherenceAction>) {
        self.run_transaction(block, actions, |transaction| {
            assert_eq!(transaction.known.phase, Phase::Nack, "{block:?}: what is tried again was turned away");
            transaction.known.phase = Phase::Stable;
            transaction.ask_on();
        });
    }

    /// Handles a message from a block's home.
    pub fn arrive(&mut self, from: NodeId, message: CoherenceMessage, actions: &mut Vec<CoherenceAction>) {
        assert!(from != self.own && !message.kind.is_for_home(), "{from} sends {} {message:?}", self.own);
        let block = message.block(from, self.own);
        self.run_transaction(block, actions, |transaction| match message.kind {
            CoherenceKind::Invalidate => transaction.invalidate(),
            CoherenceKind::Fetch | CoherenceKind::FetchInvalidate => transaction.fetch(message.kind),
            kind => transaction.answered(kind),
        });
    }

    /// Returns the access right of this node's processor to `block`.
    pub fn allowed(&self, block: BlockId) -> Access {
        self.blocks.get(&block).map_or(Access::Invalid, |known| known.access)
    }

    /// Whether nothing is under way, and nobody waits.
    pub fn is_quiet(&self) -> bool {
        self.blocks.values().all(|known| known.phase == Phase::Stable)
    }

    /// Blocks in the prefetch buffer or on the way to it.
    pub const fn prefetches(&self) -> u32 {
        self.prefetches
    }

    /// Blocks on their way home.
    pub const fn write_backs(&self) -> u32 {
        self.write_backs
    }

    fn run_transaction<R>(
        &mut self,
        block: BlockId,
        actions: &mut Vec<CoherenceAction>,
        does: impl FnOnce(&mut Transaction) -> R,
    ) -> R {
        assert!(block.home != self.own, "{}: {block:?} is its own", self.own);
        let place = self.blocks.entry(block).or_insert(Known::new());
        let before = *place;
        let mut transaction = Transaction { block, known: before, actions };
        let result = does(&mut transaction);
        let known = transaction.known;
        match known.is_blank() {
            true => _ = self.blocks.remove(&block),
            false => *place = known,
        }
        self.count(&before, |count, of| count - of);
        self.count(&known, |count, of| count + of);
        let Requester { own, parameters, .. } = self;
        assert!(self.prefetches <= parameters.prefetches, "{own}: prefetches have places");
        assert!(self.write_backs <= parameters.write_backs, "{own}: write-backs have places");
        assert!(self.demands <= parameters.contexts, "{own}: a context waits for one block");
        result
    }

    fn count(&mut self, known: &Known, sum: impl Fn(u32, u32) -> u32) {
        self.prefetches = sum(self.prefetches, known.prefetched.into());
        self.write_backs = sum(self.write_backs, (known.phase == Phase::Leaving).into());
        self.demands = sum(self.demands, known.demand.is_some().into());
    }
}
