//! The program of a processor, and the check of the results.

use super::dag::Dag;
use super::shared::SharedSolve;
use super::{
    ADD_INSTRUCTIONS, Contribution, EDGE_INSTRUCTIONS, Exchange, RECEIVE_INSTRUCTIONS, ROW_INSTRUCTIONS, RowShare,
    Spsolve,
};
use crate::engine::{Metric, Outcome, rng};
use crate::messaging::World;
use crate::messaging::active::ActiveEndpoint;
use crate::part::{ParameterError, Part, PartInfo, ResultName};
use crate::program::collective::Collective;
use crate::program::worker::{self, Worker};
use crate::program::{Objective, WorkloadNeeds, WorkloadSpec};
use crate::program::{RunningWorkload, parallel};
use rand::RngExt;
use std::cell::{Cell, OnceCell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;

/// Number of directions: forward and backward. The handler of a contribution is the number of its direction.
const DIRECTIONS: usize = 2;

/// Words of a contribution in a buffer. Memory is moved in double words, so contributions are aligned like doubles.
const PADDED_WORDS: usize = 4;

/// Instructions to put a contribution into a buffer: loads of its processor and of the buffer's length (2), stores of
/// slot and value (2), the new length, an address, a test and a branch. (Chosen, as those of messages.)
const BUFFER_INSTRUCTIONS: u64 = 2 + 2 + 1 + 1 + 2;

/// The result of a processor: its unknowns in the order of its rows, and the number of unknowns, over all processors,
/// that changed in the last iteration.
type ProcessorResult = (Vec<f64>, u64);

/// Largest relative difference between sums in different orders (chosen: some thousands of rounding errors).
const ROUNDING_TOLERANCE: f64 = 1e-12;

/// Relative change above which an unknown has not converged (chosen: single precision).
const CHANGE_THRESHOLD: f64 = 1e-6;

/// The state of a run.
pub(super) struct SolveRun {
    pub iterations: u64,
    /// Contributions in each message; 0 if they are not buffered.
    buffer_capacity: u64,
    pub dags: [Dag; DIRECTIONS],
    pub owners: Vec<u32>,
    pub right_hand: Vec<f64>,
    /// Rows by direction and processor.
    shares: [Vec<RefCell<RowShare>>; DIRECTIONS],
    /// Number of contributions sent to another processor.
    sent_contributions: Cell<u64>,
    pub timed_section: parallel::TimedSection,
    /// Largest relative difference of an unknown from that of a serial run, if sums are in another order; `None` if
    /// unknowns must be bit-equal.
    tolerance: Option<f64>,
    /// Workers of the processors, if they share memory.
    workers: OnceCell<Vec<Rc<Worker>>>,
    results: RefCell<Vec<Option<ProcessorResult>>>,
}

/// Names that the part adds to results.
const RESULTS: &[ResultName] = &[
    ResultName::metric("spsolve.cycles", "cycles", "Length of the solve"),
    ResultName::metric("spsolve.rows", "", "Rows of the matrix"),
    ResultName::metric("spsolve.levels", "", "Levels of the graph of dependences: the length of its longest path"),
    ResultName::metric("spsolve.contributions", "", "Values that were sent from one row to another"),
];

impl Part for Spsolve {
    const INFO: PartInfo = PartInfo::new("spsolve", "A sparse triangular solve, on all nodes")
        .results(RESULTS)
        .small_input("rows = 24\ndegrees-of-freedom = 1\nneighbours = 4");
}

impl WorkloadSpec for Spsolve {
    fn needs(&self) -> WorkloadNeeds {
        WorkloadNeeds { shared_memory: self.exchange == Exchange::Changes, ..WorkloadNeeds::active_messages() }
    }

    fn check_endpoints(&self, nodes: usize) -> Vec<ParameterError> {
        self.check_processors(nodes).into_iter().map(ParameterError::from).collect()
    }

    fn objective(&self) -> Option<Objective> {
        Objective::minimize("spsolve.cycles")
    }

    fn start(&self, world: &World) -> Rc<dyn RunningWorkload> {
        let solve = Rc::new(SolveRun::new(self, world.endpoint_map.len(), world.seed));
        if self.exchange == Exchange::Changes {
            let workers = SharedSolve::start(&solve, self.prefetch as usize, world);
            assert!(solve.workers.set(workers).is_ok(), "programs start once");
            return solve;
        }
        parallel::start(world, |endpoint| {
            let (processor, handler_solve) = (endpoint.id().index(), solve.clone());
            let collective = Rc::<Collective>::default();
            parallel::set_handler(&endpoint, &collective, move |_, direction, words| {
                let words_per_message = if handler_solve.buffer_capacity > 0 { PADDED_WORDS } else { words.len() };
                for contribution in words.chunks(words_per_message) {
                    let words = contribution[..3].try_into().expect("a contribution has three words");
                    let mut share = handler_solve.shares[usize::from(direction)][processor].borrow_mut();
                    share.receive(Contribution::from_words(words));
                }
                RECEIVE_INSTRUCTIONS * (words.len() / words_per_message) as u64
            });
            run(endpoint, collective, solve.clone())
        });
        solve
    }
}

/// Runs the program of a processor.
async fn run(endpoint: Rc<ActiveEndpoint>, collective: Rc<Collective>, solve: Rc<SolveRun>) {
    let own_index = endpoint.id().index();
    let (mut right_hand, mut changed_unknowns) = (solve.right_hand.clone(), 0);
    solve.timed_section.begin(&endpoint, &collective).await;
    for _ in 0..solve.iterations {
        let previous_unknowns = solve.values_of_processor(&right_hand, own_index);
        for (direction, shares) in solve.shares.iter().enumerate() {
            shares[own_index].borrow_mut().start(&right_hand);
            // No processor may send a contribution before its receiver has started this solve.
            collective.barrier(&endpoint).await;
            solve_rows(&endpoint, &solve, direction).await;
            shares[own_index].borrow().store(&mut right_hand);
        }
        changed_unknowns = collective
            .sum(&endpoint, count_changes(&previous_unknowns, &solve.values_of_processor(&right_hand, own_index)))
            .await;
    }
    solve.timed_section.end(&endpoint, &collective).await;
    solve.finish(own_index, (solve.values_of_processor(&right_hand, own_index), changed_unknowns));
}

/// Solves all rows of a processor in one direction, in the order in which they become ready.
async fn solve_rows(endpoint: &ActiveEndpoint, solve: &SolveRun, direction: usize) {
    let own_index = endpoint.id().index();
    let share = &solve.shares[direction][own_index];
    let mut buffers = BTreeMap::<usize, Vec<u32>>::new();
    loop {
        let next_row = share.borrow_mut().next_ready_row();
        let Some(row) = next_row else {
            // No row is ready, so a buffer is sent even if it is not full.
            while let Some((to, words)) = buffers.pop_first() {
                parallel::send_in_handler(endpoint, to, direction as u8, &words).await;
            }
            if share.borrow().has_ready_row() {
                continue;
            }
            if share.borrow().is_solved() {
                return;
            }
            endpoint.wait_until(|| share.borrow().has_ready_row()).await;
            continue;
        };
        share.borrow_mut().solve(row);
        let (in_degree, out_degree) = share.borrow().degrees(row);
        let mut instructions = ROW_INSTRUCTIONS + ADD_INSTRUCTIONS * in_degree as u64;
        for edge in 0..out_degree {
            let (to, contribution) = share.borrow().contribution(row, edge);
            instructions += EDGE_INSTRUCTIONS;
            if to == own_index {
                share.borrow_mut().receive(contribution);
                instructions += RECEIVE_INSTRUCTIONS;
                continue;
            }
            parallel::compute(endpoint, std::mem::take(&mut instructions)).await;
            solve.sent_contributions.set(solve.sent_contributions.get() + 1);
            if solve.buffer_capacity == 0 {
                parallel::send_in_handler(endpoint, to, direction as u8, &contribution.words()).await;
                continue;
            }
            instructions += BUFFER_INSTRUCTIONS;
            let buffer = buffers.entry(to).or_default();
            buffer.extend(contribution.words());
            buffer.push(0);
            if buffer.len() == PADDED_WORDS * solve.buffer_capacity as usize {
                let words = buffers.remove(&to).unwrap_or_default();
                parallel::send_in_handler(endpoint, to, direction as u8, &words).await;
            }
        }
        parallel::compute(endpoint, instructions).await;
    }
}

/// Returns the number of unknowns that have changed.
pub(super) fn count_changes(old_values: &[f64], new_values: &[f64]) -> u64 {
    old_values
        .iter()
        .zip(new_values)
        .filter(|(old_value, new_value)| (**old_value - **new_value).abs() > CHANGE_THRESHOLD * new_value.abs())
        .count() as u64
}

impl SolveRun {
    pub(super) fn new(parameters: &Spsolve, processors: usize, seed: u64) -> SolveRun {
        let (lower, owners) = parameters.factor_and_owners(seed, processors);
        let dags = [Dag::forward(&lower), Dag::backward(&lower)];
        let mut random = rng::stream(seed, "right-hand side");
        let shares_of = |dag: &Dag| RowShare::all(dag, &owners, processors).into_iter().map(RefCell::new).collect();
        SolveRun {
            iterations: parameters.iterations,
            buffer_capacity: if parameters.exchange == Exchange::Buffers { parameters.buffer } else { 0 },
            shares: [shares_of(&dags[0]), shares_of(&dags[1])],
            dags,
            right_hand: owners.iter().map(|_| random.random_range(-1.0..1.0)).collect(),
            owners,
            sent_contributions: Cell::new(0),
            timed_section: parallel::TimedSection::default(),
            tolerance: (parameters.exchange == Exchange::Changes).then_some(ROUNDING_TOLERANCE),
            workers: OnceCell::new(),
            results: RefCell::new(vec![None; processors]),
        }
    }

    /// Returns the rows of a processor, in order.
    pub(super) fn rows(&self, processor: usize) -> Vec<usize> {
        self.shares[0][processor].borrow().rows.iter().map(|row| *row as usize).collect()
    }

    /// Returns the values of a processor's rows, given those of all rows.
    pub(super) fn values_of_processor(&self, all_values: &[f64], processor: usize) -> Vec<f64> {
        self.rows(processor).into_iter().map(|row| all_values[row]).collect()
    }

    /// Runs the program on one processor. Returns the unknowns, and the number that changed in the last iteration.
    pub(super) fn run_serially(&self) -> (Vec<f64>, u64) {
        let (mut unknowns, mut changed_unknowns) = (self.right_hand.clone(), 0);
        for _ in 0..self.iterations {
            let previous_unknowns = unknowns.clone();
            for dag in &self.dags {
                unknowns = dag.solve_serially(&unknowns);
            }
            changed_unknowns = count_changes(&previous_unknowns, &unknowns);
        }
        (unknowns, changed_unknowns)
    }

    fn is_equal(&self, computed: f64, serial: f64) -> bool {
        match self.tolerance {
            None => computed.to_bits() == serial.to_bits(),
            Some(tolerance) => (computed - serial).abs() <= tolerance * serial.abs().max(1.0),
        }
    }

    /// Stores a processor's result; the last processor compares all results with a serial run.
    pub(super) fn finish(&self, processor: usize, result: ProcessorResult) {
        self.results.borrow_mut()[processor] = Some(result);
        let Some(results) = self.results.borrow().iter().cloned().collect::<Option<Vec<_>>>() else { return };
        let (unknowns, changed_unknowns) = self.run_serially();
        let are_equal = results.iter().enumerate().all(|(processor, (computed, total_changed))| {
            let serial = self.values_of_processor(&unknowns, processor);
            *total_changed == changed_unknowns
                && computed.len() == serial.len()
                && computed.iter().zip(&serial).all(|(unknown, serial)| self.is_equal(*unknown, *serial))
        });
        assert!(are_equal, "the unknowns differ from those of a serial run: a model corrupted data");
    }
}

impl RunningWorkload for SolveRun {
    fn metrics(&self, world: &World, outcome: &Outcome) -> Vec<Metric> {
        let workload_metrics = [
            self.timed_section.metric("spsolve.cycles", outcome),
            Metric::count("spsolve.rows", self.owners.len() as f64, ""),
            Metric::count("spsolve.levels", self.dags[0].level_count() as f64, ""),
            Metric::count("spsolve.contributions", self.sent_contributions.get() as f64, ""),
        ];
        parallel::metrics(
            world,
            workload_metrics.into_iter().chain(self.workers.get().map(|workers| worker::fault_metric(workers))),
        )
    }
}
