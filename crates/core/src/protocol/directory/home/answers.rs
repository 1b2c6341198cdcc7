//! Replies to recalls: acknowledgements, blocks, and blocks that were written back meanwhile.
//!
//! A fetch that crosses a write-back is answered with `Crossed`. The block is busy until both messages have arrived, in
//! either order, and only then is the write-back acknowledged. No recall from this home is therefore in transit to the
//! node when the node requests the block again.

use super::Transaction;
use super::entry::{Busy, DirState, PendingRequest};
use super::sharers::Sharers;
use super::{CoherenceAction, CoherenceKind};
use crate::engine::NodeId;

impl Transaction<'_> {
    /// Handles the acknowledgement of one invalidation.
    pub fn invalidated(&mut self) {
        let Some(Busy::Invalidating { request, awaited, keeps }) = &mut self.entry.busy else {
            panic!("block {}: unexpected acknowledgement", self.number)
        };
        *awaited -= 1;
        if *awaited == 0 {
            let (request, keeps) = (*request, *keeps);
            let state = keeps.map_or(DirState::Uncached, |node| DirState::Shared(Sharers::one(node)));
            self.resume(request, state);
        }
    }

    /// Handles the arrival of the fetched block from its owner.
    pub fn fetched(&mut self, from: NodeId) {
        let (request, crossed, written) = self.fetching(from);
        assert!(!*crossed && !*written, "block {}: {from} has one copy to give", self.number);
        let request = *request;
        self.actions.push(CoherenceAction::Store);
        if request.writes() {
            self.resume(request, DirState::Uncached);
        } else {
            self.actions.push(CoherenceAction::Pointer);
            self.resume(request, DirState::Shared(Sharers::one(from)));
        }
    }

    /// Handles an owner's answer that the fetch crossed its write-back.
    pub fn crossed(&mut self, from: NodeId) {
        let (_, crossed, _) = self.fetching(from);
        *crossed = true;
        self.finish_crossing(from);
    }

    /// Handles a write-back, which may cross a fetch.
    pub fn write_back(&mut self, from: NodeId) {
        self.actions.push(CoherenceAction::Store);
        if self.entry.busy.is_some() {
            let (_, _, written) = self.fetching(from);
            *written = true;
            self.finish_crossing(from);
        } else {
            let is_owner = self.entry.state == DirState::Exclusive(from);
            assert!(is_owner, "block {}: {from} writes back what it does not have", self.number);
            self.entry.state = DirState::Uncached;
            self.send(from, CoherenceKind::WrittenBack);
        }
    }

    /// Handles the return of a read-only copy. While copies are invalidated, `from` acknowledges like a node with a copy,
    /// and is no longer a sharer afterwards.
    pub fn check_in(&mut self, from: NodeId) {
        if matches!(self.entry.busy, Some(Busy::Invalidating { .. } | Busy::Fetching { .. })) {
            return;
        }
        if let DirState::Shared(sharers) = &mut self.entry.state {
            sharers.remove(from);
            if sharers.is_empty() {
                self.entry.state = DirState::Uncached;
            }
        }
    }

    fn finish_crossing(&mut self, from: NodeId) {
        let (request, crossed, written) = self.fetching(from);
        if *crossed && *written {
            let request = *request;
            self.send(from, CoherenceKind::WrittenBack);
            self.resume(request, DirState::Uncached);
        }
    }

    fn fetching(&mut self, from: NodeId) -> (&mut PendingRequest, &mut bool, &mut bool) {
        assert!(self.entry.state == DirState::Exclusive(from), "block {}: {from} does not own it", self.number);
        match &mut self.entry.busy {
            Some(Busy::Fetching { request, crossed, written }) => (request, crossed, written),
            _ => panic!("block {}: {from} answers a fetch that was not sent", self.number),
        }
    }

    /// Ends the recalls for `request` and serves it.
    fn resume(&mut self, request: PendingRequest, state: DirState) {
        (self.entry.busy, self.entry.state) = (None, state);
        self.serve(request);
        self.serve_waiting();
    }
}
