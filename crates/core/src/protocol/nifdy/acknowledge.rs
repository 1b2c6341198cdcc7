//! The acknowledgement queue: acknowledgements to be sent, oldest first. Some wait to be piggybacked on an answer
//! (Callahan and Goldstein 1995, §6.1).
//!
//! The queue has no limit of its own. It holds at most one acknowledgement of a few bytes for each packet that its
//! senders have outstanding here. A limit would prevent the processor from accepting packets while the network is full,
//! and so keep the network full.
//!
//! # How long an acknowledgement waits for an answer
//!
//! The caller that accepts a packet states whether an answer follows ([`Answer`](super::Answer)). The acknowledgement
//! then waits only while the answer could leave before it:
//!
//! * until the answer is offered, while the pool has a free buffer for it;
//! * from then on, while the answer is eligible to leave.
//!
//! The second condition prevents a deadlock: otherwise two nodes that request data from each other would both hold an
//! answer that waits for the acknowledgement to be piggybacked on the answer of the other node.

use super::Acknowledgement;
use crate::engine::NodeId;
use std::collections::VecDeque;

/// Condition that an acknowledgement waits for.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum AcknowledgementCondition {
    /// The acknowledgement does not wait for an answer.
    NotWaiting,
    /// The acknowledgement waits until the answer is offered.
    ForOffer,
    /// The acknowledgement waits for the answer, which is in the pool.
    ForAnswer,
}

/// One acknowledgement.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct QueuedAcknowledgement {
    pub(super) destination: NodeId,
    pub(super) acknowledgement: Acknowledgement,
    pub(super) condition: AcknowledgementCondition,
}

/// The queue.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub(super) struct Acknowledgements {
    queue: VecDeque<QueuedAcknowledgement>,
}

impl Acknowledgements {
    pub(super) fn insert(
        &mut self,
        destination: NodeId,
        acknowledgement: Acknowledgement,
        condition: AcknowledgementCondition,
    ) {
        self.queue.push_back(QueuedAcknowledgement { destination, acknowledgement, condition });
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &QueuedAcknowledgement> {
        self.queue.iter()
    }

    pub(super) fn len(&self) -> usize {
        self.queue.len()
    }

    pub(super) fn take(&mut self, index: usize) -> QueuedAcknowledgement {
        self.queue.remove(index).expect("the chosen acknowledgement waits")
    }

    /// Records that an answer to `source` was offered.
    pub(super) fn record_answer_offered(&mut self, source: NodeId) {
        self.replace_condition(source, AcknowledgementCondition::ForOffer, AcknowledgementCondition::ForAnswer);
    }

    /// Records that no answer to `source` will be offered.
    pub(super) fn cancel_answer(&mut self, source: NodeId) {
        self.replace_condition(source, AcknowledgementCondition::ForOffer, AcknowledgementCondition::NotWaiting);
    }

    /// Ends the wait of the acknowledgements to `source`, because `source` retransmitted its packet.
    pub(super) fn release(&mut self, source: NodeId) {
        self.cancel_answer(source);
        self.replace_condition(source, AcknowledgementCondition::ForAnswer, AcknowledgementCondition::NotWaiting);
    }

    fn replace_condition(&mut self, source: NodeId, from: AcknowledgementCondition, to: AcknowledgementCondition) {
        let matching = self.queue.iter_mut().filter(|queued| queued.destination == source && queued.condition == from);
        matching.for_each(|queued| queued.condition = to);
    }

    /// Returns whether the acknowledgement of a scalar packet of `source` waits.
    pub(super) fn has_scalar_for(&self, source: NodeId) -> bool {
        let is_scalar =
            |queued: &QueuedAcknowledgement| matches!(queued.acknowledgement, Acknowledgement::Scalar { .. });
        self.queue.iter().any(|queued| queued.destination == source && is_scalar(queued))
    }

    /// Takes the acknowledgement to be piggybacked on an answer to `destination`, if one waits.
    pub(super) fn take_piggybacked(&mut self, destination: NodeId) -> Option<Acknowledgement> {
        let is_piggybacked = |queued: &QueuedAcknowledgement| {
            queued.destination == destination && queued.condition != AcknowledgementCondition::NotWaiting
        };
        let index = self.queue.iter().position(is_piggybacked)?;
        Some(self.take(index).acknowledgement)
    }
}
