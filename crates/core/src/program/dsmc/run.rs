//! The parameters, the program of a processor, and the check of the results.

use super::flow::{self, STATE_BYTES};
use super::{
    CELL_INSTRUCTIONS, COLLISION_INSTRUCTIONS, CellState, Collisions, GRADIENT_INSTRUCTIONS, Gas, GasShare, GasSize,
    ITERATIONS, MOVE_INSTRUCTIONS, Molecule, PAIR_INSTRUCTIONS, RECEIVE_INSTRUCTIONS, SORT_INSTRUCTIONS,
    STATE_INSTRUCTIONS,
};
use crate::engine::{EndpointId, Metric, Outcome};
use crate::messaging::World;
use crate::messaging::shared::{SharedAddress, Space};
use crate::part::{ParameterError, Part, PartInfo, ResultName};
use crate::program::collective::Collective;
use crate::program::input::partition;
use crate::program::worker::{self, Worker, fault_metric};
use crate::program::{Objective, WorkloadNeeds, WorkloadSpec};
use crate::program::{RunningWorkload, parallel};
use crate::text::Parameters;
use std::cell::{Cell, RefCell};
use std::rc::Rc;

/// The parameters of Dsmc.
#[derive(Clone, PartialEq, Debug, Parameters)]
#[param(meaning = Load)]
pub struct Dsmc {
    /// Size of the gas.
    #[param(flatten)]
    pub size: GasSize,
    /// Number of iterations, each of a movement and collisions.
    #[param(min = 1, max = 1000, default = ITERATIONS, meaning = Repetitions)]
    pub iterations: u64,
    /// Whether a processor checks in its copies of other processors' cell states after it has read them, instead of
    /// keeping them until they are invalidated.
    #[param(default = false, meaning = Policy)]
    pub check_in: bool,
}

/// Handler of a message with a molecule. Its words are the iteration in which it was sent, then the molecule.
const MOLECULE_HANDLER: u8 = 0;
/// Handler of the number of molecules sent in an even iteration; the handler for odd ones is [`COUNT_HANDLER`] + 1.
const COUNT_HANDLER: u8 = 1;

/// Instructions to handle the number of molecules sent (chosen: two loads, two additions, two stores, two for
/// addresses).
const COUNT_INSTRUCTIONS: u64 = 8;

/// The numbers of molecules that other processors have reported to a processor, in even and in odd iterations.
#[derive(Default)]
struct ReportedCounts {
    /// Number of processors that have reported.
    report_counts: [Cell<usize>; 2],
    /// Number of molecules that they have sent.
    molecule_counts: [Cell<u64>; 2],
}

/// The result of a processor: its molecules, the collisions of all processors, and the dissipation of its cells.
type ProcessorResult = (Vec<Molecule>, Collisions, Vec<f64>);

/// A run in progress.
pub(super) struct GasRun {
    iterations: u64,
    checks_in: bool,
    pub(super) gas: Gas,
    shares: Vec<RefCell<GasShare>>,
    reported_counts: Vec<ReportedCounts>,
    /// Address of the states of each processor's cells.
    state_areas: Vec<SharedAddress>,
    workers: RefCell<Vec<Rc<Worker>>>,
    /// Number of molecules sent to another processor.
    migrations: Cell<u64>,
    timed_section: parallel::TimedSection,
    results: RefCell<Vec<Option<ProcessorResult>>>,
}

/// Names that the part adds to results.
const RESULTS: &[ResultName] = &[
    ResultName::metric("dsmc.cycles", "cycles", "Length of the measured iterations"),
    ResultName::metric("dsmc.migrations", "", "Molecules that moved to another node"),
];

impl Part for Dsmc {
    const INFO: PartInfo = PartInfo::new("dsmc", "Molecules of a gas that move from node to node")
        .results(RESULTS)
        .small_input("cells = [4, 2, 2]\nmolecules = 40\niterations = 2");
}

impl WorkloadSpec for Dsmc {
    fn needs(&self) -> WorkloadNeeds {
        WorkloadNeeds { shared_memory: true, ..WorkloadNeeds::active_messages() }
    }

    fn check_endpoints(&self, processors: usize) -> Vec<ParameterError> {
        let cells = self.size.cell_count();
        let too_few_cells = || {
            ParameterError::new("cells", format!("{cells} cells are too few for {processors} processors"))
                .help(format!("choose dimensions with {processors} cells or more in all, or fewer processors"))
        };
        (cells < processors).then(too_few_cells).into_iter().collect()
    }

    fn objective(&self) -> Option<Objective> {
        Objective::minimize("dsmc.cycles")
    }

    fn start(&self, world: &World) -> Rc<dyn RunningWorkload> {
        let processors = world.endpoint_map.len();
        let space = Rc::new(Space::new(processors, world.shared_memory.block));
        let gas_run = Rc::new(GasRun::new(self, processors, world.seed, &space));
        let workers = Worker::all(world, &space);
        worker::start(world, &workers, |worker| {
            let processor = worker.id();
            // A handler that owned the run, which owns its endpoint, would keep both alive for ever.
            let (weak_run, collective) = (Rc::downgrade(&gas_run), Rc::<Collective>::default());
            parallel::set_handler(worker.endpoint(), &collective, move |_, handler, words| {
                let gas_run = weak_run.upgrade().expect("a run lives while its messages are handled");
                gas_run.handle(processor, handler, words)
            });
            run(worker, collective, gas_run.clone())
        });
        *gas_run.workers.borrow_mut() = workers;
        gas_run
    }
}

/// Runs the program of a processor.
async fn run(worker: Rc<Worker>, collective: Rc<Collective>, gas_run: Rc<GasRun>) {
    let (own_processor, endpoint) = (worker.id(), worker.endpoint().clone());
    let (share, reported_counts) = (&gas_run.shares[own_processor], &gas_run.reported_counts[own_processor]);
    let mut collisions = Collisions::default();
    let mut flow = LocalFlow::new(&gas_run, own_processor);
    gas_run.timed_section.begin(&endpoint, &collective).await;
    for iteration in 0..gas_run.iterations {
        advance(&worker, &gas_run, iteration).await;
        let parity = iteration as usize % 2;
        let have_all_reported = || reported_counts.report_counts[parity].get() + 1 == worker.workers();
        let has_received_all =
            || share.borrow().received_count(iteration) == reported_counts.molecule_counts[parity].get();
        worker.wait_until(|| have_all_reported() && has_received_all()).await;
        reported_counts.report_counts[parity].set(0);
        reported_counts.molecule_counts[parity].set(0);
        collisions.add(collide(&worker, &gas_run, iteration).await);
        flow.update(&worker, &gas_run).await;
    }
    let pairs = worker.reduce(&collective, collisions.pairs, u64::wrapping_add).await;
    let collided_pairs = worker.reduce(&collective, collisions.collided_pairs, u64::wrapping_add).await;
    gas_run.timed_section.end(&endpoint, &collective).await;
    let molecules = share.borrow().molecules().copied().collect();
    gas_run.finish(own_processor, (molecules, Collisions { pairs, collided_pairs }, flow.dissipation));
}

/// Collides the molecules of all cells of the processor.
async fn collide(worker: &Worker, gas_run: &GasRun, iteration: u64) -> Collisions {
    let share = &gas_run.shares[worker.id()];
    let (cells, mut collisions) = (share.borrow().cells.len(), Collisions::default());
    for index in 0..cells {
        let cell_collisions = share.borrow_mut().collide(&gas_run.gas, iteration, index);
        collisions.add(cell_collisions);
    }
    let sorting_instructions = SORT_INSTRUCTIONS * share.borrow().molecule_count() as u64;
    let pair_instructions = PAIR_INSTRUCTIONS * collisions.pairs + COLLISION_INSTRUCTIONS * collisions.collided_pairs;
    worker.compute(CELL_INSTRUCTIONS * cells as u64 + pair_instructions + sorting_instructions).await;
    collisions
}

/// The states of the cells of which a processor has a copy, and the dissipation of the processor's own cells.
struct LocalFlow {
    /// States of all cells of the box. Those of the processor's own cells and of cells adjacent to them are valid.
    states: Vec<CellState>,
    /// Cells of other processors that are adjacent to own cells.
    adjacent_cells: Vec<u32>,
    /// Dissipation of each own cell.
    dissipation: Vec<f64>,
}

impl LocalFlow {
    fn new(gas_run: &GasRun, own_processor: usize) -> LocalFlow {
        let share = gas_run.shares[own_processor].borrow();
        LocalFlow {
            states: vec![CellState::default(); gas_run.gas.size.cell_count()],
            adjacent_cells: share.adjacent_cells(&gas_run.gas),
            dissipation: vec![0.0; share.cells.len()],
        }
    }

    /// Writes the states of own cells, reads those of adjacent cells, and accumulates the dissipation. No processor
    /// writes its states again before all others have read them: it first waits for their reports of molecules, which
    /// they send after reading.
    async fn update(&mut self, worker: &Worker, gas_run: &GasRun) {
        let share = &gas_run.shares[worker.id()];
        for index in 0..self.dissipation.len() {
            let (cell, state) = (share.borrow().cells[index], share.borrow().state(index));
            self.states[cell as usize] = state;
            worker.compute(STATE_INSTRUCTIONS * state[0] as u64).await;
            let address = gas_run.state_address(cell);
            for (word, value) in (0..).zip(flow::state_words(state)) {
                worker.store(address.plus(8 * word), value).await;
            }
        }
        worker.barrier().await;
        for cell in &self.adjacent_cells {
            let address = gas_run.state_address(*cell);
            let words = [worker.load(address).await, worker.load(address.plus(8)).await];
            self.states[*cell as usize] = flow::state_from_words(words);
        }
        if gas_run.checks_in {
            for cell in &self.adjacent_cells {
                worker.check_in(gas_run.state_address(*cell)).await;
            }
        }
        for (index, sum) in self.dissipation.iter_mut().enumerate() {
            let cell = share.borrow().cells[index];
            *sum += flow::dissipation(cell, gas_run.gas.size.cells, |other| self.states[other as usize]);
        }
        worker.compute(GRADIENT_INSTRUCTIONS * self.dissipation.len() as u64).await;
    }
}

/// Moves a processor's molecules, sends those that leave it, and reports their numbers to all other processors.
async fn advance(worker: &Worker, gas_run: &GasRun, iteration: u64) {
    let (own_processor, share) = (worker.id(), &gas_run.shares[worker.id()]);
    let (cells, mut instructions) = (share.borrow().cells.len(), 0);
    for index in 0..cells {
        instructions += MOVE_INSTRUCTIONS * share.borrow().molecules_in_cell(index) as u64;
        let leaving_molecules = share.borrow_mut().advance(&gas_run.gas, iteration, index);
        for (to, molecule) in leaving_molecules {
            worker.compute(std::mem::take(&mut instructions)).await;
            let mut words = vec![iteration as u32];
            words.extend(molecule.words());
            gas_run.migrations.set(gas_run.migrations.get() + 1);
            worker.send(to, MOLECULE_HANDLER, &words).await;
        }
    }
    worker.compute(instructions).await;
    // Each processor begins with the one after it, so that they do not all send to the same processor.
    for to in (1..worker.workers()).map(|distance| (own_processor + distance) % worker.workers()) {
        let count = share.borrow().sent_counts()[to];
        worker.send(to, COUNT_HANDLER + (iteration % 2) as u8, &[count]).await;
    }
}

impl GasRun {
    pub(super) fn new(parameters: &Dsmc, processors: usize, seed: u64, space: &Space) -> GasRun {
        let gas = Gas::new(parameters.size, seed);
        let owners = partition::by_coordinates(&parameters.size.centres(), processors);
        let shares = GasShare::all(&gas, &owners, processors);
        let allocate_states = |(home, share): (u32, &GasShare)| {
            space.allocate(EndpointId(home), share.cells.len() as u64 * u64::from(STATE_BYTES))
        };
        GasRun {
            iterations: parameters.iterations,
            checks_in: parameters.check_in,
            state_areas: (0..).zip(&shares).map(allocate_states).collect(),
            workers: RefCell::default(),
            shares: shares.into_iter().map(RefCell::new).collect(),
            gas,
            reported_counts: (0..processors).map(|_| ReportedCounts::default()).collect(),
            migrations: Cell::new(0),
            timed_section: parallel::TimedSection::default(),
            results: RefCell::new(vec![None; processors]),
        }
    }

    /// Returns the address of a cell's state.
    fn state_address(&self, cell: u32) -> SharedAddress {
        let (processor, index) = self.shares[0].borrow().owner_and_index(cell);
        self.state_areas[processor].plus(index * STATE_BYTES)
    }

    /// Handles a message, and returns the number of instructions that this takes.
    fn handle(&self, processor: usize, handler: u8, words: &[u32]) -> u64 {
        if handler != MOLECULE_HANDLER {
            let (reported_counts, parity) = (&self.reported_counts[processor], usize::from(handler - COUNT_HANDLER));
            reported_counts.report_counts[parity].set(reported_counts.report_counts[parity].get() + 1);
            reported_counts.molecule_counts[parity]
                .set(reported_counts.molecule_counts[parity].get() + u64::from(words[0]));
            return COUNT_INSTRUCTIONS;
        }
        let molecule = words[1..].try_into().expect("a molecule has eight words, after its iteration");
        self.shares[processor].borrow_mut().receive(words[0].into(), Molecule::from_words(molecule));
        RECEIVE_INSTRUCTIONS
    }

    /// Stores a processor's result; the last processor compares all results with a serial run.
    pub(super) fn finish(&self, processor: usize, result: ProcessorResult) {
        self.results.borrow_mut()[processor] = Some(result);
        let Some(results) = self.results.borrow().iter().cloned().collect::<Option<Vec<_>>>() else { return };
        let (serial_molecules, collisions, dissipation) = self.gas.run_serially(self.iterations);
        let same_collisions = results.iter().all(|(_, total, _)| *total == collisions);
        let same_flow = self.shares.iter().zip(&results).all(|(share, (_, _, own_dissipation))| {
            let cells = share.borrow().cells.clone();
            own_dissipation
                .iter()
                .zip(cells)
                .all(|(own_dissipation, cell)| own_dissipation.to_bits() == dissipation[cell as usize].to_bits())
        });
        let mut molecules: Vec<Molecule> = results.into_iter().flat_map(|(molecules, ..)| molecules).collect();
        molecules.sort_unstable_by_key(|molecule| molecule.number);
        let same_gas = molecules.iter().map(Molecule::words).eq(serial_molecules.iter().map(Molecule::words));
        let is_equal = same_gas && same_collisions && same_flow;
        assert!(is_equal, "the gas differs from that of a serial run: a model corrupted data");
    }
}

impl RunningWorkload for GasRun {
    fn metrics(&self, world: &World, outcome: &Outcome) -> Vec<Metric> {
        let workload_metrics = [
            self.timed_section.metric("dsmc.cycles", outcome),
            Metric::count("dsmc.migrations", self.migrations.get() as f64, ""),
            fault_metric(&self.workers.borrow()),
        ];
        parallel::metrics(world, workload_metrics)
    }
}
