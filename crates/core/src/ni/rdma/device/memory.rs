//! Accesses to host memory, in the order in which packets were handled: payloads, completions, reads for other nodes,
//! and atomic operations, which are executed one at a time.
//!
//! Writes are posted: they are submitted in order and become visible in order, so a completion never precedes its data.

use super::RdmaDevice;
use super::queue_pair::QueuePair;
use super::transmit::{PayloadRead, ScheduledPacket};
use crate::engine::{Journey, Time};
use crate::host::{Address, DmaCompletion, DmaOperation, DmaRequest, submit_when_free};
use crate::ni::dma_stages;
use crate::ni::rdma::completion_entry::{CompletionEntry, ENTRY_BYTES};
use crate::ni::rdma::completion_queue::CompletionQueue;
use crate::ni::rdma::wire::ExtendedHeader;
use crate::ni::rdma::wire::aeth::{AckHeader, Syndrome};
use crate::ni::rdma::wire::bth::{OperationCode, Psn};
use crate::ni::rdma::wire::reth::AtomicHeader;
use crate::ni::verbs::WorkStatus;
use std::rc::Rc;

/// Codes of the packets of a read's response.
const READ_RESPONSE_CODES: [OperationCode; 4] = [
    OperationCode::ReadResponseFirst,
    OperationCode::ReadResponseMiddle,
    OperationCode::ReadResponseLast,
    OperationCode::ReadResponseOnly,
];

/// An access to host memory.
pub enum MemoryJob {
    /// Writes a payload.
    Data {
        /// First address.
        address: Address,
        /// Payload.
        data: Vec<u8>,
        /// Record of the message's latency.
        journey: Journey,
        /// Whether the data are from a request of another node.
        is_remote: bool,
    },
    /// Writes a completion.
    Completion {
        /// Queue.
        queue: Rc<CompletionQueue>,
        /// Completion.
        entry: CompletionEntry,
        /// Record of the message's latency.
        journey: Journey,
    },
    /// Reads for another node.
    Read(ReadJob),
    /// Executes an atomic operation.
    Atomic(AtomicJob),
}

/// A read for another node.
pub struct ReadJob {
    /// Queue pair.
    pub pair: Rc<QueuePair>,
    /// Sequence number of the first packet of the response.
    pub psn: Psn,
    /// First address.
    pub address: Address,
    /// Size.
    pub bytes: u64,
}

/// An atomic operation of another node.
pub struct AtomicJob {
    /// Queue pair.
    pub pair: Rc<QueuePair>,
    /// Sequence number.
    pub psn: Psn,
    /// Operands.
    pub atomic: AtomicHeader,
    /// Whether the operation is a compare-and-swap.
    pub is_compare_swap: bool,
}

/// A write that was submitted.
pub struct SubmittedWrite {
    write: DmaCompletion,
    /// Earliest time at which the packet memory has sent all bytes.
    ready_at: Time,
    /// Time at which the write was submitted.
    submitted_at: Time,
    journey: Journey,
    kind: SubmittedWriteKind,
}

enum SubmittedWriteKind {
    Data { is_remote: bool },
    Completion(Rc<CompletionQueue>),
}

impl RdmaDevice {
    pub(super) async fn run_memory(self: Rc<Self>) {
        loop {
            match self.memory_jobs.receive().await {
                MemoryJob::Data { address, data, journey, is_remote } => {
                    let translation_start = self.sim.now();
                    self.translate(address, data.len() as u64).await;
                    journey.add_service(translation_start, self.sim.now());
                    let (start, ready_at) = self.write_engine.reserve(self.sim.now(), data.len() as u64);
                    if start > self.sim.now() {
                        self.sim.until(start).await;
                    }
                    self.post_write(address, data, ready_at, journey, SubmittedWriteKind::Data { is_remote }).await;
                }
                MemoryJob::Completion { queue, entry, journey } => self.write_completion(queue, entry, journey).await,
                MemoryJob::Read(job) => self.read_jobs.send(job),
                MemoryJob::Atomic(job) => self.execute_atomic(job).await,
            }
        }
    }

    async fn post_write(
        &self,
        address: Address,
        data: Vec<u8>,
        ready_at: Time,
        journey: Journey,
        kind: SubmittedWriteKind,
    ) {
        let request = DmaRequest { address, operation: DmaOperation::Write(data.into()) };
        let write = submit_when_free(&*self.dma, &request).await;
        self.posted_writes.send(SubmittedWrite { write, ready_at, submitted_at: self.sim.now(), journey, kind });
    }

    /// Writes a completion, or fails the queue pairs of a queue that is full.
    async fn write_completion(self: &Rc<Self>, queue: Rc<CompletionQueue>, entry: CompletionEntry, journey: Journey) {
        let Some(position) = self.reserve_completion(&queue).await else {
            self.tally.record_loss(&journey);
            let pairs: Vec<Rc<QueuePair>> = self.queue_pairs.borrow().values().cloned().collect();
            for pair in pairs.iter().filter(|pair| Rc::ptr_eq(&pair.completion_queue, &queue)) {
                self.fail_requests(pair, WorkStatus::Flushed);
            }
            return;
        };
        let mut bytes = vec![0; self.parameters.cqe.len() - ENTRY_BYTES];
        bytes.extend(entry.encode(CompletionEntry::owner_bit(position, queue.entries())));
        let address = queue.address(position);
        self.post_write(address, bytes, Time::ZERO, journey, SubmittedWriteKind::Completion(queue)).await;
    }

    /// Waits for posted writes in order, and reports each one that is visible.
    pub(super) async fn run_posted_writes(self: Rc<Self>) {
        loop {
            let SubmittedWrite { mut write, ready_at, submitted_at, journey, kind } =
                self.posted_writes.receive().await;
            write.done().await;
            if ready_at > self.sim.now() {
                self.sim.until(ready_at).await;
            }
            journey.add_service(submitted_at, self.sim.now());
            match kind {
                SubmittedWriteKind::Data { is_remote } => {
                    journey.close(dma_stages::PAYLOAD_WRITE.pattern, self.sim.now());
                    if is_remote {
                        self.sim.progress();
                        self.written.notify();
                    }
                }
                SubmittedWriteKind::Completion(queue) => {
                    journey.close(dma_stages::COMPLETION.pattern, self.sim.now());
                    queue.publish(journey);
                }
            }
        }
    }

    /// Executes an atomic operation as a read and a write. No other access of the device comes between them.
    async fn execute_atomic(&self, AtomicJob { pair, psn, atomic, is_compare_swap }: AtomicJob) {
        self.translate(atomic.address, 8).await;
        let old = self.read_memory(atomic.address, 8).await;
        let old = u64::from_le_bytes(old.try_into().expect("eight bytes"));
        let new = match is_compare_swap {
            true => (old == atomic.compare).then_some(atomic.swap_or_add),
            false => Some(old.wrapping_add(atomic.swap_or_add)),
        };
        if let Some(new) = new {
            let (data, kind) = (new.to_le_bytes().to_vec(), SubmittedWriteKind::Data { is_remote: true });
            self.post_write(atomic.address, data, Time::ZERO, Journey::NONE, kind).await;
        }
        let results_max = self.parameters.outstanding_reads as usize;
        pair.state.borrow_mut().responder.keep_result(psn, old, results_max);
        self.send_atomic_response(&pair, psn, old);
        self.end_responses(&pair);
    }

    /// Answers reads with packets of one MTU, which are read from memory as fast as packet buffers permit.
    pub(super) async fn run_reads(self: Rc<Self>) {
        loop {
            let ReadJob { pair, psn, address, bytes } = self.read_jobs.receive().await;
            let (packets, mtu) = (self.parameters.packets_of(bytes), self.parameters.mtu.get());
            for number in 0..packets {
                let offset = u64::from(number) * mtu;
                let payload_bytes = (bytes - offset).min(mtu);
                self.packet_buffers.acquire(1).await;
                let payload = match payload_bytes {
                    0 => PayloadRead::Bytes(Vec::new()),
                    payload_bytes => self.begin_read(address + offset, payload_bytes).await,
                };
                let code = OperationCode::of_packet(READ_RESPONSE_CODES, number, packets);
                let messages = pair.state.borrow().responder.messages();
                let extended_header = match code.has_aeth() {
                    true => ExtendedHeader::Ack(AckHeader { syndrome: Syndrome::Acknowledged, messages }),
                    false => ExtendedHeader::None,
                };
                let header = self.header(&pair, code, psn.plus(number), false, extended_header);
                let ends_responses = (number + 1 == packets).then(|| pair.clone());
                self.scheduled_packets.send(ScheduledPacket {
                    header,
                    payload,
                    journey: Journey::NONE,
                    ends_responses,
                });
            }
        }
    }
}
