//! The program of a processor, and the check of its result.

use super::fixed::{self, Force, Vector};
use super::liquid::Liquid;
use super::pairs::PairList;
use super::serial::{self, Trajectory};
use super::split::{FORCE_BYTES, Split, VECTOR_BYTES};
use super::{costs, motion, sending, shared};
use crate::engine::{EndpointId, Metric, Outcome};
use crate::messaging::World;
use crate::messaging::shared::{SharedAddress, Space};
use crate::part::{ParameterError, Part, PartInfo, ResultName};
use crate::program::worker::{self, Worker, fault_metric};
use crate::program::{RunningWorkload, input::partition, parallel};
use crate::program::{WorkloadNeeds, WorkloadSpec};
use crate::text::{ParameterChoice, Parameters};
use std::cell::RefCell;
use std::ops::Range;
use std::rc::Rc;

/// The parameters of moldyn.
#[derive(Clone, PartialEq, Debug, Parameters)]
#[param(meaning = Load)]
pub struct Moldyn {
    /// Number of unit cells of four particles along a side; 8 cells have 2048 particles.
    #[param(min = 1, max = 24, default = 4)]
    pub cells: u64,
    /// Number of iterations.
    #[param(min = 1, max = 1_000, default = 2, meaning = Repetitions)]
    pub iterations: u64,
    /// Iterations between two builds of the lists of near pairs.
    #[param(min = 1, max = 1_000, default = 20)]
    pub list_every: u64,
    /// Distance beyond which forces are neglected, in particle sizes (σ); at most half the side of the cube.
    #[param(min = 1.0, max = 100.0, default = Liquid::default().cutoff)]
    pub cutoff: f64,
    /// Range of the lists of near pairs, as a multiple of `cutoff`.
    #[param(min = 1.0, max = 10.0, default = Liquid::default().list_reach)]
    pub list_reach: f64,
    /// Communication of positions and forces: `ring` has positions in shared memory and adds up forces in a ring of
    /// bulk transfers; `transfers` sends all that a processor needs in bulk; `groups` sends messages of two particles;
    /// `loads` has both in shared memory.
    #[param(was = "sends", default = "ring")]
    pub exchange: MoldynExchange,
    /// Distance of the prefetch, in particles: a particle is prefetched this many particles before its use, with
    /// `exchange = "loads"`; 0 for no prefetches.
    #[param(max = 1_000, default = 0)]
    pub prefetch: u64,
}

/// The method by which positions and forces are communicated.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ParameterChoice)]
pub enum MoldynExchange {
    /// Positions are in shared memory; a ring of transfers adds up forces.
    Ring,
    /// All positions or forces that a processor needs from another in one message.
    Transfers,
    /// Messages of a few particles each.
    Groups,
    /// Positions and forces are in shared memory.
    Loads,
}

impl Moldyn {
    fn liquid(&self) -> Liquid {
        let Moldyn { cutoff, list_reach, list_every, .. } = *self;
        Liquid { cells_per_side: self.cells as usize, cutoff, list_reach, list_every, ..Liquid::default() }
    }
}

/// Names that the part adds to results.
const RESULTS: &[ResultName] = &[ResultName::metric(
    "moldyn.cycles_per_iteration",
    "cycles",
    "Length of an iteration, the mean over the measured iterations",
)];

impl Part for Moldyn {
    const INFO: PartInfo =
        PartInfo::new("moldyn", "Molecules of a liquid, with shared memory and bulk transfers, on all nodes")
            .results(RESULTS)
            .small_input("cells = 1\niterations = 2\nlist-every = 1");
}

impl WorkloadSpec for Moldyn {
    fn needs(&self) -> WorkloadNeeds {
        WorkloadNeeds {
            shared_memory: matches!(self.exchange, MoldynExchange::Ring | MoldynExchange::Loads),
            ..WorkloadNeeds::active_messages()
        }
    }

    fn check_endpoints(&self, processors: usize) -> Vec<ParameterError> {
        let particles = self.liquid().particle_count() as u64;
        let remote_particles = particles - particles.div_ceil(processors as u64);
        let prefetch_message = || {
            format!(
                "a prefetch {} particles ahead is too far: a processor reads at most {remote_particles} particles of others",
                self.prefetch
            )
        };
        (self.prefetch > 0 && self.prefetch >= remote_particles)
            .then(|| {
                ParameterError::new("prefetch", prefetch_message())
                    .help(format!("at most {}", remote_particles.saturating_sub(1)))
            })
            .into_iter()
            .collect()
    }

    fn start(&self, world: &World) -> Rc<dyn RunningWorkload> {
        let liquid = self.liquid();
        let initial_molecules = liquid.initial_state(world.seed);
        let processors = world.endpoint_map.len();
        let split = Split::new(&partition::by_coordinates(&initial_molecules.positions, processors), processors);
        let initial_molecules = split.renumbered(&initial_molecules);
        let space = Rc::new(Space::new(processors, world.shared_memory.block));
        let allocate = |particle_bytes: usize| {
            let bytes = |processor| (split.particles(processor).len() * particle_bytes) as u64;
            (0..processors).map(|home| space.allocate(EndpointId(home as u32), bytes(home))).collect::<Vec<_>>()
        };
        let position_areas = allocate(VECTOR_BYTES);
        let force_areas =
            if self.exchange == MoldynExchange::Loads { allocate(shared::FORCE_BLOCKS_BYTES) } else { Vec::new() };
        let shares_memory = matches!(self.exchange, MoldynExchange::Ring | MoldynExchange::Loads);
        let workers = if shares_memory { Worker::all(world, &space) } else { Vec::new() };
        let run = Rc::new(MoldynRun {
            parameters: self.clone(),
            seed: world.seed,
            arrived_segments: (0..processors).map(|_| Rc::default()).collect(),
            results: RefCell::new(vec![None; processors]),
            timed_section: parallel::TimedSection::default(),
            liquid,
            split,
            initial_vectors: (initial_molecules.positions, initial_molecules.velocities),
            position_areas,
            force_areas,
            workers,
        });
        match self.exchange {
            MoldynExchange::Ring => run.clone().start_ring(world),
            MoldynExchange::Loads => run.clone().start_loading(world),
            MoldynExchange::Transfers | MoldynExchange::Groups => sending::start(&run, world),
        }
        run
    }
}

pub(super) struct MoldynRun {
    pub parameters: Moldyn,
    seed: u64,
    pub liquid: Liquid,
    pub split: Split,
    /// Initial positions and velocities, by new number.
    pub initial_vectors: (Vec<Vector>, Vec<Vector>),
    /// Address of the positions of each processor's particles.
    position_areas: Vec<SharedAddress>,
    /// If forces are in shared memory, the address of the forces of other processors' pairs on each processor's
    /// particles.
    pub force_areas: Vec<SharedAddress>,
    pub workers: Vec<Rc<Worker>>,
    /// Segments of the ring that have arrived at each processor and are not yet processed, in order.
    arrived_segments: Vec<Rc<RefCell<Vec<Vec<u32>>>>>,
    /// Results of the processors that are done.
    results: RefCell<Vec<Option<ProcessorResult>>>,
    pub timed_section: parallel::TimedSection,
}

/// The result of a processor: positions and velocities of its particles, and the energies of each iteration.
type ProcessorResult = (Vec<Vector>, Vec<Vector>, Vec<[i64; 2]>);

/// The private state of a processor.
pub(super) struct ProcessorState {
    pub positions: Vec<Vector>,
    pub velocities: Vec<Vector>,
    /// Sums of the forces on each particle.
    pub force_sums: Vec<Force>,
    pub list: PairList,
    pub energies: Vec<[i64; 2]>,
}

impl MoldynRun {
    /// Starts the programs that add up forces in a ring.
    fn start_ring(self: Rc<MoldynRun>, world: &World) {
        worker::start(world, &self.workers, |worker| {
            // A handler that owned the run, which owns its endpoint, would keep both alive for ever.
            let arrived_segments = self.arrived_segments[worker.id()].clone();
            worker.endpoint().on_transfer(move |_, _, words| arrived_segments.borrow_mut().push(words));
            self.clone().run_program(worker)
        });
    }

    /// Returns the initial state of a processor.
    pub fn initial_state(&self) -> ProcessorState {
        ProcessorState {
            positions: self.initial_vectors.0.clone(),
            velocities: self.initial_vectors.1.clone(),
            force_sums: vec![Force::default(); self.liquid.particle_count()],
            list: PairList::default(),
            energies: Vec::new(),
        }
    }

    /// Runs the program of a processor with a ring.
    async fn run_program(self: Rc<Self>, worker: Rc<Worker>) {
        let own_particles = self.split.particles(worker.id());
        let mut state = self.initial_state();
        worker.barrier().await;
        self.timed_section.mark_start(worker.endpoint());
        for iteration in 0..self.parameters.iterations {
            self.drift(&worker, &mut state).await;
            worker.barrier().await;
            if iteration.is_multiple_of(self.liquid.list_every) {
                self.make_list(&worker, &mut state, 0..self.liquid.particle_count()).await;
            }
            let potential = self.compute_forces(&worker, &mut state).await;
            self.reduce_forces_in_ring(&worker, &mut state).await;
            worker.compute(costs::KICK * own_particles.len() as u64).await;
            self.kick(own_particles.clone(), &mut state, potential);
        }
        worker.barrier().await;
        self.finish(&worker, state);
    }

    /// Kicks a processor's own particles, and records the energies.
    pub fn kick(&self, own_particles: Range<usize>, state: &mut ProcessorState, potential: i64) {
        let kinetic_energies = own_particles
            .map(|particle| motion::kick(&self.liquid, &mut state.velocities[particle], state.force_sums[particle]));
        state.energies.push([potential, kinetic_energies.fold(0, i64::wrapping_add)]);
    }

    /// Ends the timed section of a processor, and stores its result.
    pub fn finish(&self, worker: &Worker, state: ProcessorState) {
        let own_particles = self.split.particles(worker.id());
        self.timed_section.mark_end(worker.endpoint());
        let [positions, velocities] =
            [&state.positions, &state.velocities].map(|vectors| vectors[own_particles.clone()].to_vec());
        self.check_result(worker.id(), (positions, velocities, state.energies));
    }

    /// Moves the processor's own particles, and writes their positions.
    pub async fn drift(&self, worker: &Worker, state: &mut ProcessorState) {
        for particle in self.split.particles(worker.id()) {
            motion::drift(
                &self.liquid,
                &mut state.positions[particle],
                &mut state.velocities[particle],
                state.force_sums[particle],
            );
            worker.compute(costs::DRIFT).await;
            let address = self.address(particle);
            for (axis, value) in (0..).zip(state.positions[particle]) {
                worker.store_f64(address.plus(8 * axis), value).await;
            }
        }
    }

    /// Returns the address of a particle's position.
    pub fn address(&self, particle: usize) -> SharedAddress {
        let processor = self.split.owner(particle);
        let first = self.split.particles(processor).start;
        self.position_areas[processor].plus(((particle - first) * VECTOR_BYTES) as u32)
    }

    /// Loads the positions of other processors' particles. Each is loaded once in an iteration; further loads hit the
    /// cache and are part of the instructions.
    async fn load_positions(&self, worker: &Worker, positions: &mut [Vector], particles: impl Iterator<Item = usize>) {
        for particle in particles {
            self.load_position(worker, positions, particle).await;
        }
    }

    /// Loads the position of one particle.
    pub async fn load_position(&self, worker: &Worker, positions: &mut [Vector], particle: usize) {
        let address = self.address(particle);
        for (axis, value) in (0..).zip(&mut positions[particle]) {
            *value = worker.load_f64(address.plus(8 * axis)).await;
        }
    }

    /// Builds the list of a processor's pairs from positions that are loaded in `order`, which contains all particles.
    pub async fn make_list(&self, worker: &Worker, state: &mut ProcessorState, order: impl Iterator<Item = usize>) {
        let (own_particles, particle_count) = (self.split.particles(worker.id()), self.liquid.particle_count());
        self.load_positions(worker, &mut state.positions, order.filter(|particle| !own_particles.contains(particle)))
            .await;
        state.list = PairList::new(&self.liquid, &state.positions, own_particles.clone());
        worker.compute(costs::make_list(own_particles.len(), particle_count, state.list.pair_count())).await;
    }

    /// Computes the forces of the processor's pairs; returns their potential energy.
    async fn compute_forces(&self, worker: &Worker, state: &mut ProcessorState) -> i64 {
        let remote_particles: Vec<usize> =
            state.list.remote_partners().iter().map(|particle| *particle as usize).collect();
        self.load_positions(worker, &mut state.positions, remote_particles.into_iter()).await;
        state.force_sums.fill(Force::default());
        let (interacting_pairs, potential) =
            state.list.add_forces(&self.liquid, &state.positions, &mut state.force_sums);
        let (particle_count, own_particles) = (self.liquid.particle_count(), self.split.particles(worker.id()).len());
        worker.compute(costs::forces(particle_count, own_particles, state.list.pair_count(), interacting_pairs)).await;
        potential
    }

    /// Adds up forces in a ring: in each step, a segment is sent to the next processor as one transfer.
    async fn reduce_forces_in_ring(&self, worker: &Worker, state: &mut ProcessorState) {
        let (rank, step_count) = (worker.id(), self.split.parts());
        let next = parallel::endpoint_id((rank + 1) % step_count);
        for step in 0..if step_count > 1 { step_count } else { 0 } {
            let segment = &state.force_sums[self.split.particles(self.split.sent_segment_owner(rank, step))];
            let words: Vec<u32> = segment.iter().flatten().flat_map(|sum| [*sum as u32, (*sum >> 32) as u32]).collect();
            worker.transfer(next, &words).await;
            worker.wait_until(|| !self.arrived_segments[rank].borrow().is_empty()).await;
            let words = self.arrived_segments[rank].borrow_mut().remove(0);
            let forces: Vec<Force> = words.chunks(FORCE_BYTES / 4).map(fixed::from_words).collect();
            worker.compute(costs::RING_ADD * forces.len() as u64).await;
            self.split.accumulate(rank, step, &forces, &mut state.force_sums);
        }
    }

    /// Stores a processor's result; the last processor compares all results with a serial run.
    pub fn check_result(&self, processor: usize, result: ProcessorResult) {
        self.results.borrow_mut()[processor] = Some(result);
        let Some(results) = self.results.borrow().iter().cloned().collect::<Option<Vec<_>>>() else { return };
        let Trajectory { molecules, energies } = serial::run(&self.liquid, self.seed, self.parameters.iterations);
        let molecules = self.split.renumbered(&molecules);
        let concatenated =
            |field: fn(&ProcessorResult) -> &Vec<Vector>| results.iter().flat_map(field).copied().collect::<Vec<_>>();
        let is_equal = concatenated(|result| &result.0) == molecules.positions
            && concatenated(|result| &result.1) == molecules.velocities;
        assert!(is_equal, "the molecules differ from those of a serial run: a model corrupted data");
        let energy_sum = |iteration: usize, kind: usize| {
            results.iter().fold(0i64, |sum, result| sum.wrapping_add(result.2[iteration][kind]))
        };
        assert!(
            (0..energies.len())
                .all(|iteration| [energy_sum(iteration, 0), energy_sum(iteration, 1)] == energies[iteration]),
            "the energies differ from those of a serial run"
        );
    }
}

impl RunningWorkload for MoldynRun {
    fn metrics(&self, world: &World, outcome: &Outcome) -> Vec<Metric> {
        let per_iteration =
            self.timed_section.metric_per_iteration("moldyn.cycles_per_iteration", self.parameters.iterations, outcome);
        let faults = (!self.workers.is_empty()).then(|| fault_metric(&self.workers));
        parallel::metrics(world, [per_iteration].into_iter().chain(faults))
    }
}
