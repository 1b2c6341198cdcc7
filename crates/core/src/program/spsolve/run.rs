//! The program of a processor, and the check of what all have made.

use super::dag::Dag;
use super::shared::SharedSolve;
use super::{
    ADD_INSTRUCTIONS, Contributing, Contribution, EDGE_INSTRUCTIONS, ROW_INSTRUCTIONS, RowShare, Spsolve,
    TAKE_INSTRUCTIONS,
};
use crate::engine::{Metric, Outcome, rng};
use crate::messaging::World;
use crate::messaging::active::Active;
use crate::part::{ParameterError, Part, PartInfo};
use crate::program::collective::Collective;
use crate::program::worker::{self, Worker};
use crate::program::{Objective, WorkloadNeeds, WorkloadSpec};
use crate::program::{RunningWorkload, parallel};
use rand::RngExt;
use std::cell::{Cell, OnceCell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;

/// Forward and backward: the handler of each, and who waits for whom in it.
const WAYS: usize = 2;

/// Words of a contribution in a buffer: memory is moved by double words, so each has a double's alignment.
const PADDED_WORDS: usize = 4;

/// Instructions to put a contribution into a buffer: whose it is and how far that is filled (2 loads), stores of place
/// and value (2), its new length, an address, a test and a branch. (Chosen, as those of messages.)
const BUFFER_INSTRUCTIONS: u64 = 2 + 2 + 1 + 1 + 2;

/// What a processor has made: its unknowns, in the order of its rows, and how many of all changed in the last iteration.
type Made = (Vec<f64>, u64);

/// How much sums of another order may differ (chosen: some thousands of roundings).
const ROUNDING: f64 = 1e-12;

/// Unknowns that change by a larger part of themselves are still on their way (chosen: single precision).
const CHANGE: f64 = 1e-6;

/// A solve in progress.
pub(super) struct Solve {
    pub iterations: u64,
    /// Contributions of a message; 0 where none is buffered.
    buffer: u64,
    pub ways: [Dag; WAYS],
    pub owners: Vec<u32>,
    pub right_hand: Vec<f64>,
    /// By way and processor.
    shares: [Vec<RefCell<RowShare>>; WAYS],
    /// Contributions that went to another processor.
    sent: Cell<u64>,
    pub span: parallel::TimedSection,
    /// How far an unknown may be from that of a serial run, as a part of it, where sums of another order round otherwise;
    /// none where it is that to the bit.
    tolerance: Option<f64>,
    /// The programs that share memory.
    workers: OnceCell<Vec<Rc<Worker>>>,
    made: RefCell<Vec<Option<Made>>>,
}

impl Part for Spsolve {
    const INFO: PartInfo = PartInfo::new("spsolve", "A sparse triangular solve, on all nodes")
        .small_input("rows = 24\nfreedom = 1\nneighbours = 4");
}

impl WorkloadSpec for Spsolve {
    fn needs(&self) -> WorkloadNeeds {
        WorkloadNeeds { shared_memory: self.sends == Contributing::Changes, ..WorkloadNeeds::default() }
    }

    fn check_endpoints(&self, nodes: usize) -> Vec<ParameterError> {
        self.check_processors(nodes).into_iter().map(ParameterError::from).collect()
    }

    fn objective(&self) -> Option<Objective> {
        Objective::minimize("spsolve.cycles")
    }

    fn start(&self, world: &World) -> Rc<dyn RunningWorkload> {
        let solve = Rc::new(Solve::new(self, world.addresses.len(), world.seed));
        if self.sends == Contributing::Changes {
            let workers = SharedSolve::start(&solve, self.prefetch as usize, world);
            assert!(solve.workers.set(workers).is_ok(), "programs start once");
            return solve;
        }
        parallel::start(world, |end| {
            let (processor, taking, collective) = (end.id().index(), solve.clone(), Rc::<Collective>::default());
            parallel::set_handler(&end, &collective, move |_, way, words| {
                let each = if taking.buffer > 0 { PADDED_WORDS } else { words.len() };
                for contribution in words.chunks(each) {
                    let words = contribution[..3].try_into().expect("a contribution has three words");
                    taking.shares[usize::from(way)][processor].borrow_mut().take(Contribution::of(words));
                }
                TAKE_INSTRUCTIONS * (words.len() / each) as u64
            });
            run(end, collective, solve.clone())
        });
        solve
    }
}

/// The program of a processor.
async fn run(end: Rc<Active>, collective: Rc<Collective>, solve: Rc<Solve>) {
    let own = end.id().index();
    let (mut right_hand, mut changed) = (solve.right_hand.clone(), 0);
    solve.span.begin(&end, &collective).await;
    for _ in 0..solve.iterations {
        let before = solve.own(&right_hand, own);
        for (way, shares) in solve.shares.iter().enumerate() {
            shares[own].borrow_mut().begin(&right_hand);
            // Nobody sends what is not awaited yet.
            collective.barrier(&end).await;
            pass(&end, &solve, way).await;
            shares[own].borrow().put(&mut right_hand);
        }
        changed = collective.sum(&end, changes(&before, &solve.own(&right_hand, own))).await;
    }
    solve.span.end(&end, &collective).await;
    solve.end(own, (solve.own(&right_hand, own), changed));
}

/// Solves all rows of a processor, as they become ready.
async fn pass(end: &Active, solve: &Solve, way: usize) {
    let own = end.id().index();
    let share = &solve.shares[way][own];
    let mut buffers = BTreeMap::<usize, Vec<u32>>::new();
    loop {
        let next = share.borrow_mut().next_ready();
        let Some(row) = next else {
            // Nothing is to be done: who waits for what is buffered gets it now.
            while let Some((to, words)) = buffers.pop_first() {
                parallel::send(end, to, way as u8, &words).await;
            }
            if share.borrow().has_ready() {
                continue;
            }
            if share.borrow().is_solved() {
                return;
            }
            end.wait_until(|| share.borrow().has_ready()).await;
            continue;
        };
        share.borrow_mut().solve(row);
        let (into, out) = share.borrow().degree(row);
        let mut instructions = ROW_INSTRUCTIONS + ADD_INSTRUCTIONS * into as u64;
        for edge in 0..out {
            let (to, contribution) = share.borrow().contribution(row, edge);
            instructions += EDGE_INSTRUCTIONS;
            if to == own {
                share.borrow_mut().take(contribution);
                instructions += TAKE_INSTRUCTIONS;
                continue;
            }
            parallel::compute(end, std::mem::take(&mut instructions)).await;
            solve.sent.set(solve.sent.get() + 1);
            if solve.buffer == 0 {
                parallel::send(end, to, way as u8, &contribution.words()).await;
                continue;
            }
            instructions += BUFFER_INSTRUCTIONS;
            let buffer = buffers.entry(to).or_default();
            buffer.extend(contribution.words());
            buffer.push(0);
            if buffer.len() == PADDED_WORDS * solve.buffer as usize {
                let words = buffers.remove(&to).unwrap_or_default();
                parallel::send(end, to, way as u8, &words).await;
            }
        }
        parallel::compute(end, instructions).await;
    }
}

/// How many unknowns have changed.
pub(super) fn changes(before: &[f64], after: &[f64]) -> u64 {
    before.iter().zip(after).filter(|(before, after)| (**before - **after).abs() > CHANGE * after.abs()).count() as u64
}

impl Solve {
    pub(super) fn new(parameters: &Spsolve, processors: usize, seed: u64) -> Solve {
        let (lower, owners) = parameters.factored(seed, processors);
        let ways = [Dag::forward(&lower), Dag::backward(&lower)];
        let mut random = rng::stream(seed, "right-hand side");
        let share = |dag: &Dag| RowShare::all(dag, &owners, processors).into_iter().map(RefCell::new).collect();
        Solve {
            iterations: parameters.iterations,
            buffer: if parameters.sends == Contributing::Buffers { parameters.buffer } else { 0 },
            shares: [share(&ways[0]), share(&ways[1])],
            ways,
            right_hand: owners.iter().map(|_| random.random_range(-1.0..1.0)).collect(),
            owners,
            sent: Cell::new(0),
            span: parallel::TimedSection::default(),
            tolerance: (parameters.sends == Contributing::Changes).then_some(ROUNDING),
            workers: OnceCell::new(),
            made: RefCell::new(vec![None; processors]),
        }
    }

    /// The rows of a processor, in their order.
    pub(super) fn rows(&self, processor: usize) -> Vec<usize> {
        self.shares[0][processor].borrow().rows.iter().map(|row| *row as usize).collect()
    }

    /// What a processor has of numbers by row.
    pub(super) fn own(&self, all: &[f64], processor: usize) -> Vec<f64> {
        self.rows(processor).into_iter().map(|row| all[row]).collect()
    }

    /// What one processor alone makes of it: unknowns by row, and how many changed in the last iteration.
    pub(super) fn serial(&self) -> (Vec<f64>, u64) {
        let (mut unknowns, mut changed) = (self.right_hand.clone(), 0);
        for _ in 0..self.iterations {
            let before = unknowns.clone();
            for dag in &self.ways {
                unknowns = dag.serial(&unknowns);
            }
            changed = changes(&before, &unknowns);
        }
        (unknowns, changed)
    }

    fn is_same(&self, own: f64, serial: f64) -> bool {
        match self.tolerance {
            None => own.to_bits() == serial.to_bits(),
            Some(part) => (own - serial).abs() <= part * serial.abs().max(1.0),
        }
    }

    /// Keeps what a processor has made; the last one compares all with a serial run.
    pub(super) fn end(&self, processor: usize, made: Made) {
        self.made.borrow_mut()[processor] = Some(made);
        let Some(made) = self.made.borrow().iter().cloned().collect::<Option<Vec<_>>>() else { return };
        let (unknowns, changed) = self.serial();
        let same = made.iter().enumerate().all(|(processor, (own, of_all))| {
            let serial = self.own(&unknowns, processor);
            *of_all == changed
                && own.len() == serial.len()
                && own.iter().zip(&serial).all(|(x, serial)| self.is_same(*x, *serial))
        });
        assert!(same, "the unknowns are not those of a serial run: a model moved wrong bytes");
    }
}

impl RunningWorkload for Solve {
    fn metrics(&self, world: &World, outcome: &Outcome) -> Vec<Metric> {
        let own = [
            self.span.metric("spsolve.cycles", outcome),
            Metric::new("spsolve.rows", self.owners.len() as f64, ""),
            Metric::new("spsolve.levels", self.ways[0].levels() as f64, ""),
            Metric::new("spsolve.contributions", self.sent.get() as f64, ""),
        ];
        parallel::metrics(world, own.into_iter().chain(self.workers.get().map(|workers| worker::fault_metric(workers))))
    }
}
