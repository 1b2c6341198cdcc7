//! A description and the experiments on it, for users of the library: run, sweep, find, what-if, fit.
//!
//! Stored points, shards of a sweep, progress, and comparisons of two descriptions are available on the command line
//! only.

use super::RunResult;
use super::find::{FindQuery, MetricCrossing, SearchContext};
use super::fit::FitResult;
use super::fit::control::FitControl;
use super::fit::curve::Curve;
use super::fit::curve_fit::CurveFit;
use super::loaded_description::LoadedDescription;
use super::sweep::{self, RunOptions, Sweep, SweepPoint};
use super::whatif::{WhatIf, WhatIfError, WhatIfQuery};
use narrows_core::Error;
use narrows_core::engine::Recorder;
use narrows_core::machine::{Machine, Registry};
use narrows_core::text::{Problem, Problems, Read};
use std::path::Path;
use std::sync::Arc;

/// Standard deviation of measured values, as a fraction of each value (chosen; the command line's default).
const NOISE: f64 = 0.03;

/// A description of a machine and its workload, with overrides.
///
/// Each experiment reads and checks the description. Experiments use all processors of the current pool of `rayon`;
/// their results do not depend on the number of threads.
pub struct Description {
    loaded: LoadedDescription,
    overrides: Vec<String>,
}

impl Description {
    /// Opens a shipped example by its name, a file with a description, or the JSON result of a run, whose machine is
    /// then the description.
    ///
    /// # Errors
    ///
    /// Returns the reason if the file cannot be read.
    pub fn open(path: impl AsRef<Path>) -> Result<Description, Error> {
        Description::open_with(Registry::shared(), path)
    }

    /// Opens a description as [`open`](Description::open) does, with the parts of `registry`.
    ///
    /// # Errors
    ///
    /// Returns the reason if the file cannot be read.
    pub fn open_with(registry: &Arc<Registry>, path: impl AsRef<Path>) -> Result<Description, Error> {
        let loaded = LoadedDescription::find(registry, path.as_ref()).map_err(Error::io)?;
        Ok(Description { loaded, overrides: Vec::new() })
    }

    /// Returns a description with the text `text` and the parts of `registry`. Paths in it are relative to the current
    /// folder.
    pub fn new(registry: &Arc<Registry>, text: impl Into<String>) -> Description {
        Description { loaded: LoadedDescription::new(registry, "description", text, None), overrides: Vec::new() }
    }

    /// Adds the setting `KEY=VALUE`, which overrides the description and earlier settings.
    #[must_use]
    pub fn set(mut self, setting: impl Into<String>) -> Description {
        self.overrides.push(setting.into());
        self
    }

    /// Reads and checks the machine.
    ///
    /// # Errors
    ///
    /// Returns every problem of the description and its settings.
    pub fn machine(&self) -> Result<Machine, Error> {
        Ok(self.read(&[])?.value)
    }

    /// Runs the machine once.
    ///
    /// # Errors
    ///
    /// Returns every problem of the description and its settings.
    pub fn run(&self) -> Result<RunResult, Error> {
        Ok(super::run(&self.machine()?, Recorder::off()))
    }

    /// Runs every combination of varied values, each dimension given as `KEY=VALUE,VALUE,…` or a range; the last one
    /// varies fastest.
    ///
    /// # Errors
    ///
    /// Returns the problems of the dimensions, or of the points that are invalid. Nothing is run if there are any.
    pub fn sweep(&self, vary: &[&str]) -> Result<Vec<SweepPoint>, Error> {
        let options: Vec<String> = vary.iter().map(|option| (*option).to_owned()).collect();
        let dimensions = sweep::dimensions(self.loaded.registry(), None, &options, &self.overrides);
        let dimensions =
            dimensions.map_err(|problems| Error::Question(Problems::new(problems, &Default::default())))?;
        let sweep = Sweep { reader: &|overrides| self.read(overrides), dimensions: &dimensions };
        let checked_sweep = sweep.check()?;
        let options = RunOptions { store: None, shard: None, lines: None, on_event: &|_| () };
        checked_sweep
            .run(&options)
            .map_err(|error| Error::io(Problem::new(format!("the sweep cannot continue: {error}"))))
    }

    /// Searches the range `KEY=LOW..HIGH` for the value at which `condition`, such as `METRIC >= VALUE`, starts or
    /// ceases to hold.
    ///
    /// # Errors
    ///
    /// Returns the reason if the condition or the range cannot be parsed, or the problems of a value that was tried.
    pub fn find(&self, condition: &str, range: &str) -> Result<MetricCrossing, Error> {
        let read = |overrides: &[String]| self.read(overrides);
        let context =
            SearchContext { registry: self.loaded.registry(), base_overrides: &self.overrides, first_values: &[] };
        let query = FindQuery::parse(condition, range, false, &read, &context)?;
        query.check(&[Vec::new()], &read)?;
        let crossings = query.search(&[Vec::new()], &read, None, None, &|_| ()).map_err(|error| error.groups())?;
        let (_, crossing) = crossings.into_iter().next().expect("one point was searched");
        Ok(crossing)
    }

    /// Finds the bottleneck by experiment: makes resources, pairs of resources and single parameters faster and slower
    /// by `factor`, and reports how `metric` changes. Without a metric, that of the workload's objective is used.
    ///
    /// # Errors
    ///
    /// Returns the problems of the description, or states that the metric is unknown, that the run does not complete,
    /// or that the factor is not more than 1.
    pub fn what_if(&self, metric: Option<&str>, factor: f64) -> Result<WhatIf, Error> {
        if !(factor > 1.0 && factor.is_finite()) {
            return Err(Error::question(Problem::new(format!("{factor} is not a factor: it must be more than 1"))));
        }
        let query = WhatIfQuery { reader: &|overrides| self.read(overrides), metric, factor, thorough: false };
        query.run(&|_| ()).map_err(|error| match error {
            WhatIfError::Invalid(problems) => Error::from(problems),
            WhatIfError::Unmeasurable(problem) => Error::question(problem),
        })
    }

    /// Fits the constants `keys` on measured curves of latency or bandwidth by message size. Each curve is given by its
    /// name, for messages, and its text, which is CSV or the output of perftest or the OSU benchmarks. Without keys,
    /// all constants are fitted that are described as derived, calibrated or chosen.
    ///
    /// # Errors
    ///
    /// Returns the reason if a curve cannot be read or a constant is unknown, or the problems of the description.
    pub fn fit(&self, measured: &[(&str, &str)], keys: &[&str]) -> Result<FitResult, Error> {
        let curve = |(name, text): &(&str, &str)| Curve::read(Path::new(name), text).map_err(Error::Question);
        let curves: Vec<Curve> = measured.iter().map(curve).collect::<Result<_, _>>()?;
        let constants: Vec<String> = keys.iter().map(|key| (*key).to_owned()).collect();
        let reader = |overrides: &[String]| self.read(overrides);
        let (curves, constants) = (&curves[..], &constants[..]);
        let control = FitControl::unlimited();
        let fit = CurveFit { reader: &reader, curves, constants, prior: None, noise: NOISE, tolerance: None, control };
        Ok(fit.fit()?)
    }

    fn read(&self, varied: &[String]) -> Result<Read<Machine>, Problems> {
        self.loaded.read_varied(&self.overrides, varied)
    }
}
