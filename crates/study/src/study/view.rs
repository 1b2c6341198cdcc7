//! What the names in a study's expressions mean: over results, or before anything is run.
//!
//! Before the runs every metric is taken for 1, so that the same evaluation finds what is wrong with an
//! expression: names that are not there, and points that are not run. Leaves out which metrics a run
//! gives, which only the run tells.

use super::builtins::{BuiltinFn, BuiltinFns};
use super::claims::ClaimStatement;
use super::experiments::{Experiments, Results};
use super::expression::{Key, Names, Scope, Stop, Template, Value};
use super::meaning::{Fact, From, Meaning};
use crate::experiment::record::outcome_name;
use crate::experiment::{Bottleneck, RunResult};
use narrows_core::engine::Outcome;
use narrows_core::text::{Constant, Said, suggest};
use std::cell::RefCell;
use std::collections::BTreeSet;

/// Where values come from.
#[derive(Clone, Copy)]
pub enum ValueSource<'a> {
    /// Nothing is run yet: the points that will be.
    Planned(&'a BTreeSet<String>),
    /// Runs.
    Ran(&'a Results),
}

/// What a study defines that its expressions can name.
#[derive(Clone, Copy)]
pub struct Definitions<'a> {
    /// The values of axes with their names in words.
    pub names: &'a [(Said, Vec<(Said, String)>)],
    /// Some values of an axis.
    pub sets: &'a [(Said, Vec<Said>)],
    /// What is measured, by name.
    pub values: &'a [(String, Meaning)],
    /// The runs.
    pub experiments: &'a Experiments,
    /// The claims, whose published numbers are values.
    pub claims: &'a [ClaimStatement],
}

/// A study's names over a source.
#[derive(Clone, Copy)]
pub struct View<'a> {
    /// What the study defines.
    pub defined: Definitions<'a>,
    /// The functions that it may name.
    pub builtins: &'a BuiltinFns,
    /// Where values come from.
    pub source: ValueSource<'a>,
    /// Whether what is not run is left out without a word.
    pub gaps: bool,
    /// Where the points are kept that are asked for.
    pub asked: Option<&'a RefCell<BTreeSet<String>>>,
}

/// The value of the study itself that is a claim's published number.
pub const PUBLISHED: &str = "published";
/// How many elements a list has before it is known.
const PLANNED_ELEMENTS: usize = 8;

impl<'a> View<'a> {
    /// The run of a point, if there is one; that none is planned is wrong.
    pub fn run(&self, point: &str) -> Result<Option<&'a RunResult>, Stop> {
        if let Some(asked) = self.asked {
            asked.borrow_mut().insert(point.to_owned());
        }
        match self.source {
            ValueSource::Ran(results) => Ok(results.get(point)),
            ValueSource::Planned(points) if points.contains(point) => Ok(None),
            ValueSource::Planned(_) if self.gaps => Err(Stop::Absent(format!("no run is called `{point}`"))),
            ValueSource::Planned(points) => Err(no_point(self.defined.experiments, points, point)),
        }
    }

    /// Whether nothing is run yet.
    pub fn is_planned(&self) -> bool {
        matches!(self.source, ValueSource::Planned(_))
    }

    fn is_run(&self, point: &str) -> bool {
        match self.source {
            ValueSource::Ran(results) => results.contains_key(point),
            ValueSource::Planned(points) => points.contains(point),
        }
    }

    /// The first of these points that is run, or else the last.
    fn first_run(&self, scope: &Scope, points: &[Template]) -> Result<String, Stop> {
        let points: Vec<String> = points.iter().map(|point| scope.words(&point.keyed())).collect::<Result<_, _>>()?;
        let point = points.iter().find(|point| self.is_run(point)).or(points.last());
        Ok(point.cloned().unwrap_or_default())
    }

    /// What the run of the first of these points tells beside its metrics.
    fn told(&self, scope: &Scope, points: &[Template], fact: Fact) -> Result<Value, Stop> {
        let point = &self.first_run(scope, points)?;
        let run = self.run(point)?;
        if fact == Fact::Fits {
            return Ok(Value::Flag(run.is_some() || self.is_planned()));
        }
        match (run, fact) {
            (None, _) if !self.is_planned() => Err(Stop::Absent(format!("`{point}` was not run"))),
            (run, Fact::Time) => Ok(Value::Number(run.map_or(1.0, |run| run.end.as_us()))),
            (run, Fact::Outcome) => {
                Ok(Value::Text(outcome_name(run.map_or(&Outcome::Done, |run| &run.outcome)).into()))
            }
            (run, _) => Ok(Value::Text(run.map_or_else(|| "what binds".to_owned(), Bottleneck::kind))),
        }
    }

    /// What `of` says of the first of these points that is run.
    fn measured(
        &self,
        scope: &Scope,
        points: &[Template],
        what: &Template,
        of: impl Fn(&RunResult, &str) -> Result<f64, Stop>,
    ) -> Result<Value, Stop> {
        let what = scope.words(&what.keyed())?;
        let point = &self.first_run(scope, points)?;
        match (self.run(point)?, self.source) {
            (Some(run), _) => of(run, &what).map(Value::Number),
            (None, ValueSource::Planned(_)) => Ok(Value::Number(1.0)),
            (None, ValueSource::Ran(_)) => Err(Stop::Absent(format!("`{point}` was not run"))),
        }
    }

    fn meaning(&self, meaning: &Meaning, name: &str, arguments: &[Key], depth: usize) -> Result<Value, Stop> {
        if !matches!(meaning.from, From::Table(_)) && meaning.of.len() != arguments.len() {
            let label = format!("{} arguments are given", arguments.len());
            let help = match meaning.of.len() {
                0 => format!("write `{name}` alone"),
                _ => format!(
                    "write {name}[{}]",
                    meaning.of.iter().map(|of| format!("{{{of}}}")).collect::<Vec<_>>().join("/")
                ),
            };
            return Err(Stop::Asked(format!("`{name}` takes {} arguments", meaning.of.len()), label, vec![help]));
        }
        let mut scope = Scope { depth, ..Scope::new(self) };
        scope.bound = meaning.of.iter().cloned().zip(arguments.iter().cloned().map(Value::Key)).collect();
        match &meaning.from {
            From::Metric(points, metric, missing) => self.measured(&scope, points, metric, |run, metric| {
                run.metric(metric).or(missing.filter(|_| told_all_but(run, metric))).ok_or_else(|| match self.gaps {
                    true => Stop::Absent(format!("there is no metric `{metric}`")),
                    false => no_metric(run, metric),
                })
            }),
            From::Busy(points, resource) => self.measured(&scope, points, resource, |run, resource| {
                let found = run.resources.iter().find(|known| known.name == resource);
                found.map(|found| found.busy.as_us()).ok_or_else(|| no_resource(run, resource))
            }),
            From::Told(points, fact) => self.told(&scope, points, *fact),
            From::Value(expression) => scope.value(expression),
            From::Table(table) => in_table(table, name, arguments, self.gaps),
            From::Rust(rust) => self.builtin(rust, arguments),
        }
    }

    /// Returns what a registered function gives.
    fn builtin(&self, said: &Said, arguments: &[Key]) -> Result<Value, Stop> {
        let value = self.builtins.value(said)?;
        let arguments: Vec<&str> = arguments.iter().map(|key| key.key.as_str()).collect();
        if let (true, Some(point)) = (value.of_point, arguments.first()) {
            self.run(point)?;
        }
        let absent = || Stop::Absent(format!("`{}` finds nothing of {}", said.text, arguments.join("/")));
        match (value.function, self.source) {
            (BuiltinFn::Number(_), ValueSource::Planned(_)) => Ok(Value::Number(1.0)),
            (BuiltinFn::Numbers(_), ValueSource::Planned(_)) => Ok(Value::numbers([1.0; PLANNED_ELEMENTS])),
            (BuiltinFn::Number(of), ValueSource::Ran(results)) => {
                of(results, &arguments).map(Value::Number).ok_or_else(absent)
            }
            (BuiltinFn::Numbers(of), ValueSource::Ran(results)) => {
                of(results, &arguments).map(Value::numbers).ok_or_else(absent)
            }
        }
    }

    fn published(&self, arguments: &[Key]) -> Result<Value, Stop> {
        let id = arguments.iter().map(|key| key.key.as_str()).collect::<Vec<_>>().join("/");
        let claim = self.defined.claims.iter().find(|claim| claim.id.text == id);
        let expected = claim.and_then(|claim| claim.expected());
        expected.map(Value::Number).ok_or_else(|| Stop::Absent(format!("no claim `{id}` has a number")))
    }

    /// How a value of an axis is called.
    fn label(&self, key: &str, axes: [&str; 2]) -> String {
        let names = axes.iter().filter_map(|axis| self.defined.names.iter().find(|(of, _)| of.text == **axis));
        let mut labels = names.filter_map(|(_, names)| names.iter().find(|(of, _)| of.text == key));
        labels.next().map_or_else(|| key.to_owned(), |(_, label)| label.clone())
    }
}

impl Names for View<'_> {
    fn set(&self, name: &str, variable: &str) -> Option<Vec<Key>> {
        let of = |keys: Vec<&Said>| {
            let key = |key: &&Said| Key { key: key.text.clone(), label: self.label(&key.text, [variable, name]) };
            Some(keys.iter().map(key).collect())
        };
        if let Some((_, keys)) = self.defined.sets.iter().find(|(set, _)| set.text == name) {
            return of(keys.iter().collect());
        }
        if let Some((_, names)) = self.defined.names.iter().find(|(axis, _)| axis.text == name) {
            return of(names.iter().map(|(key, _)| key).collect());
        }
        let values = self.defined.experiments.axis(name)?;
        of(values.iter().map(|(key, _)| key).collect())
    }

    fn sets(&self) -> Vec<&str> {
        let sets = self.defined.sets.iter().map(|(set, _)| set.text.as_str());
        let names = self.defined.names.iter().map(|(axis, _)| axis.text.as_str());
        let axes = self.defined.experiments.axes.iter().map(|(axis, _)| axis.text.as_str());
        let mut all: Vec<&str> = sets.chain(names).chain(axes).collect();
        all.sort_unstable();
        all.dedup();
        all
    }

    fn value(&self, name: &str, arguments: &[Key], depth: usize) -> Option<Result<Value, Stop>> {
        if name == PUBLISHED {
            return Some(self.published(arguments));
        }
        let (_, meaning) = self.defined.values.iter().find(|(known, _)| known == name)?;
        Some(self.meaning(meaning, name, arguments, depth))
    }

    fn values(&self) -> Vec<&str> {
        self.defined.values.iter().map(|(name, _)| name.as_str()).chain([PUBLISHED]).collect()
    }
}

fn in_table(table: &[(String, Constant)], name: &str, arguments: &[Key], gaps: bool) -> Result<Value, Stop> {
    let key = arguments.iter().map(|key| key.key.as_str()).collect::<Vec<_>>().join("/");
    match table.iter().find(|(known, _)| *known == key) {
        Some((_, Constant::Number(number))) => Ok(Value::Number(*number)),
        Some((_, Constant::Text(text))) => Ok(Value::Text(text.clone())),
        None if gaps => Err(Stop::Absent(format!("`{name}` has no `{key}`"))),
        None => {
            let known = suggest::phrase(table.iter().map(|(key, _)| key.as_str()));
            let label = format!("nothing stands there under `{key}`");
            Err(Stop::Asked(format!("`{name}` has no `{key}`"), label, vec![format!("it has {known}")]))
        }
    }
}

/// Whether a run came to its end and told no metric of this name, not even that it measured none.
fn told_all_but(run: &RunResult, metric: &str) -> bool {
    matches!(run.outcome, Outcome::Done) && run.metrics.iter().all(|known| known.name != metric)
}

/// That a run has no such metric.
pub fn no_metric(run: &RunResult, metric: &str) -> Stop {
    if run.metrics.iter().any(|known| known.name == metric) {
        let how = outcome_name(&run.outcome);
        return Stop::Unmeasured(format!("nothing was measured under `{metric}`: the outcome of its run is `{how}`"));
    }
    let names = || run.metrics.iter().map(|metric| metric.name.as_str());
    let near = suggest::nearest(metric, names());
    let label = near.map_or("no metric of its run has this name".to_owned(), |near| format!("did you mean `{near}`?"));
    let help = format!("its run gives {}", suggest::phrase(names()));
    Stop::Asked(format!("there is no metric `{metric}`"), label, vec![help])
}

fn no_resource(run: &RunResult, resource: &str) -> Stop {
    let names = suggest::phrase(run.resources.iter().map(|resource| resource.name.as_str()));
    let label = "no resource of its run has this name".to_owned();
    Stop::Asked(format!("there is no resource `{resource}`"), label, vec![format!("its run has {names}")])
}

/// More points than these are not listed.
const LISTED: usize = 12;

/// That no run is called so: what is near, or which experiment has it.
fn no_point(experiments: &Experiments, planned: &BTreeSet<String>, point: &str) -> Stop {
    let message = format!("no run is called `{point}`");
    let experiment = point.split('/').next().unwrap_or_default();
    let names = experiments.names(experiment, false);
    if names.iter().any(|name| name == point) {
        let label = format!("the artifact does not run the experiment `{experiment}`");
        let help = format!("name `{experiment}` among the artifact's experiments in study.toml");
        return Stop::Asked(message, label, vec![help]);
    }
    let here = || planned.iter().filter(|name| name.split('/').next() == Some(experiment)).map(String::as_str);
    let count = here().count();
    if count == 0 {
        let all = suggest::phrase(experiments.all.iter().map(|(name, _)| name.as_str()));
        let known = experiments.all.iter().map(|(name, _)| name.as_str());
        let near = suggest::nearest(experiment, known);
        let label = near.map_or("no experiment has this name".to_owned(), |near| format!("did you mean `{near}`?"));
        return Stop::Asked(message, label, vec![format!("experiments: {all}")]);
    }
    let near = suggest::nearest(point, here());
    let label = near.map_or("its experiment has no such point".to_owned(), |near| format!("did you mean `{near}`?"));
    let listed = suggest::phrase(here().take(LISTED));
    let more = if count > LISTED { format!(", and {} more", count - LISTED) } else { String::new() };
    Stop::Asked(message, label, vec![format!("the points of `{experiment}`: {listed}{more}")])
}
