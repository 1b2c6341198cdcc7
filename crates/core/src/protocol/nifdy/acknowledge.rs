//! The acknowledgement queue: what is to be told to senders, oldest first, and which of it waits
//! for an answer to ride in (§6.1).
//!
//! The queue has no limit of its own. It holds at most what its senders have outstanding here, a
//! few bytes each; a limit would stop the processor from accepting while the network is full, and
//! so keep the network full.
//!
//! # How long an acknowledgement waits for an answer
//!
//! Whoever accepts a packet says whether an answer follows ([`Answer`]). The acknowledgement then
//! waits as long as the answer could leave before it, and no longer:
//!
//! * until the answer is offered, while the pool has room for it;
//! * from then on, while the answer is eligible.
//!
//! The second half matters: answers that wait for other acknowledgements, which ride in answers
//! that wait, would wait for ever (two nodes that ask each other suffice).

use super::Acknowledgement;
use crate::engine::NodeId;
use std::collections::VecDeque;

/// Condition that an acknowledgement waits for.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Waits {
    /// Nothing but its turn.
    Not,
    /// The answer is still to be offered.
    ForOffer,
    /// The answer is in the pool.
    ForAnswer,
}

/// One acknowledgement.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct Waiting {
    pub(super) destination: NodeId,
    pub(super) acknowledgement: Acknowledgement,
    pub(super) waits: Waits,
}

/// The queue.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub(super) struct Acknowledgements {
    queue: VecDeque<Waiting>,
}

impl Acknowledgements {
    pub(super) fn insert(&mut self, destination: NodeId, acknowledgement: Acknowledgement, waits: Waits) {
        self.queue.push_back(Waiting { destination, acknowledgement, waits });
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &Waiting> {
        self.queue.iter()
    }

    pub(super) fn len(&self) -> usize {
        self.queue.len()
    }

    pub(super) fn take(&mut self, place: usize) -> Waiting {
        self.queue.remove(place).expect("the chosen acknowledgement waits")
    }

    /// An answer to `source` was offered.
    pub(super) fn answer_offered(&mut self, source: NodeId) {
        self.change(source, Waits::ForOffer, Waits::ForAnswer);
    }

    /// No answer to `source` will be offered.
    pub(super) fn no_answer(&mut self, source: NodeId) {
        self.change(source, Waits::ForOffer, Waits::Not);
    }

    /// `source` sent its packet again: it is not to wait any longer.
    pub(super) fn release(&mut self, source: NodeId) {
        self.no_answer(source);
        self.change(source, Waits::ForAnswer, Waits::Not);
    }

    fn change(&mut self, source: NodeId, from: Waits, to: Waits) {
        let chosen = self.queue.iter_mut().filter(|waiting| waiting.destination == source && waiting.waits == from);
        chosen.for_each(|waiting| waiting.waits = to);
    }

    /// True if the acknowledgement of a scalar packet of `source` waits.
    pub(super) fn has_scalar_for(&self, source: NodeId) -> bool {
        let is_scalar = |waiting: &Waiting| matches!(waiting.acknowledgement, Acknowledgement::Scalar { .. });
        self.queue.iter().any(|waiting| waiting.destination == source && is_scalar(waiting))
    }

    /// Takes the acknowledgement that rides in an answer to `destination`, if one waited for it.
    pub(super) fn ride(&mut self, destination: NodeId) -> Option<Acknowledgement> {
        let rides = |waiting: &Waiting| waiting.destination == destination && waiting.waits != Waits::Not;
        let place = self.queue.iter().position(rides)?;
        Some(self.take(place).acknowledgement)
    }
}
