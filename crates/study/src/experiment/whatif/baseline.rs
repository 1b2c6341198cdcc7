//! The run without changes. It determines the metric by which trials are judged, and the overrides that shorten runs.
//!
//! A saturated run is judged by its accepted load. A workload that repeats what it measures is run with fewer
//! repetitions if that changes the metric by at most [`METRIC_TOLERANCE`].

use super::trial::{Goal, MeasuredRun, is_comparable};
use super::{TrialProgress, WhatIfError, WhatIfQuery};
use crate::experiment::constants::{self, NumericParameter};
use crate::experiment::sweep::metrics;
use narrows_core::engine::{Metric, MetricKind, current_metric_name};
use narrows_core::machine::Machine;
use narrows_core::program::Objective;
use narrows_core::text::{Meaning, Problem, Read};

/// The numbers by which the number of repetitions is divided, in the order in which they are tried (chosen).
const REPETITION_DIVISORS: [u64; 3] = [16, 8, 4];
/// The smallest number of repetitions of a shortened run (chosen).
const REPETITIONS_MIN: u64 = 16;
/// The largest relative difference of the metric in a shorter run. It is a fifth of the least gain that counts
/// ([`GAIN_MIN`](super::GAIN_MIN)).
const METRIC_TOLERANCE: f64 = 0.002;
/// The number of events above which a run counts as long (chosen: half a second on a computer of 2026).
const LONG_RUN_EVENTS: u64 = 500_000;

/// The run without changes.
pub(super) struct Baseline {
    pub description: Read<Machine>,
    /// The numeric parameters of the description.
    pub numbers: Vec<NumericParameter>,
    /// The metric, with its value in the run that is not shortened.
    pub metric: Metric,
    /// The overrides that shorten the runs.
    pub shortening: Vec<String>,
    /// The run that trials are compared with.
    pub measured: MeasuredRun,
    pub goal: Goal,
    /// Whether a run with the shortening overrides is long.
    pub is_long: bool,
    /// Notes for the reader, in sentences.
    pub notes: Vec<String>,
    /// The number of runs made.
    pub runs: usize,
}

impl Baseline {
    /// Runs the description, chooses the metric, and shortens the run.
    pub fn measure(
        query: &WhatIfQuery<'_>,
        progress: &(dyn Fn(TrialProgress) + Sync),
    ) -> Result<Baseline, WhatIfError> {
        let description = (query.reader)(&[]).map_err(WhatIfError::Invalid)?;
        let mut runs = 0;
        let mut measure = |description: &Read<Machine>| {
            runs += 1;
            let measured_run = MeasuredRun::new(description);
            progress(TrialProgress::RunEnded);
            measured_run
        };
        let metric_of_run = measure(&description).map_err(WhatIfError::Unmeasurable)?;
        let mut notes = Vec::new();
        let goal = choose_goal(query.metric, description.value.workload.objective(), &metric_of_run, &mut notes)
            .map_err(WhatIfError::Unmeasurable)?;
        let metric = goal.metric.clone();
        let numbers = constants::all_numbers(&description);
        let repetitions = numbers.iter().find(|number| number.declaration.meaning == Some(Meaning::Repetitions));
        let (mut measured_run, mut goal, mut shortening) = (metric_of_run, goal, Vec::new());
        for shortening_override in repetitions.map(shortening_overrides).unwrap_or_default() {
            let Ok(Ok(short_run)) =
                (query.reader)(std::slice::from_ref(&shortening_override)).map(|description| measure(&description))
            else {
                continue;
            };
            let Some(value) = short_run.metric(&metric.name).map(|metric| metric.value) else { continue };
            let is_same = (value / metric.value - 1.0).abs() <= METRIC_TOLERANCE;
            if is_same && short_run.is_saturated == measured_run.is_saturated {
                (goal, measured_run, shortening) = (goal.with_baseline(value), short_run, vec![shortening_override]);
                break;
            }
        }
        let is_long = measured_run.events > LONG_RUN_EVENTS;
        Ok(Baseline { description, numbers, metric, shortening, measured: measured_run, goal, is_long, notes, runs })
    }
}

/// Returns overrides that reduce the number of repetitions, the shortest run first.
fn shortening_overrides(repetitions: &NumericParameter) -> Vec<String> {
    let number = repetitions.number() as u64;
    let reduced_numbers = REPETITION_DIVISORS.iter().map(|divisor| number / divisor);
    reduced_numbers
        .filter(|repetition_count| *repetition_count >= REPETITIONS_MIN)
        .map(|repetition_count| repetitions.setting(&repetition_count.to_string()))
        .collect()
}

/// Returns the goal: the requested metric, or otherwise that of the workload's objective, or the first metric. If the
/// run is saturated and no metric was requested, the accepted load takes the place of a metric that grows with the
/// length of the run.
fn choose_goal(
    requested: Option<&str>,
    objective: Option<Objective>,
    run: &MeasuredRun,
    notes: &mut Vec<String>,
) -> Result<Goal, Problem> {
    let preferred = requested.or(objective.map(|objective| objective.metric));
    let preferred = match preferred {
        Some(name) => find_metric(name, run)?,
        None => run.metrics.first().ok_or_else(|| Problem::new("the run has no measurements"))?,
    };
    let goal = Goal { metric: preferred.clone(), more_is_better: direction(preferred, objective, run)? };
    if is_comparable(preferred.kind, run.is_saturated) {
        if requested.is_none() && objective.is_some_and(|objective| objective.when_saturated.is_some()) {
            notes.push(format!(
                "The open loop is not saturated: its accepted load is the offered load, so that trials are judged by {}.",
                preferred.name
            ));
        }
        return require_measured(goal);
    }
    let accepted_load = objective.and_then(|objective| objective.when_saturated).and_then(|name| run.metric(name));
    let accepted_load = accepted_load.or_else(|| run.metrics.iter().find(|metric| metric.kind == MetricKind::Rate));
    let name = &preferred.name;
    match accepted_load.filter(|_| requested.is_none()) {
        Some(accepted_load) => {
            notes.push(format!(
                "The run is saturated: {name} grows with the length of the run, so that trials are judged by the accepted \
                 load, {}.",
                accepted_load.name
            ));
            require_measured(Goal { metric: accepted_load.clone(), more_is_better: true })
        }
        None => {
            let problem = Problem::new(format!("the run is saturated: {name} grows with the length of the run"));
            Err(match accepted_load {
                Some(accepted_load) => problem
                    .help(format!("choose the accepted load: `--metric {}`", accepted_load.name))
                    .help("or lower the offered load"),
                None => problem.help("lower the offered load"),
            })
        }
    }
}

/// Returns the metric called `name`, which may be a former name.
fn find_metric<'m>(name: &str, run: &'m MeasuredRun) -> Result<&'m Metric, Problem> {
    let name = current_metric_name(name);
    let found = run.metrics.iter().find(|metric| metric.name == name);
    found.ok_or_else(|| metrics::unknown_metric_problem(name, run.metrics.iter().map(|metric| metric.name.as_str())))
}

/// Returns whether a larger value of `metric` is better, according to the workload's objective, or otherwise to the
/// kind of the metric.
fn direction(metric: &Metric, objective: Option<Objective>, run: &MeasuredRun) -> Result<bool, Problem> {
    let stated_direction = objective.filter(|objective| objective.metric == metric.name);
    let stated_direction = stated_direction.map(|objective| objective.more_is_better).or(metric.kind.more_is_better());
    stated_direction.ok_or_else(|| {
        let other_metrics = run.metrics.iter().filter(|metric| metric.kind.more_is_better().is_some());
        let other_names: Vec<&str> = other_metrics.map(|metric| metric.name.as_str()).collect();
        Problem::new(format!("neither more nor less of `{}` is better, so nothing can improve it", metric.name))
            .help(format!("metrics with a direction: {}", other_names.join(", ")))
    })
}

/// Returns the goal if its metric was measured and is greater than 0, so that ratios to it exist.
fn require_measured(goal: Goal) -> Result<Goal, Problem> {
    let metric = &goal.metric;
    match metric.value {
        value if value.is_nan() => Err(Problem::new(format!("the run has no value of `{}`", metric.name))),
        value if value > 0.0 => Ok(goal),
        value => Err(Problem::new(format!("`{}` is {value}: no change of it can be stated as a ratio", metric.name))),
    }
}
