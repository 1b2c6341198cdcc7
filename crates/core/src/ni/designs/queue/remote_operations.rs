//! The driver half of one-sided operations: an operation is composed in the send queue like a message, the tail is
//! written once per batch, and completions are polled in memory.
//!
//! Each operation costs the messaging layer's cycles of a send, and each poll costs its cycles of a poll. All queue
//! pairs of a node share one send queue, which executes their operations in the order of posting. All endpoints of a
//! node share the ring of completions: a poll for an endpoint sets aside the completions of the other endpoints. The
//! module leaves out polls that find nothing while a program waits for a completion.

use super::remote_memory::{OUTSTANDING_MAX, RemoteOperations, UncompletedOperation, decode_completion};
use super::remote_wire::{Code, RemotePacket, operation_max};
use crate::engine::{Bytes, EndpointId, LocalFuture, Signal};
use crate::host::{Address, AnyProcessor, Processor};
use crate::ni::designs::queue::driver::{QueueSender, RemoteData};
use crate::ni::designs::queue_driver::SplitDriver;
use crate::ni::verbs::{
    MemoryRegion, QueueFull, QueuePairId, Verbs, VerbsLimits, WorkCompletion, WorkId, WorkKind, WorkOperation,
    WorkRequest, WorkStatus,
};

/// Maximum number of queue pairs of a node.
const QUEUE_PAIRS_MAX: u32 = 1 << 20;

/// Returns the limits of an interface's verbs if its packets have at most `packet` bytes.
pub fn verbs_limits(packet: Bytes) -> VerbsLimits {
    VerbsLimits::one_sided(operation_max(packet), QUEUE_PAIRS_MAX, OUTSTANDING_MAX as u32)
}

/// Returns the packet of an operation, without endpoints and number, with its data and the address for its result.
fn encode_operation(operation: WorkOperation) -> (RemotePacket, RemoteData, Option<Address>) {
    let packet = |code, key, address, operand| RemotePacket { code, endpoints: [0; 2], work: 0, key, address, operand };
    match operation {
        WorkOperation::Write { from, to, key, bytes } => {
            (packet(Code::Write, key, to, bytes.get()), RemoteData::Memory(from, bytes.len()), None)
        }
        WorkOperation::Read { from, key, to, bytes } => {
            (packet(Code::Read, key, from, bytes.get()), RemoteData::None, Some(to))
        }
        WorkOperation::FetchAdd { at, key, add, to } => {
            (packet(Code::FetchAdd, key, at, add), RemoteData::None, Some(to))
        }
        WorkOperation::CompareSwap { at, key, expected, new, to } => {
            (packet(Code::CompareSwap, key, at, expected), RemoteData::Word(new), Some(to))
        }
        WorkOperation::Send { .. } => panic!("{NO_SENDS}"),
    }
}

/// The panic message for a verb that is called on a driver that does not offer verbs.
const NOT_OFFERED: &str = "this interface does not execute one-sided operations";
/// The panic message if a program posts a send or a receive.
const NO_SENDS: &str =
    "this interface executes one-sided operations only; the check of a workload rejects sends and receives";

impl SplitDriver {
    fn queue_and_operations(&self) -> (&QueueSender, &RemoteOperations) {
        self.one_sided_operations().expect(NOT_OFFERED)
    }
}

impl RemoteOperations {
    /// Takes all completions from the ring. Completions that must be reported are set aside for their endpoints.
    async fn take_from_ring(&self, cpu: &AnyProcessor) {
        while self.taken_count.get() < self.posted_count.get() {
            let position = self.taken_count.get();
            let word = cpu.load_word(self.memory.completion_address(position), 8).await;
            let Some((work, status)) = decode_completion(word, position, self.posted_count.get()) else { break };
            self.taken_count.set(position + 1);
            let request = self.requests.borrow_mut().remove(&work).expect("a completion belongs to a posted request");
            let UncompletedOperation { queue, bytes, is_signaled } = request;
            if is_signaled || status != WorkStatus::Success {
                let bytes = if status == WorkStatus::Success { bytes } else { Bytes::ZERO };
                let completion = WorkCompletion { queue, work, kind: WorkKind::Send, status, bytes };
                self.unclaimed_completions.borrow_mut().push_back(completion);
            }
        }
    }

    fn belongs_to(&self, completion: &WorkCompletion, endpoint: EndpointId) -> bool {
        self.queue_pairs.borrow()[completion.queue.0 as usize][0] == endpoint
    }

    /// Removes up to `max` completions of `endpoint` that were set aside.
    fn take_completions_of(&self, endpoint: EndpointId, max: usize) -> Vec<WorkCompletion> {
        let (mut completions, mut remaining) = (Vec::new(), self.unclaimed_completions.take());
        remaining.retain(|completion| {
            let is_taken = completions.len() < max && self.belongs_to(completion, endpoint);
            if is_taken {
                completions.push(*completion);
            }
            !is_taken
        });
        *self.unclaimed_completions.borrow_mut() = remaining;
        completions
    }
}

impl Verbs for SplitDriver {
    fn verbs_limits(&self) -> VerbsLimits {
        verbs_limits(self.parameters.message_bytes_max)
    }

    fn connect<'a>(
        &'a self,
        cpu: &'a AnyProcessor,
        local: EndpointId,
        remote: EndpointId,
    ) -> LocalFuture<'a, QueuePairId> {
        Box::pin(async move {
            let addresses = self.port.addresses();
            assert!(addresses.node(remote) != self.port.node(), "a queue pair connects endpoints of two nodes");
            cpu.sync().await;
            let mut queue_pairs = self.queue_and_operations().1.queue_pairs.borrow_mut();
            queue_pairs.push([local, remote]);
            QueuePairId(queue_pairs.len() as u32 - 1)
        })
    }

    fn register<'a>(&'a self, cpu: &'a AnyProcessor, at: Address, bytes: Bytes) -> LocalFuture<'a, MemoryRegion> {
        Box::pin(async move {
            let _lease = cpu.acquire("register").await;
            cpu.work(self.costs.send);
            cpu.sync().await;
            self.queue_and_operations().1.memory.register(at, bytes)
        })
    }

    fn post<'a>(
        &'a self,
        cpu: &'a AnyProcessor,
        pair: QueuePairId,
        WorkRequest { operation, is_signaled }: WorkRequest,
    ) -> LocalFuture<'a, Result<WorkId, QueueFull>> {
        Box::pin(async move {
            let (queue, remote) = self.queue_and_operations();
            let (packet, data, result) = encode_operation(operation);
            let bytes = match packet.code {
                Code::Write | Code::Read => Bytes(packet.operand),
                Code::FetchAdd | Code::CompareSwap | Code::Answer => Bytes(8),
            };
            let max = operation_max(self.parameters.message_bytes_max);
            assert!(bytes <= max, "an operation moves at most {max}");
            let _lease = cpu.acquire("post").await;
            cpu.work(self.costs.send);
            let posted = remote.posted_count.get();
            if posted - remote.taken_count.get() == OUTSTANDING_MAX || !queue.has_slot(cpu).await {
                return Err(QueueFull);
            }
            let work = WorkId(posted);
            remote.posted_count.set(posted + 1);
            remote.memory.expect_result(work, result);
            remote.requests.borrow_mut().insert(work, UncompletedOperation { queue: pair, bytes, is_signaled });
            let endpoints = remote.queue_pairs.borrow()[pair.0 as usize].map(|endpoint| endpoint.0 as u16);
            queue.compose_operation(cpu, &RemotePacket { endpoints, work: posted as u32, ..packet }, data).await;
            Ok(work)
        })
    }

    fn post_receive<'a>(
        &'a self,
        _: &'a AnyProcessor,
        _: QueuePairId,
        _: Address,
        _: Bytes,
    ) -> LocalFuture<'a, Result<WorkId, QueueFull>> {
        panic!("{NO_SENDS}")
    }

    fn flush<'a>(&'a self, cpu: &'a AnyProcessor, _: QueuePairId) -> LocalFuture<'a, ()> {
        Box::pin(async move {
            let _lease = cpu.acquire("flush").await;
            self.queue_and_operations().0.ring_doorbell(cpu).await;
        })
    }

    fn completions<'a>(
        &'a self,
        cpu: &'a AnyProcessor,
        endpoint: EndpointId,
        max: usize,
    ) -> LocalFuture<'a, Vec<WorkCompletion>> {
        Box::pin(async move {
            let remote = self.queue_and_operations().1;
            let _lease = cpu.acquire("poll completions").await;
            cpu.work(self.costs.poll);
            remote.take_from_ring(cpu).await;
            cpu.sync().await;
            let completions = remote.take_completions_of(endpoint, max);
            if !remote.unclaimed_completions.borrow().is_empty() {
                remote.memory.operation_completed().notify();
            }
            completions
        })
    }

    fn wait_for_completion<'a>(&'a self, cpu: &'a AnyProcessor, endpoint: EndpointId) -> LocalFuture<'a, ()> {
        Box::pin(async move {
            let remote = self.queue_and_operations().1;
            cpu.sync().await;
            let has_unclaimed_completion = || {
                remote.unclaimed_completions.borrow().iter().any(|completion| remote.belongs_to(completion, endpoint))
            };
            while remote.memory.written_completions() == remote.taken_count.get() && !has_unclaimed_completion() {
                remote.memory.operation_completed().wait().await;
            }
        })
    }

    fn written(&self) -> &Signal {
        self.queue_and_operations().1.memory.changed()
    }
}
