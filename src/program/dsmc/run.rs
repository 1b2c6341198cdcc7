//! The parameters, the program of a processor, and the check of what all have made.

use super::{
    CELL_INSTRUCTIONS, COLLISION_INSTRUCTIONS, Collisions, DSMC, Gas, GasShare, GasSize, ITERATIONS, MOVE_INSTRUCTIONS,
    Molecule, PAIR_INSTRUCTIONS, SORT_INSTRUCTIONS, TAKE_INSTRUCTIONS,
};
use crate::engine::{Metric, Outcome};
use crate::messaging::World;
use crate::messaging::active::Active;
use crate::program::collective::Collective;
use crate::program::input::partition;
use crate::program::{Running, parallel};
use crate::text::Table;
use std::cell::{Cell, RefCell};
use std::rc::Rc;

/// The parameters of Dsmc.
#[derive(Clone, Debug)]
pub struct Dsmc {
    /// The box and its molecules.
    pub size: GasSize,
    /// Iterations.
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

/// What a processor has made: its molecules, and what collided on all.
type Made = (Vec<Molecule>, Collisions);

/// A run in progress.
pub(super) struct Flight {
    iterations: u64,
    pub(super) gas: Gas,
    shares: Vec<RefCell<GasShare>>,
    told: Vec<Told>,
    /// Molecules that went to another processor.
    handed: Cell<u64>,
    span: parallel::Span,
    made: RefCell<Vec<Option<Made>>>,
}

impl Dsmc {
    /// Reads them.
    pub fn read(t: &mut Table<'_>) -> Dsmc {
        let cells = t.counts("cells", "Cells of the box along x, y and z").each(1, 1000).length(3, 3);
        let cells = cells.or(&DSMC.cells.map(|along| along as u64));
        let cells = [0, 1, 2].map(|axis: usize| cells.get(axis).map_or(1, |along| *along as usize));
        let most = 1_000_000;
        if cells.iter().product::<usize>() > most {
            t.wrong("cells", format!("a box has at most {most} cells"), "choose fewer along an axis");
        }
        let molecules = t.count("molecules", "Molecules at first, as many in each cell as in the others but for one");
        let molecules = molecules.range(1, 10_000_000).or(DSMC.molecules as u64) as usize;
        let iterations = t.count("iterations", "Iterations: a flight and collisions").range(1, 1000).or(ITERATIONS);
        Dsmc { size: GasSize { cells, molecules }, iterations }
    }

    /// The key and the reason, for whatever so many processors cannot do.
    pub fn check(&self, processors: usize) -> Vec<(&'static str, String)> {
        let cells = self.size.cells();
        let few = || ("cells", format!("{cells} cells are too few for {processors} processors"));
        (cells < processors).then(few).into_iter().collect()
    }

    pub(in crate::program) fn start(&self, world: &World) -> Rc<dyn Running> {
        let flight = Rc::new(Flight::new(self, world.addresses.len(), world.seed));
        parallel::start(world, |end| {
            let (processor, taking, collective) = (end.id().index(), flight.clone(), Rc::<Collective>::default());
            parallel::take_by(&end, &collective, move |_, handler, words| taking.take(processor, handler, words));
            run(end, collective, flight.clone())
        });
        flight
    }
}

/// The program of a processor.
async fn run(end: Rc<Active>, collective: Rc<Collective>, flight: Rc<Flight>) {
    let own = end.id().index();
    let (share, told) = (&flight.shares[own], &flight.told[own]);
    let mut collisions = Collisions::default();
    flight.span.begin(&end, &collective).await;
    for iteration in 0..flight.iterations {
        fly(&end, &flight, iteration).await;
        let half = iteration as usize % 2;
        let all_told = || told.by[half].get() + 1 == end.ends();
        end.wait_until(|| all_told() && share.borrow().taken(iteration) == told.molecules[half].get()).await;
        told.by[half].set(0);
        told.molecules[half].set(0);
        let mut instructions = 0;
        let cells = share.borrow().cells.len();
        for at in 0..cells {
            let of_cell = share.borrow_mut().collide(&flight.gas, iteration, at);
            instructions +=
                CELL_INSTRUCTIONS + PAIR_INSTRUCTIONS * of_cell.pairs + COLLISION_INSTRUCTIONS * of_cell.collided;
            collisions.add(of_cell);
        }
        instructions += SORT_INSTRUCTIONS * share.borrow().count() as u64;
        parallel::compute(&end, instructions).await;
    }
    let pairs = collective.sum(&end, collisions.pairs).await;
    let collided = collective.sum(&end, collisions.collided).await;
    flight.span.end(&end, &collective).await;
    flight.end(own, (share.borrow().molecules().copied().collect(), Collisions { pairs, collided }));
}

/// Lets a processor's molecules fly, hands those over that leave it, and tells all others how many these were.
async fn fly(end: &Active, flight: &Flight, iteration: u64) {
    let (own, share) = (end.id().index(), &flight.shares[end.id().index()]);
    let (cells, mut instructions) = (share.borrow().cells.len(), 0);
    for at in 0..cells {
        instructions += MOVE_INSTRUCTIONS * share.borrow().in_cell(at) as u64;
        let leaving = share.borrow_mut().fly(&flight.gas, iteration, at);
        for (to, molecule) in leaving {
            parallel::compute(end, std::mem::take(&mut instructions)).await;
            let mut words = vec![iteration as u32];
            words.extend(molecule.words());
            flight.handed.set(flight.handed.get() + 1);
            parallel::send(end, to, MOLECULE, &words).await;
        }
    }
    parallel::compute(end, instructions).await;
    // It begins with the processor after it, so that not all send to the same one.
    for to in (1..end.ends()).map(|distance| (own + distance) % end.ends()) {
        let count = share.borrow().sent()[to];
        parallel::send(end, to, COUNT + (iteration % 2) as u8, &[count]).await;
    }
}

impl Flight {
    pub(super) fn new(parameters: &Dsmc, processors: usize, seed: u64) -> Flight {
        let gas = Gas::new(parameters.size, seed);
        let owners = partition::parts(&parameters.size.centres(), processors);
        Flight {
            iterations: parameters.iterations,
            shares: GasShare::all(&gas, &owners, processors).into_iter().map(RefCell::new).collect(),
            gas,
            told: (0..processors).map(|_| Told::default()).collect(),
            handed: Cell::new(0),
            span: parallel::Span::default(),
            made: RefCell::new(vec![None; processors]),
        }
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
        let (serial, collisions) = self.gas.serial(self.iterations);
        let counted = made.iter().all(|(_, of_all)| *of_all == collisions);
        let mut molecules: Vec<Molecule> = made.into_iter().flat_map(|(molecules, _)| molecules).collect();
        molecules.sort_unstable_by_key(|molecule| molecule.number);
        let same = molecules.iter().map(Molecule::words).eq(serial.iter().map(Molecule::words));
        assert!(same && counted, "the gas is not that of a serial run: a model moved wrong bytes");
    }
}

impl Running for Flight {
    fn metrics(&self, world: &World, outcome: &Outcome) -> Vec<Metric> {
        let mut metrics = parallel::packet_metrics(world);
        metrics.push(self.span.metric("dsmc.cycles", outcome));
        metrics.push(Metric::new("dsmc.handed_over", self.handed.get() as f64, ""));
        metrics.extend(parallel::latency_metrics(world));
        metrics
    }
}
