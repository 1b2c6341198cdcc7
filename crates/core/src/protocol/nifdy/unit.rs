//! The NIFDY unit: composes the components of Figure 1.

use super::acknowledge::{AcknowledgementCondition, Acknowledgements, QueuedAcknowledgement};
use super::arrivals::{Arrivals, QueuedArrival};
use super::bulk_receive::BulkReceive;
use super::bulk_send::BulkSend;
use super::numbering::Numbering;
use super::outstanding::Outstanding;
use super::pool::Pool;
use super::retransmit::Retransmit;
use super::statistics::NifdyStatistics;
use super::{Answer, OutgoingPacket, UnitParameters};
use crate::engine::{NodeId, Time};

/// The NIFDY unit of one node.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct NifdyUnit<T> {
    pub(super) node: NodeId,
    pub(super) parameters: UnitParameters,
    pub(super) numbering: Numbering,
    pub(super) pool: Pool<T>,
    pub(super) outstanding: Outstanding,
    pub(super) bulk_send: BulkSend,
    pub(super) bulk_receive: BulkReceive<T>,
    pub(super) arrivals: Arrivals<T>,
    pub(super) acknowledgements: Acknowledgements,
    pub(super) retransmit: Option<Retransmit<T>>,
    pub(super) statistics: NifdyStatistics,
}

/// A packet that the processor accepted.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Delivered<T> {
    /// The sender.
    pub source: NodeId,
    /// The packet.
    pub body: T,
    /// Whether a slot of the arrivals FIFO became free, so that the network may deliver another packet.
    pub frees_slot: bool,
}

impl<T: Clone> NifdyUnit<T> {
    /// Returns the unit of `node`, without packets.
    ///
    /// # Panics
    ///
    /// Panics if the parameters do not pass [`UnitParameters::check`].
    pub fn new(node: NodeId, parameters: &UnitParameters) -> NifdyUnit<T> {
        assert_eq!(parameters.check(), [], "the parameters are valid");
        let numbering = Numbering::new(parameters);
        NifdyUnit {
            node,
            parameters: *parameters,
            numbering,
            pool: Pool::new(parameters.pool),
            outstanding: Outstanding::new(parameters.outstanding),
            bulk_send: BulkSend::Scalar,
            bulk_receive: BulkReceive::new(parameters.dialogs, numbering, parameters.group()),
            arrivals: Arrivals::new(parameters.arrivals),
            acknowledgements: Acknowledgements::default(),
            retransmit: parameters.retransmission.map(Retransmit::new),
            statistics: NifdyStatistics::default(),
        }
    }

    /// Returns whether the pool has an empty buffer.
    pub fn has_capacity(&self) -> bool {
        self.pool.has_capacity()
    }

    /// Inserts a packet from the processor into the pool.
    ///
    /// # Errors
    ///
    /// Returns the packet if no buffer is empty.
    pub fn offer(&mut self, packet: OutgoingPacket<T>) -> Result<(), OutgoingPacket<T>> {
        if !self.pool.has_capacity() {
            return Err(packet);
        }
        if packet.answers {
            self.acknowledgements.record_answer_offered(packet.destination);
        }
        let outstanding = self.unacknowledged(packet.destination);
        self.pool.insert(packet, outstanding);
        Ok(())
    }

    /// Returns the source and the body of the packet that [`NifdyUnit::accept`] would return.
    pub fn front(&self) -> Option<(NodeId, &T)> {
        match self.arrivals.front()? {
            QueuedArrival::Scalar { source, body, .. } => Some((*source, body)),
            QueuedArrival::Bulk { dialog } => self.bulk_receive.front(*dialog),
        }
    }

    /// Accepts the packet that became ready first for the processor. If its acknowledgement is due, the acknowledgement
    /// waits for the answer, provided that one follows.
    pub fn accept(&mut self, answer: Answer) -> Option<Delivered<T>> {
        let delivered = match self.arrivals.take()? {
            QueuedArrival::Scalar { source, header, body } => {
                self.acknowledge_accepted_scalar(source, header, answer);
                Delivered { source, body, frees_slot: true }
            }
            QueuedArrival::Bulk { dialog } => {
                let (source, body, acknowledgement) = self.bulk_receive.accept(dialog);
                acknowledgement.into_iter().flatten().for_each(|due| self.acknowledge_bulk(due));
                Delivered { source, body, frees_slot: false }
            }
        };
        self.statistics.accepted += 1;
        Some(delivered)
    }

    /// Records that the answer to `source` announced by [`Answer::Follows`] will not be offered, so that the
    /// acknowledgement no longer waits for it.
    pub fn cancel_answer(&mut self, source: NodeId) {
        self.acknowledgements.cancel_answer(source);
    }

    /// Ends the incoming dialog with `source`, which is asked to continue in scalar mode. Returns whether a dialog was
    /// open.
    pub fn end_dialog(&mut self, source: NodeId) -> bool {
        let acknowledgement = self.bulk_receive.end_dialog(source);
        acknowledgement.into_iter().for_each(|due| self.acknowledge_bulk(due));
        acknowledgement.is_some()
    }

    /// Returns the time at which the next timer expires.
    pub fn next_timer(&self) -> Option<Time> {
        self.retransmit.as_ref()?.next_timer()
    }

    /// Handles the timers that expire by `now`: their packets are retransmitted before other packets are sent.
    pub fn on_time(&mut self, now: Time) {
        if let Some(retransmit) = &mut self.retransmit {
            retransmit.on_time(now);
        }
    }

    /// Returns the bytes of state of the unit for packets of `packet_bytes`: see [`UnitParameters::state_bytes`].
    pub fn state_bytes(&self, packet_bytes: usize) -> usize {
        self.parameters.state_bytes(packet_bytes)
    }

    /// Returns the number of outstanding scalar packets.
    pub fn outstanding(&self) -> usize {
        self.outstanding.len()
    }

    /// Returns the number of unacknowledged packets to `destination`, scalar or bulk.
    pub fn unacknowledged(&self, destination: NodeId) -> usize {
        let bulk = self.bulk_send.dialog_to(destination).map_or(0, |dialog| dialog.unacknowledged());
        usize::from(self.outstanding.contains(destination)) + bulk
    }

    /// Returns the destination of the outgoing dialog, if one is open.
    pub fn dialog(&self) -> Option<NodeId> {
        self.bulk_send.dialog().map(|dialog| dialog.destination)
    }

    /// Returns the senders of the incoming dialogs.
    pub fn dialogs(&self) -> impl Iterator<Item = NodeId> {
        self.bulk_receive.sources()
    }

    /// Returns the number of packets in the pool.
    pub fn waiting_packets(&self) -> usize {
        self.pool.len()
    }

    /// Returns the number of packets that the processor may accept.
    pub fn arrived(&self) -> usize {
        self.arrivals.len()
    }

    /// Returns whether no packet waits or is outstanding and no acknowledgement is to be sent. A dialog may be open.
    pub fn is_idle(&self) -> bool {
        let is_acknowledged = self.bulk_send.dialog().is_none_or(|dialog| dialog.unacknowledged() == 0);
        let is_sent = self.pool.len() == 0 && self.outstanding.len() == 0 && is_acknowledged;
        is_sent
            && self.arrivals.len() == 0
            && self.bulk_receive.stored_packets() == 0
            && self.acknowledgements.len() == 0
    }

    /// Returns the counts since the start.
    pub const fn statistics(&self) -> NifdyStatistics {
        self.statistics
    }

    /// Returns whether an acknowledgement waits for an answer that could leave before it.
    pub(super) fn waits_for_answer(&self, queued: &QueuedAcknowledgement) -> bool {
        match queued.condition {
            AcknowledgementCondition::NotWaiting => false,
            AcknowledgementCondition::ForOffer => self.pool.has_capacity(),
            AcknowledgementCondition::ForAnswer => self.can_answer(queued.destination),
        }
    }

    fn can_answer(&self, destination: NodeId) -> bool {
        let is_answer = |packet: &OutgoingPacket<T>| packet.answers && packet.destination == destination;
        self.pool.iter().any(|(packet, rank)| is_answer(packet) && self.eligibility(packet, rank).is_some())
    }

    /// Asserts the invariants between the components. The check takes time, so only tests call it.
    pub fn check(&self) {
        self.bulk_receive.check();
        for (packet, rank) in self.pool.iter().filter(|(packet, _)| packet.acknowledged) {
            let in_front = self.pool.iter().take_while(|(other, _)| !std::ptr::eq(*other, packet));
            let unacknowledged =
                in_front.filter(|(other, _)| other.acknowledged && other.destination == packet.destination);
            let expected = unacknowledged.count() + self.unacknowledged(packet.destination);
            assert_eq!(rank, expected, "a rank is the number of packets in front");
        }
        if let Some(dialog) = self.bulk_send.dialog() {
            assert!(!self.outstanding.contains(dialog.destination), "a pair is in one mode at a time");
        }
        assert_eq!(
            self.front().is_some(),
            self.arrived() > 0,
            "the front is empty exactly if no packet may be accepted"
        );
        for (dialog, ready) in self.bulk_receive.ready_packets() {
            let (slots, turns) = self.arrivals.occupied_slots_and_turns(dialog);
            assert!(slots <= usize::from(self.parameters.arrivals));
            assert_eq!(ready, turns, "a packet in order has its turn");
        }
        if let Some(retransmit) = &self.retransmit {
            let bulk = self.bulk_send.dialog().map_or(0, |dialog| dialog.unacknowledged());
            assert_eq!(retransmit.len(), self.outstanding.len() + bulk, "an outstanding packet has a copy");
        }
    }
}
