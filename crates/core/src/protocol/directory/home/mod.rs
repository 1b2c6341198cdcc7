//! The home's side: a directory of who has copies of this node's blocks.
//!
//! | file | what it does |
//! |---|---|
//! | `entry.rs` | where a block stands, what it is busy with, who waits |
//! | `sharers.rs` | pointers in hardware, a list in software |
//! | `serve.rs` | a request is served, or begins to be |
//! | `answers.rs` | acknowledgements, fetched blocks and write-backs come in |
//!
//! A block serves one request at a time, in the order in which they came: what comes meanwhile waits,
//! or is turned away when [`DirectoryParameters::waiting`] are waiting at this home. The home's own
//! processor asks in the same order, without messages, and its request is never turned away (there is
//! one for each block at most). A block without entry is in memory alone.

mod answers;
mod entry;
mod serve;
mod sharers;

use super::{Access, BLOCKS_MAX, CoherenceAction, CoherenceKind, CoherenceMessage, DirectoryParameters};
use super::{Prefetched, Touch, Want};
use crate::engine::NodeId;
use entry::{Busy, Entry, Stands};
use std::collections::BTreeMap;

/// A home's directory.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Directory {
    own: NodeId,
    parameters: DirectoryParameters,
    entries: BTreeMap<u32, Entry>,
    /// Requests of others that wait, of all blocks.
    waiting: u32,
}

/// A call about one block: its entry, taken out of the directory, and what the caller is to do.
struct Call<'a> {
    number: u32,
    limit: Option<u32>,
    entry: Entry,
    /// What the home's processor was last told that it may do.
    told: Access,
    waiting: &'a mut u32,
    actions: &'a mut Vec<CoherenceAction>,
}

impl Directory {
    /// The directory of `own`'s memory.
    pub fn new(own: NodeId, parameters: DirectoryParameters) -> Directory {
        assert!(parameters.pointers != Some(0), "{own}: a directory has a pointer");
        Directory { own, parameters, entries: BTreeMap::new(), waiting: 0 }
    }

    /// The home's processor wants a block. If it waits and waited before, the stronger wish holds.
    pub fn access(&mut self, number: u32, want: Want, actions: &mut Vec<CoherenceAction>) -> Touch {
        if self.allowed(number).allows(want) {
            return Touch::Hit;
        }
        self.call(number, actions, |call| {
            call.entry.demand = call.entry.demand.max(Some(want));
            // A block that is held is asked for when it was used.
            if call.entry.busy != Some(Busy::Held) {
                call.ask_own(want);
            }
        });
        Touch::Waits
    }

    /// The home's processor will want a block. What is fetched goes to memory: it takes no place.
    pub fn prefetch(&mut self, number: u32, want: Want, actions: &mut Vec<CoherenceAction>) -> Prefetched {
        let is_under_way =
            self.entries.get(&number).is_some_and(|entry| entry.own_asked || entry.busy == Some(Busy::Held));
        if is_under_way || self.allowed(number).allows(want) {
            return Prefetched::Useless;
        }
        self.call(number, actions, |call| call.ask_own(want));
        Prefetched::Started
    }

    /// The home's processor has done what it was granted.
    pub fn used(&mut self, number: u32, actions: &mut Vec<CoherenceAction>) {
        self.call(number, actions, |call| {
            assert_eq!(call.entry.busy.take(), Some(Busy::Held), "block {number}: what is used was granted");
            if let Some(want) = call.entry.demand {
                call.ask_own(want);
            }
            call.serve_waiting();
        });
    }

    /// A message came from another node.
    pub fn arrive(&mut self, from: NodeId, message: CoherenceMessage, actions: &mut Vec<CoherenceAction>) {
        assert!(from != self.own, "{from}: a home sends itself no messages");
        let room = self.waiting < self.parameters.waiting;
        self.call(message.number, actions, |call| match message.kind {
            CoherenceKind::Read | CoherenceKind::Write | CoherenceKind::Upgrade => {
                call.request(from, message.kind, room)
            }
            CoherenceKind::WriteBack => call.write_back(from),
            CoherenceKind::Invalidated => call.invalidated(),
            CoherenceKind::Fetched => call.fetched(from),
            CoherenceKind::Crossed => call.crossed(from),
            kind => panic!("block {}: {from} sends its home {kind:?}", message.number),
        });
    }

    /// What the home's processor may do with a block.
    pub fn allowed(&self, number: u32) -> Access {
        self.entries.get(&number).map_or(Access::Writable, Entry::access)
    }

    /// The node that has the only copy, if one has.
    pub fn owner(&self, number: u32) -> Option<NodeId> {
        match self.entries.get(&number)?.stands {
            Stands::Exclusive(owner) => Some(owner),
            _ => None,
        }
    }

    /// The nodes that may have a copy to read.
    pub fn sharers(&self, number: u32) -> Vec<NodeId> {
        match self.entries.get(&number).map(|entry| &entry.stands) {
            Some(Stands::Shared(sharers)) => sharers.all().into_iter().collect(),
            _ => Vec::new(),
        }
    }

    /// Requests of others that wait here.
    pub const fn waiting(&self) -> u32 {
        self.waiting
    }

    /// Whether nothing is under way.
    pub fn is_quiet(&self) -> bool {
        self.entries.values().all(|entry| entry.busy.is_none())
    }

    fn call(&mut self, number: u32, actions: &mut Vec<CoherenceAction>, does: impl FnOnce(&mut Call)) {
        assert!(number < BLOCKS_MAX, "{}: block {number} is one of {BLOCKS_MAX}", self.own);
        let place = self.entries.entry(number).or_default();
        let entry = std::mem::take(place);
        let (limit, told) = (self.parameters.pointers, entry.access());
        let mut call = Call { number, limit, entry, told, waiting: &mut self.waiting, actions };
        does(&mut call);
        call.tell();
        let entry = call.entry;
        assert!(entry.busy.is_some() || entry.waiting.is_empty(), "block {number}: nobody waits for nothing");
        assert!(self.waiting <= self.parameters.waiting, "{}: as many wait as may", self.own);
        match entry.is_blank() {
            true => _ = self.entries.remove(&number),
            false => *place = entry,
        }
    }
}
