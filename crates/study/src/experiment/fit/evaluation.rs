//! The numbers computed so far, and the parallel computation of further ones.
//!
//! Results do not depend on the number of threads. The order of the runs depends on their durations: long runs begin
//! first, so that no thread is idle while the longest run of a batch continues.

use super::control::FitControl;
use super::number::{Evaluation, IncompleteNumber, KnownPredictions, NOT_RUN, PredictionResult, PredictionSource};
use super::state::StateFile;
use crate::experiment::threads::one_task_per_run;
use narrows_core::text::Problem;
use rayon::prelude::*;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// The least time between two writes of the state within a batch of runs (chosen: at most a second of work is lost).
const STATE_INTERVAL: Duration = Duration::from_secs(1);

/// All numbers computed so far.
pub struct Evaluations<'a> {
    source: &'a dyn PredictionSource,
    control: FitControl<'a>,
    state: Option<StateFile>,
    /// The number of results that were found in the state file.
    stored_results: usize,
    results: Mutex<KnownPredictions>,
    /// The longest run of each number.
    durations: Mutex<BTreeMap<usize, Duration>>,
    last_write: Mutex<Instant>,
    write_error: Mutex<Option<io::Error>>,
    is_stopped: AtomicBool,
}

/// Locks a mutex; its contents are valid even if another thread panicked.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl<'a> Evaluations<'a> {
    /// Returns the evaluations with the results of the state file, if there is one.
    pub fn new(
        source: &'a dyn PredictionSource,
        control: FitControl<'a>,
        state: Option<(StateFile, KnownPredictions)>,
    ) -> Evaluations<'a> {
        let (state, known_results) = state.unzip();
        let results = known_results.unwrap_or_default();
        Evaluations {
            source,
            control,
            state,
            stored_results: results.len(),
            results: Mutex::new(results),
            durations: Mutex::default(),
            last_write: Mutex::new(Instant::now()),
            write_error: Mutex::default(),
            is_stopped: AtomicBool::new(false),
        }
    }

    /// Returns whether the number with index `datum` may depend on the constant.
    pub fn depends_on(&self, datum: usize, constant: usize) -> bool {
        self.source.depends_on(datum, constant)
    }

    /// Returns the evaluation of a number for these values of the constants.
    pub fn evaluation(&self, datum: usize, values: &[&str]) -> Evaluation {
        let relevant_value = |(constant, value): (usize, &&str)| match self.source.depends_on(datum, constant) {
            true => (*value).to_owned(),
            false => String::new(),
        };
        (datum, values.iter().enumerate().map(relevant_value).collect())
    }

    /// Runs all evaluations that are not known yet, in parallel. Returns true if all results are known afterwards, and
    /// false if the fit was stopped or its state could not be written.
    pub fn run_missing(&self, evaluations: BTreeSet<Evaluation>) -> bool {
        let missing = self.missing_evaluations(evaluations);
        if missing.is_empty() {
            return true;
        }
        self.control.monitor.runs_begin(missing.len(), self.stored_results);
        // Each task takes the longest remaining run, whatever the order in which tasks begin.
        let next_index = AtomicUsize::new(0);
        let run = |_| self.run(&missing[next_index.fetch_add(1, Ordering::Relaxed)]);
        one_task_per_run((0..missing.len()).into_par_iter()).for_each(run);
        self.write_state();
        !self.is_stopped()
    }

    /// Returns the evaluations that are not known yet, with the longest runs first. Before any run, the last number is
    /// assumed to take longest, because curves are sorted by size.
    fn missing_evaluations(&self, evaluations: BTreeSet<Evaluation>) -> Vec<Evaluation> {
        let results = lock(&self.results);
        let durations = lock(&self.durations);
        let mut missing: Vec<_> =
            evaluations.into_iter().filter(|evaluation| !results.contains_key(evaluation)).collect();
        missing.sort_by_key(|(datum, _)| Reverse((durations.get(datum).copied().unwrap_or_default(), *datum)));
        missing
    }

    /// Returns the number with index `datum` for these values of the constants; it is run if it is not known yet.
    pub fn number(&self, datum: usize, values: &[&str]) -> PredictionResult {
        let evaluation = self.evaluation(datum, values);
        if !self.is_known(&evaluation) {
            self.run(&evaluation);
        }
        self.prediction(&evaluation)
    }

    /// Returns whether the evaluation was run.
    pub fn is_known(&self, evaluation: &Evaluation) -> bool {
        lock(&self.results).contains_key(evaluation)
    }

    /// Adds evaluations whose results were computed elsewhere, and writes the state.
    pub fn add(&self, evaluations: impl Iterator<Item = (Evaluation, PredictionResult)>) {
        lock(&self.results).extend(evaluations);
        self.write_state();
    }

    fn run(&self, evaluation: &Evaluation) {
        if self.is_stopped() || self.control.monitor.is_stopped() {
            self.is_stopped.store(true, Ordering::Relaxed);
            return;
        }
        let start = Instant::now();
        let (datum, values) = evaluation;
        let values: Vec<&str> = values.iter().map(String::as_str).collect();
        let prediction = match self.source.predict(*datum, &values) {
            Ok(number) if !(number > 0.0 && number.is_finite()) => Err(format!("its value is {number}")),
            number => number,
        };
        let duration = start.elapsed();
        lock(&self.durations)
            .entry(*datum)
            .and_modify(|duration_max| *duration_max = duration.max(*duration_max))
            .or_insert(duration);
        lock(&self.results).insert(evaluation.clone(), prediction);
        if !self.source.reports_runs() {
            self.control.monitor.run_ends();
        }
        if self.state.is_some() && lock(&self.last_write).elapsed() >= STATE_INTERVAL {
            self.write_state();
        }
    }

    /// Writes the state if it has a file. An error stops the fit.
    fn write_state(&self) {
        let Some(state) = &self.state else { return };
        // The lock is held during the write, so that no older state replaces a newer one.
        let mut last_write = lock(&self.last_write);
        let results = lock(&self.results).clone();
        if let Err(error) = state.write(&results) {
            *lock(&self.write_error) = Some(error);
            self.is_stopped.store(true, Ordering::Relaxed);
        }
        *last_write = Instant::now();
    }

    /// Returns whether the fit was stopped before all necessary runs were made.
    pub fn is_stopped(&self) -> bool {
        self.is_stopped.load(Ordering::Relaxed)
    }

    /// Returns the problem of writing the state, if there is one.
    pub fn write_problem(&self) -> Option<Problem> {
        let error = lock(&self.write_error);
        Some(self.state.as_ref()?.problem(error.as_ref()?))
    }

    /// Returns a number that was computed, or the reason why it has no value.
    pub fn prediction(&self, evaluation: &Evaluation) -> PredictionResult {
        lock(&self.results).get(evaluation).cloned().unwrap_or_else(|| Err(NOT_RUN.to_owned()))
    }

    /// Returns the numbers without a value, each with its reasons.
    pub fn incomplete_numbers(&self) -> Vec<IncompleteNumber> {
        let mut counts = BTreeMap::<(usize, String), usize>::new();
        for ((datum, _), prediction) in lock(&self.results).iter() {
            if let Err(reason) = prediction {
                *counts.entry((*datum, reason.clone())).or_default() += 1;
            }
        }
        let incomplete_number = |((datum, reason), evaluations)| IncompleteNumber { datum, reason, evaluations };
        counts.into_iter().map(incomplete_number).collect()
    }
}
