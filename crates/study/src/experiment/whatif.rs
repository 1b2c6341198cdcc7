//! Sensitivity analysis: the change of a metric when each numeric parameter of the machine is changed.
//!
//! Every numeric parameter of the machine's parts is multiplied and divided by a factor, one at a time, and the
//! workload is run again. The parameter with the largest gain is the bottleneck; it is improved until the metric no
//! longer gains, and the parameter with the largest gain there is the next bottleneck. Joint changes of several
//! parameters are not tried.

use super::constants::{self, PartNumber};
use super::reader::Reader;
use crate::experiment::threads::one_task_per_run;
use narrows_core::engine::{Metric, Recorder};
use narrows_core::machine::Machine;
use narrows_core::program::Objective;
use narrows_core::text::{Problem, Problems, Read};
use rayon::prelude::*;
use serde_json::json;

/// The least ratio that counts as a gain; smaller ones may be due to the phase of periodic events.
pub const GAIN_MIN: f64 = 1.01;

/// The names of workload keys that hold a number of repetitions.
const REPETITION_KEYS: [&str; 3] = ["messages", "faults", "transfers"];
/// The divisor of such a number for shorter runs, and the least number that remains (chosen).
const REPETITION_DIVISOR: u64 = 16;
const REPETITIONS_MIN: u64 = 16;
/// The largest relative difference of the metric in a shorter run: a fifth of the least gain.
const METRIC_TOLERANCE: f64 = 0.002;

/// The largest number of improvements of the bottleneck in search of the next one.
const STEPS_MAX: i32 = 8;

/// The effect of changing one parameter.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub struct Gain {
    /// The key of the parameter.
    pub key: String,
    /// The value before.
    pub before: String,
    /// The value after.
    pub value: String,
    /// The factor between the two.
    pub factor: f64,
    /// The improvement of the metric as a factor; less than 1 if it is worse.
    pub ratio: f64,
}

/// A parameter without effect.
#[derive(Clone, PartialEq, Debug)]
pub struct IneffectiveParameter {
    /// The key of the parameter.
    pub key: String,
    /// The reason, or an empty text if it is not known.
    pub reason: String,
}

/// The point at which improving the bottleneck gains no more.
#[derive(Clone, PartialEq, Debug)]
pub struct NextBottleneck {
    /// The value of the bottleneck's parameter from which on the metric gains no more.
    pub value: String,
    /// The improvement of the metric there, as a factor.
    pub ratio: f64,
    /// The largest gain there: the next bottleneck.
    pub gain: Option<Gain>,
}

/// The result of a sensitivity analysis.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub struct WhatIf {
    /// The metric.
    pub metric: Metric,
    /// Whether a larger value is better.
    pub more_is_better: bool,
    /// The overrides that shorten the runs and hardly change the metric.
    pub shorter: Vec<String>,
    /// The effects of all changes, the largest gain first.
    pub gains: Vec<Gain>,
    /// The parameters that change no metric.
    pub dead: Vec<IneffectiveParameter>,
    /// The changes with which the machine is invalid or its run does not complete, each with the reason.
    pub refused: Vec<(String, String)>,
    /// The saturation of the largest gain, and the next bottleneck; `None` if nothing gains.
    pub next: Option<NextBottleneck>,
}

impl WhatIf {
    /// Returns the result as JSON.
    pub fn json(&self) -> serde_json::Value {
        let gain = |gain: &Gain| {
            let Gain { key, before, value, factor, ratio } = gain;
            json!({ "key": key, "before": before, "value": value, "factor": factor, "ratio": ratio })
        };
        let next = self
            .next
            .as_ref()
            .map(|next| json!({ "value": next.value, "ratio": next.ratio, "then": next.gain.as_ref().map(gain) }));
        let dead = |dead: &IneffectiveParameter| json!({ "key": dead.key, "reason": dead.reason });
        let refused = |(change, why): &(String, String)| json!({ "change": change, "reason": why });
        json!({
            "metric": self.metric.name,
            "value": self.metric.value,
            "unit": self.metric.unit,
            "more_is_better": self.more_is_better,
            "tried_with": self.shorter,
            "gains": self.gains.iter().map(gain).collect::<Vec<_>>(),
            "dead": self.dead.iter().map(dead).collect::<Vec<_>>(),
            "refused": self.refused.iter().map(refused).collect::<Vec<_>>(),
            "saturates": next,
        })
    }
}

/// The reason why the analysis is impossible.
pub enum WhatIfError {
    /// The description is invalid.
    Invalid(Problems),
    /// The metric does not exist or is not measured, or the run does not complete.
    Unmeasurable(Problem),
}

/// A sensitivity analysis of a description.
pub struct WhatIfQuery<'a> {
    /// The reader of the description.
    pub reader: Reader<'a>,
    /// The name of the metric; by default the objective of the workload.
    pub metric: Option<&'a str>,
    /// The factor by which parameters are multiplied and divided.
    pub factor: f64,
}

/// A parameter, its changed value as text, and the factor between the two.
type Change = (PartNumber, (String, f64));

/// The result of a trial run with one change.
enum Trial {
    /// The effect on the metric, and whether any metric changed.
    Ran(Gain, bool),
    Refused(String, String),
}

impl WhatIfQuery<'_> {
    /// Runs the analysis; `done` is called after each run.
    pub fn run(&self, done: &(dyn Fn() + Sync)) -> Result<WhatIf, WhatIfError> {
        let read = (self.reader)(&[]).map_err(WhatIfError::Invalid)?;
        let whole = metrics(&read).ok_or_else(|| {
            WhatIfError::Unmeasurable(Problem::new("the run does not complete, so no metric can be improved"))
        })?;
        let objective = read.value.workload.objective();
        let whole_metric = self.choose(objective, &whole)?.clone();
        let shorter = self.shorter(&read, &whole_metric);
        let (sets, base) = shorter.unwrap_or((Vec::new(), whole));
        let metric = Goal::new(self.choose(objective, &base)?, objective);
        let constants = constants::part_numbers(&read);
        let trial = self.try_all(&self.both_ways(&constants), &sets, &base, &metric, done);
        let (mut gains, mut refused, mut effective) = (Vec::new(), Vec::new(), Vec::new());
        for trial in trial {
            match trial {
                Trial::Refused(key, why) => refused.push((key, why)),
                Trial::Ran(gain, changed) => {
                    effective.extend(changed.then(|| gain.key.clone()));
                    gains.push(gain);
                }
            }
        }
        let dead: Vec<IneffectiveParameter> = constants
            .iter()
            .filter(|constant| gains.iter().any(|gain| gain.key == constant.key) && !effective.contains(&constant.key))
            .map(|constant| {
                let reason = read.value.inert_reason(&constant.key).unwrap_or_default().to_owned();
                IneffectiveParameter { key: constant.key.clone(), reason }
            })
            .collect();
        gains.retain(|gain| effective.contains(&gain.key));
        gains.sort_by(|a, b| b.ratio.total_cmp(&a.ratio));
        let next = self.next_bottleneck(&gains, &constants, (&sets, &base, &metric), done);
        Ok(WhatIf {
            more_is_better: metric.more_is_better,
            metric: whole_metric,
            shorter: sets,
            gains,
            dead,
            refused,
            next,
        })
    }

    /// Returns overrides that reduce the number of repetitions of the workload, and the metrics with them, if `metric`
    /// hardly changes.
    fn shorter(&self, read: &Read<Machine>, metric: &Metric) -> Option<(Vec<String>, Vec<Metric>)> {
        let is_count = |path: &str| {
            let last = path.rsplit('.').next().unwrap_or_default();
            path.starts_with("workload.") && REPETITION_KEYS.contains(&last)
        };
        let entry = read.entries().into_iter().find(|entry| is_count(&entry.path))?;
        let fewer = entry.value.parse::<u64>().ok()? / REPETITION_DIVISOR;
        let set = vec![format!("{}={}", entry.path, fewer.max(REPETITIONS_MIN))];
        if fewer < REPETITIONS_MIN {
            return None;
        }
        let metrics = metrics(&(self.reader)(&set).ok()?)?;
        let value = metrics.iter().find(|other| other.name == metric.name)?.value;
        ((value / metric.value - 1.0).abs() <= METRIC_TOLERANCE).then_some((set, metrics))
    }

    /// Returns the number of runs of the first round.
    pub fn runs(&self) -> usize {
        (self.reader)(&[]).map_or(0, |read| 2 * constants::part_numbers(&read).len())
    }

    fn choose<'m>(&self, objective: Option<Objective>, base: &'m [Metric]) -> Result<&'m Metric, WhatIfError> {
        let Some(name) = self.metric else {
            let objective = objective.and_then(|objective| base.iter().find(|metric| metric.name == objective.metric));
            let found = objective.or(base.first()).filter(|metric| metric.is_measured());
            return found.ok_or_else(|| WhatIfError::Unmeasurable(Problem::new("the run measures nothing")));
        };
        let found = base.iter().find(|metric| metric.name == name);
        if found.is_some_and(|metric| !metric.is_measured()) {
            return Err(WhatIfError::Unmeasurable(Problem::new(format!("the run measures nothing under `{name}`"))));
        }
        found.ok_or_else(|| {
            let names = || base.iter().map(|metric| metric.name.as_str());
            let problem = Problem::new(format!("there is no metric `{name}`"));
            let problem = match narrows_core::text::suggest::nearest(name, names()) {
                Some(near) => problem.help(format!("did you mean `{near}`?")),
                None => problem,
            };
            WhatIfError::Unmeasurable(problem.help(format!("metrics: {}", names().collect::<Vec<_>>().join(", "))))
        })
    }

    /// Returns the changes of every parameter by the factor, up and down.
    fn both_ways(&self, constants: &[PartNumber]) -> Vec<Change> {
        let both = |constant: &PartNumber| {
            let changes =
                [self.factor, 1.0 / self.factor].map(|factor| Some((constant.clone(), constant.scaled_by(factor)?)));
            changes.into_iter().flatten().collect::<Vec<_>>()
        };
        constants.iter().flat_map(both).collect()
    }

    /// Runs a trial of each change, on top of the overrides `sets`.
    fn try_all(
        &self,
        changes: &[Change],
        sets: &[String],
        base: &[Metric],
        metric: &Goal,
        done: &(dyn Fn() + Sync),
    ) -> Vec<Trial> {
        let one = |(constant, (value, factor)): &Change| {
            let trial = self.try_change(constant, (value, *factor), sets, base, metric);
            done();
            trial
        };
        one_task_per_run(changes.par_iter()).map(one).collect()
    }

    fn try_change(
        &self,
        constant: &PartNumber,
        (value, factor): (&str, f64),
        sets: &[String],
        base: &[Metric],
        goal: &Goal,
    ) -> Trial {
        let (key, before) = (constant.key.clone(), constant.value.clone());
        let change = format!("{key} = {value}");
        let sets: Vec<String> = sets.iter().cloned().chain([constant.setting(value)]).collect();
        let read = match (self.reader)(&sets) {
            Ok(read) => read,
            Err(problems) => return Trial::Refused(change, first_line(&problems)),
        };
        let Some(metrics) = metrics(&read) else {
            return Trial::Refused(change, "the run does not complete".to_owned());
        };
        let is_goal = |other: &&Metric| other.name == goal.metric.name && other.is_measured();
        let Some(found) = metrics.iter().find(is_goal) else {
            return Trial::Refused(change, format!("the run has no {}", goal.metric.name));
        };
        let ratio = goal.ratio(found.value);
        Trial::Ran(Gain { key, before, value: value.to_owned(), factor, ratio }, metrics != base)
    }

    /// Improves the parameter with the largest gain until the metric gains no more, and repeats the analysis there.
    fn next_bottleneck(
        &self,
        gains: &[Gain],
        constants: &[PartNumber],
        (sets, base, goal): (&[String], &[Metric], &Goal),
        done: &(dyn Fn() + Sync),
    ) -> Option<NextBottleneck> {
        let first = gains.first().filter(|gain| gain.ratio >= GAIN_MIN)?;
        let constant = constants.iter().find(|constant| constant.key == first.key)?;
        let mut best = first.clone();
        for step in 2..=STEPS_MAX {
            let Some((value, factor)) = constant.scaled_by(first.factor.powi(step)) else { break };
            match self.try_change(constant, (&value, factor), sets, base, goal) {
                Trial::Ran(gain, _) if gain.ratio >= best.ratio * GAIN_MIN => best = gain,
                _ => break,
            }
        }
        let set: Vec<String> = sets.iter().cloned().chain([constant.setting(&best.value)]).collect();
        let next_goal = goal.improved(best.ratio);
        // Changes that made the metric worse are not tried again.
        let costs = |change: &Change| {
            let (constant, (_, factor)) = change;
            gains.iter().any(|gain| gain.key == constant.key && gain.factor == *factor && gain.ratio < 1.0 / GAIN_MIN)
        };
        let mut others = self.both_ways(constants);
        others.retain(|change| change.0.key != best.key && !costs(change));
        let trial = self.try_all(&others, &set, base, &next_goal, done).into_iter();
        let ran = trial.filter_map(|trial| if let Trial::Ran(gain, _) = trial { Some(gain) } else { None });
        let gain = ran.max_by(|a, b| a.ratio.total_cmp(&b.ratio)).filter(|gain| gain.ratio >= GAIN_MIN);
        Some(NextBottleneck { value: best.value, ratio: best.ratio, gain })
    }
}

/// Returns the metrics of a run, or `None` if it does not complete.
fn metrics(read: &Read<Machine>) -> Option<Vec<Metric>> {
    let result = super::run(&read.value, Recorder::off());
    result.outcome.is_complete().then_some(result.metrics)
}

/// The metric that is to be improved, with its value before any change.
struct Goal {
    metric: Metric,
    more_is_better: bool,
}

impl Goal {
    /// Returns the goal of improving `metric`, in the direction that the workload's objective states; more of any other
    /// metric is better where it is a rate or a throughput, not a time or a count.
    fn new(metric: &Metric, objective: Option<Objective>) -> Goal {
        let rates = ["bandwidth", "throughput", "per_cycle", "accepted", "delivered"];
        let is_rate = || metric.unit.ends_with("/s") || rates.iter().any(|rate| metric.name.contains(rate));
        let stated = objective.filter(|objective| objective.metric == metric.name);
        let more_is_better = stated.map_or_else(is_rate, |objective| objective.more_is_better);
        Goal { metric: metric.clone(), more_is_better }
    }

    /// Returns how many times better than before `value` is.
    fn ratio(&self, value: f64) -> f64 {
        let before = self.metric.value;
        match self.more_is_better {
            _ if before == value => 1.0,
            true => value / before,
            false => before / value,
        }
    }

    /// Returns the goal from a value that is `ratio` times better.
    fn improved(&self, ratio: f64) -> Goal {
        let before = self.metric.value;
        let value = if self.more_is_better { before * ratio } else { before / ratio };
        Goal { metric: Metric { value, ..self.metric.clone() }, more_is_better: self.more_is_better }
    }
}

fn first_line(problems: &Problems) -> String {
    let text = problems.to_string();
    text.lines().next().unwrap_or_default().trim_start_matches("error: ").to_owned()
}
