//! The responder: it executes requests in the order of their sequence numbers, and acknowledges them.

use super::memory::{AtomicJob, MemoryJob, ReadJob};
use super::queue_pair::{InboundMessage, QueuePair};
use super::{RdmaDevice, count};
use crate::engine::{Bytes, Journey};
use crate::fabric::Packet;
use crate::ni::rdma::completion_entry::CompletionEntry;
use crate::ni::rdma::receive_queue::PostedBuffer;
use crate::ni::rdma::transport::requester::Recovery;
use crate::ni::rdma::transport::responder::RequestArrival;
use crate::ni::rdma::wire::aeth::{AckHeader, Syndrome};
use crate::ni::rdma::wire::bth::{OperationCode, Psn};
use crate::ni::rdma::wire::{ExtendedHeader, RocePacket};
use crate::ni::verbs::{WorkKind, WorkStatus};
use std::ops::Range;
use std::rc::Rc;

/// The reason for which a request is not executed.
enum Refusal {
    /// No receive is posted.
    NotReady,
    /// The request is invalid, and the queue pair fails. The receive of the message, if it has one, ends with this
    /// status.
    Failed(Syndrome, Option<(PostedBuffer, WorkStatus)>),
}

impl RdmaDevice {
    /// Handles a packet of a request.
    pub(super) async fn handle_request(
        &self,
        pair: &Rc<QueuePair>,
        packet: &Rc<Packet>,
        header: &RocePacket,
        payload: Range<usize>,
    ) {
        if pair.state.borrow().is_failed || pair.peer.get().is_none() {
            return count(&self.counts.dropped_packets);
        }
        let arrival = pair.state.borrow_mut().responder.arrive(header.base.psn);
        match arrival {
            RequestArrival::Duplicate => self.answer_again(pair, header),
            RequestArrival::Early { is_first } => self.keep_early(pair, packet, header, is_first),
            RequestArrival::Expected => {
                if self.execute(pair, packet, header, payload).await {
                    self.execute_early(pair).await;
                }
            }
        }
    }

    /// Executes the packets that arrived early and whose predecessors have all arrived.
    async fn execute_early(&self, pair: &Rc<QueuePair>) {
        loop {
            let packet = {
                let mut state = pair.state.borrow_mut();
                let expected = state.responder.expected().number();
                state.early_packets.remove(&expected)
            };
            let Some(packet) = packet else { return };
            let decoded = RocePacket::decode(&packet.bytes());
            let Ok((header, payload)) = decoded else { return };
            if !self.execute(pair, &packet, &header, payload).await {
                return;
            }
        }
    }

    /// Handles a packet that arrived before an earlier one. With selective repeat, the packet is kept.
    fn keep_early(&self, pair: &Rc<QueuePair>, packet: &Rc<Packet>, header: &RocePacket, is_first: bool) {
        count(&self.counts.sequence_errors);
        match self.parameters.recovery {
            Recovery::GoBackN if is_first => self.acknowledge(pair, Syndrome::SequenceError),
            Recovery::GoBackN => {}
            Recovery::Selective => {
                let mut state = pair.state.borrow_mut();
                if state.early_packets.len() >= self.parameters.reorder_packets as usize {
                    return;
                }
                state.early_packets.insert(header.base.psn.number(), packet.clone());
                let expected = state.responder.expected();
                drop(state);
                let ack = AckHeader { syndrome: Syndrome::SequenceError, messages: header.base.psn.number() };
                let extended_header = ExtendedHeader::Ack(ack);
                let header = self.header(pair, OperationCode::Acknowledge, expected, false, extended_header);
                self.send(&header, &[], Journey::NONE);
            }
        }
    }

    /// Answers a request that was executed before, whose answer may have been lost.
    fn answer_again(&self, pair: &Rc<QueuePair>, header: &RocePacket) {
        match (header.base.code, &header.extended_header) {
            (OperationCode::ReadRequest, ExtendedHeader::Rdma(rdma)) => {
                if self.permits(rdma.key, rdma.address, rdma.length.into()) {
                    self.begin_response(pair);
                    let (address, bytes) = (rdma.address, u64::from(rdma.length));
                    self.memory_jobs.send(MemoryJob::Read(ReadJob {
                        pair: pair.clone(),
                        psn: header.base.psn,
                        address,
                        bytes,
                    }));
                }
            }
            (code, _) if code.is_atomic() => {
                let value = pair.state.borrow().responder.result(header.base.psn);
                if let Some(value) = value {
                    self.send_atomic_response(pair, header.base.psn, value);
                }
            }
            (_, _) => self.acknowledge(pair, Syndrome::Acknowledged),
        }
    }

    /// Executes the expected packet; returns whether it was accepted.
    async fn execute(
        &self,
        pair: &Rc<QueuePair>,
        packet: &Rc<Packet>,
        header: &RocePacket,
        payload: Range<usize>,
    ) -> bool {
        packet.journey.close_if_lasted("receive processing", self.sim.now());
        match self.try_execute(pair, packet, header, payload).await {
            Ok(()) => {
                if header.base.asks_acknowledgement {
                    self.acknowledge_now_or_later(pair);
                }
                true
            }
            Err(Refusal::NotReady) => {
                pair.state.borrow_mut().responder.postpone();
                count(&self.counts.not_ready_receives);
                self.acknowledge(pair, Syndrome::receiver_not_ready(self.parameters.rnr_timer));
                false
            }
            Err(Refusal::Failed(syndrome, receive)) => {
                self.acknowledge(pair, syndrome);
                if let Some((buffer, status)) = receive {
                    self.end_receive(pair, &buffer, Bytes::ZERO, status, Journey::NONE);
                }
                self.fail(pair, WorkStatus::Flushed).await;
                false
            }
        }
    }

    async fn try_execute(
        &self,
        pair: &Rc<QueuePair>,
        packet: &Rc<Packet>,
        header: &RocePacket,
        payload: Range<usize>,
    ) -> Result<(), Refusal> {
        use OperationCode as Code;
        let (code, psn) = (header.base.code, header.base.psn);
        match (code, &header.extended_header) {
            (Code::SendFirst | Code::SendOnly, _) => {
                let buffer = self.take_buffer(&pair.receive_queue).await.ok_or(Refusal::NotReady)?;
                pair.state.borrow_mut().inbound_message = InboundMessage::Receive(buffer, 0);
                self.store_payload(pair, packet, payload, code.is_last())
            }
            (Code::WriteFirst | Code::WriteOnly, ExtendedHeader::Rdma(rdma)) => {
                if !self.permits(rdma.key, rdma.address, rdma.length.into()) {
                    return Err(Refusal::Failed(Syndrome::RemoteAccessError, None));
                }
                pair.state.borrow_mut().inbound_message = InboundMessage::Write(rdma.address);
                self.store_payload(pair, packet, payload, code.is_last())
            }
            (Code::SendMiddle | Code::SendLast | Code::WriteMiddle | Code::WriteLast, _) => {
                self.store_payload(pair, packet, payload, code.is_last())
            }
            (Code::ReadRequest, ExtendedHeader::Rdma(rdma)) => {
                let (address, bytes) = (rdma.address, u64::from(rdma.length));
                if !self.permits(rdma.key, address, bytes) {
                    return Err(Refusal::Failed(Syndrome::RemoteAccessError, None));
                }
                pair.state.borrow_mut().responder.accept(self.parameters.packets_of(bytes), true);
                self.begin_response(pair);
                self.memory_jobs.send(MemoryJob::Read(ReadJob { pair: pair.clone(), psn, address, bytes }));
                Ok(())
            }
            (_, ExtendedHeader::Atomic(atomic)) => {
                if !atomic.address.is_multiple_of(8) || !self.permits(atomic.key, atomic.address, 8) {
                    return Err(Refusal::Failed(Syndrome::RemoteAccessError, None));
                }
                pair.state.borrow_mut().responder.accept(1, true);
                self.begin_response(pair);
                let is_compare_swap = code == Code::CompareSwap;
                self.memory_jobs.send(MemoryJob::Atomic(AtomicJob {
                    pair: pair.clone(),
                    psn,
                    atomic: *atomic,
                    is_compare_swap,
                }));
                Ok(())
            }
            _ => Err(Refusal::Failed(Syndrome::InvalidRequest, None)),
        }
    }

    /// Stores the payload of a send or write, and ends the message with its last packet.
    fn store_payload(
        &self,
        pair: &Rc<QueuePair>,
        packet: &Rc<Packet>,
        payload: Range<usize>,
        is_last: bool,
    ) -> Result<(), Refusal> {
        let bytes = payload.len() as u64;
        let mut state = pair.state.borrow_mut();
        let (address, completed_receive) = match std::mem::take(&mut state.inbound_message) {
            InboundMessage::None => return Err(Refusal::Failed(Syndrome::InvalidRequest, None)),
            InboundMessage::Write(address) => {
                if !is_last {
                    state.inbound_message = InboundMessage::Write(address + bytes);
                }
                (address, None)
            }
            InboundMessage::Receive(buffer, offset) => {
                if offset + bytes > buffer.bytes.get() {
                    let failed_receive = Some((buffer, WorkStatus::LocalLengthError));
                    return Err(Refusal::Failed(Syndrome::InvalidRequest, failed_receive));
                }
                let address = buffer.address + offset;
                if is_last {
                    (address, Some((buffer, offset + bytes)))
                } else {
                    state.inbound_message = InboundMessage::Receive(buffer, offset + bytes);
                    (address, None)
                }
            }
        };
        state.responder.accept(1, is_last);
        drop(state);
        let journey = packet.journey.clone();
        if bytes > 0 {
            self.memory_jobs.send(MemoryJob::Data {
                address,
                data: packet.bytes()[payload].to_vec(),
                journey: journey.clone(),
                is_remote: true,
            });
        }
        if let Some((buffer, bytes)) = completed_receive {
            self.end_receive(pair, &buffer, Bytes(bytes), WorkStatus::Success, journey);
        }
        Ok(())
    }

    /// Reports the end of a receive.
    pub(super) fn end_receive(
        &self,
        pair: &Rc<QueuePair>,
        buffer: &PostedBuffer,
        bytes: Bytes,
        status: WorkStatus,
        journey: Journey,
    ) {
        let (queue_pair, kind, index) = (pair.number, WorkKind::Receive, buffer.index);
        let entry = CompletionEntry { queue_pair, kind, index, status, bytes };
        self.memory_jobs.send(MemoryJob::Completion { queue: pair.completion_queue.clone(), entry, journey });
    }

    /// Acknowledges a message at once, or later together with the next messages.
    fn acknowledge_now_or_later(&self, pair: &Rc<QueuePair>) {
        let mut state = pair.state.borrow_mut();
        state.acks_due += 1;
        if state.acks_due >= self.parameters.ack_every {
            drop(state);
            self.acknowledge(pair, Syndrome::Acknowledged);
        } else if state.acks_due == 1 {
            state.ack_deadline = self.sim.now() + self.parameters.ack_delay;
            self.pairs_with_late_acks.send_at(state.ack_deadline, pair.clone());
        }
    }

    /// Sends an acknowledgement of the packets that have arrived, after the responses of earlier requests.
    pub(super) fn acknowledge(&self, pair: &Rc<QueuePair>, syndrome: Syndrome) {
        let mut state = pair.state.borrow_mut();
        if state.pending_responses > 0 {
            state.deferred_ack = Some(syndrome);
            return;
        }
        state.acks_due = 0;
        let (expected, messages) = (state.responder.expected(), state.responder.messages());
        drop(state);
        let psn = if syndrome == Syndrome::Acknowledged { expected.previous() } else { expected };
        let extended_header = ExtendedHeader::Ack(AckHeader { syndrome, messages });
        let header = self.header(pair, OperationCode::Acknowledge, psn, false, extended_header);
        self.send(&header, &[], Journey::NONE);
    }

    /// Begins the response of a read or atomic operation.
    fn begin_response(&self, pair: &QueuePair) {
        pair.state.borrow_mut().pending_responses += 1;
    }

    /// Ends the response of a read or atomic operation. If no other response is pending, sends the acknowledgement that
    /// was deferred until then.
    pub(super) fn end_responses(&self, pair: &Rc<QueuePair>) {
        let deferred_ack = {
            let mut state = pair.state.borrow_mut();
            state.pending_responses -= 1;
            if state.pending_responses == 0 { state.deferred_ack.take() } else { None }
        };
        if let Some(syndrome) = deferred_ack {
            self.acknowledge(pair, syndrome);
        }
    }

    /// Sends the response of an atomic operation.
    pub(super) fn send_atomic_response(&self, pair: &Rc<QueuePair>, psn: Psn, value: u64) {
        let messages = pair.state.borrow().responder.messages();
        let ack = AckHeader { syndrome: Syndrome::Acknowledged, messages };
        let extended_header = ExtendedHeader::AtomicAck(ack, value);
        let header = self.header(pair, OperationCode::AtomicAcknowledge, psn, false, extended_header);
        self.send(&header, &[], Journey::NONE);
    }
}
