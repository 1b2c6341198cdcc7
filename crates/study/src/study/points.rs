//! The points of experiments, before and after their descriptions are read, and their runs. Points run in parallel;
//! results do not depend on the order.

use super::export;
use super::location::StudyFile;
use crate::experiment::threads::one_task_per_run;
use crate::experiment::{RunResult, run};
use narrows_core::engine::Recorder;
use narrows_core::machine::Machine;
use narrows_core::text::{Problems, Read};
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The results, by name of the point.
pub type Results = BTreeMap<String, RunResult>;

/// The largest number of spans that a traced point records.
const SPANS_MAX: usize = 1_000_000;
/// A run that is to be made.
pub struct Point {
    /// The name of the point, `EXPERIMENT/VALUE/VALUE…`.
    pub name: String,
    /// The checked description.
    pub machine: Machine,
    pub(super) records_spans: bool,
}

/// A point whose description is not read yet.
pub struct Draft {
    /// The name of the point, `EXPERIMENT/VALUE/VALUE…`.
    pub name: String,
    pub(super) base: Arc<StudyFile>,
    pub(super) overrides: Vec<String>,
    pub(super) records_spans: bool,
    /// Whether the point is left out if its parts are incompatible.
    pub(super) skips_incompatible: bool,
}

impl Draft {
    /// Reads the description, with `extra_overrides` after those of the point.
    pub fn read(&self, extra_overrides: &[String]) -> Result<Read<Machine>, Problems> {
        let overrides: Vec<String> = self.overrides.iter().chain(extra_overrides).cloned().collect();
        self.base.machine(&overrides)
    }

    /// Reads the description as [`read`](Draft::read) does, with a seed that is larger by `seed_offset`.
    pub(super) fn machine(&self, extra_overrides: &[String], seed_offset: u64) -> Result<Machine, Problems> {
        let machine = self.read(extra_overrides)?.value;
        if seed_offset == 0 {
            return Ok(machine);
        }
        let seed = format!("run.seed={}", machine.run.seed.saturating_add(seed_offset));
        Ok(self.read(&[extra_overrides, &[seed]].concat())?.value)
    }

    /// Runs the description that was read.
    pub fn run(&self, read: &Read<Machine>) -> RunResult {
        run(&read.value, recorder(self.records_spans))
    }

    /// Returns the point of this draft, whose description was read.
    pub fn point(&self, read: Read<Machine>) -> Point {
        Point { name: self.name.clone(), machine: read.value, records_spans: self.records_spans }
    }

    /// Returns the base description.
    pub fn base(&self) -> &StudyFile {
        &self.base
    }

    /// Returns the overrides of the point.
    pub fn overrides(&self) -> &[String] {
        &self.overrides
    }

    /// Returns whether the point belongs to the experiment `experiment`.
    pub fn is_in_experiment(&self, experiment: &str) -> bool {
        self.name.split('/').next() == Some(experiment)
    }

    /// Returns the description as the text of a file.
    pub(super) fn file_text(&self) -> Option<String> {
        export::description(&self.name, &self.base.text, &self.overrides)
    }
}

/// Returns the recorder of a point.
fn recorder(records_spans: bool) -> Recorder {
    if records_spans { Recorder::with_spans_max(SPANS_MAX) } else { Recorder::off() }
}

/// Runs all points on `jobs` threads (0 means one per CPU), and calls `on_run_done` after each.
pub fn run_all(points: &[Point], jobs: usize, on_run_done: &(dyn Fn(&str) + Sync)) -> Results {
    let run_point = |point: &Point| {
        let result = run(&point.machine, recorder(point.records_spans));
        on_run_done(&point.name);
        (point.name.clone(), result)
    };
    match rayon::ThreadPoolBuilder::new().num_threads(jobs).build() {
        Ok(pool) => pool.install(|| one_task_per_run(points.par_iter()).map(run_point).collect()),
        // A web page cannot start threads.
        Err(_) => points.iter().map(run_point).collect(),
    }
}
