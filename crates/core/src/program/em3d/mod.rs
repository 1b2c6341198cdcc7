//! EM3D: electromagnetic waves on an irregular graph (Culler et al. 1993; Callahan and Goldstein 1995, §4.4).
//!
//! | file | holds |
//! |---|---|
//! | `mod.rs` | parameters, the state of a run, the check of the result |
//! | `graph.rs` | the graph, and a serial run on it |
//! | `ghosts.rs` | the values that a processor receives from others |
//! | `sending.rs` | the program of a processor that sends values |
//! | `shared.rs` | the program of a processor whose values are in shared memory |
//!
//! Values of the electric (E) and magnetic (H) field lie on the two sides of a bipartite graph. An iteration computes
//! new values of H from those of E, then of E from those of H. Before each of these half steps a processor sends one
//! message to each other processor, with the values that the receiver needs; after each half step there is a barrier.
//! Values have 64 bits, which are two words, and must equal those of a serial run bit for bit.
//!
//! Instead of transfers, a processor may send updates, as with a custom update protocol (Falsafi et al. 1994; Mukherjee
//! and Hill 1998, Table 4). For each value that another processor needs, it then sends a message of 12 bytes with the
//! graph node and the value, in the order of graph nodes. After that, it sends a message of 4 bytes to each receiver
//! with the number of values, since messages may overtake each other. A processor may also send groups (of five values
//! in Chong et al. 1998, §4.1.1): a message then has several values, and the index of the first one among those that
//! the receiver needs from the sender. A processor may also send nothing; values are then loaded from shared memory.
//!
//! The set-up of the graph is left out; it is not timed.

mod ghosts;
mod graph;
mod sending;
mod shared;

#[cfg(test)]
mod tests;

use super::worker::{self, Worker};
use super::{RunningWorkload, parallel};
use crate::engine::{Metric, Outcome};
use crate::messaging::World;
use crate::messaging::active::ActiveEndpoint;
use crate::messaging::shared::Space;
use crate::part::{ParameterError, Part, PartInfo, ResultName};
use crate::program::{Objective, WorkloadNeeds, WorkloadSpec};
use crate::text::{ParameterChoice, Parameters};
use ghosts::{Ghosts, SendLists};
use graph::{Graph, SIDES};
use std::cell::{Cell, OnceCell, RefCell};
use std::rc::Rc;

/// The parameters of EM3D.
#[derive(Clone, PartialEq, Debug, Parameters)]
#[param(meaning = Load)]
pub struct Em3d {
    /// Number of graph nodes on each processor, in each half of the bipartite graph.
    #[param(key = "n-nodes", min = 1, max = 100_000, default = 200)]
    pub nodes_per_processor: u64,
    /// Arcs into each graph node.
    #[param(key = "d-nodes", min = 1, max = 1_000, default = 10)]
    pub arcs_per_node: u64,
    /// Percentage of arcs that come from the same processor.
    #[param(key = "local-p", max = 100, default = 80)]
    pub local_percent: u64,
    /// Largest distance, in processor numbers, of the processors from which the other arcs come; by default 5, or less
    /// with few processors.
    #[param(min = 1)]
    pub dist_span: Option<u64>,
    /// Number of iterations.
    #[param(min = 1, max = 400, default = 5, meaning = Repetitions)]
    pub iterations: u64,
    /// Communication of values: `transfers` sends all values that a processor needs in bulk; `groups` sends
    /// messages of several values; `updates` sends a message of 12 bytes for each value; `loads` reads them from shared
    /// memory.
    #[param(was = "sends", default = "transfers")]
    pub exchange: ExchangeMethod,
    /// Values in each message, with `exchange = "groups"`.
    #[param(min = 1, max = 1_000, default = 5)]
    pub group: u64,
    /// Distance of the prefetch, in arcs: the value of an arc is prefetched this many arcs before its use, with
    /// `exchange = "loads"`; 0 for no prefetches.
    #[param(max = 1_000, default = 0)]
    pub prefetch: u64,
    /// Processor cycles to compute an arc, at an instruction a cycle.
    #[param(max = 1_000_000, default = 40)]
    pub arc_cycles: u64,
}

/// The method by which values are communicated.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ParameterChoice)]
pub enum ExchangeMethod {
    /// All values that another processor needs in one message of many packets.
    Transfers,
    /// Messages of a few values each.
    Groups,
    /// A message for each value.
    Updates,
    /// Loads of each value from shared memory by the processors that need it.
    Loads,
}

/// The state of a run.
struct Em3dRun {
    parameters: Em3d,
    graph: Graph,
    send_lists: Vec<[SendLists; SIDES]>,
    ghosts: Vec<Ghosts>,
    message_count: Cell<u64>,
    timed_section: parallel::TimedSection,
    endpoints: Vec<Rc<ActiveEndpoint>>,
    /// Packets sent by all endpoints at the start and at the end of the timed section.
    packet_counts: [Cell<u64>; 2],
    /// Values of the processors that are done, by side.
    results: RefCell<Vec<Option<[Vec<f64>; SIDES]>>>,
    /// Workers of the processors, if they share memory.
    workers: OnceCell<Vec<Rc<Worker>>>,
}

/// The paper's `dist_span` (Callahan and Goldstein 1995, Figure 7).
const DIST_SPAN: u64 = 5;

impl Em3d {
    /// Returns the largest distance between two processors that an arc connects.
    fn distance_max(&self, processors: usize) -> u64 {
        self.dist_span.unwrap_or_else(|| DIST_SPAN.min(processors as u64 - 1))
    }
}

/// Names that the part adds to results.
const RESULTS: &[ResultName] = &[
    ResultName::metric(
        "em3d.cycles_per_iteration",
        "cycles",
        "Length of an iteration, the mean over the measured iterations",
    ),
    ResultName::metric("em3d.messages", "", "Messages with values that the programs sent in the measured iterations"),
    ResultName::metric("em3d.packets", "", "Packets that the programs sent in the measured iterations"),
];

impl Part for Em3d {
    const INFO: PartInfo = PartInfo::new("em3d", "Waves on an irregular graph, on all nodes")
        .results(RESULTS)
        .small_input("n-nodes = 4\nd-nodes = 2\niterations = 1");
}

impl WorkloadSpec for Em3d {
    fn needs(&self) -> WorkloadNeeds {
        WorkloadNeeds { shared_memory: self.exchange == ExchangeMethod::Loads, ..WorkloadNeeds::active_messages() }
    }

    fn check_endpoints(&self, nodes: usize) -> Vec<ParameterError> {
        let distance_message =
            || format!("the largest distance between {nodes} processors is {}", nodes.saturating_sub(1));
        let prefetch_message = || {
            format!(
                "a prefetch {} arcs ahead reaches beyond the {} arcs of a graph node",
                self.prefetch, self.arcs_per_node
            )
        };
        let distance_error =
            (self.dist_span >= Some(nodes as u64)).then(|| ParameterError::new("dist-span", distance_message()));
        let prefetch_error = (self.prefetch >= self.arcs_per_node && self.prefetch > 0).then(|| {
            ParameterError::new("prefetch", prefetch_message()).help(format!("at most {}", self.arcs_per_node - 1))
        });
        distance_error.into_iter().chain(prefetch_error).collect()
    }

    fn objective(&self) -> Option<Objective> {
        Objective::minimize("em3d.cycles_per_iteration")
    }

    fn start(&self, world: &World) -> Rc<dyn RunningWorkload> {
        let processors = world.endpoint_map.len();
        assert!(self.check_endpoints(processors).is_empty(), "a checked description fits its nodes");
        let graph = Graph::new(self, processors, world.seed);
        // Values that are loaded from shared memory have no ghosts.
        let sender_count = if self.exchange == ExchangeMethod::Loads { 0 } else { processors };
        let ghosts: Vec<_> = (0..sender_count).map(|processor| Ghosts::new(&graph, processor)).collect();
        let send_lists = |processor| [0, 1].map(|side| SendLists::new(&ghosts, &graph, side, processor));
        let em3d_run = Rc::new(Em3dRun {
            parameters: self.clone(),
            send_lists: (0..sender_count).map(send_lists).collect(),
            ghosts,
            graph,
            message_count: Cell::new(0),
            timed_section: parallel::TimedSection::default(),
            endpoints: world.active_endpoints().to_vec(),
            packet_counts: Default::default(),
            results: RefCell::new(vec![None; processors]),
            workers: OnceCell::new(),
        });
        match self.exchange {
            ExchangeMethod::Loads => em3d_run.clone().start_loading(world),
            ExchangeMethod::Transfers | ExchangeMethod::Groups | ExchangeMethod::Updates => {
                sending::start(&em3d_run, world)
            }
        }
        em3d_run
    }
}

impl Em3dRun {
    /// Starts the programs whose values are in shared memory.
    fn start_loading(self: Rc<Em3dRun>, world: &World) {
        let space = Rc::new(Space::new(world.endpoint_map.len(), world.shared_memory.block));
        let values = Rc::new(shared::SharedValues::new(&self.parameters, &space));
        let workers = self.workers.get_or_init(|| Worker::all(world, &space));
        worker::start(world, workers, |worker| {
            let (values, em3d_run) = (values.clone(), self.clone());
            async move { values.run(worker, em3d_run).await }
        });
    }
}

impl Em3dRun {
    /// Starts the timed section of a processor that has just left a barrier.
    fn mark_start(&self, endpoint: &ActiveEndpoint) {
        self.timed_section.mark_start(endpoint);
        self.count_packets(endpoint, 0);
    }

    /// Ends the timed section of a processor that has just left a barrier.
    fn mark_end(&self, endpoint: &ActiveEndpoint) {
        self.timed_section.mark_end(endpoint);
        self.count_packets(endpoint, 1);
    }

    fn count_packets(&self, endpoint: &ActiveEndpoint, index: usize) {
        if endpoint.id().index() == 0 {
            self.packet_counts[index].set(self.endpoints.iter().map(|endpoint| endpoint.sent_packets()).sum());
        }
    }

    /// Stores a processor's values; the last processor compares all values with a serial run.
    fn finish(&self, processor: usize, values: [Vec<f64>; SIDES]) {
        self.results.borrow_mut()[processor] = Some(values);
        let Some(results) = self.results.borrow().iter().cloned().collect::<Option<Vec<_>>>() else { return };
        let serial = self.graph.run_serially(self.parameters.iterations);
        for (side, serial) in serial.iter().enumerate() {
            let parallel = results.iter().flat_map(|values| &values[side]);
            let is_equal = parallel.zip(serial).all(|(value, serial)| value.to_bits() == serial.to_bits());
            assert!(is_equal, "the field differs from that of a serial run: a model corrupted data");
        }
    }
}

impl RunningWorkload for Em3dRun {
    fn metrics(&self, world: &World, outcome: &Outcome) -> Vec<Metric> {
        let [packets_before, packets_after] = [0, 1].map(|index| self.packet_counts[index].get() as f64);
        let workload_metrics = [
            self.timed_section.metric_per_iteration("em3d.cycles_per_iteration", self.parameters.iterations, outcome),
            Metric::count("em3d.messages", self.message_count.get() as f64, ""),
            Metric::new("em3d.packets", super::value_if(outcome.is_complete(), packets_after - packets_before), ""),
        ];
        parallel::metrics(
            world,
            workload_metrics.into_iter().chain(self.workers.get().map(|workers| worker::fault_metric(workers))),
        )
    }
}
