//! The program of a processor, and the check of its result.

use super::access::{Access, Portion};
use super::cell_budget::CellBudget;
use super::galaxy::{self, Body, Galaxy};
use super::insertion::{Insertion, InsertionAction};
use super::memory::Memory;
use super::octree::Octree;
use super::{costs, force, moments, zones};
use crate::engine::{Metric, Outcome};
use crate::messaging::World;
use crate::messaging::shared::Space;
use crate::part::{Part, PartInfo, ResultName};
use crate::program::collective::Collective;
use crate::program::worker::{self, Worker, fault_metric};
use crate::program::{RunningWorkload, parallel, value_if};
use crate::program::{WorkloadNeeds, WorkloadSpec};
use crate::text::Parameters;
use std::cell::Cell;
use std::rc::Rc;

/// The parameters of barnes.
#[derive(Clone, PartialEq, Debug, Parameters)]
#[param(meaning = Load)]
pub struct Barnes {
    /// Number of bodies, drawn from Plummer's model; SPLASH-2 has 16384.
    #[param(min = 1, max = 65_536, default = 256)]
    pub bodies: u64,
    /// Number of time steps.
    #[param(min = 1, max = 1_000, default = 2, meaning = Repetitions)]
    pub steps: u64,
    /// Opening criterion θ: a cell counts as one body if its side is less than θ times its distance.
    #[param(min = 0.0, max = 2.0, default = Galaxy::default().opening)]
    pub opening: f64,
    /// Length of a time step, in units in which mass and the gravitational constant are 1.
    ///
    /// A body crosses the galaxy in 2.8, so longer steps are not meaningful; positions stay finite with any step.
    #[param(min = 1e-6, max = 1.0, default = Galaxy::default().time_step)]
    pub step: f64,
}

/// Number of locks. The lock of a cell is the cell's number modulo this, as in SPLASH-2.
const LOCKS: u32 = 2048;

/// Names that the part adds to results.
const RESULTS: &[ResultName] = &[
    ResultName::metric("barnes.cycles_per_step", "cycles", "Length of a time step, the mean over the measured steps"),
    ResultName::metric(
        "barnes.interactions_per_body",
        "",
        "Interactions that were computed for a body in a time step, the mean over all bodies",
    ),
];

impl Part for Barnes {
    const INFO: PartInfo = PartInfo::new("barnes", "Gravity among bodies, with a tree in shared memory, on all nodes")
        .results(RESULTS)
        .small_input("bodies = 8\nsteps = 1");
}

impl WorkloadSpec for Barnes {
    fn needs(&self) -> WorkloadNeeds {
        WorkloadNeeds { shared_memory: true, ..WorkloadNeeds::active_messages() }
    }

    fn start(&self, world: &World) -> Rc<dyn RunningWorkload> {
        let (processors, bodies) = (world.endpoint_map.len(), self.bodies as usize);
        let galaxy = Galaxy { body_count: bodies, opening: self.opening, time_step: self.step, ..Galaxy::default() };
        let budget = CellBudget::new(&galaxy, world.seed, self.steps, processors);
        let own_bodies: Vec<Vec<u32>> =
            (0..processors).map(|processor| zones::initial_zone(bodies, processor, processors)).collect();
        let space = Rc::new(Space::new(processors, world.shared_memory.block));
        let memory = Memory::new(&space, galaxy.initial_bodies(world.seed), &own_bodies, &budget.cells_max);
        let workers = Worker::all(world, &space);
        let run = Rc::new(BarnesRun {
            steps: self.steps,
            collectives: (0..processors).map(|_| Rc::default()).collect(),
            serial_bodies: budget.final_bodies,
            interactions: Cell::default(),
            timed_section: parallel::TimedSection::default(),
            galaxy,
            memory,
            workers,
        });
        worker::start(world, &run.workers, |worker| {
            parallel::set_handler(worker.endpoint(), &run.collectives[worker.id()], |_, _, _| 0);
            run.clone().run_program(worker)
        });
        run
    }
}

struct BarnesRun {
    galaxy: Galaxy,
    steps: u64,
    memory: Memory,
    workers: Vec<Rc<Worker>>,
    /// Barriers and reductions of each processor.
    collectives: Vec<Rc<Collective>>,
    /// Bodies at the end of a serial run.
    serial_bodies: Vec<Body>,
    /// Number of interactions of all bodies in all steps.
    interactions: Cell<u64>,
    timed_section: parallel::TimedSection,
}

/// The private state of a processor.
struct ProcessorState {
    /// Bodies of the processor.
    bodies: Vec<u32>,
    /// Greatest magnitude of a coordinate of these bodies.
    extent: f64,
    access_log: Vec<Access>,
}

impl BarnesRun {
    /// Runs the program of a processor.
    async fn run_program(self: Rc<Self>, worker: Rc<Worker>) {
        let bodies = zones::initial_zone(self.galaxy.body_count, worker.id(), worker.workers());
        let mut state = ProcessorState { bodies, extent: 0.0, access_log: Vec::new() };
        let writes = state.bodies.iter().flat_map(|body| Portion::BODY.map(|portion| Access::write(portion, *body)));
        state.access_log.extend(writes);
        self.memory.replay(&worker, &state.access_log).await;
        state.extent = self.extent(&state.bodies);
        worker.barrier().await;
        self.timed_section.mark_start(worker.endpoint());
        for step in 0..self.steps {
            self.create_root(&worker, &state).await;
            worker.barrier().await;
            for body in &state.bodies {
                self.insert(&worker, *body).await;
            }
            worker.barrier().await;
            self.compute_moments(&worker, &mut state.access_log).await;
            worker.barrier().await;
            self.choose_bodies(&worker, &mut state).await;
            worker.barrier().await;
            self.compute_forces(&worker, &mut state).await;
            worker.barrier().await;
            self.advance(&worker, &mut state, step == 0).await;
            worker.barrier().await;
        }
        self.timed_section.mark_end(worker.endpoint());
        self.check_result(&worker, &mut state).await;
    }

    fn extent(&self, bodies: &[u32]) -> f64 {
        let all_bodies = &self.memory.shadow.borrow().bodies;
        galaxy::extent(bodies.iter().map(|body| &all_bodies[*body as usize]))
    }

    /// Determines the root cube together with all processors. The first one creates an empty root.
    async fn create_root(&self, worker: &Worker, state: &ProcessorState) {
        let own_id = worker.id();
        // Non-negative floating-point numbers have the same order as their bit patterns.
        let extent = worker.reduce(&self.collectives[own_id], state.extent.to_bits(), u64::max).await;
        if own_id == 0 {
            self.memory.shadow.borrow_mut().tree = Octree::new(f64::from_bits(extent), worker.workers());
            let root_writes = [Portion::CellSlots, Portion::CellHead].map(|portion| Access::write(portion, 0));
            self.memory.replay(worker, &root_writes).await;
        }
    }

    /// Inserts a body into the tree.
    async fn insert(&self, worker: &Worker, body: u32) {
        let mut insertion = Insertion::new(&self.memory.shadow.borrow().tree, worker.id(), body);
        let next_action = |insertion: &mut Insertion| {
            let shadow = &mut *self.memory.shadow.borrow_mut();
            insertion.next(&mut shadow.tree, &shadow.bodies)
        };
        loop {
            match next_action(&mut insertion) {
                InsertionAction::ReadRacing(access) => {
                    insertion.set_word(self.memory.read_racing(worker, access).await)
                }
                InsertionAction::Access(access) => self.memory.access(worker, access).await,
                InsertionAction::Compute(instructions) => worker.compute(instructions).await,
                InsertionAction::Lock(cell) => worker.lock(cell % LOCKS).await,
                InsertionAction::Unlock(cell) => worker.unlock(cell % LOCKS).await,
                InsertionAction::Done => return,
            }
        }
    }

    /// Computes the moments of the processor's cells, the latest first, each when those of its children are computed.
    async fn compute_moments(&self, worker: &Worker, access_log: &mut Vec<Access>) {
        let shadow = &self.memory.shadow;
        let created_cells = shadow.borrow().tree.created_cells[worker.id()].clone();
        for cell in created_cells.into_iter().rev() {
            let children: Vec<u32> = match &shadow.borrow().tree {
                tree if tree.cells[cell as usize].is_divided => tree.children(cell).collect(),
                _ => Vec::new(),
            };
            for child in children {
                self.memory.wait_for_moments(worker, child).await;
            }
            access_log.clear();
            let moments = {
                let shadow = &*shadow.borrow();
                moments::cell_moments(&shadow.tree, &shadow.bodies, cell, access_log)
            };
            self.memory.replay(worker, access_log).await;
            access_log.clear();
            moments.store(&mut shadow.borrow_mut().tree, cell, access_log);
            self.memory.replay(worker, access_log).await;
        }
    }

    /// Determines the bodies that belong to the processor in this step.
    async fn choose_bodies(&self, worker: &Worker, state: &mut ProcessorState) {
        state.access_log.clear();
        state.bodies = {
            let shadow = &*self.memory.shadow.borrow();
            zones::zone(&shadow.tree, &shadow.bodies, worker.id(), worker.workers(), &mut state.access_log)
        };
        self.memory.replay(worker, &state.access_log).await;
    }

    /// Computes the forces on the processor's bodies.
    async fn compute_forces(&self, worker: &Worker, state: &mut ProcessorState) {
        for body in &state.bodies {
            state.access_log.clear();
            let force = {
                let shadow = &*self.memory.shadow.borrow();
                force::body_force(&self.galaxy, &shadow.tree, &shadow.bodies, *body, &mut state.access_log)
            };
            self.memory.replay(worker, &state.access_log).await;
            self.interactions.set(self.interactions.get() + force.interactions);
            force.store(&mut self.memory.shadow.borrow_mut().bodies[*body as usize]);
            let writes = [Portion::BodyForce, Portion::BodyCost].map(|portion| Access::write(portion, *body));
            self.memory.replay(worker, &writes).await;
        }
    }

    /// Moves the processor's bodies.
    async fn advance(&self, worker: &Worker, state: &mut ProcessorState, is_first: bool) {
        for body in &state.bodies {
            let reads = [Portion::BodyMassAndPosition, Portion::BodyVelocity, Portion::BodyForce];
            self.memory.replay(worker, &reads.map(|portion| Access::read(portion, *body))).await;
            worker.compute(costs::ADVANCE).await;
            self.galaxy.advance(&mut self.memory.shadow.borrow_mut().bodies[*body as usize], is_first);
            let writes =
                [Portion::BodyMassAndPosition, Portion::BodyVelocity].map(|portion| Access::write(portion, *body));
            self.memory.replay(worker, &writes).await;
        }
        state.extent = self.extent(&state.bodies);
    }

    /// Reads all of the processor's bodies, and compares them with those of a serial run.
    async fn check_result(&self, worker: &Worker, state: &mut ProcessorState) {
        state.access_log.clear();
        let reads = state.bodies.iter().flat_map(|body| Portion::BODY.map(|portion| Access::read(portion, *body)));
        state.access_log.extend(reads);
        self.memory.replay(worker, &state.access_log).await;
        let bodies = &self.memory.shadow.borrow().bodies;
        let is_equal = state.bodies.iter().all(|body| bodies[*body as usize] == self.serial_bodies[*body as usize]);
        assert!(is_equal, "the bodies differ from those of a serial run: a model corrupted data");
    }
}

impl RunningWorkload for BarnesRun {
    fn metrics(&self, world: &World, outcome: &Outcome) -> Vec<Metric> {
        let force_count = self.steps * self.galaxy.body_count as u64;
        let interactions = value_if(outcome.is_complete(), self.interactions.get() as f64 / force_count as f64);
        let workload_metrics = [
            self.timed_section.metric_per_iteration("barnes.cycles_per_step", self.steps, outcome),
            Metric::new("barnes.interactions_per_body", interactions, ""),
            fault_metric(&self.workers),
        ];
        parallel::metrics(world, workload_metrics)
    }
}
