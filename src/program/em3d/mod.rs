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
use crate::text::{Parameters, Table};
use ghosts::{Ghosts, Sending};
use graph::{Graph, SIDES};
use std::cell::{Cell, OnceCell, RefCell};
use std::rc::Rc;

/// The parameters of EM3D.
#[derive(Clone, Debug)]
pub struct Em3d {
    /// Graph nodes of each side on each processor (`n_nodes`).
    pub n_nodes: u64,
    /// Arcs into each graph node (`d_nodes`).
    pub d_nodes: u64,
    /// Of 100 arcs, those from the processor's own graph nodes (`local_p`).
    pub local_p: u64,
    /// How far off the processor is that another arc comes from, at most (`dist_span`);
    /// where nothing is said [`DIST_SPAN`], or as far as there are processors.
    pub dist_span: Option<u64>,
    /// Iterations.
    pub iterations: u64,
    /// How values travel.
    pub sends: Sends,
    /// Values of a message, where they are sent in groups.
    pub group: u64,
    /// How many arcs ahead values are prefetched that are loaded; 0 where they are not.
    pub prefetch: u64,
    /// Processor cycles to compute with an arc: 40 (chosen: two operands that miss the cache, a multiplication and
    /// an addition on a 33 MHz SPARC).
    pub arc_cycles: u64,
}

/// How values travel.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
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

impl Parameters for Em3d {
    fn read(t: &mut Table<'_>) -> Em3d {
        Em3d {
            n_nodes: t.count("n-nodes", "Graph nodes of each side on each processor").range(1, 100_000).or(200),
            d_nodes: t.count("d-nodes", "Arcs into each graph node").range(1, 1_000).or(10),
            local_p: t.count("local-p", "Of 100 arcs, those from the same processor").max(100).or(80),
            dist_span: t
                .count("dist-span", "How far off the processors of the others are, at most: 5, if there are so many")
                .min(1)
                .optional(),
            iterations: t.count("iterations", "Iterations").range(1, 400).or(5),
            sends: t
                .choice(
                    "sends",
                    "How values travel: transfers of all that a processor needs, messages of groups of them, an update of \
                     12 bytes for each, or loads from shared memory",
                    &[
                        ("transfers", Sends::Transfers),
                        ("groups", Sends::Groups),
                        ("updates", Sends::Updates),
                        ("loads", Sends::Loads),
                    ],
                )
                .or("transfers"),
            group: t.count("group", "Values of a message, where they are sent in groups").range(1, 1_000).or(5),
            prefetch: t
                .count("prefetch", "How many arcs ahead values are prefetched where they are loaded; 0: they are not")
                .max(1_000)
                .or(0),
            arc_cycles: t.count("arc-cycles", "Processor cycles to compute with an arc").max(1_000_000).or(40),
        }
    }
}

impl Part for Em3d {
    const INFO: PartInfo = PartInfo::new("em3d", "Waves on an irregular graph, on all nodes");
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
