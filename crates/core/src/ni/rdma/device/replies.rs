//! The requester: it handles acknowledgements and responses, ends requests, and fails a queue pair.

use super::memory::MemoryJob;
use super::queue_pair::{FetchedRequest, QueuePair};
use super::{RdmaDevice, count};
use crate::engine::{Bytes, Journey};
use crate::ni::rdma::completion_entry::CompletionEntry;
use crate::ni::rdma::device::doorbell::DoorbellWrite;
use crate::ni::rdma::transport::requester::{Recovery, ResponseVerdict};
use crate::ni::rdma::wire::aeth::Syndrome;
use crate::ni::rdma::wire::bth::{OperationCode, Psn};
use crate::ni::rdma::wire::{ExtendedHeader, RocePacket};
use crate::ni::rdma::work_request::LocalData;
use crate::ni::verbs::{WorkKind, WorkStatus};
use std::rc::Rc;

impl RdmaDevice {
    /// Handles a packet that answers a request.
    pub(super) fn handle_response(self: &Rc<Self>, pair: &Rc<QueuePair>, header: &RocePacket, payload: &[u8]) {
        if pair.state.borrow().is_failed {
            return count(&self.counts.dropped_packets);
        }
        let (psn, mut completed_requests) = (header.base.psn, Vec::new());
        let failure = match &header.extended_header {
            ExtendedHeader::Ack(ack) if header.base.code == OperationCode::Acknowledge => {
                let early_psn = Psn::new(ack.messages);
                self.handle_acknowledgement(pair, psn, ack.syndrome, early_psn, &mut completed_requests)
            }
            ExtendedHeader::AtomicAck(_, value) => {
                self.accept_response(pair, psn, &value.to_le_bytes(), &mut completed_requests);
                None
            }
            _ => {
                self.accept_response(pair, psn, payload, &mut completed_requests);
                None
            }
        };
        if !completed_requests.is_empty() {
            self.sim.progress();
        }
        for request in &completed_requests {
            self.end_work(pair, request, WorkStatus::Success);
        }
        if let Some(status) = failure {
            self.fail_later(pair, status);
            return;
        }
        self.restart_timer(pair);
        self.schedule(pair, self.sim.now());
    }

    /// Handles an acknowledgement; returns the status with which the queue pair fails, if it does.
    fn handle_acknowledgement(
        &self,
        pair: &QueuePair,
        psn: Psn,
        syndrome: Syndrome,
        early_psn: Psn,
        completed_requests: &mut Vec<Rc<FetchedRequest>>,
    ) -> Option<WorkStatus> {
        let mut state = pair.state.borrow_mut();
        match syndrome {
            Syndrome::Acknowledged => {
                state.requester.acknowledge(psn, completed_requests);
                None
            }
            Syndrome::SequenceError => {
                let early_psn = (self.parameters.recovery == Recovery::Selective).then_some(early_psn);
                state.requester.retransmit_from(psn, early_psn, completed_requests);
                None
            }
            Syndrome::ReceiverNotReady(_) => {
                let result = state.requester.not_ready(psn, &self.limits, completed_requests);
                state.next_packet_time = state.next_packet_time.max(self.sim.now() + self.parameters.rnr_timer);
                result.err().map(|_| WorkStatus::ReceiverNotReady)
            }
            Syndrome::InvalidRequest | Syndrome::RemoteAccessError => {
                state.requester.acknowledge(psn.previous(), completed_requests);
                Some(match syndrome {
                    Syndrome::InvalidRequest => WorkStatus::RemoteInvalidRequest,
                    _ => WorkStatus::RemoteAccessError,
                })
            }
        }
    }

    /// Stores the data of a response, if it is the next one of its request.
    fn accept_response(
        &self,
        pair: &QueuePair,
        psn: Psn,
        data: &[u8],
        completed_requests: &mut Vec<Rc<FetchedRequest>>,
    ) {
        let verdict = pair.state.borrow_mut().requester.respond(psn, completed_requests);
        if let ResponseVerdict::Accepted { work, number } = verdict
            && let LocalData::Memory(address, _) = work.entry.data
            && !data.is_empty()
        {
            let address = address + u64::from(number) * self.parameters.mtu.get();
            let journey = Journey::NONE;
            self.memory_jobs.send(MemoryJob::Data { address, data: data.to_vec(), journey, is_remote: false });
        }
    }

    /// Ends a request: a completion reports its failure, or its success if it is signaled.
    pub(super) fn end_work(&self, pair: &QueuePair, request: &FetchedRequest, status: WorkStatus) {
        if status != WorkStatus::Success {
            self.tally.record_loss(&request.journey);
        } else if !request.entry.is_signaled {
            return;
        }
        let bytes = if status == WorkStatus::Success { Bytes(request.entry.bytes()) } else { Bytes::ZERO };
        let (queue_pair, kind, index) = (pair.number, WorkKind::Send, request.entry.index);
        let entry = CompletionEntry { queue_pair, kind, index, status, bytes };
        let queue = pair.completion_queue.clone();
        self.memory_jobs.send(MemoryJob::Completion { queue, entry, journey: Journey::NONE });
    }

    /// Puts a queue pair into the error state: its oldest request ends with `status`, and all others are flushed.
    pub(super) fn fail_requests(&self, pair: &Rc<QueuePair>, status: WorkStatus) {
        let pending_requests = {
            let mut state = pair.state.borrow_mut();
            if std::mem::replace(&mut state.is_failed, true) {
                return;
            }
            state.early_packets.clear();
            state.requester.drain()
        };
        count(&self.counts.failed_queue_pairs);
        self.restart_timer(pair);
        for (number, request) in pending_requests.iter().enumerate() {
            self.end_work(pair, request, if number == 0 { status } else { WorkStatus::Flushed });
        }
        // Requests that were posted and not read are read, and flushed.
        let producer = pair.state.borrow().producer;
        self.doorbells.send(DoorbellWrite {
            queue_pair: pair.number,
            producer,
            request: None,
            arrival_time: self.sim.now(),
        });
    }

    /// Puts a queue pair into the error state, and flushes its receives.
    pub(super) async fn fail(&self, pair: &Rc<QueuePair>, status: WorkStatus) {
        self.fail_requests(pair, status);
        if pair.receive_queue.is_shared() {
            return;
        }
        while let Some(buffer) = self.take_buffer(&pair.receive_queue).await {
            self.end_receive(pair, &buffer, Bytes::ZERO, WorkStatus::Flushed, Journey::NONE);
        }
    }

    /// Puts a queue pair into the error state without waiting for its receives to be flushed.
    pub(super) fn fail_later(self: &Rc<Self>, pair: &Rc<QueuePair>, status: WorkStatus) {
        self.fail_requests(pair, status);
        self.flush_failed(pair);
    }

    /// Flushes the receives of a queue pair if it is in the error state.
    pub fn flush_failed(self: &Rc<Self>, pair: &Rc<QueuePair>) {
        if !pair.state.borrow().is_failed {
            return;
        }
        let (device, pair) = (self.clone(), pair.clone());
        self.sim.spawn_server(format!("{}: a failed queue pair", self.host.name), async move {
            device.fail(&pair, WorkStatus::Flushed).await;
        });
    }
}
