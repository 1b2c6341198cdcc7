//! What would change if a number of the machine were another: an experiment on each, not a guess.
//!
//! Every number of the machine's parts is multiplied and divided, one at a time, and the workload run
//! again. What gains most binds; it is then made better until that gains no more, and what gains most
//! there binds next. Leaves out: numbers changed together, of which none alone gains.

use super::constants::{self, PartNumber};
use super::reader::Reader;
use crate::experiment::threads::one_by_one;
use narrows_core::engine::{Metric, Recorder};
use narrows_core::machine::Machine;
use narrows_core::program::Objective;
use narrows_core::text::{Problem, Problems, Read};
use rayon::prelude::*;
use serde_json::json;

/// Less is no gain, but noise of phases.
pub const LEAST: f64 = 1.01;

/// What a workload's key is called that says how often it does one thing.
const REPEATED: [&str; 3] = ["messages", "faults", "transfers"];
/// By what such a count is divided, and what is left of it at least (chosen).
const SHORTER: u64 = 16;
const REPEATED_MIN: u64 = 16;
/// What a metric may differ by then, as a part: a fifth of the least gain that is told.
const SAME: f64 = 0.002;

/// How often what binds is made better in search of what binds next.
const STEPS_MAX: i32 = 8;

/// One number changed.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub struct Gain {
    /// Its key.
    pub key: String,
    /// Its value before.
    pub before: String,
    /// Its value then.
    pub value: String,
    /// By what it was multiplied.
    pub factor: f64,
    /// How many times better the metric is; less than 1 where it is worse.
    pub ratio: f64,
}

/// A number that changes nothing.
#[derive(Clone, PartialEq, Debug)]
pub struct Dead {
    /// Its key.
    pub key: String,
    /// Why, where that is known.
    pub reason: String,
}

/// Where the gain of what binds ends.
#[derive(Clone, PartialEq, Debug)]
pub struct Next {
    /// The value from which on it gains no more.
    pub value: String,
    /// How many times better the metric is there.
    pub ratio: f64,
    /// What gains most there.
    pub gain: Option<Gain>,
}

/// What would change.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub struct WhatIf {
    /// The metric.
    pub metric: Metric,
    /// Whether more of it is better.
    pub more_is_better: bool,
    /// What was set so that runs are shorter and the metric as good as the same.
    pub shorter: Vec<String>,
    /// Every number changed, the largest gain first.
    pub gains: Vec<Gain>,
    /// Numbers that change no metric.
    pub dead: Vec<Dead>,
    /// Changes that make no sound machine, or one that does not end: the key, and why.
    pub refused: Vec<(String, String)>,
    /// What comes after what binds.
    pub next: Option<Next>,
}

impl WhatIf {
    /// The same as JSON.
    pub fn json(&self) -> serde_json::Value {
        let gain = |gain: &Gain| {
            let Gain { key, before, value, factor, ratio } = gain;
            json!({ "key": key, "before": before, "value": value, "factor": factor, "ratio": ratio })
        };
        let next = self
            .next
            .as_ref()
            .map(|next| json!({ "value": next.value, "ratio": next.ratio, "then": next.gain.as_ref().map(gain) }));
        let dead = |dead: &Dead| json!({ "key": dead.key, "reason": dead.reason });
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

/// Why nothing could be asked.
pub enum Unanswered {
    /// The description is not sound.
    Unsound(Problems),
    /// The metric is not there, or the run does not end.
    Unasked(Problem),
}

/// An experiment on a description.
pub struct Inquiry<'a> {
    /// Reads it with settings over it.
    pub reader: Reader<'a>,
    /// The metric; by default the one that the program is run for.
    pub metric: Option<&'a str>,
    /// By what numbers are multiplied and divided.
    pub by: f64,
}

/// A number with another value: as it is written, and by what it was multiplied.
type Change = (PartNumber, (String, f64));

/// What became of a change.
enum Tried {
    /// The metric is so many times better; whether any metric changed.
    Ran(Gain, bool),
    Refused(String, String),
}

impl Inquiry<'_> {
    /// Runs it. `done` is told of each run.
    pub fn run(&self, done: &(dyn Fn() + Sync)) -> Result<WhatIf, Unanswered> {
        let read = (self.reader)(&[]).map_err(Unanswered::Unsound)?;
        let whole = metrics(&read)
            .ok_or_else(|| Unanswered::Unasked(Problem::new("the run does not end, so nothing can be gained")))?;
        let objective = read.value.workload.objective();
        let whole_metric = self.choose(objective, &whole)?.clone();
        let shorter = self.shorter(&read, &whole_metric);
        let (sets, base) = shorter.unwrap_or((Vec::new(), whole));
        let metric = Goal::new(self.choose(objective, &base)?, objective);
        let constants = constants::of(&read);
        let tried = self.try_all(&self.both_ways(&constants), &sets, &base, &metric, done);
        let (mut gains, mut refused, mut alive) = (Vec::new(), Vec::new(), Vec::new());
        for tried in tried {
            match tried {
                Tried::Refused(key, why) => refused.push((key, why)),
                Tried::Ran(gain, changed) => {
                    alive.extend(changed.then(|| gain.key.clone()));
                    gains.push(gain);
                }
            }
        }
        let dead: Vec<Dead> = constants
            .iter()
            .filter(|constant| gains.iter().any(|gain| gain.key == constant.key) && !alive.contains(&constant.key))
            .map(|constant| {
                let reason = read.value.inert_reason(&constant.key).unwrap_or_default().to_owned();
                Dead { key: constant.key.clone(), reason }
            })
            .collect();
        gains.retain(|gain| alive.contains(&gain.key));
        gains.sort_by(|a, b| b.ratio.total_cmp(&a.ratio));
        let next = self.after(&gains, &constants, (&sets, &base, &metric), done);
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

    /// The same with fewer messages, and what it measures, if that is as good as the same: most programs
    /// do one thing many times.
    fn shorter(&self, read: &Read<Machine>, metric: &Metric) -> Option<(Vec<String>, Vec<Metric>)> {
        let is_count = |path: &str| {
            let last = path.rsplit('.').next().unwrap_or_default();
            path.starts_with("workload.") && REPEATED.contains(&last)
        };
        let entry = read.entries().into_iter().find(|entry| is_count(&entry.path))?;
        let fewer = entry.value.parse::<u64>().ok()? / SHORTER;
        let set = vec![format!("{}={}", entry.path, fewer.max(REPEATED_MIN))];
        if fewer < REPEATED_MIN {
            return None;
        }
        let metrics = metrics(&(self.reader)(&set).ok()?)?;
        let value = metrics.iter().find(|other| other.name == metric.name)?.value;
        ((value / metric.value - 1.0).abs() <= SAME).then_some((set, metrics))
    }

    /// How many runs the first round takes.
    pub fn runs(&self) -> usize {
        (self.reader)(&[]).map_or(0, |read| 2 * constants::of(&read).len())
    }

    fn choose<'m>(&self, objective: Option<Objective>, base: &'m [Metric]) -> Result<&'m Metric, Unanswered> {
        let Some(name) = self.metric else {
            let objective = objective.and_then(|objective| base.iter().find(|metric| metric.name == objective.metric));
            let found = objective.or(base.first()).filter(|metric| metric.is_measured());
            return found.ok_or_else(|| Unanswered::Unasked(Problem::new("the run measures nothing")));
        };
        let found = base.iter().find(|metric| metric.name == name);
        if found.is_some_and(|metric| !metric.is_measured()) {
            return Err(Unanswered::Unasked(Problem::new(format!("the run measures nothing under `{name}`"))));
        }
        found.ok_or_else(|| {
            let names = || base.iter().map(|metric| metric.name.as_str());
            let problem = Problem::new(format!("there is no metric `{name}`"));
            let problem = match narrows_core::text::suggest::nearest(name, names()) {
                Some(near) => problem.help(format!("did you mean `{near}`?")),
                None => problem,
            };
            Unanswered::Unasked(problem.help(format!("metrics: {}", names().collect::<Vec<_>>().join(", "))))
        })
    }

    /// Every number multiplied, and divided.
    fn both_ways(&self, constants: &[PartNumber]) -> Vec<Change> {
        let both = |constant: &PartNumber| {
            let changes = [self.by, 1.0 / self.by].map(|factor| Some((constant.clone(), constant.times(factor)?)));
            changes.into_iter().flatten().collect::<Vec<_>>()
        };
        constants.iter().flat_map(both).collect()
    }

    /// All these changes, each over `sets`.
    fn try_all(
        &self,
        changes: &[Change],
        sets: &[String],
        base: &[Metric],
        metric: &Goal,
        done: &(dyn Fn() + Sync),
    ) -> Vec<Tried> {
        let one = |(constant, (value, factor)): &Change| {
            let tried = self.one(constant, (value, *factor), sets, base, metric);
            done();
            tried
        };
        one_by_one(changes.par_iter()).map(one).collect()
    }

    fn one(
        &self,
        constant: &PartNumber,
        (value, factor): (&str, f64),
        sets: &[String],
        base: &[Metric],
        goal: &Goal,
    ) -> Tried {
        let (key, before) = (constant.key.clone(), constant.value.clone());
        let told = format!("{key} = {value}");
        let sets: Vec<String> = sets.iter().cloned().chain([constant.set(value)]).collect();
        let read = match (self.reader)(&sets) {
            Ok(read) => read,
            Err(problems) => return Tried::Refused(told, first_line(&problems)),
        };
        let Some(metrics) = metrics(&read) else { return Tried::Refused(told, "the run does not end".to_owned()) };
        let is_it = |other: &&Metric| other.name == goal.metric.name && other.is_measured();
        let Some(found) = metrics.iter().find(is_it) else {
            return Tried::Refused(told, format!("the run has no {}", goal.metric.name));
        };
        let ratio = goal.ratio(found.value);
        Tried::Ran(Gain { key, before, value: value.to_owned(), factor, ratio }, metrics != base)
    }

    /// Makes what gains most better until that gains no more, and asks again there.
    fn after(
        &self,
        gains: &[Gain],
        constants: &[PartNumber],
        (sets, base, goal): (&[String], &[Metric], &Goal),
        done: &(dyn Fn() + Sync),
    ) -> Option<Next> {
        let first = gains.first().filter(|gain| gain.ratio >= LEAST)?;
        let constant = constants.iter().find(|constant| constant.key == first.key)?;
        let mut best = first.clone();
        for step in 2..=STEPS_MAX {
            let Some((value, factor)) = constant.times(first.factor.powi(step)) else { break };
            match self.one(constant, (&value, factor), sets, base, goal) {
                Tried::Ran(gain, _) if gain.ratio >= best.ratio * LEAST => best = gain,
                _ => break,
            }
        }
        let set: Vec<String> = sets.iter().cloned().chain([constant.set(&best.value)]).collect();
        let there = goal.improved(best.ratio);
        // What only cost before is not tried that way again.
        let costs = |change: &Change| {
            let (constant, (_, factor)) = change;
            gains.iter().any(|gain| gain.key == constant.key && gain.factor == *factor && gain.ratio < 1.0 / LEAST)
        };
        let mut others = self.both_ways(constants);
        others.retain(|change| change.0.key != best.key && !costs(change));
        let tried = self.try_all(&others, &set, base, &there, done).into_iter();
        let ran = tried.filter_map(|tried| if let Tried::Ran(gain, _) = tried { Some(gain) } else { None });
        let gain = ran.max_by(|a, b| a.ratio.total_cmp(&b.ratio)).filter(|gain| gain.ratio >= LEAST);
        Some(Next { value: best.value, ratio: best.ratio, gain })
    }
}

/// What a run measures; nothing if it does not end by itself.
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
