//! The driver half of one-sided operations: an operation is composed in the send queue like a message, the tail is
//! written once per batch, and completions are polled in memory.
//!
//! The module models the messaging layer's cycles of a send for each operation, and of a poll for each poll. The module
//! leaves out polls that find nothing while a program waits for a completion.

use super::remote_memory::{OUTSTANDING_MAX, completion};
use super::remote_wire::{Code, RemotePacket, operation_max};
use crate::engine::{Bytes, EndpointId, LocalFuture};
use crate::host::{Address, AnyProcessor, Processor};
use crate::ni::designs::queue::driver::RemoteData;
use crate::ni::designs::queue_driver::SplitDriver;
use crate::ni::one_sided::{MemoryRegion, OneSided, RemoteOperation, WorkCompletion, WorkId, WorkQueue};

/// Returns the packet of an operation, without endpoints and number, with its data and the address for its result.
fn request(operation: RemoteOperation) -> (RemotePacket, RemoteData, Option<Address>) {
    let packet = |code, key, address, operand| RemotePacket { code, endpoints: [0; 2], work: 0, key, address, operand };
    match operation {
        RemoteOperation::Write { from, to, key, bytes } => {
            (packet(Code::Write, key, to, bytes.get()), RemoteData::Memory(from, bytes.len()), None)
        }
        RemoteOperation::Read { from, key, to, bytes } => {
            (packet(Code::Read, key, from, bytes.get()), RemoteData::None, Some(to))
        }
        RemoteOperation::FetchAdd { at, key, add, to } => {
            (packet(Code::FetchAdd, key, at, add), RemoteData::None, Some(to))
        }
        RemoteOperation::CompareSwap { at, key, expected, new, to } => {
            (packet(Code::CompareSwap, key, at, expected), RemoteData::Word(new), Some(to))
        }
    }
}

/// The panic message if a driver that does not offer one-sided operations is asked for one.
const NOT_OFFERED: &str = "operations are offered only if the interface executes them";

impl OneSided for SplitDriver {
    fn operation_max(&self) -> Bytes {
        operation_max(self.parameters.message_bytes_max)
    }

    fn register<'a>(&'a self, cpu: &'a AnyProcessor, at: Address, bytes: Bytes) -> LocalFuture<'a, MemoryRegion> {
        Box::pin(async move {
            let _lease = cpu.acquire("register").await;
            cpu.work(self.costs.send);
            cpu.sync().await;
            self.remote().expect(NOT_OFFERED).1.memory.register(at, bytes)
        })
    }

    fn post<'a>(
        &'a self,
        cpu: &'a AnyProcessor,
        to: EndpointId,
        operation: RemoteOperation,
    ) -> LocalFuture<'a, Option<WorkId>> {
        Box::pin(async move {
            let (queue, remote) = self.remote().expect(NOT_OFFERED);
            let (packet, data, result) = request(operation);
            let addresses = self.port.addresses();
            assert!(addresses.node(to) != self.port.node(), "a one-sided operation is on another node");
            let moved = if packet.code == Code::Read { packet.operand } else { data.bytes() as u64 };
            assert!(moved <= self.operation_max().get(), "an operation moves at most {}", self.operation_max());
            let _lease = cpu.acquire("post").await;
            cpu.work(self.costs.send);
            let posted = remote.posted.get();
            if posted - remote.taken.get() == OUTSTANDING_MAX || !queue.has_slot(cpu).await {
                return None;
            }
            let work = WorkId(posted);
            remote.posted.set(posted + 1);
            remote.memory.expect(work, result);
            let local = addresses.endpoint(self.port.node(), 0);
            let packet = RemotePacket { endpoints: [local.0 as u16, to.0 as u16], work: posted as u32, ..packet };
            queue.compose_operation(cpu, &packet, data).await;
            Some(work)
        })
    }
}

impl WorkQueue for SplitDriver {
    fn flush<'a>(&'a self, cpu: &'a AnyProcessor) -> LocalFuture<'a> {
        Box::pin(async move {
            let _lease = cpu.acquire("flush").await;
            self.remote().expect(NOT_OFFERED).0.ring(cpu).await;
        })
    }

    fn completions<'a>(&'a self, cpu: &'a AnyProcessor, max: usize) -> LocalFuture<'a, Vec<WorkCompletion>> {
        Box::pin(async move {
            let remote = self.remote().expect(NOT_OFFERED).1;
            let _lease = cpu.acquire("poll completions").await;
            cpu.work(self.costs.poll);
            let mut taken = Vec::new();
            while taken.len() < max && remote.taken.get() < remote.posted.get() {
                let position = remote.taken.get();
                let word = cpu.load_word(remote.memory.completion_address(position), 8).await;
                let Some(completion) = completion(word, position, remote.posted.get()) else { break };
                remote.taken.set(position + 1);
                taken.push(completion);
            }
            cpu.sync().await;
            taken
        })
    }

    fn wait_for_completion<'a>(&'a self, cpu: &'a AnyProcessor) -> LocalFuture<'a> {
        Box::pin(async move {
            let remote = self.remote().expect(NOT_OFFERED).1;
            cpu.sync().await;
            while remote.memory.written() == remote.taken.get() {
                remote.memory.completed().wait().await;
            }
        })
    }
}
