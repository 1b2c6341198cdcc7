//! The parameters, the program of a processor, and the check of what all have made.

use super::flow::{self, STATE_BYTES};
use super::{
    CELL_INSTRUCTIONS, COLLISION_INSTRUCTIONS, CellState, Collisions, GRADIENT_INSTRUCTIONS, Gas, GasShare, GasSize,
    ITERATIONS, MOVE_INSTRUCTIONS, Molecule, PAIR_INSTRUCTIONS, SORT_INSTRUCTIONS, STATE_INSTRUCTIONS,
    TAKE_INSTRUCTIONS,
};
use crate::engine::{EndId, Metric, Outcome};
use crate::messaging::World;
use crate::messaging::shared::{SharedAddress, Space};
use crate::part::{ParameterError, Part, PartInfo};
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
pub struct Dsmc {
    /// How large the gas is.
    #[param(flatten)]
    pub size: GasSize,
    /// Iterations: a flight and collisions.
    #[param(min = 1, max = 1000, default = ITERATIONS)]
    pub iterations: u64,
}

/// A molecule, with the iteration in which it was handed over.
const MOLECULE: u8 = 0;
/// How many molecules were handed over, in even iterations; [`COUNT`] + 1 is for odd ones.
const COUNT: u8 = 1;

/// Instructions to take a count (chosen: two loads, two additions, two stores, two of addresses).
const COUNT_INSTRUCTIONS: u64 = 8;

/// What others have told a processor, in even and in odd iterations.
#[derive(Default)]
struct Told {
    /// How many processors.
    by: [Cell<usize>; 2],
    /// How many molecules they handed over.
    molecules: [Cell<u64>; 2],
}

/// What a processor has made: its molecules, what collided on all, and what dissipated in its cells.
type Made = (Vec<Molecule>, Collisions, Vec<f64>);

/// A run in progress.
pub(super) struct Flight {
    iterations: u64,
    pub(super) gas: Gas,
    shares: Vec<RefCell<GasShare>>,
    told: Vec<Told>,
    /// By processor, where the states of its cells are.
    states: Vec<SharedAddress>,
    workers: RefCell<Vec<Rc<Worker>>>,
    /// Molecules that went to another processor.
    handed: Cell<u64>,
    span: parallel::Span,
    made: RefCell<Vec<Option<Made>>>,
}

impl Part for Dsmc {
    const INFO: PartInfo = PartInfo::new("dsmc", "Molecules of a gas that fly from node to node")
        .small_input("cells = [4, 2, 2]\nmolecules = 40\niterations = 2");
}

impl WorkloadSpec for Dsmc {
    fn needs(&self) -> WorkloadNeeds {
        WorkloadNeeds { shared_memory: true, ..WorkloadNeeds::default() }
    }

    fn check_endpoints(&self, processors: usize) -> Vec<ParameterError> {
        let cells = self.size.cells();
        let few = || ParameterError::new("cells", format!("{cells} cells are too few for {processors} processors"));
        (cells < processors).then(few).into_iter().collect()
    }

    fn objective(&self) -> Option<Objective> {
        Objective::minimize("dsmc.cycles")
    }

    fn start(&self, world: &World) -> Rc<dyn RunningWorkload> {
        let processors = world.addresses.len();
        let space = Rc::new(Space::new(processors, world.shared_memory.block));
        let flight = Rc::new(Flight::new(self, processors, world.seed, &space));
        let workers = Worker::all(world, &space);
        worker::start(world, &workers, |worker| {
            let processor = worker.id();
            // An end that held the run, which holds it, would never be gone.
            let (taking, collective) = (Rc::downgrade(&flight), Rc::<Collective>::default());
            parallel::take_by(worker.end(), &collective, move |_, handler, words| {
                let flight = taking.upgrade().expect("a run lives while its messages are taken");
                flight.take(processor, handler, words)
            });
            run(worker, collective, flight.clone())
        });
        *flight.workers.borrow_mut() = workers;
        flight
    }
}

/// The program of a processor.
async fn run(worker: Rc<Worker>, collective: Rc<Collective>, flight: Rc<Flight>) {
    let (own, end) = (worker.id(), worker.end().clone());
    let (share, told) = (&flight.shares[own], &flight.told[own]);
    let mut collisions = Collisions::default();
    let mut flow = OwnFlow::new(&flight, own);
    flight.span.begin(&end, &collective).await;
    for iteration in 0..flight.iterations {
        fly(&worker, &flight, iteration).await;
        let half = iteration as usize % 2;
        let all_told = || told.by[half].get() + 1 == worker.workers();
        worker.wait_until(|| all_told() && share.borrow().taken(iteration) == told.molecules[half].get()).await;
        told.by[half].set(0);
        told.molecules[half].set(0);
        collisions.add(collide(&worker, &flight, iteration).await);
        flow.step(&worker, &flight).await;
    }
    let pairs = worker.reduce(&collective, collisions.pairs, u64::wrapping_add).await;
    let collided = worker.reduce(&collective, collisions.collided, u64::wrapping_add).await;
    flight.span.end(&end, &collective).await;
    let molecules = share.borrow().molecules().copied().collect();
    flight.end(own, (molecules, Collisions { pairs, collided }, flow.dissipated));
}

/// Lets the molecules of all own cells collide.
async fn collide(worker: &Worker, flight: &Flight, iteration: u64) -> Collisions {
    let share = &flight.shares[worker.id()];
    let (cells, mut collisions) = (share.borrow().cells.len(), Collisions::default());
    for at in 0..cells {
        let of_cell = share.borrow_mut().collide(&flight.gas, iteration, at);
        collisions.add(of_cell);
    }
    let sorting = SORT_INSTRUCTIONS * share.borrow().count() as u64;
    let pairs = PAIR_INSTRUCTIONS * collisions.pairs + COLLISION_INSTRUCTIONS * collisions.collided;
    worker.compute(CELL_INSTRUCTIONS * cells as u64 + pairs + sorting).await;
    collisions
}

/// What a processor knows of the flow.
struct OwnFlow {
    /// By cell of the box; of own cells and those beside them.
    states: Vec<CellState>,
    /// The cells of others beside own ones.
    beside: Vec<u32>,
    /// By own cell.
    dissipated: Vec<f64>,
}

impl OwnFlow {
    fn new(flight: &Flight, own: usize) -> OwnFlow {
        let share = flight.shares[own].borrow();
        OwnFlow {
            states: vec![CellState::default(); flight.gas.size.cells()],
            beside: share.beside(&flight.gas),
            dissipated: vec![0.0; share.cells.len()],
        }
    }

    /// Makes the states of own cells, reads those beside them, and adds up what dissipates. Nobody writes them anew
    /// before all others have told how many molecules they sent then, which is after they have read.
    async fn step(&mut self, worker: &Worker, flight: &Flight) {
        let share = &flight.shares[worker.id()];
        for at in 0..self.dissipated.len() {
            let (cell, state) = (share.borrow().cells[at], share.borrow().state(at));
            self.states[cell as usize] = state;
            worker.compute(STATE_INSTRUCTIONS * state[0] as u64).await;
            let place = flight.place(cell);
            for (word, value) in (0..).zip(flow::words(state)) {
                worker.store(place.plus(8 * word), value).await;
            }
        }
        worker.barrier().await;
        for cell in &self.beside {
            let place = flight.place(*cell);
            let words = [worker.load(place).await, worker.load(place.plus(8)).await];
            self.states[*cell as usize] = flow::of_words(words);
        }
        for (at, sum) in self.dissipated.iter_mut().enumerate() {
            let cell = share.borrow().cells[at];
            *sum += flow::dissipation(cell, flight.gas.size.cells, |other| self.states[other as usize]);
        }
        worker.compute(GRADIENT_INSTRUCTIONS * self.dissipated.len() as u64).await;
    }
}

/// Lets a processor's molecules fly, hands those over that leave it, and tells all others how many these were.
async fn fly(worker: &Worker, flight: &Flight, iteration: u64) {
    let (own, share) = (worker.id(), &flight.shares[worker.id()]);
    let (cells, mut instructions) = (share.borrow().cells.len(), 0);
    for at in 0..cells {
        instructions += MOVE_INSTRUCTIONS * share.borrow().in_cell(at) as u64;
        let leaving = share.borrow_mut().fly(&flight.gas, iteration, at);
        for (to, molecule) in leaving {
            worker.compute(std::mem::take(&mut instructions)).await;
            let mut words = vec![iteration as u32];
            words.extend(molecule.words());
            flight.handed.set(flight.handed.get() + 1);
            worker.send(to, MOLECULE, &words).await;
        }
    }
    worker.compute(instructions).await;
    // It begins with the processor after it, so that not all send to the same one.
    for to in (1..worker.workers()).map(|distance| (own + distance) % worker.workers()) {
        let count = share.borrow().sent()[to];
        worker.send(to, COUNT + (iteration % 2) as u8, &[count]).await;
    }
}

impl Flight {
    pub(super) fn new(parameters: &Dsmc, processors: usize, seed: u64, space: &Space) -> Flight {
        let gas = Gas::new(parameters.size, seed);
        let owners = partition::parts(&parameters.size.centres(), processors);
        let shares = GasShare::all(&gas, &owners, processors);
        let area = |(home, share): (u32, &GasShare)| {
            space.allocate(EndId(home), share.cells.len() as u64 * u64::from(STATE_BYTES))
        };
        Flight {
            iterations: parameters.iterations,
            states: (0..).zip(&shares).map(area).collect(),
            workers: RefCell::default(),
            shares: shares.into_iter().map(RefCell::new).collect(),
            gas,
            told: (0..processors).map(|_| Told::default()).collect(),
            handed: Cell::new(0),
            span: parallel::Span::default(),
            made: RefCell::new(vec![None; processors]),
        }
    }

    /// Where the state of a cell is.
    fn place(&self, cell: u32) -> SharedAddress {
        let (processor, place) = self.shares[0].borrow().place(cell);
        self.states[processor].plus(place * STATE_BYTES)
    }

    /// Takes a message; the instructions that it costs.
    fn take(&self, processor: usize, handler: u8, words: &[u32]) -> u64 {
        if handler != MOLECULE {
            let (told, half) = (&self.told[processor], usize::from(handler - COUNT));
            told.by[half].set(told.by[half].get() + 1);
            told.molecules[half].set(told.molecules[half].get() + u64::from(words[0]));
            return COUNT_INSTRUCTIONS;
        }
        let molecule = words[1..].try_into().expect("a molecule has eight words, after its iteration");
        self.shares[processor].borrow_mut().take(words[0].into(), Molecule::of(molecule));
        TAKE_INSTRUCTIONS
    }

    /// Keeps what a processor has made; the last one compares all with a serial run.
    pub(super) fn end(&self, processor: usize, made: Made) {
        self.made.borrow_mut()[processor] = Some(made);
        let Some(made) = self.made.borrow().iter().cloned().collect::<Option<Vec<_>>>() else { return };
        let (serial, collisions, dissipated) = self.gas.serial(self.iterations);
        let counted = made.iter().all(|(_, of_all, _)| *of_all == collisions);
        let flown = self.shares.iter().zip(&made).all(|(share, (_, _, own))| {
            let cells = share.borrow().cells.clone();
            own.iter().zip(cells).all(|(own, cell)| own.to_bits() == dissipated[cell as usize].to_bits())
        });
        let mut molecules: Vec<Molecule> = made.into_iter().flat_map(|(molecules, ..)| molecules).collect();
        molecules.sort_unstable_by_key(|molecule| molecule.number);
        let same = molecules.iter().map(Molecule::words).eq(serial.iter().map(Molecule::words));
        assert!(same && counted && flown, "the gas is not that of a serial run: a model moved wrong bytes");
    }
}

impl RunningWorkload for Flight {
    fn metrics(&self, world: &World, outcome: &Outcome) -> Vec<Metric> {
        let own = [
            self.span.metric("dsmc.cycles", outcome),
            Metric::new("dsmc.handed_over", self.handed.get() as f64, ""),
            fault_metric(&self.workers.borrow()),
        ];
        parallel::metrics(world, own)
    }
}
