//! A workload that uses verbs: the second endpoint operates on the first, whose program registers memory and posts
//! receives. It checks every byte, and reports the statuses of all completions.

use crate::engine::{Bytes, EndpointId, Metric, Outcome, Time};
use crate::host::{Address, AnyProcessor, Processor};
use crate::messaging::{Endpoint, World};
use crate::ni::{
    DriverExtensions, MemoryRegion, QueueFull, QueuePairId, Verbs, WorkCompletion, WorkId, WorkOperation, WorkRequest,
    WorkStatus,
};
use crate::part::{Part, PartInfo};
use crate::program::{RunningWorkload, VerbsNeeds, WorkloadNeeds, WorkloadSpec};
use crate::text::{ParameterChoice, Parameters};
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;

/// Scenario that the programs run.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ParameterChoice)]
pub enum Scenario {
    /// Writes of different sizes, each read back; then additions and compare-and-swaps.
    Updates,
    /// Sends of different sizes into posted receives.
    Sends,
    /// A send to a node that posts no receive, and a write behind it.
    NoReceive,
    /// A write with a wrong key, and a write behind it.
    WrongKey,
    /// A send that is longer than the posted receive.
    TooLong,
    /// More signaled writes than the completion queue has entries, without a poll.
    Overrun,
    /// A write on each of many queue pairs.
    ManyPairs,
    /// A ping-pong of writes: each program waits for the last byte of the other's write.
    Latency,
}

/// The workload.
#[derive(Clone, Debug, Parameters)]
pub struct VerbsTest {
    /// Scenario that the programs run.
    scenario: Scenario,
    /// Number of requests, or of queue pairs.
    requests: u64,
    /// Largest size of a request.
    bytes: Bytes,
}

impl Part for VerbsTest {
    const INFO: PartInfo = PartInfo::new("verbs-test", "One node operates on another");
}

/// Shared state and results of the programs.
#[derive(Default)]
struct SharedState {
    owner_region: Cell<Option<MemoryRegion>>,
    statuses: RefCell<BTreeMap<String, u64>>,
    end_time: Cell<Time>,
    /// Memory region of the second node.
    user_region: Cell<Option<MemoryRegion>>,
    half_round_trip: Cell<f64>,
    is_done: Cell<bool>,
}

impl WorkloadSpec for VerbsTest {
    fn needs(&self) -> WorkloadNeeds {
        let verbs = VerbsNeeds::new("bytes", self.bytes).with_sends().with_queue_pairs("requests", 1);
        WorkloadNeeds { verbs: Some(verbs), messages: false, ..WorkloadNeeds::default() }
    }

    fn start(&self, world: &World) -> Rc<dyn RunningWorkload> {
        let shared = Rc::new(SharedState::default());
        let endpoints = [0, 1].map(|id| world.endpoint(EndpointId(id)).clone());
        let [(owner_spec, owner, owner_shared), (user_spec, user, user_shared)] =
            endpoints.map(|endpoint| (self.clone(), endpoint, shared.clone()));
        world.sim.spawn("owner", async move { owner_spec.run_owner(&owner, &owner_shared).await });
        world.sim.spawn("user", async move { user_spec.run_user(&user, &user_shared).await });
        shared
    }
}

impl RunningWorkload for SharedState {
    fn metrics(&self, _: &World, _: &Outcome) -> Vec<Metric> {
        let ended = Metric::new("ended", self.end_time.get().as_us(), "us");
        let half = Metric::new("half", self.half_round_trip.get(), "us");
        let statuses = self.statuses.borrow();
        let statuses = statuses.iter().map(|(status, number)| Metric::new(status.clone(), *number as f64, ""));
        [ended, half].into_iter().chain(statuses).collect()
    }
}

impl SharedState {
    fn record(&self, program: &str, completions: &[WorkCompletion]) {
        for WorkCompletion { kind, status, .. } in completions {
            *self.statuses.borrow_mut().entry(format!("{program} {kind:?} {status:?}")).or_default() += 1;
        }
    }
}

/// Returns the bytes of request `number`.
fn content(number: u64, bytes: u64) -> Vec<u8> {
    (0..bytes).map(|at| (at * 7 + number * 13 + (at >> 8)) as u8).collect()
}

/// The verbs of an endpoint.
struct VerbsEndpoint<'a> {
    endpoint: &'a Endpoint,
    cpu: &'a AnyProcessor,
    verbs: &'a dyn Verbs,
    buffer: Address,
}

impl<'a> VerbsEndpoint<'a> {
    fn new(endpoint: &'a Endpoint, bytes: u64) -> VerbsEndpoint<'a> {
        let buffer = endpoint.allocate(Bytes(bytes));
        VerbsEndpoint {
            endpoint,
            cpu: endpoint.cpu(),
            verbs: endpoint.driver().verbs().expect("a checked interface has verbs"),
            buffer,
        }
    }

    async fn post(&self, queue: QueuePairId, operation: WorkOperation) -> Result<WorkId, QueueFull> {
        self.verbs.post(self.cpu, queue, WorkRequest { operation, is_signaled: true }).await
    }

    /// Posts a request, and takes completions while the queue is full.
    async fn post_when_free(
        &self,
        queue: QueuePairId,
        operation: WorkOperation,
        completions: &mut Vec<WorkCompletion>,
    ) {
        while self.post(queue, operation).await == Err(QueueFull) {
            self.verbs.flush(self.cpu, queue).await;
            self.take_completions(completions).await;
        }
    }

    /// Takes completions, and waits for the first if the queue is empty.
    async fn take_completions(&self, completions: &mut Vec<WorkCompletion>) {
        self.verbs.wait_for_completion(self.cpu, self.endpoint.id()).await;
        completions.extend(self.verbs.completions(self.cpu, self.endpoint.id(), 16).await);
    }

    /// Takes completions until there are `number` of them.
    async fn take_all(&self, completions: &mut Vec<WorkCompletion>, number: usize) {
        while completions.len() < number {
            self.take_completions(completions).await;
        }
    }
}

impl VerbsTest {
    fn size(&self, number: u64) -> u64 {
        (number * number * 37 + number * 5 + 1) % self.bytes.get() + 1
    }

    async fn run_owner(self, endpoint: &Endpoint, shared: &SharedState) {
        let area_bytes = 2 * self.bytes.get() + 4096;
        let owner = VerbsEndpoint::new(endpoint, area_bytes);
        let queue = owner.verbs.connect(owner.cpu, EndpointId(0), EndpointId(1)).await;
        if self.scenario == Scenario::ManyPairs {
            for _ in 1..self.requests {
                owner.verbs.connect(owner.cpu, EndpointId(0), EndpointId(1)).await;
            }
        }
        shared.owner_region.set(Some(owner.verbs.register(owner.cpu, owner.buffer, Bytes(area_bytes)).await));
        let buffer_bytes = if self.scenario == Scenario::TooLong { Bytes(16) } else { self.bytes };
        let (mut completions, mut posted_receives) = (Vec::new(), 0);
        if matches!(self.scenario, Scenario::Sends | Scenario::TooLong) {
            let buffers: Vec<Address> = (0..4).map(|_| endpoint.allocate(self.bytes)).collect();
            while completions.len() < self.requests as usize {
                while posted_receives < self.requests && posted_receives < completions.len() as u64 + 4 {
                    let buffer = buffers[posted_receives as usize % 4];
                    assert!(owner.verbs.post_receive(owner.cpu, queue, buffer, buffer_bytes).await.is_ok());
                    posted_receives += 1;
                }
                owner.verbs.flush(owner.cpu, queue).await;
                let first_new = completions.len();
                owner.take_completions(&mut completions).await;
                for number in first_new..completions.len() {
                    let bytes = self.size(number as u64);
                    if completions[number].status == WorkStatus::Success {
                        assert_eq!(completions[number].bytes, Bytes(bytes));
                        let received = endpoint.host().peek(buffers[number % 4], bytes as usize);
                        assert!(received == content(number as u64, bytes), "message {number}");
                    }
                }
            }
            assert!(completions.is_sorted_by_key(|completion| completion.work));
        }
        if self.scenario == Scenario::Latency {
            endpoint.until(Time::from_us(90)).await;
            let region = shared.user_region.get().expect("the second node has registered");
            self.ping_pong(&owner, queue, region, false).await;
        }
        while !shared.is_done.get() {
            endpoint.until(endpoint.now() + Time::from_us(50)).await;
        }
        shared.record("owner", &completions);
    }

    async fn run_user(self, endpoint: &Endpoint, shared: &SharedState) {
        let user = VerbsEndpoint::new(endpoint, 2 * self.bytes.get() + 4096);
        let queue = user.verbs.connect(user.cpu, EndpointId(1), EndpointId(0)).await;
        let user_region = user.verbs.register(user.cpu, user.buffer, self.bytes).await;
        shared.user_region.set(Some(user_region));
        endpoint.until(Time::from_us(100)).await;
        let region = shared.owner_region.get().expect("the first node has registered");
        let mut completions = Vec::new();
        if self.scenario == Scenario::Latency {
            let start = endpoint.now();
            self.ping_pong(&user, queue, region, true).await;
            let half = endpoint.now().since(start).as_us() / (2.0 * self.requests as f64);
            shared.half_round_trip.set(half);
            shared.is_done.set(true);
            return;
        }
        match self.scenario {
            Scenario::Updates => self.update(&user, queue, region, &mut completions).await,
            Scenario::Sends => self.send(&user, queue, &mut completions).await,
            Scenario::ManyPairs => self.write_on_many_pairs(&user, queue, region, &mut completions).await,
            _ => self.fail(&user, queue, region, &mut completions).await,
        }
        shared.end_time.set(endpoint.now());
        shared.record("user", &completions);
        shared.is_done.set(true);
    }

    /// Writes and waits for writes in turn; the last byte of a write is its number modulo 256.
    async fn ping_pong(&self, user: &VerbsEndpoint<'_>, queue: QueuePairId, region: MemoryRegion, writes_first: bool) {
        let (bytes, from) = (self.bytes, user.buffer + self.bytes.get() + 64);
        let last_byte_address = user.buffer + bytes.get() - 1;
        for number in 1..=self.requests {
            for writes in [writes_first, !writes_first] {
                if !writes {
                    while user.cpu.load_word(last_byte_address, 1).await != number % 256 {
                        user.cpu.sync().await;
                        user.verbs.written().wait().await;
                    }
                    continue;
                }
                user.cpu.store_word(from + bytes.get() - 1, 1, number % 256).await;
                let operation = WorkOperation::Write { from, to: region.at, key: region.key, bytes };
                user.post(queue, operation).await.expect("the queue has capacity");
                user.verbs.flush(user.cpu, queue).await;
                while user.verbs.completions(user.cpu, user.endpoint.id(), 4).await.is_empty() {
                    user.verbs.wait_for_completion(user.cpu, user.endpoint.id()).await;
                }
            }
        }
    }

    async fn update(
        &self,
        user: &VerbsEndpoint<'_>,
        queue: QueuePairId,
        region: MemoryRegion,
        completions: &mut Vec<WorkCompletion>,
    ) {
        let MemoryRegion { key, at, .. } = region;
        let (source, target) = (user.buffer, user.buffer + self.bytes.get() + 8);
        for number in 0..self.requests {
            let (size, mut operation_completions) = (self.size(number), Vec::new());
            user.endpoint.prepare(source, &content(number, size)).await;
            let bytes = Bytes(size);
            let write = WorkOperation::Write { from: source, to: at + 8 + number % 3, key, bytes };
            let read = WorkOperation::Read { from: at + 8 + number % 3, key, to: target, bytes };
            for operation in [write, read] {
                user.post(queue, operation).await.expect("the queue was empty");
                user.verbs.flush(user.cpu, queue).await;
            }
            user.take_all(&mut operation_completions, 2).await;
            let read = user.endpoint.host().peek(target, size as usize);
            assert!(read == content(number, size), "request {number} of {size} bytes");
            completions.extend(operation_completions);
        }
        for number in 0..self.requests {
            let add = WorkOperation::FetchAdd { at, key, add: 3, to: target };
            let swap =
                WorkOperation::CompareSwap { at, key, expected: 3 * number + 3, new: 3 * number + 3, to: source };
            let mut operation_completions = Vec::new();
            user.post(queue, add).await.expect("the queue was empty");
            user.post(queue, swap).await.expect("the queue was empty");
            user.verbs.flush(user.cpu, queue).await;
            user.take_all(&mut operation_completions, 2).await;
            let word = |at| u64::from_le_bytes(user.endpoint.host().peek(at, 8).try_into().expect("eight bytes"));
            assert_eq!([word(target), word(source)], [3 * number, 3 * number + 3]);
            completions.extend(operation_completions);
        }
    }

    async fn send(&self, user: &VerbsEndpoint<'_>, queue: QueuePairId, completions: &mut Vec<WorkCompletion>) {
        for number in 0..self.requests {
            let size = self.size(number);
            // The buffer may be used again when the send has ended.
            user.take_all(completions, number as usize).await;
            user.endpoint.prepare(user.buffer, &content(number, size)).await;
            user.post_when_free(queue, WorkOperation::Send { from: user.buffer, bytes: Bytes(size) }, completions)
                .await;
            user.verbs.flush(user.cpu, queue).await;
        }
        user.take_all(completions, self.requests as usize).await;
    }

    async fn write_on_many_pairs(
        &self,
        user: &VerbsEndpoint<'_>,
        queue: QueuePairId,
        region: MemoryRegion,
        completions: &mut Vec<WorkCompletion>,
    ) {
        let mut queues = vec![queue];
        for _ in 1..self.requests {
            queues.push(user.verbs.connect(user.cpu, EndpointId(1), EndpointId(0)).await);
        }
        for queue in &queues {
            let write = WorkOperation::Write { from: user.buffer, to: region.at, key: region.key, bytes: self.bytes };
            user.post(*queue, write).await.expect("the queue was empty");
            user.verbs.flush(user.cpu, *queue).await;
        }
        user.take_all(completions, queues.len()).await;
    }

    async fn fail(
        &self,
        user: &VerbsEndpoint<'_>,
        queue: QueuePairId,
        region: MemoryRegion,
        completions: &mut Vec<WorkCompletion>,
    ) {
        let (from, bytes) = (user.buffer, self.bytes);
        let write = |key| WorkOperation::Write { from, to: region.at, key, bytes };
        let first = match self.scenario {
            Scenario::WrongKey => write(region.key + 1),
            Scenario::Overrun => write(region.key),
            _ => WorkOperation::Send { from, bytes },
        };
        for number in 0..self.requests {
            user.post(queue, if number == 0 { first } else { write(region.key) })
                .await
                .expect("the queue has capacity");
        }
        user.verbs.flush(user.cpu, queue).await;
        if self.scenario == Scenario::Overrun {
            user.endpoint.until(user.endpoint.now() + Time::from_us(200)).await;
        }
        user.take_all(completions, self.requests as usize).await;
        // A queue pair in the error state also flushes requests that are posted later.
        if self.scenario != Scenario::Overrun {
            user.post(queue, write(region.key)).await.expect("the queue has capacity");
            user.verbs.flush(user.cpu, queue).await;
            user.take_all(completions, self.requests as usize + 1).await;
        }
    }
}
