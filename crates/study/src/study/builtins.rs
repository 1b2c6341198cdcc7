//! The functions of the program that studies name, for what data cannot say: a table that whoever runs a study fills.
//!
//! A value (`rust = "…"` in `[values]`), a verdict (in a claim), a table or picture (in a figure), or runs that depend
//! on earlier ones (`[explore]`). Leaves out the functions themselves: those of the shipped papers are in
//! [`papers`](crate::papers).

use super::experiments::{Experiments, Results};
use super::expression::Stop;
use super::location::Location;
use crate::report::Artifact;
use narrows_core::machine::Registry;
use narrows_core::text::{Said, suggest};
use std::sync::Arc;

/// A function that gives a value of results, by its arguments; `None` where the results do not hold it.
#[derive(Clone, Copy)]
pub enum BuiltinFn {
    /// A number.
    Number(fn(&Results, &[&str]) -> Option<f64>),
    /// A list of numbers.
    Numbers(fn(&Results, &[&str]) -> Option<Vec<f64>>),
}

/// A registered value.
#[derive(Clone, Copy)]
pub struct BuiltinValue {
    /// Whether the first argument is a point.
    pub of_point: bool,
    /// The function.
    pub function: BuiltinFn,
}

/// What was observed for a claim.
pub enum Observation {
    /// A number, judged by the claim's tolerance.
    Number(f64),
    /// What was seen, in words, and whether the claim holds.
    Words(String, bool),
}

/// A function that judges a claim, by the claim's arguments.
pub type Judge = fn(&Results, &[&str]) -> Option<Observation>;
/// A function that draws tables and pictures.
pub type Draw = fn(&Results) -> Vec<Artifact>;
/// A function that makes runs of a study's experiments: fewer if the flag is set, on so many threads, reporting each.
pub type Explore = fn(&Experiments, &Location, bool, usize, &(dyn Fn(&str) + Sync)) -> Results;

/// Runs that depend on what earlier ones gave.
#[derive(Clone, Copy)]
pub struct Exploration {
    /// The number of runs.
    pub runs: fn(quick: bool) -> usize,
    /// Makes them.
    pub explore: Explore,
}

/// The functions that studies may name, in the order in which they were registered, and the parts that their
/// descriptions may name.
#[derive(Clone)]
pub struct BuiltinFns {
    registry: Arc<Registry>,
    values: Vec<(&'static str, BuiltinValue)>,
    judges: Vec<(&'static str, Judge)>,
    draws: Vec<(&'static str, Draw)>,
    explorations: Vec<(&'static str, Exploration)>,
}

impl BuiltinFns {
    /// Returns no functions, for studies whose descriptions name parts of `registry`.
    pub fn new(registry: &Arc<Registry>) -> BuiltinFns {
        BuiltinFns {
            registry: registry.clone(),
            values: Vec::new(),
            judges: Vec::new(),
            draws: Vec::new(),
            explorations: Vec::new(),
        }
    }

    /// Returns the parts that descriptions of a study may name.
    pub fn registry(&self) -> &Arc<Registry> {
        &self.registry
    }

    /// Adds a value of a point, which is the function's first argument.
    pub fn with_value_of_point(mut self, name: &'static str, function: BuiltinFn) -> BuiltinFns {
        self.values.push((name, BuiltinValue { of_point: true, function }));
        self
    }

    /// Adds a value whose arguments are no points.
    pub fn with_value(mut self, name: &'static str, function: BuiltinFn) -> BuiltinFns {
        self.values.push((name, BuiltinValue { of_point: false, function }));
        self
    }

    /// Adds a function that judges claims.
    pub fn with_judge(mut self, name: &'static str, judge: Judge) -> BuiltinFns {
        self.judges.push((name, judge));
        self
    }

    /// Adds a function that draws figures.
    pub fn with_figure(mut self, name: &'static str, draw: Draw) -> BuiltinFns {
        self.draws.push((name, draw));
        self
    }

    /// Adds a function that chooses an artifact's runs.
    pub fn with_exploration(mut self, name: &'static str, exploration: Exploration) -> BuiltinFns {
        self.explorations.push((name, exploration));
        self
    }

    /// Returns the names of all values.
    #[doc(hidden)]
    pub fn value_names(&self) -> impl Iterator<Item = &'static str> + Clone {
        self.values.iter().map(|(name, _)| *name)
    }

    /// Returns the value of that name.
    #[doc(hidden)]
    pub fn value(&self, said: &Said) -> Result<BuiltinValue, Stop> {
        find(&self.values, said)
    }

    /// Returns the judge of that name.
    #[doc(hidden)]
    pub fn judge(&self, said: &Said) -> Result<Judge, Stop> {
        find(&self.judges, said)
    }

    /// Returns the function that draws under that name.
    #[doc(hidden)]
    pub fn figure(&self, said: &Said) -> Result<Draw, Stop> {
        find(&self.draws, said)
    }

    /// Returns the exploration of that name.
    #[doc(hidden)]
    pub fn exploration(&self, said: &Said) -> Result<Exploration, Stop> {
        find(&self.explorations, said)
    }
}

/// Returns the function of that name, or the error that there is none.
fn find<T: Copy>(all: &[(&str, T)], said: &Said) -> Result<T, Stop> {
    let names = || all.iter().map(|(name, _)| *name);
    all.iter().find(|(name, _)| *name == said.text).map(|(_, found)| *found).ok_or_else(|| {
        let near = suggest::nearest(&said.text, names());
        let label =
            near.map_or("the program has none of this name".to_owned(), |near| format!("did you mean `{near}`?"));
        let help = format!("there is {}", suggest::phrase(names()));
        Stop::Asked(format!("there is no function `{}`", said.text), label, vec![help])
    })
}
