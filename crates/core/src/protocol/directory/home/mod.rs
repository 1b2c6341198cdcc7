//! The home's side: a directory of the copies of this node's blocks.
//!
//! | file | what it does |
//! |---|---|
//! | `entry.rs` | state of a block, the operation that keeps it busy, waiting requests |
//! | `sharers.rs` | pointers in hardware, a list in software |
//! | `serve.rs` | serves requests, or starts the recalls that they need |
//! | `answers.rs` | handles acknowledgements, fetched blocks and write-backs |
//!
//! Requests for a block are served one at a time, in order of arrival. A request for a busy block waits, or is NACKed
//! if [`DirectoryParameters::waiting`] requests already wait at this home. Requests of the home's own processor join
//! the same queue without messages, and are never NACKed (there is at most one for each block). A block without an
//! entry has no copy outside memory.

mod answers;
mod entry;
mod serve;
mod sharers;

use super::{Access, BLOCKS_MAX, CoherenceAction, CoherenceKind, CoherenceMessage, DirectoryParameters};
use super::{AccessMode, AccessOutcome, PrefetchOutcome};
use crate::engine::NodeId;
use entry::{Busy, DirState, Entry};
use std::collections::BTreeMap;

/// A home's directory.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Directory {
    own_node: NodeId,
    parameters: DirectoryParameters,
    entries: BTreeMap<u32, Entry>,
    /// Number of waiting requests of other nodes, over all blocks.
    waiting: u32,
}

/// A transaction on one block: its entry, taken out of the directory, and the actions for the caller.
struct Transaction<'a> {
    /// Number of the block at this home.
    number: u32,
    /// Largest number of hardware pointers; `None` if it is unlimited.
    pointer_limit: Option<u32>,
    forwarding: bool,
    entry: Entry,
    /// Access right last reported to the home's processor.
    reported_access: Access,
    /// Number of waiting requests of other nodes, over all blocks.
    waiting: &'a mut u32,
    actions: &'a mut Vec<CoherenceAction>,
}

impl Directory {
    /// Returns the directory of the memory of node `own_node`, without any copies.
    pub fn new(own_node: NodeId, parameters: DirectoryParameters) -> Directory {
        assert!(parameters.pointers != Some(0), "{own_node}: a directory has a pointer");
        Directory { own_node, parameters, entries: BTreeMap::new(), waiting: 0 }
    }

    /// Accesses a block for the home's processor. If the processor waits for the block already, the stronger of the two
    /// accesses is requested.
    pub fn access(&mut self, number: u32, mode: AccessMode, actions: &mut Vec<CoherenceAction>) -> AccessOutcome {
        if self.allowed(number).allows(mode) {
            return AccessOutcome::Hit;
        }
        self.run_transaction(number, actions, |transaction| {
            transaction.entry.demand = transaction.entry.demand.max(Some(mode));
            // A held block is requested again when its use ends.
            if transaction.entry.busy != Some(Busy::Held) {
                transaction.request_for_home(mode);
            }
        });
        AccessOutcome::Waits
    }

    /// Requests a block that the home's processor will access later. The block is fetched into memory, so it occupies
    /// no prefetch buffer.
    pub fn prefetch(&mut self, number: u32, mode: AccessMode, actions: &mut Vec<CoherenceAction>) -> PrefetchOutcome {
        let is_pending =
            self.entries.get(&number).is_some_and(|entry| entry.has_own_request || entry.busy == Some(Busy::Held));
        if is_pending || self.allowed(number).allows(mode) {
            return PrefetchOutcome::NotNeeded;
        }
        self.run_transaction(number, actions, |transaction| transaction.request_for_home(mode));
        PrefetchOutcome::Started
    }

    /// Ends the home processor's use of a granted block.
    pub fn end_use(&mut self, number: u32, actions: &mut Vec<CoherenceAction>) {
        self.run_transaction(number, actions, |transaction| {
            assert_eq!(transaction.entry.busy.take(), Some(Busy::Held), "block {number} was not granted");
            if let Some(mode) = transaction.entry.demand {
                transaction.request_for_home(mode);
            }
            transaction.serve_waiting();
        });
    }

    /// Handles a message from another node.
    pub fn arrive(&mut self, from: NodeId, message: CoherenceMessage, actions: &mut Vec<CoherenceAction>) {
        assert!(from != self.own_node, "{from}: a home sends itself no messages");
        let may_wait = self.waiting < self.parameters.waiting;
        self.run_transaction(message.number, actions, |transaction| match message.kind {
            CoherenceKind::Read | CoherenceKind::Write | CoherenceKind::Upgrade => {
                transaction.request(from, message.kind, may_wait)
            }
            CoherenceKind::WriteBack => transaction.write_back(from),
            CoherenceKind::Invalidated => transaction.handle_invalidated(from),
            CoherenceKind::Fetched => transaction.handle_fetched(from),
            CoherenceKind::Crossed => transaction.handle_crossed(from),
            kind => panic!("block {}: {from} sends its home {kind:?}", message.number),
        });
    }

    /// Handles the notice of node `from` that it has dropped its read-only copy. The caller ensures that later requests
    /// of that node are handled after this call. If an invalidation has removed the node from the sharers meanwhile,
    /// the return is ignored.
    pub fn check_in(&mut self, from: NodeId, number: u32, actions: &mut Vec<CoherenceAction>) {
        self.run_transaction(number, actions, |transaction| transaction.check_in(from));
    }

    /// Returns the access right of the home's processor to a block.
    pub fn allowed(&self, number: u32) -> Access {
        self.entries.get(&number).map_or(Access::Writable, Entry::access)
    }

    /// Returns the node that has the only copy, if any.
    pub fn owner(&self, number: u32) -> Option<NodeId> {
        match self.entries.get(&number)?.state {
            DirState::Exclusive(owner) => Some(owner),
            _ => None,
        }
    }

    /// Returns the nodes that may have a read-only copy.
    pub fn sharers(&self, number: u32) -> Vec<NodeId> {
        match self.entries.get(&number).map(|entry| &entry.state) {
            Some(DirState::Shared(sharers)) => sharers.all().into_iter().collect(),
            _ => Vec::new(),
        }
    }

    /// Returns the number of waiting requests of other nodes.
    pub const fn waiting(&self) -> u32 {
        self.waiting
    }

    /// Returns whether no block is busy.
    pub fn is_quiet(&self) -> bool {
        self.entries.values().all(|entry| entry.busy.is_none())
    }

    fn run_transaction(
        &mut self,
        number: u32,
        actions: &mut Vec<CoherenceAction>,
        perform: impl FnOnce(&mut Transaction),
    ) {
        assert!(number < BLOCKS_MAX, "{}: block {number} is below {BLOCKS_MAX}", self.own_node);
        let stored = self.entries.entry(number).or_default();
        let entry = std::mem::take(stored);
        let DirectoryParameters { pointers: pointer_limit, forwarding, .. } = self.parameters;
        let reported_access = entry.access();
        let waiting = &mut self.waiting;
        let mut transaction =
            Transaction { number, pointer_limit, forwarding, entry, reported_access, waiting, actions };
        perform(&mut transaction);
        transaction.report_access();
        let entry = transaction.entry;
        assert!(entry.busy.is_some() || entry.waiting_requests.is_empty(), "block {number} is idle, but requests wait");
        assert!(self.waiting <= self.parameters.waiting, "{}: more requests wait than allowed", self.own_node);
        match entry.is_blank() {
            true => _ = self.entries.remove(&number),
            false => *stored = entry,
        }
    }
}
