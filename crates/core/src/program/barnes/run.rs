//! The program of a processor, and the check of its answer.

use super::access::{Access, Portion};
use super::galaxy::{self, Body, Galaxy};
use super::insertion::{Insertion, InsertionAct};
use super::memory::Memory;
use super::octree::Octree;
use super::room::Foreseen;
use super::{costs, force, moments, zones};
use crate::engine::{Metric, Outcome};
use crate::messaging::World;
use crate::messaging::shared::Space;
use crate::part::{Part, PartInfo};
use crate::program::collective::Collective;
use crate::program::worker::{self, Worker, fault_metric};
use crate::program::{RunningWorkload, once, parallel};
use crate::program::{WorkloadNeeds, WorkloadSpec};
use crate::text::Parameters;
use std::cell::Cell;
use std::rc::Rc;

/// The parameters of barnes.
#[derive(Clone, PartialEq, Debug, Parameters)]
pub struct Barnes {
    /// Bodies, of Plummer's model: SPLASH-2 takes 16384.
    #[param(min = 1, max = 65_536, default = 256)]
    pub bodies: u64,
    /// Steps.
    #[param(min = 1, max = 1_000, default = 2)]
    pub steps: u64,
    /// A cell counts as one body where its side is less than so many of its distances.
    #[param(min = 0.0, max = 2.0, default = Galaxy::default().opening)]
    pub opening: f64,
    /// The time of a step, where mass and gravity are 1.
    ///
    /// The galaxy is crossed in 2.8, so longer steps mean nothing; and whatever they do, places stay finite.
    #[param(min = 1e-6, max = 1.0, default = Galaxy::default().step)]
    pub step: f64,
}

/// A cell's lock is that of its number modulo this, as in SPLASH-2.
const LOCKS: u32 = 2048;

impl Part for Barnes {
    const INFO: PartInfo = PartInfo::new("barnes", "Gravity among bodies, by a tree in shared memory, on all nodes")
        .small_input("bodies = 20\nsteps = 1");
}

impl WorkloadSpec for Barnes {
    fn needs(&self) -> WorkloadNeeds {
        WorkloadNeeds { shared_memory: true, ..WorkloadNeeds::default() }
    }

    fn start(&self, world: &World) -> Rc<dyn RunningWorkload> {
        let (processors, bodies) = (world.addresses.len(), self.bodies as usize);
        let galaxy = Galaxy { bodies, opening: self.opening, step: self.step, ..Galaxy::default() };
        let foreseen = Foreseen::new(&galaxy, world.seed, self.steps, processors);
        let own: Vec<Vec<u32>> = (0..processors).map(|of| zones::first(bodies, of, processors)).collect();
        let space = Rc::new(Space::new(processors, world.shared_memory.block));
        let memory = Memory::new(&space, galaxy.begin(world.seed), &own, &foreseen.cells);
        let workers = Worker::all(world, &space);
        let run = Rc::new(Run {
            steps: self.steps,
            collectives: (0..processors).map(|_| Rc::default()).collect(),
            answer: foreseen.bodies,
            interactions: Cell::default(),
            span: parallel::Span::default(),
            galaxy,
            memory,
            workers,
        });
        worker::start(world, &run.workers, |worker| {
            parallel::take_by(worker.end(), &run.collectives[worker.id()], |_, _, _| 0);
            run.clone().program(worker)
        });
        run
    }
}

struct Run {
    galaxy: Galaxy,
    steps: u64,
    memory: Memory,
    workers: Vec<Rc<Worker>>,
    /// By processor.
    collectives: Vec<Rc<Collective>>,
    /// What a serial run gives.
    answer: Vec<Body>,
    /// Of all bodies in all steps.
    interactions: Cell<u64>,
    span: parallel::Span,
}

/// What a processor has of its own.
struct Own {
    /// Its bodies.
    bodies: Vec<u32>,
    /// Their greatest coordinate.
    reach: f64,
    log: Vec<Access>,
}

impl Run {
    /// The program of a processor.
    async fn program(self: Rc<Self>, worker: Rc<Worker>) {
        let bodies = zones::first(self.galaxy.bodies, worker.id(), worker.workers());
        let mut it = Own { bodies, reach: 0.0, log: Vec::new() };
        it.log.extend(it.bodies.iter().flat_map(|body| Portion::BODY.map(|portion| Access::write(portion, *body))));
        self.memory.replay(&worker, &it.log).await;
        it.reach = self.reach(&it.bodies);
        worker.barrier().await;
        self.span.begun(worker.end());
        for step in 0..self.steps {
            self.plant(&worker, &it).await;
            worker.barrier().await;
            for body in &it.bodies {
                self.insert(&worker, *body).await;
            }
            worker.barrier().await;
            self.sum(&worker, &mut it.log).await;
            worker.barrier().await;
            self.choose(&worker, &mut it).await;
            worker.barrier().await;
            self.pull(&worker, &mut it).await;
            worker.barrier().await;
            self.advance(&worker, &mut it, step == 0).await;
            worker.barrier().await;
        }
        self.span.over(worker.end());
        self.end(&worker, &mut it).await;
    }

    fn reach(&self, bodies: &[u32]) -> f64 {
        let all = &self.memory.shadow.borrow().bodies;
        galaxy::reach(bodies.iter().map(|body| &all[*body as usize]))
    }

    /// All agree on the root's cube; the first makes an empty root.
    async fn plant(&self, worker: &Worker, it: &Own) {
        let own = worker.id();
        // The bits of numbers that are not negative are in the order of the numbers.
        let reach = worker.reduce(&self.collectives[own], it.reach.to_bits(), u64::max).await;
        if own == 0 {
            self.memory.shadow.borrow_mut().tree = Octree::new(f64::from_bits(reach), worker.workers());
            let root = [Portion::CellSlots, Portion::CellHead].map(|portion| Access::write(portion, 0));
            self.memory.replay(worker, &root).await;
        }
    }

    /// Puts a body into the tree.
    async fn insert(&self, worker: &Worker, body: u32) {
        let mut insertion = Insertion::new(&self.memory.shadow.borrow().tree, worker.id(), body);
        let next = |insertion: &mut Insertion| {
            let shadow = &mut *self.memory.shadow.borrow_mut();
            insertion.next(&mut shadow.tree, &shadow.bodies)
        };
        loop {
            match next(&mut insertion) {
                InsertionAct::Look(access) => insertion.saw(self.memory.look(worker, access).await),
                InsertionAct::Access(access) => self.memory.access(worker, access).await,
                InsertionAct::Compute(instructions) => worker.compute(instructions).await,
                InsertionAct::Lock(cell) => worker.lock(cell % LOCKS).await,
                InsertionAct::Unlock(cell) => worker.unlock(cell % LOCKS).await,
                InsertionAct::Done => return,
            }
        }
    }

    /// Makes the moments of the processor's cells, latest first, when those of their children are there.
    async fn sum(&self, worker: &Worker, log: &mut Vec<Access>) {
        let shadow = &self.memory.shadow;
        let made = shadow.borrow().tree.made[worker.id()].clone();
        for cell in made.into_iter().rev() {
            let children: Vec<u32> = match &shadow.borrow().tree {
                tree if tree.cells[cell as usize].is_divided => tree.children(cell).collect(),
                _ => Vec::new(),
            };
            for child in children {
                self.memory.wait_for_moments(worker, child).await;
            }
            log.clear();
            let moments = {
                let shadow = &*shadow.borrow();
                moments::of(&shadow.tree, &shadow.bodies, cell, log)
            };
            self.memory.replay(worker, log).await;
            log.clear();
            moments.put(&mut shadow.borrow_mut().tree, cell, log);
            self.memory.replay(worker, log).await;
        }
    }

    /// Finds which bodies are the processor's now.
    async fn choose(&self, worker: &Worker, it: &mut Own) {
        it.log.clear();
        it.bodies = {
            let shadow = &*self.memory.shadow.borrow();
            zones::zone(&shadow.tree, &shadow.bodies, worker.id(), worker.workers(), &mut it.log)
        };
        self.memory.replay(worker, &it.log).await;
    }

    /// The forces on the processor's bodies.
    async fn pull(&self, worker: &Worker, it: &mut Own) {
        for body in &it.bodies {
            it.log.clear();
            let pull = {
                let shadow = &*self.memory.shadow.borrow();
                force::pull(&self.galaxy, &shadow.tree, &shadow.bodies, *body, &mut it.log)
            };
            self.memory.replay(worker, &it.log).await;
            self.interactions.set(self.interactions.get() + pull.interactions);
            pull.put(&mut self.memory.shadow.borrow_mut().bodies[*body as usize]);
            let made = [Portion::BodyForce, Portion::BodyCost].map(|portion| Access::write(portion, *body));
            self.memory.replay(worker, &made).await;
        }
    }

    /// Moves the processor's bodies.
    async fn advance(&self, worker: &Worker, it: &mut Own, is_first: bool) {
        for body in &it.bodies {
            let read = [Portion::BodyMoment, Portion::BodyVelocity, Portion::BodyForce];
            self.memory.replay(worker, &read.map(|portion| Access::read(portion, *body))).await;
            worker.compute(costs::ADVANCE).await;
            self.galaxy.advance(&mut self.memory.shadow.borrow_mut().bodies[*body as usize], is_first);
            let moved = [Portion::BodyMoment, Portion::BodyVelocity].map(|portion| Access::write(portion, *body));
            self.memory.replay(worker, &moved).await;
        }
        it.reach = self.reach(&it.bodies);
    }

    /// Reads all of the processor's bodies, and compares them with a serial run.
    async fn end(&self, worker: &Worker, it: &mut Own) {
        it.log.clear();
        it.log.extend(it.bodies.iter().flat_map(|body| Portion::BODY.map(|portion| Access::read(portion, *body))));
        self.memory.replay(worker, &it.log).await;
        let bodies = &self.memory.shadow.borrow().bodies;
        let same = it.bodies.iter().all(|body| bodies[*body as usize] == self.answer[*body as usize]);
        assert!(same, "the bodies are not where a serial run has them: a model moved wrong bytes");
    }
}

impl RunningWorkload for Run {
    fn metrics(&self, world: &World, outcome: &Outcome) -> Vec<Metric> {
        let forces = self.steps * self.galaxy.bodies as u64;
        let interactions = once(outcome.is_complete(), self.interactions.get() as f64 / forces as f64);
        let own = [
            self.span.metric_each("barnes.cycles_per_step", self.steps, outcome),
            Metric::new("barnes.interactions_per_body", interactions, ""),
            fault_metric(&self.workers),
        ];
        parallel::metrics(world, own)
    }
}
