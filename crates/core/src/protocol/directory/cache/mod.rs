//! The requester's side: what a node knows of blocks of other nodes' memory.
//!
//! | file | what it does |
//! |---|---|
//! | `copy.rs` | what is known of one block |
//! | `call.rs` | what all calls do: ask, allow, send |
//! | `answers.rs` | what the home answers |
//! | `recalls.rs` | what the home wants back |
//!
//! One request of a block is under way at most, whoever wants it: a demand that meets a prefetch, or
//! another context's demand, joins it. A copy to read is dropped without a word; the only copy is
//! written back, and not asked for again before the home has acknowledged that.

mod answers;
mod call;
mod copy;
mod recalls;

use super::{Access, BlockId, CoherenceAction, CoherenceKind, CoherenceMessage};
use super::{Evicted, Prefetched, RequesterParameters, Touch, Want};
use crate::engine::NodeId;
use call::Call;
use copy::{Known, Phase};
use std::collections::BTreeMap;

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
    pub fn access(&mut self, block: BlockId, want: Want, actions: &mut Vec<CoherenceAction>) -> Touch {
        self.call(block, actions, |call| {
            if call.known.access.allows(want) {
                // Out of the prefetch buffer, unless it is a wish for more that took the place.
                call.known.prefetched &= call.known.phase != Phase::Stable;
                return Touch::Hit;
            }
            call.known.join(want);
            if call.known.phase == Phase::Stable {
                call.ask(want);
            }
            Touch::Waits
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
        self.call(block, actions, |call| {
            call.known.prefetched = true;
            call.ask(want);
        });
        Prefetched::Started
    }

    /// The caller wants a block's place.
    pub fn evict(&mut self, block: BlockId, actions: &mut Vec<CoherenceAction>) -> Evicted {
        let Some(known) = self.blocks.get(&block) else { return Evicted::Absent };
        let has_room = self.write_backs < self.parameters.write_backs;
        match (known.phase, known.access) {
            (Phase::Stable, Access::Writable) if has_room => self.call(block, actions, |call| {
                call.allow(Access::Invalid);
                call.known = Known { phase: Phase::Leaving, ..Known::new() };
                call.send(CoherenceKind::WriteBack);
                Evicted::WrittenBack
            }),
            (Phase::Stable, Access::ReadOnly) => self.call(block, actions, |call| {
                call.allow(Access::Invalid);
                Evicted::Dropped
            }),
            _ => Evicted::Stays,
        }
    }

    /// Those who waited have done what they were granted.
    pub fn used(&mut self, block: BlockId, actions: &mut Vec<CoherenceAction>) {
        self.call(block, actions, |call| {
            let Phase::Held { recall } = call.known.phase else { panic!("{block:?}: what is used was granted") };
            call.known.phase = Phase::Stable;
            recall.into_iter().for_each(|recall| call.give(recall));
            call.ask_on();
        });
    }

    /// A block that was turned away is asked for again.
    pub fn retry(&mut self, block: BlockId, actions: &mut Vec<CoherenceAction>) {
        self.call(block, actions, |call| {
            assert_eq!(call.known.phase, Phase::TurnedAway, "{block:?}: what is tried again was turned away");
            call.known.phase = Phase::Stable;
            call.ask_on();
        });
    }

    /// A message came from a block's home.
    pub fn arrive(&mut self, from: NodeId, message: CoherenceMessage, actions: &mut Vec<CoherenceAction>) {
        assert!(from != self.own && !message.kind.is_for_home(), "{from} sends {} {message:?}", self.own);
        let block = message.block(from, self.own);
        self.call(block, actions, |call| match message.kind {
            CoherenceKind::Invalidate => call.invalidate(),
            CoherenceKind::Fetch | CoherenceKind::FetchInvalidate => call.fetch(message.kind),
            kind => call.answered(kind),
        });
    }

    /// What this node's processor may do with a block.
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

    fn call<R>(&mut self, block: BlockId, actions: &mut Vec<CoherenceAction>, does: impl FnOnce(&mut Call) -> R) -> R {
        assert!(block.home != self.own, "{}: {block:?} is its own", self.own);
        let place = self.blocks.entry(block).or_insert(Known::new());
        let before = *place;
        let mut call = Call { block, known: before, actions };
        let result = does(&mut call);
        let known = call.known;
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
