//! EM3D: electromagnetic waves on an irregular graph (Culler et al. 1993; Callahan and Goldstein 1995,
//! §4.4).
//!
//! | file | holds |
//! |---|---|
//! | `mod.rs` | parameters, what the programs have in common, the check of the result |
//! | `graph.rs` | the graph, and what a serial run makes of it |
//! | `ghosts.rs` | the values of other nodes that a node needs, and holds |
//! | `sending.rs` | the program of a node that sends values |
//! | `shared.rs` | the program of a node whose values are in shared memory |
//!
//! Values of the electric (E) and magnetic (H) field lie on the two sides of a bipartite graph. An
//! iteration computes new values of H from those of E, then of E from those of H. Before each of these
//! half steps a processor sends the values that another needs in one message to it; after each is a
//! barrier. Values are of 64 bits, two words each, and must be bit for bit those of a serial run.
//!
//! Instead of transfers it may send updates, as with a custom update protocol (Falsafi et al. 1994; Mukherjee and
//! Hill 1998, Table 4): a message of 12 bytes for each value that another processor needs, its place and the value,
//! in the order of graph nodes; and one of 4 to each processor that gets any: how many, since they may
//! overtake each other. In groups (Chong et al. 1998, §4.1.1: of five) a message has the place of the first among those
//! that its receiver needs of the sender, and the values. Or nothing is sent, and values are loaded where they are, in shared memory.
//!
//! Leaves out: the set-up of the graph, which is not timed.

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
use crate::messaging::active::Active;
use crate::messaging::shared::Space;
use crate::part::{ParameterError, Part, PartInfo};
use crate::program::{Objective, WorkloadNeeds, WorkloadSpec};
use crate::text::{ParameterChoice, Parameters};
use ghosts::{Ghosts, Sending};
use graph::{Graph, SIDES};
use std::cell::{Cell, OnceCell, RefCell};
use std::rc::Rc;

/// The parameters of EM3D.
#[derive(Clone, PartialEq, Debug, Parameters)]
pub struct Em3d {
    /// Graph nodes of each side on each processor.
    #[param(min = 1, max = 100_000, default = 200)]
    pub n_nodes: u64,
    /// Arcs into each graph node.
    #[param(min = 1, max = 1_000, default = 10)]
    pub d_nodes: u64,
    /// Of 100 arcs, those from the same processor.
    #[param(max = 100, default = 80)]
    pub local_p: u64,
    /// How far off the processors of the others are, at most: 5, if there are so many.
    #[param(min = 1)]
    pub dist_span: Option<u64>,
    /// Iterations.
    #[param(min = 1, max = 400, default = 5)]
    pub iterations: u64,
    /// How values travel: transfers of all that a processor needs, messages of groups of them, an update of 12 bytes
    /// for each, or loads from shared memory.
    #[param(default = "transfers")]
    pub sends: Sends,
    /// Values of a message, where they are sent in groups.
    #[param(min = 1, max = 1_000, default = 5)]
    pub group: u64,
    /// How many arcs ahead values are prefetched where they are loaded; 0: they are not.
    #[param(max = 1_000, default = 0)]
    pub prefetch: u64,
    /// Processor cycles to compute with an arc.
    #[param(max = 1_000_000, default = 40)]
    pub arc_cycles: u64,
}

/// How values travel.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ParameterChoice)]
pub enum Sends {
    /// All that another processor needs in one message of many packets.
    Transfers,
    /// The same in messages of a few.
    Groups,
    /// Each in a message of its own.
    Updates,
    /// Who needs one loads it from shared memory.
    Loads,
}

struct Field {
    parameters: Em3d,
    graph: Graph,
    sending: Vec<[Sending; SIDES]>,
    ghosts: Vec<Ghosts>,
    messages: Cell<u64>,
    span: parallel::Span,
    /// All ends of active messages, and how many packets they had sent before the timed part, and at its end.
    ends: Vec<Rc<Active>>,
    packets: [Cell<u64>; 2],
    /// The values of the processors that are done, by side.
    results: RefCell<Vec<Option<[Vec<f64>; SIDES]>>>,
    /// Those of processors that share memory.
    workers: OnceCell<Vec<Rc<Worker>>>,
}

/// The paper's `dist_span` (Callahan and Goldstein 1995, Figure 7).
const DIST_SPAN: u64 = 5;

impl Em3d {
    /// How far off other processors are of which arcs come, at most.
    fn span(&self, processors: usize) -> u64 {
        self.dist_span.unwrap_or_else(|| DIST_SPAN.min(processors as u64 - 1))
    }
}

impl Part for Em3d {
    const INFO: PartInfo = PartInfo::new("em3d", "Waves on an irregular graph, on all nodes")
        .small_input("n-nodes = 4\nd-nodes = 2\niterations = 1");
}

impl WorkloadSpec for Em3d {
    fn needs(&self) -> WorkloadNeeds {
        WorkloadNeeds { shared_memory: self.sends == Sends::Loads, ..WorkloadNeeds::default() }
    }

    fn check_endpoints(&self, nodes: usize) -> Vec<ParameterError> {
        let far = || format!("{nodes} processors are at most {} from each other", nodes.saturating_sub(1));
        let ahead = || format!("a graph node has {} arcs: nothing is {} arcs ahead", self.d_nodes, self.prefetch);
        let span = (self.dist_span >= Some(nodes as u64)).then(|| ParameterError::new("dist-span", far()));
        let prefetch =
            (self.prefetch >= self.d_nodes && self.prefetch > 0).then(|| ParameterError::new("prefetch", ahead()));
        span.into_iter().chain(prefetch).collect()
    }

    fn objective(&self) -> Option<Objective> {
        Objective::minimize("em3d.cycles_per_iteration")
    }

    fn start(&self, world: &World) -> Rc<dyn RunningWorkload> {
        let processors = world.addresses.len();
        assert!(self.check_endpoints(processors).is_empty(), "a checked description fits its nodes");
        let graph = Graph::new(self, processors, world.seed);
        // What is loaded has no ghosts.
        let senders = if self.sends == Sends::Loads { 0 } else { processors };
        let ghosts: Vec<_> = (0..senders).map(|processor| Ghosts::new(&graph, processor)).collect();
        let of = |processor| [0, 1].map(|side| Sending::new(&ghosts, &graph, side, processor));
        let field = Rc::new(Field {
            parameters: self.clone(),
            sending: (0..senders).map(of).collect(),
            ghosts,
            graph,
            messages: Cell::new(0),
            span: parallel::Span::default(),
            ends: world.actives().to_vec(),
            packets: Default::default(),
            results: RefCell::new(vec![None; processors]),
            workers: OnceCell::new(),
        });
        match self.sends {
            Sends::Loads => field.clone().start_loading(world),
            Sends::Transfers | Sends::Groups | Sends::Updates => sending::start(&field, world),
        }
        field
    }
}

impl Field {
    /// Starts programs whose values are in shared memory.
    fn start_loading(self: Rc<Field>, world: &World) {
        let space = Rc::new(Space::new(world.addresses.len(), world.shared_memory.block));
        let values = Rc::new(shared::Values::new(&self.parameters, &space));
        let workers = self.workers.get_or_init(|| Worker::all(world, &space));
        worker::start(world, workers, |worker| {
            let (values, field) = (values.clone(), self.clone());
            async move { values.run(worker, field).await }
        });
    }
}

impl Field {
    /// A processor goes on from the barrier at which the timed part begins.
    fn begin(&self, end: &Active) {
        self.span.begun(end);
        self.count(end, 0);
    }

    /// And from that at which it ends.
    fn over(&self, end: &Active) {
        self.span.over(end);
        self.count(end, 1);
    }

    fn count(&self, end: &Active, at: usize) {
        if end.id().index() == 0 {
            self.packets[at].set(self.ends.iter().map(|end| end.sent()).sum());
        }
    }

    /// Keeps a processor's values; the last one compares them all with a serial run.
    fn end(&self, processor: usize, values: [Vec<f64>; SIDES]) {
        self.results.borrow_mut()[processor] = Some(values);
        let Some(results) = self.results.borrow().iter().cloned().collect::<Option<Vec<_>>>() else { return };
        let serial = self.graph.serial(self.parameters.iterations);
        for (side, serial) in serial.iter().enumerate() {
            let parallel = results.iter().flat_map(|values| &values[side]);
            let same = parallel.zip(serial).all(|(value, serial)| value.to_bits() == serial.to_bits());
            assert!(same, "the field is not that of a serial run: a model moved wrong bytes");
        }
    }
}

impl RunningWorkload for Field {
    fn metrics(&self, world: &World, outcome: &Outcome) -> Vec<Metric> {
        let [before, after] = [0, 1].map(|at| self.packets[at].get() as f64);
        let own = [
            self.span.metric_each("em3d.cycles_per_iteration", self.parameters.iterations, outcome),
            Metric::new("em3d.messages", self.messages.get() as f64, ""),
            Metric::new("em3d.packets", super::once(outcome.is_complete(), after - before), ""),
        ];
        parallel::metrics(world, own.into_iter().chain(self.workers.get().map(|workers| worker::fault_metric(workers))))
    }
}
