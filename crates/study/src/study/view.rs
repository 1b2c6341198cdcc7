//! The resolution of the names in a study's expressions, over results or over planned points.
//!
//! Over planned points, every metric is 1, so that the same evaluation finds errors in expressions before any run:
//! unknown names, and points that are not run. Names of metrics are checked over results only.

use super::builtins::{BuiltinFn, BuiltinFns};
use super::claims::ClaimStatement;
use super::experiments::Experiments;
use super::expression::{EvalError, Key, NameResolver, ReferenceError, Scope, Template, Value};
use super::named_value::{Fact, NamedValue, ValueDefinition};
use super::points::Results;
use crate::experiment::record::{outcome_name, outcome_reason};
use crate::experiment::{Candidate, RunResult};
use narrows_core::engine::Outcome;
use narrows_core::text::{Constant, SpannedString, suggest};
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::sync::Arc;

/// The source of values.
#[derive(Clone, Copy)]
pub enum ValueSource<'a> {
    /// The points that will be run.
    Planned(&'a BTreeSet<String>),
    /// The results of runs.
    Ran(&'a Results),
}

/// The definitions of a study to which its expressions can refer.
#[derive(Clone, Copy)]
pub struct Definitions<'a> {
    /// The display names of the values of axes.
    pub names: &'a [(SpannedString, Vec<(SpannedString, String)>)],
    /// The named subsets of the values of an axis.
    pub sets: &'a [(SpannedString, Vec<SpannedString>)],
    /// The named values.
    pub values: &'a [(String, NamedValue)],
    /// The experiments of the study.
    pub experiments: &'a Experiments,
    /// The claims, whose published numbers are values.
    pub claims: &'a [ClaimStatement],
}

/// The resolver of a study's names, which takes their values from a source.
#[derive(Clone, Copy)]
pub struct View<'a> {
    /// The definitions of the study.
    pub definitions: Definitions<'a>,
    /// The built-in functions.
    pub builtins: &'a BuiltinFns,
    /// The source of values.
    pub source: ValueSource<'a>,
    /// Whether a point that is not run, and a metric or table entry that does not exist, is a missing value and not an
    /// error.
    pub allows_gaps: bool,
    /// The record of the points and metrics that are used.
    pub used_values: Option<&'a RefCell<UsedValues>>,
}

/// The points and metrics that expressions use.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct UsedValues {
    points: Vec<String>,
    known_points: BTreeSet<String>,
    /// The first metric.
    pub metric: Option<String>,
}

impl UsedValues {
    /// Returns the points, each once, in the order of their first use.
    pub fn points(&self) -> &[String] {
        &self.points
    }

    /// Adds a point.
    pub fn add_point(&mut self, point: &str) {
        if !self.known_points.contains(point) {
            self.known_points.insert(point.to_owned());
            self.points.push(point.to_owned());
        }
    }
}

/// The name of the predefined value that is the published number of a claim.
pub const PUBLISHED: &str = "published";
/// The number of elements of a list over planned points.
const PLANNED_ELEMENTS: usize = 8;

impl<'a> View<'a> {
    /// Returns the run of a point, if it exists. Over planned points, a point that is not planned is an error.
    pub fn run(&self, point: &str) -> Result<Option<&'a RunResult>, EvalError> {
        if let Some(used_values) = self.used_values {
            used_values.borrow_mut().add_point(point);
        }
        match self.source {
            ValueSource::Ran(results) => Ok(results.get(point)),
            ValueSource::Planned(points) if points.contains(point) => Ok(None),
            ValueSource::Planned(_) if self.allows_gaps => {
                Err(EvalError::Missing(format!("no run is called `{point}`")))
            }
            ValueSource::Planned(points) => Err(unknown_point(self.definitions.experiments, points, point)),
        }
    }

    /// Returns whether the source is planned points.
    pub fn is_planned(&self) -> bool {
        matches!(self.source, ValueSource::Planned(_))
    }

    fn is_run(&self, point: &str) -> bool {
        match self.source {
            ValueSource::Ran(results) => results.contains_key(point),
            ValueSource::Planned(points) => points.contains(point),
        }
    }

    /// Returns the name of the first of these points that is run, or otherwise of the last.
    fn first_run_point(&self, scope: &Scope, points: &[Template]) -> Result<String, EvalError> {
        let points: Vec<String> = points.iter().map(|point| scope.fill_template(point)).collect::<Result<_, _>>()?;
        let point = points.iter().find(|point| self.is_run(point)).or(points.last());
        Ok(point.cloned().unwrap_or_default())
    }

    /// Returns a fact about the first of these points that is run.
    fn fact(&self, scope: &Scope, points: &[Template], fact: Fact) -> Result<Value, EvalError> {
        let point = &self.first_run_point(scope, points)?;
        let run = self.run(point)?;
        if fact == Fact::Fits {
            return Ok(Value::Flag(run.is_some() || self.is_planned()));
        }
        match (run, fact) {
            (None, _) if !self.is_planned() => Err(EvalError::Missing(format!("`{point}` was not run"))),
            (run, Fact::Time) => Ok(Value::Number(run.map_or(1.0, |run| run.end.as_us()))),
            (run, Fact::Outcome) => {
                Ok(Value::Text(outcome_name(run.map_or(&Outcome::Done, |run| &run.outcome)).into()))
            }
            (Some(run), _) if !run.outcome.is_complete() => Ok(Value::Text("stuck".into())),
            (run, _) => Ok(Value::Text(run.map_or_else(|| "bottleneck".to_owned(), Candidate::kind))),
        }
    }

    /// Returns the number that `read_value` returns for the first of these points that is run. The name of the metric or
    /// resource is given by `name_template`.
    fn read_number(
        &self,
        scope: &Scope,
        points: &[Template],
        name_template: &Template,
        read_value: impl Fn(&RunResult, &str) -> Result<f64, EvalError>,
    ) -> Result<Value, EvalError> {
        let name = scope.fill_template(name_template)?;
        let point = &self.first_run_point(scope, points)?;
        match (self.run(point)?, self.source) {
            (Some(run), _) => read_value(run, &name).map(Value::Number),
            (None, ValueSource::Planned(_)) => Ok(Value::Number(1.0)),
            (None, ValueSource::Ran(_)) => Err(EvalError::Missing(format!("`{point}` was not run"))),
        }
    }

    fn named_value(
        &self,
        named: &NamedValue,
        name: &str,
        arguments: &[Key],
        caller_scope: &Scope,
    ) -> Result<Value, EvalError> {
        if !matches!(named.definition, ValueDefinition::Table(_)) && named.arguments.len() != arguments.len() {
            let label = format!("{} arguments are given", arguments.len());
            let help = match named.arguments.len() {
                0 => format!("write `{name}` alone"),
                _ => format!(
                    "write {name}[{}]",
                    named.arguments.iter().map(|argument| format!("{{{argument}}}")).collect::<Vec<_>>().join("/")
                ),
            };
            let message = format!("`{name}` takes {} arguments", named.arguments.len());
            return Err(ReferenceError { message, label, help }.into());
        }
        let scope = caller_scope
            .definition_scope(named.arguments.iter().cloned().zip(arguments.iter().cloned().map(Value::Key)).collect());
        match &named.definition {
            ValueDefinition::Metric(points, metric, missing) => {
                self.read_number(&scope, points, metric, |run, metric| {
                    if let Some(used_values) = self.used_values {
                        used_values.borrow_mut().metric.get_or_insert_with(|| metric.to_owned());
                    }
                    run.metric(metric).or(missing.filter(|_| completed_without_metric(run, metric))).ok_or_else(|| {
                        match self.allows_gaps {
                            true => EvalError::Missing(format!("there is no metric `{metric}`")),
                            false => no_metric(run, metric),
                        }
                    })
                })
            }
            ValueDefinition::Busy(points, resource) => self.read_number(&scope, points, resource, |run, resource| {
                if !run.outcome.is_complete() {
                    return Err(not_measured(run, resource));
                }
                let resource_result = run.resources.iter().find(|known| known.name == resource);
                resource_result.map(|resource| resource.busy.as_us()).ok_or_else(|| no_resource(run, resource))
            }),
            ValueDefinition::Fact(points, fact) => self.fact(&scope, points, *fact),
            ValueDefinition::Expression(expression) => scope.value(expression),
            ValueDefinition::Table(table) => table_value(table, name, arguments, self.allows_gaps),
            ValueDefinition::Builtin(rust) => self.builtin(rust, arguments),
        }
    }

    /// Calls a built-in function.
    fn builtin(&self, source: &SpannedString, arguments: &[Key]) -> Result<Value, EvalError> {
        let value = self.builtins.value(source)?;
        let arguments: Vec<&str> = arguments.iter().map(|key| &*key.key).collect();
        if let (true, Some(point)) = (value.takes_point, arguments.first()) {
            self.run(point)?;
        }
        let missing_value_error =
            || EvalError::Missing(format!("`{}` has no value for {}", source.text, arguments.join("/")));
        match (value.function, self.source) {
            (BuiltinFn::Number(_), ValueSource::Planned(_)) => Ok(Value::Number(1.0)),
            (BuiltinFn::Numbers(_), ValueSource::Planned(_)) => Ok(Value::numbers([1.0; PLANNED_ELEMENTS])),
            (BuiltinFn::Number(function), ValueSource::Ran(results)) => {
                function(results, &arguments).map(Value::Number).ok_or_else(missing_value_error)
            }
            (BuiltinFn::Numbers(function), ValueSource::Ran(results)) => {
                function(results, &arguments).map(Value::numbers).ok_or_else(missing_value_error)
            }
        }
    }

    fn published_number(&self, arguments: &[Key]) -> Result<Value, EvalError> {
        let id = arguments.iter().map(|key| &*key.key).collect::<Vec<_>>().join("/");
        let claim = self.definitions.claims.iter().find(|claim| claim.id.text == id);
        let expected = claim.and_then(|claim| claim.expected());
        expected.map(Value::Number).ok_or_else(|| EvalError::Missing(format!("no claim `{id}` has a number")))
    }

    /// Returns the display name of a value of one of these axes.
    fn label(&self, key: &str, axes: [&str; 2]) -> Arc<str> {
        let names = axes.iter().filter_map(|axis| self.definitions.names.iter().find(|(name, _)| name.text == **axis));
        let mut labels = names.filter_map(|(_, names)| names.iter().find(|(name, _)| name.text == key));
        labels.next().map_or(key, |(_, label)| label).into()
    }
}

impl NameResolver for View<'_> {
    fn set(&self, name: &str, variable: &str) -> Option<Vec<Key>> {
        let labelled_keys = |keys: Vec<&SpannedString>| {
            let labelled_key = |key: &&SpannedString| Key {
                key: key.text.as_str().into(),
                label: self.label(&key.text, [variable, name]),
            };
            Some(keys.iter().map(labelled_key).collect())
        };
        if let Some((_, keys)) = self.definitions.sets.iter().find(|(set, _)| set.text == name) {
            return labelled_keys(keys.iter().collect());
        }
        if let Some((_, names)) = self.definitions.names.iter().find(|(axis, _)| axis.text == name) {
            return labelled_keys(names.iter().map(|(key, _)| key).collect());
        }
        let values = self.definitions.experiments.axis(name)?;
        labelled_keys(values.iter().map(|(key, _)| key).collect())
    }

    fn sets(&self) -> Vec<&str> {
        let sets = self.definitions.sets.iter().map(|(set, _)| set.text.as_str());
        let names = self.definitions.names.iter().map(|(axis, _)| axis.text.as_str());
        let axes = self.definitions.experiments.axes.iter().map(|(axis, _)| axis.text.as_str());
        let mut set_names: Vec<&str> = sets.chain(names).chain(axes).collect();
        set_names.sort_unstable();
        set_names.dedup();
        set_names
    }

    fn value(&self, name: &str, arguments: &[Key], scope: &Scope) -> Option<Result<Value, EvalError>> {
        if name == PUBLISHED {
            return Some(self.published_number(arguments));
        }
        let (_, named) = self.definitions.values.iter().find(|(known, _)| known == name)?;
        Some(self.named_value(named, name, arguments, scope))
    }

    fn values(&self) -> Vec<&str> {
        self.definitions.values.iter().map(|(name, _)| name.as_str()).chain([PUBLISHED]).collect()
    }
}

fn table_value(
    table: &[(String, Constant)],
    name: &str,
    arguments: &[Key],
    allows_gaps: bool,
) -> Result<Value, EvalError> {
    let key = arguments.iter().map(|key| &*key.key).collect::<Vec<_>>().join("/");
    match table.iter().find(|(known, _)| *known == key) {
        Some((_, Constant::Number(number))) => Ok(Value::Number(*number)),
        Some((_, Constant::Text(text))) => Ok(Value::Text(text.clone())),
        None if allows_gaps => Err(EvalError::Missing(format!("`{name}` has no `{key}`"))),
        None => {
            let (message, label) = (format!("`{name}` has no `{key}`"), format!("no entry is named `{key}`"));
            let help = format!("it has {}", suggest::phrase(table.iter().map(|(key, _)| key.as_str())));
            Err(ReferenceError { message, label, help }.into())
        }
    }
}

/// Returns whether a run completed and reports no metric of this name.
fn completed_without_metric(run: &RunResult, metric: &str) -> bool {
    matches!(run.outcome, Outcome::Done) && run.metrics.iter().all(|known| known.name != metric)
}

/// Returns the error of a metric that a run does not have or did not measure.
pub fn no_metric(run: &RunResult, metric: &str) -> EvalError {
    if run.metrics.iter().any(|known| known.name == metric) {
        return not_measured(run, metric);
    }
    let known = ("metrics of the run", run.metrics.iter().map(|metric| metric.name.as_str()));
    ReferenceError::unknown_name("metric", metric, "the run has no metric of this name", known).into()
}

/// Returns the error of a value that a run did not measure, with the reason.
fn not_measured(run: &RunResult, name: &str) -> EvalError {
    let outcome = outcome_name(&run.outcome);
    let reason = outcome_reason(run).map_or_else(String::new, |reason| format!(" ({reason})"));
    EvalError::NotMeasured(format!("no value of `{name}` was measured: the outcome of the run is `{outcome}`{reason}"))
}

fn no_resource(run: &RunResult, resource: &str) -> EvalError {
    let names = suggest::phrase(run.resources.iter().map(|resource| resource.name.as_str()));
    let (message, label) =
        (format!("there is no resource `{resource}`"), "the run has no resource of this name".to_owned());
    ReferenceError { message, label, help: format!("the run has {names}") }.into()
}

/// The largest number of points that are listed.
const LISTED_MAX: usize = 12;

/// Returns the error of an unknown point, with the nearest name, or with the experiment that has the point.
fn unknown_point(experiments: &Experiments, planned: &BTreeSet<String>, point: &str) -> EvalError {
    let message = format!("no run is called `{point}`");
    let experiment = point.split('/').next().unwrap_or_default();
    let names = experiments.names(experiment);
    if names.iter().any(|name| name == point) {
        let label = format!("the artifact does not run the experiment `{experiment}`");
        let help = format!("name `{experiment}` among the artifact's experiments in study.toml");
        return ReferenceError { message, label, help }.into();
    }
    let points_of_experiment =
        || planned.iter().filter(|name| name.split('/').next() == Some(experiment)).map(String::as_str);
    let count = points_of_experiment().count();
    if count == 0 {
        let names = || experiments.all.iter().map(|(name, _)| name.as_str());
        let label = suggest::label(experiment, names(), "no experiment has this name");
        return ReferenceError { message, label, help: format!("experiments: {}", suggest::phrase(names())) }.into();
    }
    let label = suggest::label(point, points_of_experiment(), "its experiment has no such point");
    let listed_points = suggest::phrase(points_of_experiment().take(LISTED_MAX));
    let more = if count > LISTED_MAX { format!(", and {} more", count - LISTED_MAX) } else { String::new() };
    ReferenceError { message, label, help: format!("the points of `{experiment}`: {listed_points}{more}") }.into()
}
