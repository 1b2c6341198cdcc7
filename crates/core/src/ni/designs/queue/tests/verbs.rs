//! Tests of one-sided operations of several nodes on the memory of one node: each operation is executed once, in the
//! order of posting, without the program at that node.

use crate::engine::{Bytes, EndpointId, Metric, Outcome, Recorder, Time};
use crate::host::Address;
use crate::machine::{Machine, Registry};
use crate::messaging::{Endpoint, World};
use crate::ni::{
    DriverExtensions, MemoryRegion, QueueFull, Verbs, WorkCompletion, WorkOperation, WorkRequest, WorkStatus,
};
use crate::part::{Part, PartInfo};
use crate::program::{RunningWorkload, VerbsNeeds, WorkloadNeeds, WorkloadSpec};
use crate::testing::RunObservation;
use crate::text::{Document, Parameters};
use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;
use std::rc::Rc;
use std::sync::Arc;

/// A workload in which all nodes but the first operate on the memory of the first.
#[derive(Clone, Debug, Parameters)]
struct RemoteUpdates {
    /// Operations of each kind.
    operations: u64,
    /// Bytes of a write or read.
    bytes: Bytes,
    /// Operations per doorbell.
    batch: u64,
}

impl Part for RemoteUpdates {
    const INFO: PartInfo = PartInfo::new("remote-updates", "All nodes operate on the memory of the first");
}

/// The state that all nodes share. The registered memory of the first node holds a counter, followed by an area for
/// each node.
#[derive(Default)]
struct SharedState {
    region: Cell<Option<MemoryRegion>>,
    done_nodes: Cell<usize>,
    end_time: Cell<Time>,
    /// Previous values that the additions returned, all different.
    counts: RefCell<BTreeSet<u64>>,
    counter: Cell<u64>,
}

const AREA_BYTES: u64 = 4096;

impl WorkloadSpec for RemoteUpdates {
    fn needs(&self) -> WorkloadNeeds {
        WorkloadNeeds { verbs: Some(VerbsNeeds::new("bytes", self.bytes)), ..WorkloadNeeds::default() }
    }

    fn start(&self, world: &World) -> Rc<dyn RunningWorkload> {
        let shared = Rc::new(SharedState::default());
        for id in (0..world.endpoint_map.len() as u32).map(EndpointId) {
            let (spec, world, shared) = (self.clone(), world.clone(), shared.clone());
            world.sim.clone().spawn(format!("updates {}", id.0), async move {
                match id.0 {
                    0 => register_memory(&world, &shared).await,
                    _ => spec.update(&world, id, &shared).await,
                }
            });
        }
        shared
    }
}

impl RunningWorkload for SharedState {
    fn metrics(&self, _: &World, _: &Outcome) -> Vec<Metric> {
        let values = [("ended", self.end_time.get().as_us()), ("counter", self.counter.get() as f64)];
        let nodes = ("nodes", self.done_nodes.get() as f64);
        let counts = ("counts", self.counts.borrow().len() as f64);
        values.into_iter().chain([nodes, counts]).map(|(name, value)| Metric::new(name, value, "")).collect()
    }
}

/// Registers the first node's memory, and waits until the other nodes are done.
async fn register_memory(world: &World, shared: &SharedState) {
    let endpoint = world.endpoint(EndpointId(0));
    let bytes = Bytes(AREA_BYTES * world.endpoint_map.len() as u64);
    let at = endpoint.allocate(bytes);
    let verbs = endpoint.driver().verbs().expect("a checked interface has verbs");
    shared.region.set(Some(verbs.register(endpoint.cpu(), at, bytes).await));
    while shared.done_nodes.get() + 1 < world.endpoint_map.len() {
        endpoint.until(endpoint.now() + Time::from_us(100)).await;
    }
    let counter = endpoint.host().peek(at, 8);
    shared.counter.set(u64::from_le_bytes(counter.try_into().expect("eight bytes")));
}

/// Posts operations on two queue pairs in turn, and returns their completions when all have ended.
async fn run(endpoint: &Endpoint, operations: Vec<WorkOperation>, batch: u64) -> Vec<WorkCompletion> {
    let (verbs, cpu) = (endpoint.driver().verbs().expect("a checked interface has verbs"), endpoint.cpu());
    let mut queues = Vec::new();
    for _ in 0..2 {
        queues.push(verbs.connect(cpu, endpoint.id(), EndpointId(0)).await);
    }
    let (mut completions, count) = (Vec::new(), operations.len());
    for (number, operation) in operations.into_iter().enumerate() {
        let (queue, request) = (queues[number % 2], WorkRequest { operation, is_signaled: true });
        while verbs.post(cpu, queue, request).await == Err(QueueFull) {
            verbs.flush(cpu, queue).await;
            take_completions(endpoint, verbs, &mut completions).await;
        }
        if (number as u64 + 1).is_multiple_of(batch) {
            verbs.flush(cpu, queue).await;
        }
    }
    verbs.flush(cpu, queues[0]).await;
    while completions.len() < count {
        take_completions(endpoint, verbs, &mut completions).await;
    }
    assert!(completions.iter().all(|completion| queues.contains(&completion.queue)));
    completions
}

async fn take_completions(endpoint: &Endpoint, verbs: &dyn Verbs, completions: &mut Vec<WorkCompletion>) {
    verbs.wait_for_completion(endpoint.cpu(), endpoint.id()).await;
    completions.extend(verbs.completions(endpoint.cpu(), endpoint.id(), 16).await);
}

impl RemoteUpdates {
    async fn update(self, world: &World, id: EndpointId, shared: &SharedState) {
        let endpoint = world.endpoint(id);
        endpoint.until(Time::from_us(50)).await;
        let MemoryRegion { key, at, .. } = shared.region.get().expect("the first node has registered");
        let area = at + AREA_BYTES * u64::from(id.0);
        let local = endpoint.allocate(Bytes(AREA_BYTES));
        self.write_and_read(endpoint, key, area, local).await;
        let additions = (0..self.operations).map(|number| {
            let to = local + 8 * number;
            WorkOperation::FetchAdd { at, key, add: 1, to }
        });
        assert_all_succeeded(&run(endpoint, additions.collect(), self.batch).await);
        for number in 0..self.operations {
            let old = word(endpoint, local + 8 * number);
            assert!(shared.counts.borrow_mut().insert(old), "no two additions find the same count");
        }
        let failing_swap = WorkOperation::CompareSwap { at: area, key, expected: u64::MAX, new: 1, to: local };
        let succeeding_swap = WorkOperation::CompareSwap { at: area, key, expected: 7, new: 8, to: local + 8 };
        let write_seven = self.write_word(endpoint, local + 64, 7, area, key).await;
        assert_all_succeeded(
            &run(endpoint, vec![write_seven, failing_swap, succeeding_swap, failing_swap], self.batch).await,
        );
        assert_eq!([word(endpoint, local), word(endpoint, local + 8)], [8, 7], "only the second swap succeeds");
        self.check_refusals(endpoint, key, at, local).await;
        shared.done_nodes.set(shared.done_nodes.get() + 1);
        shared.end_time.set(shared.end_time.get().max(endpoint.now()));
    }

    /// Writes the same address repeatedly, and checks that a read returns the last write.
    async fn write_and_read(&self, endpoint: &Endpoint, key: u32, area: Address, local: Address) {
        let bytes = self.bytes;
        for number in 0..self.operations {
            endpoint.prepare(local + number * bytes.get(), &vec![(number + 1) as u8; bytes.len()]).await;
        }
        let local_address = |number: u64| local + number * bytes.get();
        let write = |number| WorkOperation::Write { from: local_address(number), to: area + 3, key, bytes };
        let target = local + 2048;
        let read = WorkOperation::Read { from: area + 3, key, to: target, bytes };
        let operations: Vec<_> = (0..self.operations).map(write).chain([read]).collect();
        let completions = run(endpoint, operations, self.batch).await;
        assert_all_succeeded(&completions);
        assert!(completions.is_sorted_by_key(|completion| completion.work), "operations on a node end in order");
        assert_eq!(endpoint.host().peek(target, bytes.len()), vec![self.operations as u8; bytes.len()]);
    }

    async fn write_word(&self, endpoint: &Endpoint, at: Address, value: u64, to: Address, key: u32) -> WorkOperation {
        endpoint.prepare(at, &value.to_le_bytes()).await;
        WorkOperation::Write { from: at, to, key, bytes: Bytes(8) }
    }

    /// Checks that operations outside the region, at an unaligned address or with an unknown key are refused.
    async fn check_refusals(&self, endpoint: &Endpoint, key: u32, at: Address, local: Address) {
        let invalid_operations = vec![
            WorkOperation::Write { from: local, to: at - 1, key, bytes: Bytes(8) },
            WorkOperation::Read { from: u64::MAX - 2, key, to: local, bytes: Bytes(8) },
            WorkOperation::FetchAdd { at: at + 4, key, add: 1, to: local },
            WorkOperation::FetchAdd { at, key: key + 1, add: 1, to: local },
        ];
        let completions = run(endpoint, invalid_operations, self.batch).await;
        assert!(completions.iter().all(|completion| completion.status == WorkStatus::RemoteAccessError));
    }
}

fn word(endpoint: &Endpoint, at: Address) -> u64 {
    u64::from_le_bytes(endpoint.host().peek(at, 8).try_into().expect("eight bytes"))
}

fn assert_all_succeeded(completions: &[WorkCompletion]) {
    assert!(completions.iter().all(|completion| completion.status == WorkStatus::Success));
}

fn machine(host: &str, ni: &str, parts: &str, values: &str) -> Result<Machine, String> {
    let text = format!(
        "parts = [\"hosts/{host}\", \"ni/{ni}\", \"fabrics/ideal-1998\"{parts}]\n\
         nodes.n = {{ count = 4, host = \"{host}\" }}\n\
         messaging = {{ send = 40, poll = 4, receive = 40 }}\n\
         [workload.remote-updates]\n{values}\n"
    );
    let registry = Arc::new(Registry::shipped().with_workload::<RemoteUpdates>());
    registry
        .read(Document::Text("updates", &text, None), &[])
        .map(|read| read.value)
        .map_err(|errors| errors.to_string())
}

fn observe(host: &str, parts: &str, values: &str) -> RunObservation {
    let machine = machine(host, "startjr", parts, values).unwrap_or_else(|problems| panic!("{problems}"));
    let observation = RunObservation::of(&machine, Recorder::off());
    assert_eq!(observation.outcome, Outcome::Done);
    assert_eq!(observation.metric("nodes"), Some(3.0));
    observation
}

#[test]
fn remote_updates_are_executed_once_and_in_order_over_ordered_packets() {
    for (host, parts) in
        [("memory-bus-1998", ""), ("memory-bus-1998", ", \"protocols/window\""), ("miata", ", \"protocols/nifdy\"")]
    {
        let run = observe(host, parts, "operations = 20\nbytes = \"96 B\"\nbatch = 4");
        assert_eq!((run.metric("counter"), run.metric("counts")), (Some(60.0), Some(60.0)), "{host}{parts}");
        assert_eq!(run.messages.len(), 0, "no program sent or received a message");
    }
}

#[test]
fn more_operations_than_the_ring_holds_wait_for_completions() {
    let run = observe("memory-bus-1998", "", "operations = 200\nbytes = \"8 B\"\nbatch = 500");
    assert_eq!(run.metric("counter"), Some(600.0));
}

#[test]
fn interfaces_without_operations_and_operations_too_large_are_refused() {
    let values = "operations = 1\nbytes = \"8 B\"\nbatch = 1";
    let error = machine("memory-bus-1998", "cni32qm", "", values).expect_err("the interface has no verbs");
    assert!(error.contains("[workload.remote-updates] uses verbs, and [ni.cni32qm] has no queue pairs"), "{error}");
    assert!(error.contains("choose [ni.startjr]"), "{error}");
    let values = "operations = 1\nbytes = \"225 B\"\nbatch = 1";
    let error = machine("memory-bus-1998", "startjr", "", values).expect_err("the request is too large");
    assert!(error.contains("a request of 225 B exceeds the largest of [ni.startjr], 224 B"), "{error}");
}
