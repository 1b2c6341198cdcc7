//! Costs of single operations: an active message, or one access to shared memory, with nothing else in flight.
//!
//! A message is timed from the call that sends it to the return of its handler, which does nothing. An access is timed
//! by the clock of its processor, from the start of the access to the next instruction. Each access is to a block in
//! the memory of `home` of which the accessing node has no copy. Before that, `writer` has stored to the block and then
//! `readers` nodes have loaded it, so the work of the protocol is known. Loaded values are compared with the stored
//! ones. All contention is left out.

use super::worker::{self, Worker};
use super::{RunningWorkload, parallel};
use crate::engine::{EndpointId, Metric, Outcome, Signal, Time};
use crate::messaging::World;
use crate::messaging::active::ActiveEndpoint;
use crate::messaging::shared::{SharedAddress, Space};
use crate::part::{ParameterError, Part, PartInfo, ResultName};
use crate::program::{WorkloadNeeds, WorkloadSpec};
use crate::text::{ParameterChoice, Parameters};
use std::cell::{Cell, RefCell};
use std::rc::Rc;

/// The operation that is measured.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ParameterChoice)]
pub enum Operation {
    /// An active message.
    Message,
    /// A load.
    Read,
    /// A store.
    Write,
}

/// The parameters of the measurement.
#[derive(Clone, PartialEq, Debug, Parameters)]
#[param(meaning = Load)]
pub struct SingleCosts {
    /// Operation that is measured.
    #[param(default = "message")]
    pub operation: Operation,
    /// Number of the node that performs the operation, or of the endpoint if nodes have several.
    #[param(default = 0)]
    pub node: u64,
    /// Number of the node that receives the message, or whose memory holds the blocks.
    #[param(default = 1)]
    pub home: u64,
    /// Number of a node that stores to the blocks before the measurement.
    pub writer: Option<u64>,
    /// Number of other nodes that load the blocks after the stores of `writer`, if any, and before the measurement.
    #[param(default = 0)]
    pub readers: u64,
    /// Words of a message's payload.
    #[param(max = 1024, default = 0)]
    pub words: u64,
    /// Number of operations measured.
    #[param(was = "times", min = 1, max = 10_000, default = 20, meaning = Repetitions)]
    pub repetitions: u64,
}

/// Names that the part adds to results.
const RESULTS: &[ResultName] =
    &[ResultName::metric("costs.cycles", "cycles", "Cost of a message or an access, the mean over all repetitions")];

impl Part for SingleCosts {
    const INFO: PartInfo = PartInfo::new("costs", "Cost of single messages or accesses to shared memory")
        .results(RESULTS)
        .small_input("writer = 2\nreaders = 1\nrepetitions = 3");
}

impl WorkloadSpec for SingleCosts {
    fn needs(&self) -> WorkloadNeeds {
        WorkloadNeeds { shared_memory: true, ..WorkloadNeeds::active_messages() }
    }

    fn check_endpoints(&self, nodes: usize) -> Vec<ParameterError> {
        let named_nodes = [("node", Some(self.node)), ("home", Some(self.home)), ("writer", self.writer)];
        let unknown_nodes = named_nodes.into_iter().filter(|(_, node)| node.is_some_and(|node| node >= nodes as u64));
        let mut errors: Vec<_> = unknown_nodes
            .map(|(key, node)| (key, format!("there is no node {} among {nodes}", node.unwrap_or_default())))
            .collect();
        let other_count = (nodes as u64).saturating_sub(2);
        if self.readers > other_count {
            errors.push((
                "readers",
                format!(
                    "there are only {other_count} nodes other than `node` and `home`: choose at most {other_count}"
                ),
            ));
        }
        if self.operation == Operation::Message && self.node == self.home {
            let reason =
                format!("`node` is {}, too, and a node cannot send to itself: choose two different nodes", self.node);
            errors.push(("home", reason));
        }
        if self.writer == Some(self.node) {
            let node = self.node;
            let reason = format!(
                "`node` is {node}, too, and a writer has a copy of the block in its cache, so nothing would be measured: choose two different nodes"
            );
            errors.push(("writer", reason));
        }
        errors.into_iter().map(ParameterError::from).collect()
    }

    fn start(&self, world: &World) -> Rc<dyn RunningWorkload> {
        let endpoints = world.endpoint_map.len();
        let space = Rc::new(Space::new(endpoints, world.shared_memory.block));
        let home = EndpointId(self.home as u32);
        let blocks = (0..self.repetitions).map(|_| space.allocate(home, world.shared_memory.block.get())).collect();
        let workers = Worker::all(world, &space);
        let run = Rc::new(CostRun {
            parameters: self.clone(),
            blocks,
            workers,
            handled_count_and_time: Cell::new((0, 0)),
            handled_signal: Signal::new(&world.sim, "a message to be handled"),
            cycles: RefCell::default(),
        });
        for endpoint in world.active_endpoints() {
            // A handler that owned its endpoint would keep the endpoint alive for ever.
            let (run, weak_endpoint) = (Rc::downgrade(&run), Rc::downgrade(endpoint));
            let record_message = move || {
                let run_and_endpoint = run.upgrade().zip(weak_endpoint.upgrade());
                run_and_endpoint.into_iter().for_each(|(run, endpoint)| run.record_handled(endpoint.now()));
            };
            let record_transfer = record_message.clone();
            endpoint.on_message(move |_| record_message());
            // A message that is longer than a packet is sent as a transfer.
            endpoint.on_transfer(move |_, _, _| record_transfer());
        }
        worker::start(world, &run.workers, |worker| run.clone().run_program(worker));
        run
    }
}

struct CostRun {
    parameters: SingleCosts,
    blocks: Vec<SharedAddress>,
    workers: Vec<Rc<Worker>>,
    /// Number of messages handled, and the time at which the last one was handled, in picoseconds.
    handled_count_and_time: Cell<(u64, u64)>,
    handled_signal: Signal,
    cycles: RefCell<Vec<f64>>,
}

/// Returns the value that `writer` stores to a block.
fn stored_value(block: usize) -> u64 {
    0x5EED_0000 + block as u64
}

/// Cycles after which no operation is in flight any more, provided that its message has been handled.
const PAUSE_CYCLES: u64 = 5_000;

impl CostRun {
    async fn run_program(self: Rc<Self>, worker: Rc<Worker>) {
        let SingleCosts { operation, node, writer, .. } = self.parameters;
        let own_id = worker.id() as u64;
        if writer == Some(own_id) {
            for (number, block) in self.blocks.iter().enumerate() {
                worker.store(*block, stored_value(number)).await;
            }
        }
        worker.barrier().await;
        if self.is_reader(own_id) {
            for (number, block) in self.blocks.iter().enumerate() {
                self.check_value(number, worker.load(*block).await);
            }
        }
        worker.barrier().await;
        if own_id == node {
            worker.compute(PAUSE_CYCLES).await;
            match operation {
                Operation::Message => {
                    worker.release().await;
                    self.measure_messages(worker.endpoint()).await;
                }
                Operation::Read | Operation::Write => self.measure_accesses(&worker).await,
            }
        }
        worker.barrier().await;
    }

    /// Returns whether `node` is one of the nodes that load the blocks before the measurement.
    fn is_reader(&self, node: u64) -> bool {
        let parameters = &self.parameters;
        let other_nodes =
            (0..self.workers.len() as u64).filter(|other| ![parameters.node, parameters.home].contains(other));
        other_nodes.take(parameters.readers as usize).any(|other| other == node)
    }

    fn check_value(&self, number: usize, loaded: u64) {
        let stored = if self.parameters.writer.is_some() { stored_value(number) } else { 0 };
        assert_eq!(loaded, stored, "block {number} holds what was stored");
    }

    async fn measure_messages(&self, endpoint: &ActiveEndpoint) {
        let words = vec![0; self.parameters.words as usize];
        for number in 0..self.parameters.repetitions {
            let start = endpoint.now();
            parallel::send(endpoint, self.parameters.home as usize, 0, &words).await;
            endpoint.compute(PAUSE_CYCLES).await;
            if self.handled_count_and_time.get().0 <= number {
                while self.handled_count_and_time.get().0 <= number {
                    self.handled_signal.wait().await;
                }
                endpoint.compute(PAUSE_CYCLES).await;
            }
            self.record_cycles(endpoint, self.handled_count_and_time.get().1.saturating_sub(start.ps()));
        }
    }

    /// Records that a message was handled at `now` by the clock of its receiver.
    fn record_handled(&self, now: Time) {
        self.handled_count_and_time.set((self.handled_count_and_time.get().0 + 1, now.ps()));
        self.handled_signal.notify();
    }

    async fn measure_accesses(&self, worker: &Worker) {
        for (number, block) in self.blocks.iter().enumerate() {
            // Waits until everything that the last access started is complete.
            worker.compute(PAUSE_CYCLES / 10).await;
            let start = worker.endpoint().now();
            match self.parameters.operation {
                Operation::Write => worker.store(*block, stored_value(number)).await,
                _ => self.check_value(number, worker.load(*block).await),
            }
            self.record_cycles(worker.endpoint(), (worker.endpoint().now() - start).ps());
        }
    }

    fn record_cycles(&self, endpoint: &ActiveEndpoint, time_ps: u64) {
        self.cycles.borrow_mut().push(time_ps as f64 * endpoint.clock().0 as f64 / 1e12);
    }
}

impl RunningWorkload for CostRun {
    fn metrics(&self, world: &World, _: &Outcome) -> Vec<Metric> {
        let cycles = self.cycles.borrow();
        let mean = cycles.iter().sum::<f64>() / cycles.len() as f64;
        let extreme = |choose: fn(f64, f64) -> f64| cycles.iter().copied().fold(f64::NAN, choose);
        let values =
            [("costs.cycles", mean), ("costs.cycles_min", extreme(f64::min)), ("costs.cycles_max", extreme(f64::max))];
        let workload_metrics = values.map(|(name, value)| Metric::latency(name, value, "cycles"));
        parallel::metrics(world, workload_metrics.into_iter().chain([worker::fault_metric(&self.workers)]))
    }
}
