//! Replies to recalls: acknowledgements, blocks, and blocks that were written back meanwhile.
//!
//! A fetch that crosses a write-back is answered with `Crossed`. The block is busy until both messages have arrived, in
//! either order, and only then is the write-back acknowledged. No recall from this home is therefore in transit to the
//! node when the node requests the block again.
//!
//! The owner answers a forwarded fetch twice: the requester with the block, and the home with the block (a read) or an
//! acknowledgement (a write). The block is busy until the home has its answer. The requester may have written the only
//! copy back before that; this write-back is acknowledged when the owner's answer has arrived. If the fetch crossed the
//! owner's write-back, the home serves the request itself.

use super::Transaction;
use super::entry::{Busy, DirState, Fetching, PendingRequest};
use super::sharers::Sharers;
use super::{CoherenceAction, CoherenceKind};
use crate::engine::NodeId;

impl Transaction<'_> {
    /// Handles the acknowledgement of one invalidation, or of the transfer of the only copy to the requester.
    pub fn handle_invalidated(&mut self, from: NodeId) {
        if let Some(Busy::Fetching(Fetching { forwarded_to: Some(requester), .. })) = self.entry.busy {
            return self.handle_transferred(from, requester);
        }
        let Some(Busy::Invalidating { request, awaited_count, keeper }) = &mut self.entry.busy else {
            panic!("block {}: unexpected acknowledgement", self.number)
        };
        *awaited_count -= 1;
        if *awaited_count == 0 {
            let (request, keeper) = (*request, *keeper);
            let state = keeper.map_or(DirState::Uncached, |node| DirState::Shared(Sharers::one(node)));
            self.resume(request, state);
        }
    }

    /// Handles the arrival of the fetched block from its owner.
    pub fn handle_fetched(&mut self, from: NodeId) {
        let Fetching { request, forwarded_to, has_crossed, is_written_back, .. } = *self.fetching(from);
        assert!(!has_crossed && !is_written_back, "block {}: {from} has one copy to give", self.number);
        self.actions.push(CoherenceAction::Store);
        if request.writes() {
            return self.resume(request, DirState::Uncached);
        }
        self.actions.push(CoherenceAction::Pointer);
        let state = DirState::Shared(Sharers::one(from));
        match forwarded_to {
            None => self.resume(request, state),
            // The owner has sent the block to the requester, too.
            Some(requester) => {
                (self.entry.busy, self.entry.state) = (None, state);
                self.share(requester);
                self.serve_waiting();
            }
        }
    }

    /// Handles the owner's answer that it has sent the only copy to `requester`.
    fn handle_transferred(&mut self, from: NodeId, requester: NodeId) {
        let Fetching { request, has_crossed, is_written_back, is_returned, .. } = *self.fetching(from);
        assert!(
            request.writes() && !has_crossed && !is_written_back,
            "block {}: {from} has one copy to give",
            self.number
        );
        self.actions.push(CoherenceAction::Pointer);
        let state = if is_returned { DirState::Uncached } else { DirState::Exclusive(requester) };
        (self.entry.busy, self.entry.state) = (None, state);
        if is_returned {
            self.send(requester, CoherenceKind::WrittenBack);
        }
        self.serve_waiting();
    }

    /// Handles an owner's answer that the fetch crossed its write-back.
    pub fn handle_crossed(&mut self, from: NodeId) {
        self.fetching(from).has_crossed = true;
        self.finish_crossing(from);
    }

    /// Handles a write-back, which may cross a fetch, or overtake the owner's answer to a forwarded fetch.
    pub fn write_back(&mut self, from: NodeId) {
        self.actions.push(CoherenceAction::Store);
        if let Some(Busy::Fetching(fetching)) = &mut self.entry.busy
            && fetching.forwarded_to == Some(from)
        {
            let is_first = !fetching.is_returned && !fetching.is_written_back && fetching.request.writes();
            assert!(is_first, "block {}: {from} writes back what it does not have", self.number);
            fetching.is_returned = true;
        } else if self.entry.busy.is_some() {
            self.fetching(from).is_written_back = true;
            self.finish_crossing(from);
        } else {
            let is_owner = self.entry.state == DirState::Exclusive(from);
            assert!(is_owner, "block {}: {from} writes back what it does not have", self.number);
            self.entry.state = DirState::Uncached;
            self.send(from, CoherenceKind::WrittenBack);
        }
    }

    /// Handles the return of a read-only copy. While copies are invalidated, `from` acknowledges like a node with a
    /// copy, and is no longer a sharer afterwards.
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
        let Fetching { request, has_crossed, is_written_back, .. } = *self.fetching(from);
        if has_crossed && is_written_back {
            self.send(from, CoherenceKind::WrittenBack);
            self.resume(request, DirState::Uncached);
        }
    }

    fn fetching(&mut self, from: NodeId) -> &mut Fetching {
        assert!(self.entry.state == DirState::Exclusive(from), "block {}: {from} does not own it", self.number);
        match &mut self.entry.busy {
            Some(Busy::Fetching(fetching)) => fetching,
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
