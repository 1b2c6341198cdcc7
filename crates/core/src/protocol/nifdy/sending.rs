//! The send path of a unit: selects the next frame (Callahan and Goldstein 1995, §2.1.1).
//!
//! Acknowledgements have priority, because they free buffers that other nodes wait for. Next come copies whose timer
//! expired, and then the oldest eligible packet.

use super::acknowledge::QueuedAcknowledgement;
use super::bulk_send::BulkSend;
use super::outstanding::OutstandingEntry;
use super::{NifdyFrame, NifdyHeader, NifdyUnit, OutgoingPacket, Scalar};
use crate::engine::{NodeId, Time};

/// Path on which an eligible packet leaves.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Eligibility {
    /// The packet bypasses the protocol (Callahan and Goldstein 1995, §6.1).
    Unacknowledged,
    /// The packet leaves through the outstanding-packet table.
    Scalar,
    /// The packet leaves through the window of the open dialog.
    Bulk,
}

impl<T: Clone> NifdyUnit<T> {
    /// Returns whether [`NifdyUnit::next`] would return a frame.
    pub fn has_next(&self) -> bool {
        self.ready_acknowledgement().is_some()
            || self.retransmit.as_ref().is_some_and(|retransmit| retransmit.has_due_copy())
            || self.wants_empty_exit()
            || self.oldest_eligible().is_some()
    }

    /// Returns the next frame for the network. The unit counts the frame as sent, so the caller must send it.
    pub fn next(&mut self, now: Time) -> Option<NifdyFrame<T>> {
        self.next_acknowledgement().or_else(|| self.next_packet(now))
    }

    /// Returns the next acknowledgement, for a caller that sends acknowledgements on a separate network.
    pub fn next_acknowledgement(&mut self) -> Option<NifdyFrame<T>> {
        let index = self.ready_acknowledgement()?;
        Some(self.send_acknowledgement(index))
    }

    /// Returns the next packet, which may be a copy or an empty exit.
    pub fn next_packet(&mut self, now: Time) -> Option<NifdyFrame<T>> {
        if let Some(copy) = self.retransmit.as_mut().and_then(|retransmit| retransmit.next_copy(now)) {
            self.statistics.retransmitted += 1;
            return Some(copy);
        }
        let frame = match self.wants_empty_exit() {
            true => self.empty_exit(),
            false => {
                let (index, eligibility) = self.oldest_eligible()?;
                self.send(index, eligibility)
            }
        };
        let is_acknowledged = !matches!(frame.header, NifdyHeader::Scalar(Scalar { acknowledged: false, .. }));
        if let Some(retransmit) = self.retransmit.as_mut().filter(|_| is_acknowledged) {
            retransmit.store_copy(&frame, now);
        }
        Some(frame)
    }

    fn ready_acknowledgement(&self) -> Option<usize> {
        self.acknowledgements.iter().position(|queued| !self.waits_for_answer(queued))
    }

    fn send_acknowledgement(&mut self, index: usize) -> NifdyFrame<T> {
        let QueuedAcknowledgement { destination, acknowledgement, .. } = self.acknowledgements.take(index);
        self.statistics.acknowledgements += 1;
        self.frame(destination, NifdyHeader::Acknowledgement(acknowledgement), None)
    }

    fn frame(&self, destination: NodeId, header: NifdyHeader, body: Option<T>) -> NifdyFrame<T> {
        NifdyFrame { source: self.node, destination, header, piggybacked: None, body }
    }

    /// Returns the oldest eligible packet of the pool, and the path on which it may leave.
    fn oldest_eligible(&self) -> Option<(usize, Eligibility)> {
        let eligibilities = self.pool.iter().map(|(packet, rank)| self.eligibility(packet, rank));
        eligibilities.enumerate().find_map(|(index, eligibility)| Some((index, eligibility?)))
    }

    /// Returns the path on which `packet` of the pool may leave now, or `None` if it may not leave.
    pub(super) fn eligibility(&self, packet: &OutgoingPacket<T>, rank: usize) -> Option<Eligibility> {
        if !packet.acknowledged {
            return Some(Eligibility::Unacknowledged);
        }
        match self.bulk_send.dialog_to(packet.destination) {
            Some(dialog) => (dialog.can_send() && rank == dialog.unacknowledged()).then_some(Eligibility::Bulk),
            None => (rank == 0 && self.outstanding.has_capacity()).then_some(Eligibility::Scalar),
        }
    }

    fn send(&mut self, index: usize, eligibility: Eligibility) -> NifdyFrame<T> {
        let packet = self.pool.take(index);
        let header = match eligibility {
            Eligibility::Unacknowledged => {
                self.statistics.unacknowledged += 1;
                NifdyHeader::Scalar(Scalar { acknowledged: false, bulk_request: false, duplicate_bit: false })
            }
            Eligibility::Scalar => NifdyHeader::Scalar(self.send_scalar(&packet)),
            Eligibility::Bulk => {
                self.statistics.bulk += 1;
                let dialog = self.bulk_send.dialog_mut().expect("the dialog is open");
                NifdyHeader::Bulk(dialog.send(packet.bulk_exit))
            }
        };
        let piggybacked =
            if packet.answers { self.acknowledgements.take_piggybacked(packet.destination) } else { None };
        self.statistics.piggybacked += u64::from(piggybacked.is_some());
        NifdyFrame { piggybacked, ..self.frame(packet.destination, header, Some(packet.body)) }
    }

    /// Records that a scalar packet leaves, and returns its header. The header requests a dialog if another packet of
    /// the message follows and no dialog is open or requested.
    fn send_scalar(&mut self, packet: &OutgoingPacket<T>) -> Scalar {
        self.statistics.scalar += 1;
        let OutgoingPacket { destination, .. } = *packet;
        let duplicate_bit = self.retransmit.as_mut().is_some_and(|retransmit| retransmit.next_bit(destination));
        self.outstanding.insert(OutstandingEntry { destination, duplicate_bit });
        let wants_dialog = packet.bulk_request && !packet.bulk_exit && self.parameters.has_bulk();
        let bulk_request = wants_dialog && self.bulk_send == BulkSend::Scalar;
        if bulk_request {
            self.bulk_send = BulkSend::Requested { destination };
        }
        Scalar { acknowledged: true, bulk_request, duplicate_bit }
    }

    /// Returns whether the receiver ended the dialog while no packet waits that could be the dialog's last.
    fn wants_empty_exit(&self) -> bool {
        let dialog = self.bulk_send.dialog().filter(|dialog| dialog.wants_exit());
        dialog.is_some_and(|dialog| self.pool.waiting_for(dialog.destination) == 0)
    }

    fn empty_exit(&mut self) -> NifdyFrame<T> {
        let dialog = self.bulk_send.dialog_mut().expect("the dialog is open");
        let (destination, header) = (dialog.destination, dialog.send(true));
        self.frame(destination, NifdyHeader::Bulk(header), None)
    }
}
