//! The program of a processor, and the check of its answer.

use super::fixed::{self, Force, Vector};
use super::liquid::Liquid;
use super::pairs::PairList;
use super::serial::{self, Trajectory};
use super::split::{FORCE_BYTES, Split, VECTOR_BYTES};
use super::{costs, motion};
use crate::engine::{EndId, Metric, Outcome};
use crate::messaging::World;
use crate::messaging::shared::{SharedAddress, Space};
use crate::program::worker::{self, Worker, fault_metric};
use crate::program::{Running, input::partition, parallel};
use crate::text::Table;
use std::cell::RefCell;
use std::rc::Rc;

/// The parameters of moldyn.
#[derive(Clone, Debug)]
pub struct Moldyn {
    /// Unit cells of the lattice along a side, of four particles each.
    pub cells: u64,
    /// Iterations.
    pub iterations: u64,
    /// Iterations from one making of the lists of pairs to the next.
    pub list_every: u64,
}

impl Moldyn {
    /// Reads them.
    pub fn read(t: &mut Table<'_>) -> Moldyn {
        let lists = "Iterations from one making of the lists of near pairs to the next";
        Moldyn {
            cells: t.count("cells", "Unit cells of four particles along a side: 8 make 2048").range(1, 24).or(4),
            iterations: t.count("iterations", "Iterations").range(1, 1_000).or(2),
            list_every: t.count("list-every", lists).range(1, 1_000).or(20),
        }
    }

    pub(in crate::program) fn start(&self, world: &World) -> Rc<dyn Running> {
        let liquid = Liquid { cells: self.cells as usize, list_every: self.list_every, ..Liquid::default() };
        let begin = liquid.begin(world.seed);
        let processors = world.addresses.len();
        let split = Split::new(&partition::parts(&begin.positions, processors), processors);
        let begin = split.renumbered(&begin);
        let space = Rc::new(Space::new(processors, world.shared_memory.block));
        let bytes = |processor| (split.of(processor).len() * VECTOR_BYTES) as u64;
        let positions = (0..processors).map(|home| space.allocate(EndId(home as u32), bytes(home))).collect();
        let workers = Worker::all(world, &space);
        let run = Rc::new(Run {
            parameters: self.clone(),
            seed: world.seed,
            arrived: (0..processors).map(|_| Rc::default()).collect(),
            results: RefCell::new(vec![None; processors]),
            span: parallel::Span::default(),
            liquid,
            split,
            begin: (begin.positions, begin.velocities),
            positions,
            workers,
        });
        worker::start(world, &run.workers, |worker| {
            // An end that held the run, which holds it, would never be gone.
            let arrived = run.arrived[worker.id()].clone();
            worker.end().on_transfer(move |_, _, words| arrived.borrow_mut().push(words));
            run.clone().program(worker)
        });
        run
    }
}

struct Run {
    parameters: Moldyn,
    seed: u64,
    liquid: Liquid,
    split: Split,
    /// Positions and velocities at the beginning, by new number.
    begin: (Vec<Vector>, Vec<Vector>),
    /// By processor, where the positions of its particles are.
    positions: Vec<SharedAddress>,
    workers: Vec<Rc<Worker>>,
    /// By processor, the segments of the ring that have come and were not taken, in order.
    arrived: Vec<Rc<RefCell<Vec<Vec<u32>>>>>,
    /// By processor that is done: positions and velocities of its own, and the energies.
    results: RefCell<Vec<Option<OwnPart>>>,
    span: parallel::Span,
}

type OwnPart = (Vec<Vector>, Vec<Vector>, Vec<[i64; 2]>);

/// What a processor has of its own.
struct Own {
    positions: Vec<Vector>,
    velocities: Vec<Vector>,
    sums: Vec<Force>,
    list: PairList,
    energies: Vec<[i64; 2]>,
}

impl Run {
    /// The program of a processor.
    async fn program(self: Rc<Self>, worker: Rc<Worker>) {
        let own = self.split.of(worker.id());
        let mut it = Own {
            positions: self.begin.0.clone(),
            velocities: self.begin.1.clone(),
            sums: vec![Force::default(); self.liquid.particles()],
            list: PairList::default(),
            energies: Vec::new(),
        };
        worker.barrier().await;
        self.span.begun(worker.end());
        for iteration in 0..self.parameters.iterations {
            self.drift(&worker, &mut it).await;
            worker.barrier().await;
            if iteration.is_multiple_of(self.liquid.list_every) {
                self.make_list(&worker, &mut it).await;
            }
            let potential = self.forces(&worker, &mut it).await;
            self.ring(&worker, &mut it).await;
            worker.compute(costs::KICK * own.len() as u64).await;
            let kicked = own.clone().map(|at| motion::kick(&self.liquid, &mut it.velocities[at], it.sums[at]));
            it.energies.push([potential, kicked.fold(0, i64::wrapping_add)]);
        }
        worker.barrier().await;
        self.span.over(worker.end());
        let [positions, velocities] = [&it.positions, &it.velocities].map(|all| all[own.clone()].to_vec());
        self.end(worker.id(), (positions, velocities, it.energies));
    }

    /// Moves the processor's own particles, and writes where they are.
    async fn drift(&self, worker: &Worker, it: &mut Own) {
        for at in self.split.of(worker.id()) {
            motion::drift(&self.liquid, &mut it.positions[at], &mut it.velocities[at], it.sums[at]);
            worker.compute(costs::DRIFT).await;
            let place = self.place(at);
            for (axis, value) in (0..).zip(it.positions[at]) {
                worker.store_f64(place.plus(8 * axis), value).await;
            }
        }
    }

    /// Where the position of a particle is.
    fn place(&self, particle: usize) -> SharedAddress {
        let processor = self.split.processor(particle);
        let first = self.split.of(processor).start;
        self.positions[processor].plus(((particle - first) * VECTOR_BYTES) as u32)
    }

    /// Loads the positions of particles of others: once an iteration, since what is loaded again is in the
    /// cache, and among the instructions.
    async fn load(&self, worker: &Worker, positions: &mut [Vector], particles: impl Iterator<Item = usize>) {
        for particle in particles {
            let place = self.place(particle);
            for (axis, value) in (0..).zip(&mut positions[particle]) {
                *value = worker.load_f64(place.plus(8 * axis)).await;
            }
        }
    }

    async fn make_list(&self, worker: &Worker, it: &mut Own) {
        let (own, all) = (self.split.of(worker.id()), self.liquid.particles());
        self.load(worker, &mut it.positions, (0..all).filter(|at| !own.contains(at))).await;
        it.list = PairList::new(&self.liquid, &it.positions, own.clone());
        // Each pair is tested once, by either of its processors.
        let tests = own.len() as u64 * all as u64 / 2;
        worker.compute(costs::PAIR_TEST * tests + costs::PAIR_ENTER * it.list.pairs() as u64).await;
    }

    /// The forces of the processor's pairs; their potential energy.
    async fn forces(&self, worker: &Worker, it: &mut Own) -> i64 {
        let remote: Vec<usize> = it.list.remote().into_iter().map(|at| at as usize).collect();
        self.load(worker, &mut it.positions, remote.into_iter()).await;
        it.sums.fill(Force::default());
        let (interacting, potential) = it.list.forces(&self.liquid, &it.positions, &mut it.sums);
        let begins = costs::CLEAR * self.liquid.particles() as u64
            + costs::PARTICLE_BEGIN * self.split.of(worker.id()).len() as u64;
        let pairs = costs::PAIR_TEST * it.list.pairs() as u64 + costs::PAIR_FORCE * interacting as u64;
        worker.compute(begins + pairs).await;
        potential
    }

    /// Adds forces up: in each step a segment goes to the next processor, in bulk.
    async fn ring(&self, worker: &Worker, it: &mut Own) {
        let (own, steps) = (worker.id(), self.split.parts());
        let next = parallel::id((own + 1) % steps);
        for step in 0..if steps > 1 { steps } else { 0 } {
            let segment = &it.sums[self.split.of(self.split.sent(own, step))];
            let words: Vec<u32> = segment.iter().flatten().flat_map(|sum| [*sum as u32, (*sum >> 32) as u32]).collect();
            worker.transfer(next, &words).await;
            worker.wait_until(|| !self.arrived[own].borrow().is_empty()).await;
            let came = self.arrived[own].borrow_mut().remove(0);
            let came: Vec<Force> = came.chunks(FORCE_BYTES / 4).map(fixed::of_words).collect();
            worker.compute(costs::RING_ADD * came.len() as u64).await;
            self.split.take(own, step, &came, &mut it.sums);
        }
    }

    /// Keeps a processor's part; the last one compares them all with a serial run.
    fn end(&self, processor: usize, part: OwnPart) {
        self.results.borrow_mut()[processor] = Some(part);
        let Some(parts) = self.results.borrow().iter().cloned().collect::<Option<Vec<_>>>() else { return };
        let Trajectory { molecules, energies } = serial::run(&self.liquid, self.seed, self.parameters.iterations);
        let molecules = self.split.renumbered(&molecules);
        let of = |each: fn(&OwnPart) -> &Vec<Vector>| parts.iter().flat_map(each).copied().collect::<Vec<_>>();
        let same = of(|part| &part.0) == molecules.positions && of(|part| &part.1) == molecules.velocities;
        assert!(same, "the molecules are not where a serial run has them: a model moved wrong bytes");
        let sum = |at: usize, kind: usize| parts.iter().fold(0i64, |sum, part| sum.wrapping_add(part.2[at][kind]));
        assert!((0..energies.len()).all(|at| [sum(at, 0), sum(at, 1)] == energies[at]), "energies are those of one");
    }
}

impl Running for Run {
    fn metrics(&self, world: &World, outcome: &Outcome) -> Vec<Metric> {
        let each = self.span.metric_each("moldyn.cycles_per_iteration", self.parameters.iterations, outcome);
        parallel::metrics(world, [each, fault_metric(&self.workers)])
    }
}
