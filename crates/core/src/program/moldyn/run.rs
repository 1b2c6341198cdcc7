//! The program of a processor, and the check of its answer.

use super::fixed::{self, Force, Vector};
use super::liquid::Liquid;
use super::pairs::PairList;
use super::serial::{self, Trajectory};
use super::split::{FORCE_BYTES, Split, VECTOR_BYTES};
use super::{costs, motion, sending, shared};
use crate::engine::{EndId, Metric, Outcome};
use crate::messaging::World;
use crate::messaging::shared::{SharedAddress, Space};
use crate::part::{ParameterError, Part, PartInfo};
use crate::program::worker::{self, Worker, fault_metric};
use crate::program::{RunningWorkload, input::partition, parallel};
use crate::program::{WorkloadNeeds, WorkloadSpec};
use crate::text::{ParameterChoice, Parameters};
use std::cell::RefCell;
use std::ops::Range;
use std::rc::Rc;

/// The parameters of moldyn.
#[derive(Clone, PartialEq, Debug, Parameters)]
pub struct Moldyn {
    /// Unit cells of four particles along a side: 8 make 2048.
    #[param(min = 1, max = 24, default = 4)]
    pub cells: u64,
    /// Iterations.
    #[param(min = 1, max = 1_000, default = 2)]
    pub iterations: u64,
    /// Iterations from one making of the lists of near pairs to the next.
    #[param(min = 1, max = 1_000, default = 20)]
    pub list_every: u64,
    /// How far forces reach, in particles' sizes; at most half the cube.
    #[param(min = 1.0, max = 100.0, default = Liquid::default().cutoff)]
    pub cutoff: f64,
    /// How far lists of near pairs reach, in cut-offs of forces.
    #[param(min = 1.0, max = 10.0, default = Liquid::default().list_reach)]
    pub list_reach: f64,
    /// How positions and forces travel: positions in shared memory and a ring of forces; transfers of all that a
    /// processor needs of another; messages of two; or shared memory for both.
    #[param(default = "ring")]
    pub sends: Carrying,
    /// How many particles ahead shared memory is prefetched, without a ring; 0: it is not.
    #[param(max = 1_000, default = 0)]
    pub prefetch: u64,
}

/// How positions and forces travel.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ParameterChoice)]
pub enum Carrying {
    /// Positions are in shared memory; a ring of transfers adds up forces.
    Ring,
    /// All that a processor needs of another, or owes it, in one message.
    Transfers,
    /// The same in messages of a few.
    Groups,
    /// Both are in shared memory.
    Loads,
}

impl Moldyn {
    fn liquid(&self) -> Liquid {
        let Moldyn { cutoff, list_reach, list_every, .. } = *self;
        Liquid { cells: self.cells as usize, cutoff, list_reach, list_every, ..Liquid::default() }
    }
}

impl Part for Moldyn {
    const INFO: PartInfo =
        PartInfo::new("moldyn", "Molecules of a liquid, by shared memory and bulk transfers, on all nodes")
            .small_input("cells = 1\niterations = 2\nlist-every = 1");
}

impl WorkloadSpec for Moldyn {
    fn needs(&self) -> WorkloadNeeds {
        WorkloadNeeds {
            shared_memory: matches!(self.sends, Carrying::Ring | Carrying::Loads),
            ..WorkloadNeeds::default()
        }
    }

    fn check_endpoints(&self, processors: usize) -> Vec<ParameterError> {
        let particles = self.liquid().particles() as u64;
        let others = particles - particles.div_ceil(processors as u64);
        let ahead = || format!("a processor has at most {others} particles of others: none is {} ahead", self.prefetch);
        (self.prefetch > 0 && self.prefetch >= others)
            .then(|| ParameterError::new("prefetch", ahead()))
            .into_iter()
            .collect()
    }

    fn start(&self, world: &World) -> Rc<dyn RunningWorkload> {
        let liquid = self.liquid();
        let begin = liquid.begin(world.seed);
        let processors = world.addresses.len();
        let split = Split::new(&partition::parts(&begin.positions, processors), processors);
        let begin = split.renumbered(&begin);
        let space = Rc::new(Space::new(processors, world.shared_memory.block));
        let of = |each: usize| {
            let bytes = |processor| (split.of(processor).len() * each) as u64;
            (0..processors).map(|home| space.allocate(EndId(home as u32), bytes(home))).collect::<Vec<_>>()
        };
        let positions = of(VECTOR_BYTES);
        let forces = if self.sends == Carrying::Loads { of(shared::FORCE_BLOCKS_BYTES) } else { Vec::new() };
        let shares = matches!(self.sends, Carrying::Ring | Carrying::Loads);
        let workers = if shares { Worker::all(world, &space) } else { Vec::new() };
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
            forces,
            workers,
        });
        match self.sends {
            Carrying::Ring => run.clone().start_ring(world),
            Carrying::Loads => run.clone().start_loading(world),
            Carrying::Transfers | Carrying::Groups => sending::start(&run, world),
        }
        run
    }
}

pub(super) struct Run {
    pub parameters: Moldyn,
    seed: u64,
    pub liquid: Liquid,
    pub split: Split,
    /// Positions and velocities at the beginning, by new number.
    pub begin: (Vec<Vector>, Vec<Vector>),
    /// By processor, where the positions of its particles are.
    positions: Vec<SharedAddress>,
    /// And what others' pairs do to them, where that is in shared memory.
    pub forces: Vec<SharedAddress>,
    pub workers: Vec<Rc<Worker>>,
    /// By processor, the segments of the ring that have come and were not taken, in order.
    arrived: Vec<Rc<RefCell<Vec<Vec<u32>>>>>,
    /// By processor that is done: positions and velocities of its own, and the energies.
    results: RefCell<Vec<Option<OwnPart>>>,
    pub span: parallel::Span,
}

type OwnPart = (Vec<Vector>, Vec<Vector>, Vec<[i64; 2]>);

/// What a processor has of its own.
pub(super) struct Own {
    pub positions: Vec<Vector>,
    pub velocities: Vec<Vector>,
    pub sums: Vec<Force>,
    pub list: PairList,
    pub energies: Vec<[i64; 2]>,
}

impl Run {
    /// Starts the programs that add forces up in a ring.
    fn start_ring(self: Rc<Run>, world: &World) {
        worker::start(world, &self.workers, |worker| {
            // An end that held the run, which holds it, would never be gone.
            let arrived = self.arrived[worker.id()].clone();
            worker.end().on_transfer(move |_, _, words| arrived.borrow_mut().push(words));
            self.clone().program(worker)
        });
    }

    /// What each processor begins with.
    pub fn own(&self) -> Own {
        Own {
            positions: self.begin.0.clone(),
            velocities: self.begin.1.clone(),
            sums: vec![Force::default(); self.liquid.particles()],
            list: PairList::default(),
            energies: Vec::new(),
        }
    }

    /// The program of a processor, with a ring.
    async fn program(self: Rc<Self>, worker: Rc<Worker>) {
        let own = self.split.of(worker.id());
        let mut it = self.own();
        worker.barrier().await;
        self.span.begun(worker.end());
        for iteration in 0..self.parameters.iterations {
            self.drift(&worker, &mut it).await;
            worker.barrier().await;
            if iteration.is_multiple_of(self.liquid.list_every) {
                self.make_list(&worker, &mut it, 0..self.liquid.particles()).await;
            }
            let potential = self.forces(&worker, &mut it).await;
            self.ring(&worker, &mut it).await;
            worker.compute(costs::KICK * own.len() as u64).await;
            self.kick(own.clone(), &mut it, potential);
        }
        worker.barrier().await;
        self.over(&worker, it);
    }

    /// Kicks a processor's own particles, and notes the energies.
    pub fn kick(&self, own: Range<usize>, it: &mut Own, potential: i64) {
        let kicked = own.map(|at| motion::kick(&self.liquid, &mut it.velocities[at], it.sums[at]));
        it.energies.push([potential, kicked.fold(0, i64::wrapping_add)]);
    }

    /// A processor is done.
    pub fn over(&self, worker: &Worker, it: Own) {
        let own = self.split.of(worker.id());
        self.span.over(worker.end());
        let [positions, velocities] = [&it.positions, &it.velocities].map(|all| all[own.clone()].to_vec());
        self.end(worker.id(), (positions, velocities, it.energies));
    }

    /// Moves the processor's own particles, and writes where they are.
    pub async fn drift(&self, worker: &Worker, it: &mut Own) {
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
    pub fn place(&self, particle: usize) -> SharedAddress {
        let processor = self.split.processor(particle);
        let first = self.split.of(processor).start;
        self.positions[processor].plus(((particle - first) * VECTOR_BYTES) as u32)
    }

    /// Loads the positions of particles of others: once an iteration, since what is loaded again is in the
    /// cache, and among the instructions.
    async fn load(&self, worker: &Worker, positions: &mut [Vector], particles: impl Iterator<Item = usize>) {
        for particle in particles {
            self.load_position(worker, positions, particle).await;
        }
    }

    /// Loads the position of one.
    pub async fn load_position(&self, worker: &Worker, positions: &mut [Vector], particle: usize) {
        let place = self.place(particle);
        for (axis, value) in (0..).zip(&mut positions[particle]) {
            *value = worker.load_f64(place.plus(8 * axis)).await;
        }
    }

    /// Makes a processor's list, of positions that are loaded in an order of all particles.
    pub async fn make_list(&self, worker: &Worker, it: &mut Own, order: impl Iterator<Item = usize>) {
        let (own, all) = (self.split.of(worker.id()), self.liquid.particles());
        self.load(worker, &mut it.positions, order.filter(|at| !own.contains(at))).await;
        it.list = PairList::new(&self.liquid, &it.positions, own.clone());
        worker.compute(costs::make_list(own.len(), all, it.list.pairs())).await;
    }

    /// The forces of the processor's pairs; their potential energy.
    async fn forces(&self, worker: &Worker, it: &mut Own) -> i64 {
        let remote: Vec<usize> = it.list.remote().iter().map(|at| *at as usize).collect();
        self.load(worker, &mut it.positions, remote.into_iter()).await;
        it.sums.fill(Force::default());
        let (interacting, potential) = it.list.forces(&self.liquid, &it.positions, &mut it.sums);
        let (all, own) = (self.liquid.particles(), self.split.of(worker.id()).len());
        worker.compute(costs::forces(all, own, it.list.pairs(), interacting)).await;
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
    pub fn end(&self, processor: usize, part: OwnPart) {
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

impl RunningWorkload for Run {
    fn metrics(&self, world: &World, outcome: &Outcome) -> Vec<Metric> {
        let each = self.span.metric_each("moldyn.cycles_per_iteration", self.parameters.iterations, outcome);
        let faults = (!self.workers.is_empty()).then(|| fault_metric(&self.workers));
        parallel::metrics(world, [each].into_iter().chain(faults))
    }
}
