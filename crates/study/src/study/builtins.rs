//! The table of built-in functions, which a study can name if data cannot express a computation.
//!
//! A function either computes a value (`rust = "…"` in `[values]`), judges a claim, draws a table or chart, or makes
//! runs that depend on earlier ones (`[explore]`). The caller who runs a study registers the functions; those of the
//! shipped papers are in [`papers`](crate::papers).

use super::experiments::Experiments;
use super::expression::ReferenceError;
use super::location::Location;
use super::points::Results;
use crate::report::Artifact;
use narrows_core::machine::Registry;
use narrows_core::text::SpannedString;
use std::sync::Arc;

/// A function that computes a value from results and arguments, or `None` if the results do not contain it.
#[derive(Clone, Copy)]
pub enum BuiltinFn {
    /// A number.
    Number(fn(&Results, &[&str]) -> Option<f64>),
    /// A list of numbers.
    Numbers(fn(&Results, &[&str]) -> Option<Vec<f64>>),
}

/// A registered function that computes a value.
#[derive(Clone, Copy)]
pub struct BuiltinValue {
    /// Whether the first argument is the name of a point.
    pub takes_point: bool,
    /// The function.
    pub function: BuiltinFn,
}

/// The observation by which a claim is judged.
pub enum Observation {
    /// A number, judged by the claim's tolerance.
    Number(f64),
    /// A description of the observation, and whether the claim holds.
    Text(String, bool),
}

/// A function that observes the results for a claim. It is called with the arguments that the claim states.
pub type JudgeFn = fn(&Results, &[&str]) -> Option<Observation>;
/// A function that draws tables and charts.
pub type DrawFn = fn(&Results) -> Vec<Artifact>;
/// A function that makes runs of a study's experiments. Its arguments are the experiments, their location, whether the
/// smaller inputs of `--quick` are used, the number of threads, and a function to be called after each run.
pub type ExploreFn = fn(&Experiments, &Location, bool, usize, &(dyn Fn(&str) + Sync)) -> Results;

/// Runs that depend on the results of earlier ones.
#[derive(Clone, Copy)]
pub struct Exploration {
    /// The number of runs.
    pub runs: fn(quick: bool) -> usize,
    /// The function that makes the runs.
    pub explore: ExploreFn,
}

/// The built-in functions in the order in which they were registered, and the parts that descriptions of studies may
/// name.
#[derive(Clone)]
pub struct BuiltinFns {
    registry: Arc<Registry>,
    values: Vec<(&'static str, BuiltinValue)>,
    judges: Vec<(&'static str, JudgeFn)>,
    figures: Vec<(&'static str, DrawFn)>,
    explorations: Vec<(&'static str, Exploration)>,
}

impl BuiltinFns {
    /// Returns an empty table, for studies whose descriptions name parts of `registry`.
    pub fn new(registry: &Arc<Registry>) -> BuiltinFns {
        BuiltinFns {
            registry: registry.clone(),
            values: Vec::new(),
            judges: Vec::new(),
            figures: Vec::new(),
            explorations: Vec::new(),
        }
    }

    /// Returns the parts that descriptions of a study may name.
    pub fn registry(&self) -> &Arc<Registry> {
        &self.registry
    }

    /// Adds a function that computes a value and has a point as its first argument.
    pub fn with_value_of_point(mut self, name: &'static str, function: BuiltinFn) -> BuiltinFns {
        self.values.push((name, BuiltinValue { takes_point: true, function }));
        self
    }

    /// Adds a function that computes a value and has no point among its arguments.
    pub fn with_value(mut self, name: &'static str, function: BuiltinFn) -> BuiltinFns {
        self.values.push((name, BuiltinValue { takes_point: false, function }));
        self
    }

    /// Adds a function that judges claims.
    pub fn with_judge(mut self, name: &'static str, judge: JudgeFn) -> BuiltinFns {
        self.judges.push((name, judge));
        self
    }

    /// Adds a function that draws figures.
    pub fn with_figure(mut self, name: &'static str, draw: DrawFn) -> BuiltinFns {
        self.figures.push((name, draw));
        self
    }

    /// Adds a function that chooses the runs of an artifact from the results of earlier runs.
    pub fn with_exploration(mut self, name: &'static str, exploration: Exploration) -> BuiltinFns {
        self.explorations.push((name, exploration));
        self
    }

    /// Returns the names of all values.
    #[doc(hidden)]
    pub fn value_names(&self) -> impl Iterator<Item = &'static str> + Clone {
        self.values.iter().map(|(name, _)| *name)
    }

    /// Returns the function `source`, which computes a value.
    #[doc(hidden)]
    pub fn value(&self, source: &SpannedString) -> Result<BuiltinValue, ReferenceError> {
        find(&self.values, source)
    }

    /// Returns the function `source`, which judges claims.
    #[doc(hidden)]
    pub fn judge(&self, source: &SpannedString) -> Result<JudgeFn, ReferenceError> {
        find(&self.judges, source)
    }

    /// Returns the function `source`, which draws figures.
    #[doc(hidden)]
    pub fn figure(&self, source: &SpannedString) -> Result<DrawFn, ReferenceError> {
        find(&self.figures, source)
    }

    /// Returns the exploration `source`.
    #[doc(hidden)]
    pub fn exploration(&self, source: &SpannedString) -> Result<Exploration, ReferenceError> {
        find(&self.explorations, source)
    }
}

/// Returns the function with the name `source`, or an error that suggests the nearest name.
fn find<T: Copy>(functions: &[(&str, T)], source: &SpannedString) -> Result<T, ReferenceError> {
    let function = functions.iter().find(|(name, _)| *name == source.text).map(|(_, function)| *function);
    function.ok_or_else(|| {
        let known = ("functions", functions.iter().map(|(name, _)| *name));
        ReferenceError::unknown_name("function", &source.text, "no function has this name", known)
    })
}
