//! The parameters, the program of a processor, and the check of what all have made.

use super::shared::SharedSweep;
use super::{
    ADD_INSTRUCTIONS, EDGE_INSTRUCTIONS, FACE_INSTRUCTIONS, Fluid, FluidShare, ITERATIONS, NODE_INSTRUCTIONS,
    PACK_INSTRUCTIONS, ShareLink, by_node,
};
use crate::engine::{EndId, Metric, Outcome};
use crate::messaging::World;
use crate::messaging::active::Active;
use crate::part::{self, ParameterError, PartInfo};
use crate::program::collective::Collective;
use crate::program::input::mesh::{Mesh, MeshSize, UNSTRUCTURED};
use crate::program::input::partition;
use crate::program::worker::{self, Worker};
use crate::program::{Objective, WorkloadNeeds, WorkloadSpec};
use crate::program::{RunningWorkload, parallel};
use crate::text::{ParameterChoice, Parameters};
use std::cell::{Cell, OnceCell, RefCell};
use std::rc::Rc;

/// The parameters of Unstructured.
#[derive(Clone, PartialEq, Debug, Parameters)]
pub struct Unstructured {
    /// Nodes of the mesh, which is drawn: with 9428 it has the paper's edges and faces.
    #[param(min = 8, max = 200_000, default = UNSTRUCTURED.nodes as u64)]
    pub nodes: u64,
    /// Iterations: a sweep over edges and faces.
    #[param(min = 1, max = 1000, default = ITERATIONS)]
    pub iterations: u64,
    /// How values and sums travel: batches for each processor, a message for each node's value and each edge's sum, or
    /// loads and changes of shared memory.
    #[param(default = "batches")]
    pub sends: Passing,
    /// How many edges ahead sums in shared memory are prefetched; 0: they are not.
    #[param(max = 1_000, default = 0)]
    pub prefetch: u64,
    /// Cycles of an edge.
    #[param(min = 50, max = 1_000_000, default = EDGE_INSTRUCTIONS)]
    pub edge_cycles: u64,
}

/// How values and sums travel.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ParameterChoice)]
pub enum Passing {
    /// All that another processor needs in one message.
    Batches,
    /// A node's value in a message, and what an edge adds to it as soon as that is known.
    Nodes,
    /// Values are loaded from shared memory, and sums are changed there.
    Loads,
}

/// Values, from who has the nodes to who needs them.
pub(super) const VALUES: u8 = 0;
/// Sums, the other way.
pub(super) const SUMS: u8 = 1;

/// A processor's part.
pub(super) struct Part {
    pub share: RefCell<FluidShare>,
    /// Those it has to do with, beginning with the one after it, so that not all send to the same one.
    pub links: Vec<ShareLink>,
    /// Messages of values and of sums that have come.
    pub came: [Cell<usize>; 2],
}

/// A sweep in progress.
pub(super) struct Sweep {
    pub(super) iterations: u64,
    edge_cycles: u64,
    pub(super) fluid: Fluid,
    pub(super) parts: Vec<Part>,
    pub(super) batches: Cell<u64>,
    pub(super) span: parallel::TimedSection,
    /// The programs that share memory.
    workers: OnceCell<Vec<Rc<Worker>>>,
    /// What each processor's nodes hold in the end.
    made: RefCell<Vec<Option<Vec<[i32; 3]>>>>,
}

impl Unstructured {
    fn size(&self) -> MeshSize {
        let of_nodes = || MeshSize::of_nodes(self.nodes as usize).expect("eight nodes and more make a mesh");
        if self.nodes as usize == UNSTRUCTURED.nodes { UNSTRUCTURED } else { of_nodes() }
    }
}

impl part::Part for Unstructured {
    const INFO: PartInfo = PartInfo::new("unstructured", "A sweep of fluid dynamics over a mesh, on all nodes")
        .small_input("nodes = 16\niterations = 2");
}

impl WorkloadSpec for Unstructured {
    fn needs(&self) -> WorkloadNeeds {
        WorkloadNeeds { shared_memory: self.sends == Passing::Loads, ..WorkloadNeeds::default() }
    }

    fn check_endpoints(&self, processors: usize) -> Vec<ParameterError> {
        let few =
            || ParameterError::new("nodes", format!("{} nodes are too few for {processors} processors", self.nodes));
        let few = ((self.nodes as usize) < processors).then(few);
        // An edge and more for each node.
        let least = self.nodes / processors as u64;
        let ahead = || format!("a processor may have no more than {least} edges: none is {} ahead", self.prefetch);
        let ahead = (self.prefetch > 0 && self.prefetch >= least).then(|| ParameterError::new("prefetch", ahead()));
        few.into_iter().chain(ahead).collect()
    }

    fn objective(&self) -> Option<Objective> {
        Objective::minimize("unstructured.cycles")
    }

    fn start(&self, world: &World) -> Rc<dyn RunningWorkload> {
        let sweep = Rc::new(Sweep::new(self, world.addresses.len(), world.seed));
        if self.sends == Passing::Loads {
            let workers = SharedSweep::start(&sweep, self.prefetch as usize, world);
            assert!(sweep.workers.set(workers).is_ok(), "programs start once");
            return sweep;
        }
        let sends = self.sends;
        parallel::start(world, |end| {
            let (processor, taking, collective) = (end.id().index(), sweep.clone(), Rc::<Collective>::default());
            parallel::set_handler(&end, &collective, move |from, what, words| match sends {
                Passing::Nodes => taking.parts[processor].take_node(from, what, words),
                _ => taking.parts[processor].take(from, what, words),
            });
            let sweep = sweep.clone();
            async move {
                match sends {
                    Passing::Nodes => by_node::run(end, collective, sweep).await,
                    _ => run(end, collective, sweep).await,
                }
            }
        });
        sweep
    }
}

/// The program of a processor.
async fn run(end: Rc<Active>, collective: Rc<Collective>, sweep: Rc<Sweep>) {
    let own = end.id().index();
    let part = &sweep.parts[own];
    let (nodes, (edges, faces)) = (part.share.borrow().nodes.len(), part.share.borrow().work());
    let flux = sweep.edge_cycles * edges as u64 + FACE_INSTRUCTIONS * faces as u64;
    sweep.span.begin(&end, &collective).await;
    for iteration in 1..=sweep.iterations as usize {
        for link in part.links.iter().filter(|link| !link.given.is_empty()) {
            let words = part.share.borrow().values_for(link);
            sweep.send(&end, link, VALUES, &words).await;
        }
        let sources = part.links.iter().filter(|link| !link.ghosts.is_empty()).count();
        end.wait_until(|| part.came[0].get() == iteration * sources).await;
        part.share.borrow_mut().sweep_edges();
        part.share.borrow_mut().sweep_faces();
        parallel::compute(&end, flux).await;
        for link in part.links.iter().filter(|link| !link.ghosts.is_empty()) {
            let words = part.share.borrow_mut().sums_for(link.ghosts.clone());
            sweep.send(&end, link, SUMS, &words).await;
        }
        let owing = part.links.iter().filter(|link| !link.given.is_empty()).count();
        end.wait_until(|| part.came[1].get() == iteration * owing).await;
        part.share.borrow_mut().update();
        parallel::compute(&end, NODE_INSTRUCTIONS * nodes as u64).await;
    }
    sweep.span.end(&end, &collective).await;
    sweep.end(own, part.share.borrow().amounts().to_vec());
}

impl Part {
    fn new(share: FluidShare, processor: usize) -> Part {
        let mut links = share.links.clone();
        let after = links.partition_point(|link| link.other < processor);
        links.rotate_left(after);
        Part { share: RefCell::new(share), links, came: Default::default() }
    }

    /// What it has to do with another.
    pub fn link(&self, other: usize) -> &ShareLink {
        self.links.iter().find(|link| link.other == other).expect("a message comes from a neighbour")
    }

    /// Takes a batch; the instructions that it costs.
    fn take(&self, from: EndId, what: u8, words: &[u32]) -> u64 {
        let link = self.link(from.index());
        let came = &self.came[usize::from(what)];
        came.set(came.get() + 1);
        let nodes = words.len() as u64 / 3;
        match what {
            VALUES => {
                self.share.borrow_mut().take_values(link.ghosts.clone(), words);
                PACK_INSTRUCTIONS * nodes
            }
            _ => {
                self.share.borrow_mut().take_sums(&link.given, words);
                ADD_INSTRUCTIONS * nodes
            }
        }
    }
}

impl Sweep {
    pub(super) fn new(parameters: &Unstructured, processors: usize, seed: u64) -> Sweep {
        let mesh = Mesh::generate(parameters.size(), seed).expect("a mesh of this size");
        let fluid = Fluid::new(&mesh, seed);
        let owners = partition::parts(&mesh.coordinates, processors);
        let shares = FluidShare::all(&fluid, &owners, processors).into_iter().enumerate();
        Sweep {
            iterations: parameters.iterations,
            edge_cycles: parameters.edge_cycles,
            parts: shares.map(|(processor, share)| Part::new(share, processor)).collect(),
            fluid,
            batches: Cell::new(0),
            span: parallel::TimedSection::default(),
            workers: OnceCell::new(),
            made: RefCell::new(vec![None; processors]),
        }
    }

    /// Cycles of an edge or a face.
    pub(super) fn cycles(&self, is_edge: bool) -> u64 {
        if is_edge { self.edge_cycles } else { FACE_INSTRUCTIONS }
    }

    /// Gathers a batch and sends it.
    async fn send(&self, end: &Active, link: &ShareLink, what: u8, words: &[u32]) {
        parallel::compute(end, PACK_INSTRUCTIONS * words.len() as u64 / 3).await;
        self.batches.set(self.batches.get() + 1);
        parallel::send(end, link.other, what, words).await;
    }

    /// Keeps what a processor's nodes hold; the last one compares all with a serial run.
    pub(super) fn end(&self, processor: usize, amounts: Vec<[i32; 3]>) {
        self.made.borrow_mut()[processor] = Some(amounts);
        let Some(made) = self.made.borrow().iter().cloned().collect::<Option<Vec<_>>>() else { return };
        let serial = self.fluid.serial(self.iterations);
        let of = |(part, amounts): (&Part, &Vec<[i32; 3]>)| {
            part.share.borrow().nodes.iter().map(|node| serial[*node as usize]).eq(amounts.iter().copied())
        };
        let same = self.parts.iter().zip(&made).all(of);
        assert!(same, "the flow is not that of a serial run: a model moved wrong bytes");
    }
}

impl RunningWorkload for Sweep {
    fn metrics(&self, world: &World, outcome: &Outcome) -> Vec<Metric> {
        let own = [
            self.span.metric("unstructured.cycles", outcome),
            Metric::new("unstructured.batches", self.batches.get() as f64, ""),
        ];
        parallel::metrics(world, own.into_iter().chain(self.workers.get().map(|workers| worker::fault_metric(workers))))
    }
}
