//! The receive path of a unit: handles arriving frames and generates acknowledgements.

use super::acknowledge::AcknowledgementCondition;
use super::bulk_receive::{BulkStoreOutcome, PendingAcknowledgement};
use super::bulk_send::BulkSend;
use super::{AcknowledgeAt, Acknowledgement, Answer, Bulk, DialogReply, NifdyFrame, NifdyHeader, NifdyUnit, Scalar};
use crate::engine::NodeId;

impl<T: Clone> NifdyUnit<T> {
    /// Handles a frame from the network. Returns whether the frame is a copy, so that its slot of the arrivals FIFO is
    /// free again. The caller then notifies the network, as after [`NifdyUnit::accept`].
    ///
    /// # Panics
    ///
    /// Panics if the frame needs a slot and none is free, or, without retransmission, if the network does not deliver
    /// every frame exactly once.
    #[must_use = "the network must be notified of a free slot"]
    pub fn arrive(&mut self, frame: NifdyFrame<T>) -> bool {
        let NifdyFrame { source, destination, header, piggybacked, body } = frame;
        assert_eq!(destination, self.node, "a frame goes where it is addressed");
        if let Some(piggybacked) = piggybacked {
            self.handle_acknowledgement(source, piggybacked);
        }
        match header {
            NifdyHeader::Acknowledgement(acknowledgement) => self.handle_acknowledgement(source, acknowledgement),
            NifdyHeader::Bulk(bulk) => self.handle_bulk(source, bulk, body),
            NifdyHeader::Scalar(scalar) => {
                return self.handle_scalar(source, scalar, body.expect("a scalar packet has a body"));
            }
        }
        false
    }

    fn handle_scalar(&mut self, source: NodeId, header: Scalar, body: T) -> bool {
        if header.acknowledged && !self.is_new(source, header) {
            self.statistics.duplicates += 1;
            self.acknowledge_again(source, header);
            return true;
        }
        self.arrivals.insert(source, header, body);
        if self.parameters.acknowledge == AcknowledgeAt::Insertion && header.acknowledged {
            self.acknowledge_scalar(source, header, AcknowledgementCondition::NotWaiting);
        }
        false
    }

    fn is_new(&mut self, source: NodeId, header: Scalar) -> bool {
        match &mut self.retransmit {
            Some(retransmit) => retransmit.is_new(source, header.duplicate_bit),
            None => true,
        }
    }

    /// Acknowledges a scalar packet that the processor accepts, if packets are acknowledged at acceptance.
    pub(super) fn acknowledge_accepted_scalar(&mut self, source: NodeId, header: Scalar, answer: Answer) {
        if self.parameters.acknowledge == AcknowledgeAt::Acceptance && header.acknowledged {
            let can_piggyback = self.parameters.piggybacked && answer == Answer::Follows;
            self.acknowledge_scalar(
                source,
                header,
                if can_piggyback { AcknowledgementCondition::ForOffer } else { AcknowledgementCondition::NotWaiting },
            );
        }
    }

    /// Acknowledges a scalar packet, and grants or rejects its request.
    fn acknowledge_scalar(&mut self, source: NodeId, header: Scalar, condition: AcknowledgementCondition) {
        let reply = match header.bulk_request.then(|| self.bulk_receive.grant(source)) {
            None => DialogReply::None,
            Some(None) => DialogReply::Rejected,
            Some(Some(dialog)) => DialogReply::Granted(dialog),
        };
        match reply {
            DialogReply::None => {}
            DialogReply::Rejected => self.statistics.rejected += 1,
            DialogReply::Granted(_) => self.statistics.granted += 1,
        }
        let acknowledgement = Acknowledgement::Scalar { reply, duplicate_bit: header.duplicate_bit };
        self.acknowledgements.insert(source, acknowledgement, condition);
    }

    /// Handles a copy of a scalar packet. If the packet's acknowledgement has been sent, it may have been lost, so the
    /// acknowledgement is repeated.
    fn acknowledge_again(&mut self, source: NodeId, header: Scalar) {
        self.acknowledgements.release(source);
        let is_unaccepted =
            self.parameters.acknowledge == AcknowledgeAt::Acceptance && self.arrivals.has_unacknowledged_from(source);
        if is_unaccepted || self.acknowledgements.has_scalar_for(source) {
            return;
        }
        let reply = match (header.bulk_request, self.bulk_receive.unused_dialog(source)) {
            (false, _) => DialogReply::None,
            (true, None) => DialogReply::Rejected,
            (true, Some(dialog)) => DialogReply::Granted(dialog),
        };
        let acknowledgement = Acknowledgement::Scalar { reply, duplicate_bit: header.duplicate_bit };
        self.acknowledgements.insert(source, acknowledgement, AcknowledgementCondition::NotWaiting);
    }

    fn handle_bulk(&mut self, source: NodeId, header: Bulk, body: Option<T>) {
        let Bulk { dialog, number, .. } = header;
        match self.bulk_receive.store(source, header, body) {
            BulkStoreOutcome::Stored { turns, acknowledgement } => {
                (0..turns).for_each(|_| self.arrivals.insert_turn(dialog));
                acknowledgement.into_iter().for_each(|acknowledgement| self.acknowledge_bulk(acknowledgement));
                return;
            }
            BulkStoreOutcome::DuplicateInBuffer => {}
            BulkStoreOutcome::DuplicateOfAccepted => self.acknowledge_bulk(PendingAcknowledgement {
                source,
                dialog,
                number: Some(number),
                requests_exit: false,
            }),
        }
        assert!(self.retransmit.is_some(), "bulk packet {number} of dialog {dialog} came twice");
        self.statistics.duplicates += 1;
    }

    pub(super) fn acknowledge_bulk(&mut self, acknowledgement: PendingAcknowledgement) {
        let PendingAcknowledgement { source, dialog, number, requests_exit } = acknowledgement;
        self.acknowledgements.insert(
            source,
            Acknowledgement::Bulk { dialog, number, requests_exit },
            AcknowledgementCondition::NotWaiting,
        );
    }

    /// Handles an acknowledgement.
    fn handle_acknowledgement(&mut self, source: NodeId, acknowledgement: Acknowledgement) {
        match acknowledgement {
            Acknowledgement::Scalar { reply, duplicate_bit } => {
                self.handle_scalar_acknowledgement(source, reply, duplicate_bit);
            }
            Acknowledgement::Bulk { dialog, number, requests_exit } => {
                let is_for_dialog =
                    self.bulk_send.dialog().is_some_and(|open_dialog| open_dialog.concerns_dialog(source, dialog));
                if is_for_dialog {
                    self.handle_bulk_acknowledgement(source, number, requests_exit);
                }
                assert!(
                    is_for_dialog || number.is_none() || self.retransmit.is_some(),
                    "a packet is acknowledged once"
                );
            }
        }
    }

    fn handle_scalar_acknowledgement(&mut self, source: NodeId, reply: DialogReply, duplicate_bit: bool) {
        if !self.outstanding.clear(source, duplicate_bit) {
            assert!(self.retransmit.is_some(), "{source} acknowledges a packet that is not outstanding");
            return;
        }
        self.pool.record_acknowledged(source, 1);
        if let Some(retransmit) = &mut self.retransmit {
            retransmit.free_scalar_copy(source);
        }
        match reply {
            DialogReply::None => {}
            DialogReply::Rejected => self.bulk_send.handle_reply(source, None, self.numbering),
            DialogReply::Granted(dialog) => self.bulk_send.handle_reply(source, Some(dialog), self.numbering),
        }
    }

    fn handle_bulk_acknowledgement(&mut self, source: NodeId, number: Option<super::BulkNumber>, requests_exit: bool) {
        let dialog = self.bulk_send.dialog_mut().expect("the dialog is open");
        if requests_exit {
            dialog.request_exit();
        }
        let retransmit = &mut self.retransmit;
        let free = |bulk_number| {
            if let Some(retransmit) = retransmit.as_mut() {
                retransmit.free_bulk_copy(bulk_number);
            }
        };
        let packets = number.map_or(0, |number| dialog.acknowledge(number, self.parameters.group(), free));
        if dialog.is_finished() {
            self.bulk_send = BulkSend::Scalar;
        }
        self.pool.record_acknowledged(source, packets);
    }
}
