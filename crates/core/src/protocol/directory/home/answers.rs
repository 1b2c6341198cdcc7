//! What was recalled comes in: acknowledgements, blocks, and blocks that were written back meanwhile.
//!
//! A fetch that crosses a write-back is answered, too. The block is busy until both are in, in
//! whichever order, and the write-back is acknowledged only then: so nothing of this home is under
//! way to the node when it asks again.

use super::Call;
use super::entry::{Asker, Busy, Stands};
use super::sharers::Sharers;
use super::{CoherenceAction, CoherenceKind};
use crate::engine::NodeId;

impl Call<'_> {
    /// One gave up its copy.
    pub fn invalidated(&mut self) {
        let Some(Busy::Invalidating { asker, awaited, keeps }) = &mut self.entry.busy else {
            panic!("block {}: an acknowledgement that nobody awaits", self.number)
        };
        *awaited -= 1;
        if *awaited == 0 {
            let (asker, keeps) = (*asker, *keeps);
            let stands = keeps.map_or(Stands::Uncached, |node| Stands::Shared(Sharers::one(node)));
            self.resume(asker, stands);
        }
    }

    /// The only copy came.
    pub fn fetched(&mut self, from: NodeId) {
        let (asker, crossed, written) = self.fetching(from);
        assert!(!*crossed && !*written, "block {}: {from} has one copy to give", self.number);
        let asker = *asker;
        self.actions.push(CoherenceAction::Store);
        if asker.writes() {
            self.resume(asker, Stands::Uncached);
        } else {
            self.actions.push(CoherenceAction::Pointer);
            self.resume(asker, Stands::Shared(Sharers::one(from)));
        }
    }

    /// The only copy is, or was, on its way here by itself.
    pub fn crossed(&mut self, from: NodeId) {
        let (_, crossed, _) = self.fetching(from);
        *crossed = true;
        self.finish_crossing(from);
    }

    /// The only copy comes, and was not asked for.
    pub fn write_back(&mut self, from: NodeId) {
        self.actions.push(CoherenceAction::Store);
        if self.entry.busy.is_some() {
            let (_, _, written) = self.fetching(from);
            *written = true;
            self.finish_crossing(from);
        } else {
            let is_owner = self.entry.stands == Stands::Exclusive(from);
            assert!(is_owner, "block {}: {from} writes back what it does not have", self.number);
            self.entry.stands = Stands::Uncached;
            self.send(from, CoherenceKind::WrittenBack);
        }
    }

    fn finish_crossing(&mut self, from: NodeId) {
        let (asker, crossed, written) = self.fetching(from);
        if *crossed && *written {
            let asker = *asker;
            self.send(from, CoherenceKind::WrittenBack);
            self.resume(asker, Stands::Uncached);
        }
    }

    fn fetching(&mut self, from: NodeId) -> (&mut Asker, &mut bool, &mut bool) {
        assert!(self.entry.stands == Stands::Exclusive(from), "block {}: {from} does not own it", self.number);
        match &mut self.entry.busy {
            Some(Busy::Fetching { asker, crossed, written }) => (asker, crossed, written),
            _ => panic!("block {}: {from} answers what nobody asked", self.number),
        }
    }

    /// Nothing is in the request's way any more.
    fn resume(&mut self, asker: Asker, stands: Stands) {
        (self.entry.busy, self.entry.stands) = (None, stands);
        self.serve(asker);
        self.serve_waiting();
    }
}
