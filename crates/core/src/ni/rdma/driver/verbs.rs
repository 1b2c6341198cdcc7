//! The verbs of the driver: programs post to queue pairs of their own, each with a receive queue, and to the completion
//! queue of their endpoint.
//!
//! The module models the messaging layer's cycles of a send for each request, of a receive for each posted buffer, and
//! of a poll for each poll. Connecting takes no time, and models the exchange of a connection manager.

use super::RdmaDriver;
use super::send_queue::SendQueue;
use crate::engine::{Bytes, EndpointId, LocalFuture, Signal};
use crate::host::{Address, AnyProcessor, Processor};
use crate::ni::rdma::completion_entry::CompletionEntry;
use crate::ni::rdma::completion_queue::CompletionQueue;
use crate::ni::rdma::receive_queue::ReceiveQueue;
use crate::ni::rdma::work_request::{LocalData, WorkEntry};
use crate::ni::verbs::{
    MemoryRegion, QueueFull, QueuePairId, Verbs, VerbsLimits, WorkCompletion, WorkId, WorkKind, WorkOperation,
    WorkRequest, WorkStatus,
};
use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, VecDeque};
use std::rc::Rc;

/// A queue pair of a program.
pub struct ProgramQueuePair {
    endpoint: EndpointId,
    send_queue: SendQueue,
    /// Posted buffers whose completions have not been taken.
    posted_receives: RefCell<VecDeque<WorkId>>,
}

/// The queue pairs of a node's programs.
#[derive(Default)]
pub struct ProgramQueues {
    pairs: RefCell<Vec<Rc<ProgramQueuePair>>>,
    completion_queues: RefCell<BTreeMap<EndpointId, Rc<CompletionQueue>>>,
    work_count: Cell<u64>,
}

impl ProgramQueues {
    fn next_work(&self) -> WorkId {
        WorkId(self.work_count.replace(self.work_count.get() + 1))
    }
}

impl RdmaDriver {
    fn pair(&self, queue: QueuePairId) -> Rc<ProgramQueuePair> {
        self.program_queues.pairs.borrow()[queue.0 as usize].clone()
    }

    /// Returns the completion queue of an endpoint, which is created with its first queue pair.
    fn completion_queue(&self, endpoint: EndpointId) -> Rc<CompletionQueue> {
        let mut queues = self.program_queues.completion_queues.borrow_mut();
        let create = || {
            let parameters = &self.device.parameters;
            let (entries, bytes) = (parameters.completion_entries, parameters.cqe.get());
            Rc::new(CompletionQueue::new(&self.device.sim, &self.device.host.get(), entries, bytes))
        };
        queues.entry(endpoint).or_insert_with(create).clone()
    }

    /// Returns the completion of an entry; `None` if it reports nothing that the program has posted.
    fn completion(&self, entry: CompletionEntry) -> Option<WorkCompletion> {
        let queue = QueuePairId(entry.queue_pair - 1);
        let pair = self.pair(queue);
        let CompletionEntry { kind, status, bytes, .. } = entry;
        let work = match kind {
            WorkKind::Send => pair.send_queue.take_ended(entry.index).last()?.work,
            WorkKind::Receive => pair.posted_receives.borrow_mut().pop_front()?,
        };
        Some(WorkCompletion { queue, work, kind, status, bytes })
    }

    /// Returns completions of at most `max` requests of an endpoint whose completion queue has overrun.
    fn take_overrun_completions(&self, endpoint: EndpointId, max: usize) -> Vec<WorkCompletion> {
        let mut completions = Vec::new();
        for (number, pair) in self.program_queues.pairs.borrow().iter().enumerate() {
            let overrun_completion = |work, kind| {
                let (queue, status) = (QueuePairId(number as u32), WorkStatus::CompletionQueueOverrun);
                WorkCompletion { queue, work, kind, status, bytes: Bytes::ZERO }
            };
            while pair.endpoint == endpoint && completions.len() < max {
                let send = pair.send_queue.posted_requests.borrow_mut().pop_front();
                let Some(send) = send else { break };
                completions.push(overrun_completion(send.work, WorkKind::Send));
            }
            while pair.endpoint == endpoint && completions.len() < max {
                let receive = pair.posted_receives.borrow_mut().pop_front();
                let Some(receive) = receive else { break };
                completions.push(overrun_completion(receive, WorkKind::Receive));
            }
        }
        completions
    }
}

impl Verbs for RdmaDriver {
    fn verbs_limits(&self) -> VerbsLimits {
        self.device.parameters.verbs_limits()
    }

    fn connect<'a>(
        &'a self,
        cpu: &'a AnyProcessor,
        local: EndpointId,
        remote: EndpointId,
    ) -> LocalFuture<'a, QueuePairId> {
        Box::pin(async move {
            let node = self.addresses.node(remote);
            assert!(node != self.device.node, "a queue pair connects endpoints of two nodes");
            cpu.sync().await;
            let (sim, host) = (&self.device.sim, self.device.host.get());
            let completion_queue = self.completion_queue(local);
            let receive_queue = ReceiveQueue::new(sim, &host, self.device.parameters.receive_entries, false);
            let id = QueuePairId(self.program_queues.pairs.borrow().len() as u32);
            let send_queue = self.new_send_queue(id.0 + 1, &completion_queue, &receive_queue);
            let (device, pair) = (self.device.clone(), send_queue.pair.clone());
            let on_connected = move |number| device.connect(&pair, node, number);
            let program_pair = ProgramQueuePair { endpoint: local, send_queue, posted_receives: RefCell::default() };
            self.program_queues.pairs.borrow_mut().push(Rc::new(program_pair));
            self.connections.connect(local, remote, id.0 + 1, Box::new(on_connected));
            id
        })
    }

    fn register<'a>(&'a self, cpu: &'a AnyProcessor, at: Address, bytes: Bytes) -> LocalFuture<'a, MemoryRegion> {
        Box::pin(async move {
            let _lease = cpu.acquire("register").await;
            cpu.work(self.costs.send);
            cpu.sync().await;
            self.device.register(at, bytes)
        })
    }

    fn post<'a>(
        &'a self,
        cpu: &'a AnyProcessor,
        queue: QueuePairId,
        WorkRequest { operation, is_signaled }: WorkRequest,
    ) -> LocalFuture<'a, Result<WorkId, QueueFull>> {
        Box::pin(async move {
            let pair = self.pair(queue);
            let _lease = cpu.acquire("post").await;
            cpu.work(self.costs.send);
            if pair.send_queue.is_full() {
                return Err(QueueFull);
            }
            let mut entry =
                WorkEntry::from_operation(operation, pair.send_queue.next_index(), queue.0 + 1, is_signaled);
            let max = self.verbs_limits().request_max;
            assert!(entry.bytes() <= max.get(), "a request moves at most {max}");
            if let WorkOperation::Send { from, bytes } | WorkOperation::Write { from, bytes, .. } = operation
                && bytes <= self.device.parameters.inline_max
            {
                let mut data = vec![0; bytes.len()];
                cpu.load_run(from, &mut data).await;
                entry.data = LocalData::Inline(data);
            }
            let work = self.program_queues.next_work();
            pair.send_queue.post(cpu, &entry, work, None).await;
            Ok(work)
        })
    }

    fn post_receive<'a>(
        &'a self,
        cpu: &'a AnyProcessor,
        queue: QueuePairId,
        at: Address,
        bytes: Bytes,
    ) -> LocalFuture<'a, Result<WorkId, QueueFull>> {
        Box::pin(async move {
            let pair = self.pair(queue);
            let _lease = cpu.acquire("post receive").await;
            cpu.work(self.costs.receive);
            if pair.posted_receives.borrow().len() >= self.device.parameters.receive_entries as usize {
                return Err(QueueFull);
            }
            let work = self.program_queues.next_work();
            pair.posted_receives.borrow_mut().push_back(work);
            pair.send_queue.pair.receive_queue.post(cpu, at, bytes).await;
            Ok(work)
        })
    }

    fn flush<'a>(&'a self, cpu: &'a AnyProcessor, queue: QueuePairId) -> LocalFuture<'a, ()> {
        Box::pin(async move {
            let pair = self.pair(queue);
            let _lease = cpu.acquire("flush").await;
            pair.send_queue.pair.receive_queue.announce(cpu).await;
            self.device.flush_failed(&pair.send_queue.pair);
            pair.send_queue.ring_doorbell(cpu, &self.registers).await;
            cpu.sync().await;
        })
    }

    fn completions<'a>(
        &'a self,
        cpu: &'a AnyProcessor,
        endpoint: EndpointId,
        max: usize,
    ) -> LocalFuture<'a, Vec<WorkCompletion>> {
        Box::pin(async move {
            let queue = self.completion_queue(endpoint);
            let _lease = cpu.acquire("poll completions").await;
            cpu.work(self.costs.poll);
            let mut completions = Vec::new();
            while completions.len() < max {
                let Some((entry, _)) = queue.poll(cpu).await else { break };
                completions.extend(self.completion(entry));
            }
            cpu.sync().await;
            if completions.is_empty() && queue.is_overrun() {
                completions = self.take_overrun_completions(endpoint, max);
            }
            completions
        })
    }

    fn wait_for_completion<'a>(&'a self, cpu: &'a AnyProcessor, endpoint: EndpointId) -> LocalFuture<'a, ()> {
        Box::pin(async move {
            let queue = self.completion_queue(endpoint);
            cpu.sync().await;
            while !queue.needs_poll() {
                queue.entry_written.wait().await;
            }
        })
    }

    fn written(&self) -> &Signal {
        &self.device.written
    }
}
