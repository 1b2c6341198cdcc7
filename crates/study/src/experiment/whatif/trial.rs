//! Trial runs with changed parameters. Each is compared with the run without changes.
//!
//! Only complete runs are compared. A saturated run is compared by a rate only, since its latencies grow with its
//! length.

use super::{ParameterChange, Refusal, TrialProgress};
use crate::experiment::RunResult;
use crate::experiment::reader::Reader;
use crate::experiment::record::outcome_name;
use crate::experiment::threads::one_task_per_run;
use narrows_core::engine::{Metric, MetricKind, Outcome, Recorder, Time};
use narrows_core::machine::Machine;
use narrows_core::text::{Problem, Problems, Read};
use rayon::prelude::*;

/// The metric that is to be improved, with its value before any change.
#[derive(Clone)]
pub(super) struct Goal {
    pub metric: Metric,
    pub more_is_better: bool,
}

impl Goal {
    /// Returns the factor by which `value` is better than the value before the changes.
    pub fn ratio(&self, value: f64) -> f64 {
        let before = self.metric.value;
        match self.more_is_better {
            _ if before == value => 1.0,
            true => value / before,
            false => before / value,
        }
    }

    /// Returns the goal with the value `value` before the changes.
    pub fn with_baseline(&self, value: f64) -> Goal {
        Goal { metric: Metric { value, ..self.metric.clone() }, more_is_better: self.more_is_better }
    }
}

/// The result of a run: its metrics, whether it was saturated, and its number of events.
pub(super) struct MeasuredRun {
    pub metrics: Vec<Metric>,
    pub is_saturated: bool,
    pub events: u64,
}

impl MeasuredRun {
    /// Runs the machine.
    ///
    /// # Errors
    ///
    /// Returns the reason if nothing can be compared with the run, because it did not complete.
    pub fn new(description: &Read<Machine>) -> Result<MeasuredRun, Problem> {
        let result = crate::experiment::run(&description.value, Recorder::off());
        match &result.outcome {
            Outcome::Done | Outcome::Saturated(_) => {
                let is_saturated = matches!(result.outcome, Outcome::Saturated(_));
                Ok(MeasuredRun { metrics: result.metrics, is_saturated, events: result.events })
            }
            _ => Err(incomplete_run_problem(&result)),
        }
    }

    /// Returns the metric `name`, if the run measured it.
    pub fn metric(&self, name: &str) -> Option<&Metric> {
        self.metrics.iter().find(|metric| metric.name == name && metric.is_measured())
    }
}

/// Returns the problem of a run that did not complete, whose metrics cannot be compared.
fn incomplete_run_problem(result: &RunResult) -> Problem {
    let problem = match &result.outcome {
        Outcome::TimeLimit(report) if report.end_time == Time::END => {
            Problem::new("the run reached the end of simulated time".to_owned())
                .help("shorten the workload, or raise its rates")
        }
        Outcome::TimeLimit(_) => Problem::new(format!("the run was cut off at `run.time-limit`, {}", result.end))
            .help("raise `run.time-limit`, or shorten the workload"),
        Outcome::Loss(reason) => Problem::new(format!("messages were lost that nothing retransmits: {reason}"))
            .help("choose a protocol that repairs losses, or a machine without them"),
        outcome => Problem::new(format!("the run ended in a {} at {}", outcome_name(outcome), result.end))
            .help("`narrows run` shows which tasks wait for each other"),
    };
    problem.help("what-if compares only completed runs")
}

/// The result of a trial run.
#[derive(Clone)]
pub(super) enum Trial {
    Completed {
        /// Factor by which the metric is better.
        ratio: f64,
        /// Whether any metric changed.
        is_changed: bool,
    },
    Refused(Refusal),
}

impl Trial {
    pub fn ratio(&self) -> Option<f64> {
        if let Trial::Completed { ratio, .. } = self { Some(*ratio) } else { None }
    }
}

/// The machine that trials change, and the run that they are compared with.
pub(super) struct TrialSetup<'q> {
    pub reader: Reader<'q>,
    /// Overrides of every trial.
    pub base_overrides: Vec<String>,
    /// The run without changes.
    pub baseline: MeasuredRun,
    pub goal: Goal,
    pub progress: &'q (dyn Fn(TrialProgress) + Sync),
}

impl TrialSetup<'_> {
    /// Runs a trial of each set of changes, in parallel, and returns the results in their order.
    pub fn try_all(&self, changes: &[Vec<ParameterChange>]) -> Vec<Trial> {
        let run_trial = |changes: &Vec<ParameterChange>| {
            let trial = self.try_changes(changes);
            (self.progress)(TrialProgress::RunEnded);
            trial
        };
        one_task_per_run(changes.par_iter()).map(run_trial).collect()
    }

    /// Returns the overrides of a trial.
    pub fn overrides(&self, changes: &[ParameterChange]) -> Vec<String> {
        self.base_overrides.iter().cloned().chain(changes.iter().map(ParameterChange::setting)).collect()
    }

    /// Returns the refusal of `changes` if the machine is invalid with them.
    pub fn refusal(&self, changes: &[ParameterChange]) -> Option<Refusal> {
        (self.reader)(&self.overrides(changes)).err().map(|problems| invalid_refusal(changes, &problems))
    }

    fn try_changes(&self, changes: &[ParameterChange]) -> Trial {
        let description = match (self.reader)(&self.overrides(changes)) {
            Ok(description) => description,
            Err(problems) => return Trial::Refused(invalid_refusal(changes, &problems)),
        };
        let refuse = |reason: String, advice: &str| Trial::Refused(Refusal::new(changes, reason, advice.to_owned()));
        let measured = match MeasuredRun::new(&description) {
            Ok(measured) => measured,
            Err(problem) => {
                let advice = problem.help.first().map_or("", String::as_str);
                return refuse(problem.message, advice);
            }
        };
        let Goal { metric, .. } = &self.goal;
        if (measured.is_saturated || self.baseline.is_saturated) && !metric.kind.holds_when_saturated() {
            let reason = format!("the run is saturated, and {} then grows with the length of the run", metric.name);
            return refuse(reason, "lower the load, or choose a rate as the metric");
        }
        match measured.metric(&metric.name) {
            Some(metric) => Trial::Completed {
                ratio: self.goal.ratio(metric.value),
                is_changed: measured.metrics != self.baseline.metrics,
            },
            None => refuse(format!("the run has no {}", metric.name), "choose another metric"),
        }
    }
}

/// Returns the refusal of changes with which the description is invalid.
fn invalid_refusal(changes: &[ParameterChange], problems: &Problems) -> Refusal {
    let Some(problem) = problems.list().first() else { return Refusal::new(changes, String::new(), String::new()) };
    let reason = match &*problem.label {
        "" => problem.message.clone(),
        label => format!("{}: {label}", problem.message),
    };
    Refusal::new(changes, reason, problem.help.join("; "))
}

/// Returns whether a metric of this kind can be compared with that of other runs if one of them is saturated.
pub(super) fn is_comparable(kind: MetricKind, is_saturated: bool) -> bool {
    !is_saturated || kind.holds_when_saturated()
}
