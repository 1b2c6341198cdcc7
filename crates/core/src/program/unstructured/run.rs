//! The parameters, the program of a processor, and the check of the results.

use super::shared::SharedSweep;
use super::{
    ADD_INSTRUCTIONS, EDGE_INSTRUCTIONS, FACE_INSTRUCTIONS, Fluid, FluidShare, ITERATIONS, NODE_INSTRUCTIONS,
    PACK_INSTRUCTIONS, ShareLink, by_node,
};
use crate::engine::{EndpointId, Metric, Outcome};
use crate::messaging::World;
use crate::messaging::active::ActiveEndpoint;
use crate::part::{self, ParameterError, PartInfo, ResultName};
use crate::program::collective::Collective;
use crate::program::input::mesh::{Mesh, MeshSize, UNSTRUCTURED};
use crate::program::input::partition;
use crate::program::worker::{self, Worker};
use crate::program::{Objective, WorkloadNeeds, WorkloadSpec};
use crate::program::{RunningWorkload, parallel};
use crate::text::{ParameterChoice, Parameters};
use std::cell::{Cell, OnceCell, RefCell};
use std::rc::Rc;

/// The parameters of unstructured.
#[derive(Clone, PartialEq, Debug, Parameters)]
#[param(meaning = Load)]
pub struct Unstructured {
    /// Number of nodes of the generated mesh; with 9428 nodes it has the paper's numbers of edges and faces.
    #[param(min = 8, max = 200_000, default = UNSTRUCTURED.nodes as u64)]
    pub nodes: u64,
    /// Number of iterations, each a sweep over edges and faces.
    #[param(min = 1, max = 1000, default = ITERATIONS, meaning = Repetitions)]
    pub iterations: u64,
    /// Communication of values and sums: `batches` sends one batch to each processor; `nodes` sends a message for
    /// each value of a node and each sum of an edge; `loads` reads and updates shared memory.
    #[param(was = "sends", default = "batches")]
    pub exchange: UnstructuredExchange,
    /// Distance of the prefetch, in edges: the sums of an edge are prefetched this many edges before their use, with
    /// `exchange = "loads"`; 0 for no prefetches.
    #[param(max = 1_000, default = 0)]
    pub prefetch: u64,
    /// Processor cycles to compute an edge.
    #[param(min = 50, max = 1_000_000, default = EDGE_INSTRUCTIONS)]
    pub edge_cycles: u64,
}

/// The method by which values and sums are communicated.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ParameterChoice)]
pub enum UnstructuredExchange {
    /// All values or sums for another processor in one message.
    Batches,
    /// A message for each node's value, and for each flux as soon as it is computed.
    Nodes,
    /// Loads of values from shared memory, and updates of sums there.
    Loads,
}

/// Handler of values, which the owner of the nodes sends.
pub(super) const VALUES_HANDLER: u8 = 0;
/// Handler of sums of fluxes, which are sent to the owner of the nodes.
pub(super) const SUMS_HANDLER: u8 = 1;

/// A processor's part of the sweep.
pub(super) struct SweepPart {
    pub share: RefCell<FluidShare>,
    /// Links to neighbours. The first is that to the next processor, so that not all processors send to the same one at
    /// first.
    pub links: Vec<ShareLink>,
    /// Numbers of messages of values and of sums that have arrived.
    pub arrived_counts: [Cell<usize>; 2],
}

/// The state of a run.
pub(super) struct SweepRun {
    pub(super) iterations: u64,
    edge_cycles: u64,
    pub(super) fluid: Fluid,
    pub(super) parts: Vec<SweepPart>,
    pub(super) batch_count: Cell<u64>,
    pub(super) timed_section: parallel::TimedSection,
    /// Workers of the processors, if they share memory.
    workers: OnceCell<Vec<Rc<Worker>>>,
    /// Final amounts of each processor's nodes.
    results: RefCell<Vec<Option<Vec<[i32; 3]>>>>,
}

impl Unstructured {
    fn size(&self) -> MeshSize {
        let other_size = || MeshSize::for_nodes(self.nodes as usize).expect("eight nodes and more make a mesh");
        if self.nodes as usize == UNSTRUCTURED.nodes { UNSTRUCTURED } else { other_size() }
    }
}

/// Names that the part adds to results.
const RESULTS: &[ResultName] = &[
    ResultName::metric("unstructured.cycles", "cycles", "Length of the measured sweeps"),
    ResultName::metric("unstructured.batches", "", "Messages with values that the programs sent"),
];

impl part::Part for Unstructured {
    const INFO: PartInfo = PartInfo::new("unstructured", "A sweep of fluid dynamics over a mesh, on all nodes")
        .results(RESULTS)
        .small_input("nodes = 16\niterations = 2");
}

impl WorkloadSpec for Unstructured {
    fn needs(&self) -> WorkloadNeeds {
        WorkloadNeeds {
            shared_memory: self.exchange == UnstructuredExchange::Loads,
            ..WorkloadNeeds::active_messages()
        }
    }

    fn check_endpoints(&self, processors: usize) -> Vec<ParameterError> {
        let node_error = || {
            ParameterError::new("nodes", format!("{} nodes are too few for {processors} processors", self.nodes))
                .help(format!("at least {processors}: one node of the mesh for each processor"))
        };
        let node_error = ((self.nodes as usize) < processors).then(node_error);
        // There is at least one edge for each node.
        let edges_min = self.nodes / processors as u64;
        let prefetch_error = || {
            format!("a prefetch {} edges ahead is too far: a processor may have only {edges_min} edges", self.prefetch)
        };
        let prefetch_error = (self.prefetch > 0 && self.prefetch >= edges_min).then(|| {
            ParameterError::new("prefetch", prefetch_error()).help(format!("at most {}", edges_min.saturating_sub(1)))
        });
        node_error.into_iter().chain(prefetch_error).collect()
    }

    fn objective(&self) -> Option<Objective> {
        Objective::minimize("unstructured.cycles")
    }

    fn start(&self, world: &World) -> Rc<dyn RunningWorkload> {
        let sweep = Rc::new(SweepRun::new(self, world.endpoint_map.len(), world.seed));
        if self.exchange == UnstructuredExchange::Loads {
            let workers = SharedSweep::start(&sweep, self.prefetch as usize, world);
            assert!(sweep.workers.set(workers).is_ok(), "programs start once");
            return sweep;
        }
        let exchange = self.exchange;
        parallel::start(world, |endpoint| {
            let (processor, handler_sweep) = (endpoint.id().index(), sweep.clone());
            let collective = Rc::<Collective>::default();
            parallel::set_handler(&endpoint, &collective, move |from, handler, words| match exchange {
                UnstructuredExchange::Nodes => handler_sweep.parts[processor].handle_node(from, handler, words),
                _ => handler_sweep.parts[processor].handle_batch(from, handler, words),
            });
            let sweep = sweep.clone();
            async move {
                match exchange {
                    UnstructuredExchange::Nodes => by_node::run(endpoint, collective, sweep).await,
                    _ => run(endpoint, collective, sweep).await,
                }
            }
        });
        sweep
    }
}

/// Runs the program of a processor.
async fn run(endpoint: Rc<ActiveEndpoint>, collective: Rc<Collective>, sweep: Rc<SweepRun>) {
    let own_index = endpoint.id().index();
    let part = &sweep.parts[own_index];
    let (nodes, (edges, faces)) = (part.share.borrow().nodes.len(), part.share.borrow().element_counts());
    let sweep_cycles = sweep.edge_cycles * edges as u64 + FACE_INSTRUCTIONS * faces as u64;
    sweep.timed_section.begin(&endpoint, &collective).await;
    for iteration in 1..=sweep.iterations as usize {
        for link in part.links.iter().filter(|link| !link.sent_nodes.is_empty()) {
            let words = part.share.borrow().value_words_for(link);
            sweep.send(&endpoint, link, VALUES_HANDLER, &words).await;
        }
        let source_count = part.links.iter().filter(|link| !link.ghosts.is_empty()).count();
        endpoint.wait_until(|| part.arrived_counts[0].get() == iteration * source_count).await;
        part.share.borrow_mut().sweep_edges();
        part.share.borrow_mut().sweep_faces();
        parallel::compute(&endpoint, sweep_cycles).await;
        for link in part.links.iter().filter(|link| !link.ghosts.is_empty()) {
            let words = part.share.borrow_mut().take_sum_words(link.ghosts.clone());
            sweep.send(&endpoint, link, SUMS_HANDLER, &words).await;
        }
        let receiver_count = part.links.iter().filter(|link| !link.sent_nodes.is_empty()).count();
        endpoint.wait_until(|| part.arrived_counts[1].get() == iteration * receiver_count).await;
        part.share.borrow_mut().update();
        parallel::compute(&endpoint, NODE_INSTRUCTIONS * nodes as u64).await;
    }
    sweep.timed_section.end(&endpoint, &collective).await;
    sweep.finish(own_index, part.share.borrow().amounts().to_vec());
}

impl SweepPart {
    fn new(share: FluidShare, processor: usize) -> SweepPart {
        let mut links = share.links.clone();
        let first_after = links.partition_point(|link| link.neighbour < processor);
        links.rotate_left(first_after);
        SweepPart { share: RefCell::new(share), links, arrived_counts: Default::default() }
    }

    /// Returns the link to another processor.
    pub fn link(&self, other: usize) -> &ShareLink {
        self.links.iter().find(|link| link.neighbour == other).expect("messages arrive only from neighbours")
    }

    /// Handles a batch, and returns the number of instructions that this takes.
    fn handle_batch(&self, from: EndpointId, handler: u8, words: &[u32]) -> u64 {
        let link = self.link(from.index());
        let arrived_count = &self.arrived_counts[usize::from(handler)];
        arrived_count.set(arrived_count.get() + 1);
        let nodes = words.len() as u64 / 3;
        match handler {
            VALUES_HANDLER => {
                self.share.borrow_mut().set_values(link.ghosts.clone(), words);
                PACK_INSTRUCTIONS * nodes
            }
            _ => {
                self.share.borrow_mut().add_sums(&link.sent_nodes, words);
                ADD_INSTRUCTIONS * nodes
            }
        }
    }
}

impl SweepRun {
    pub(super) fn new(parameters: &Unstructured, processors: usize, seed: u64) -> SweepRun {
        let mesh = Mesh::generate(parameters.size(), seed).expect("a checked size is possible");
        let fluid = Fluid::new(&mesh, seed);
        let owners = partition::by_coordinates(&mesh.coordinates, processors);
        let shares = FluidShare::all(&fluid, &owners, processors).into_iter().enumerate();
        SweepRun {
            iterations: parameters.iterations,
            edge_cycles: parameters.edge_cycles,
            parts: shares.map(|(processor, share)| SweepPart::new(share, processor)).collect(),
            fluid,
            batch_count: Cell::new(0),
            timed_section: parallel::TimedSection::default(),
            workers: OnceCell::new(),
            results: RefCell::new(vec![None; processors]),
        }
    }

    /// Returns the processor cycles to compute an edge or a face.
    pub(super) fn element_cycles(&self, is_edge: bool) -> u64 {
        if is_edge { self.edge_cycles } else { FACE_INSTRUCTIONS }
    }

    /// Packs a batch and sends it.
    async fn send(&self, endpoint: &ActiveEndpoint, link: &ShareLink, handler: u8, words: &[u32]) {
        parallel::compute(endpoint, PACK_INSTRUCTIONS * words.len() as u64 / 3).await;
        self.batch_count.set(self.batch_count.get() + 1);
        parallel::send(endpoint, link.neighbour, handler, words).await;
    }

    /// Stores the amounts of a processor's nodes; the last processor compares all amounts with a serial run.
    pub(super) fn finish(&self, processor: usize, amounts: Vec<[i32; 3]>) {
        self.results.borrow_mut()[processor] = Some(amounts);
        let Some(results) = self.results.borrow().iter().cloned().collect::<Option<Vec<_>>>() else { return };
        let serial = self.fluid.run_serially(self.iterations);
        let is_equal = |(part, amounts): (&SweepPart, &Vec<[i32; 3]>)| {
            part.share.borrow().nodes.iter().map(|node| serial[*node as usize]).eq(amounts.iter().copied())
        };
        let are_equal = self.parts.iter().zip(&results).all(is_equal);
        assert!(are_equal, "the flow differs from that of a serial run: a model corrupted data");
    }
}

impl RunningWorkload for SweepRun {
    fn metrics(&self, world: &World, outcome: &Outcome) -> Vec<Metric> {
        let workload_metrics = [
            self.timed_section.metric("unstructured.cycles", outcome),
            Metric::count("unstructured.batches", self.batch_count.get() as f64, ""),
        ];
        parallel::metrics(
            world,
            workload_metrics.into_iter().chain(self.workers.get().map(|workers| worker::fault_metric(workers))),
        )
    }
}
