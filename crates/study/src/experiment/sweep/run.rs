//! Running a checked sweep: all of its points, one shard of them, or its lines up to saturation. The points of a line
//! differ only in the last varied key and in the seed.
//!
//! Points with stored results are not run again. The set of points that are run does not depend on thread timing.

use super::{CheckedSweep, SweepEvent, SweepPoint};
use crate::experiment::ResultRow;
use crate::experiment::inputs::RunInputs;
use crate::experiment::points::{PointStore, StoredPoint};
use crate::experiment::record::Record;
use crate::experiment::threads::one_task_per_run;
use crate::experiment::vary::Dimension;
use narrows_core::engine::Recorder;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, HashMap};
use std::io;
use std::sync::{Arc, PoisonError};

/// One shard of a sweep that is divided among several computers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Shard {
    /// The number of the shard, from 1 on.
    pub number: usize,
    /// The number of shards.
    pub count: usize,
}

/// Returns the indices below `count` that a shard contains, or all of them without a shard.
fn indices_of_shard(shard: Option<Shard>, count: usize) -> Vec<usize> {
    (0..count).filter(|index| shard.is_none_or(|shard| index % shard.count == shard.number - 1)).collect()
}

/// The lines of a sweep along its last key, each of which stops at its first saturated position.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct SweepLines {
    /// The number of positions of a line.
    pub positions: usize,
    /// The number of runs at each position: one per seed.
    pub runs: usize,
}

/// The options of running a sweep.
#[derive(Clone, Copy)]
pub struct RunOptions<'a> {
    /// The store of finished points.
    pub store: Option<&'a PointStore>,
    /// The shard to run; `None` for all points.
    pub shard: Option<Shard>,
    /// The lines of the sweep, if it stops at saturation.
    pub lines: Option<SweepLines>,
    /// Called for each progress event.
    pub on_event: &'a (dyn Fn(SweepEvent) + Sync),
}

/// Returns whether every run is saturated.
pub(super) fn is_saturated(runs: &[SweepPoint]) -> bool {
    runs.iter().all(|run| *run.result.outcome == *"saturated")
}

impl SweepLines {
    /// Returns the lines along the last varied key. If `seeds` is given, the innermost dimension is that of the seeds,
    /// and `seeds` is its length.
    pub fn new(dimensions: &[Dimension], seeds: Option<u64>) -> Option<SweepLines> {
        let last_dimension = dimensions.iter().rev().nth(usize::from(seeds.is_some()))?;
        Some(SweepLines { positions: last_dimension.len(), runs: seeds.unwrap_or(1) as usize })
    }

    /// Returns the points of a line up to and including its first saturated position.
    pub fn up_to_saturation(&self, line: Vec<SweepPoint>) -> Vec<SweepPoint> {
        let end =
            line.chunks(self.runs).position(is_saturated).map_or(line.len(), |position| (position + 1) * self.runs);
        line.into_iter().take(end).collect()
    }

    /// Returns the number of points of a line.
    pub fn points_per_line(&self) -> usize {
        self.positions * self.runs
    }
}

impl CheckedSweep<'_> {
    /// Returns the number of points, and the number of points with distinct inputs.
    pub fn point_counts(&self) -> (usize, usize) {
        (self.input_hashes.len(), self.distinct_points.len())
    }

    /// Returns the warnings of all points, each with the number of its points, as lines of text.
    pub fn warnings(&self) -> Vec<String> {
        self.warnings.iter().map(|warning| warning.text(self.input_hashes.len())).collect()
    }

    /// Returns the hash of each point's inputs.
    pub fn input_hashes(&self) -> &[String] {
        &self.input_hashes
    }

    /// Returns the number of points to be run or found in the store. It is an upper bound if the sweep stops at
    /// saturation.
    pub fn planned_point_count(&self, options: &RunOptions<'_>) -> usize {
        match options.lines {
            None => indices_of_shard(options.shard, self.distinct_points.len()).len(),
            Some(lines) => self.lines_of_shard(options.shard, lines).len() * lines.points_per_line(),
        }
    }

    /// Runs every point of the shard that has no stored result, and stores its result. Returns the results of all these
    /// points, stored and new. If the sweep stops at saturation, a line ends at its first saturated position.
    pub fn run(&self, options: &RunOptions<'_>) -> io::Result<Vec<SweepPoint>> {
        match options.lines {
            Some(lines) => self.run_lines(options, lines),
            None => self.run_all(options),
        }
    }

    fn run_all(&self, options: &RunOptions<'_>) -> io::Result<Vec<SweepPoint>> {
        let indices = indices_of_shard(options.shard, self.distinct_points.len());
        let run_point = |index: &usize| {
            let point = self.distinct_points[*index];
            Ok((self.input_hashes[point].as_str(), self.find_or_run_point(point, options)?))
        };
        let results: HashMap<&str, Arc<ResultRow>> =
            one_task_per_run(indices.par_iter()).map(run_point).collect::<io::Result<_>>()?;
        let sweep_point = |point: usize| {
            let result = results.get(self.input_hashes[point].as_str())?.clone();
            Some(SweepPoint { values: self.sweep.values(point), result })
        };
        Ok((0..self.input_hashes.len()).into_par_iter().filter_map(sweep_point).collect())
    }

    /// Returns the indices of the lines of the shard.
    fn lines_of_shard(&self, shard: Option<Shard>, lines: SweepLines) -> Vec<usize> {
        indices_of_shard(shard, self.input_hashes.len() / lines.points_per_line().max(1))
    }

    /// Runs all lines in parallel. Several positions of each line are run at a time if that is needed to keep all
    /// threads busy. Results beyond the first saturated position of a line are dropped.
    fn run_lines(&self, options: &RunOptions<'_>, lines: SweepLines) -> io::Result<Vec<SweepPoint>> {
        let mut points_by_line: BTreeMap<usize, Vec<SweepPoint>> =
            self.lines_of_shard(options.shard, lines).into_iter().map(|line| (line, Vec::new())).collect();
        loop {
            let is_unfinished = |points: &[SweepPoint]| {
                points.len() < lines.points_per_line() && !points.chunks(lines.runs).any(is_saturated)
            };
            let unfinished_lines = points_by_line.values().filter(|points| is_unfinished(points)).count();
            if unfinished_lines == 0 {
                break;
            }
            let points_ahead = rayon::current_num_threads().div_ceil(unfinished_lines) * lines.runs;
            let next_points_of_line = |(line, points): (&usize, &Vec<SweepPoint>)| {
                let (from, to) = (points.len(), (points.len() + points_ahead).min(lines.points_per_line()));
                let from = if is_unfinished(points) { from } else { to };
                (from..to).map(|point| line * lines.points_per_line() + point).collect::<Vec<_>>()
            };
            let next_indices: Vec<usize> = points_by_line.iter().flat_map(next_points_of_line).collect();
            let run_point = |&point: &usize| {
                Ok((
                    point,
                    SweepPoint { values: self.sweep.values(point), result: self.find_or_run_point(point, options)? },
                ))
            };
            for (point, row) in
                one_task_per_run(next_indices.par_iter()).map(run_point).collect::<io::Result<Vec<_>>>()?
            {
                points_by_line.get_mut(&(point / lines.points_per_line())).expect("the line is run").push(row);
            }
        }
        Ok(points_by_line.into_values().flat_map(|points| lines.up_to_saturation(points)).collect())
    }

    fn find_or_run_point(&self, point: usize, options: &RunOptions<'_>) -> io::Result<Arc<ResultRow>> {
        let changed_error = || io::Error::other("the description changed while the sweep was running");
        let inputs = || match self.take_inputs(point) {
            Some(inputs) => Ok(*inputs),
            None => self.sweep.read(point).map(RunInputs::new).map_err(|_| changed_error()),
        };
        find_or_run(&self.input_hashes[point], options.store, options.on_event, inputs)?.ok_or_else(changed_error)
    }

    /// Returns the inputs of a point that the check has kept, once.
    fn take_inputs(&self, point: usize) -> Option<Box<RunInputs>> {
        self.kept_inputs.get(point)?.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

/// Returns the stored result, or runs the inputs that `inputs` returns and stores their result. Returns `None` if a
/// file that the description names has changed, so that the hash of the description is not `inputs_hash`.
pub fn find_or_run(
    inputs_hash: &str,
    store: Option<&PointStore>,
    on_event: &(dyn Fn(SweepEvent) + Sync),
    inputs: impl FnOnce() -> io::Result<RunInputs>,
) -> io::Result<Option<Arc<ResultRow>>> {
    match store.map_or(StoredPoint::Absent, |store| store.find(inputs_hash)) {
        StoredPoint::Valid(record) => {
            on_event(SweepEvent::Finished { from_store: true });
            return Ok(Some(Arc::new(ResultRow::new(&record))));
        }
        StoredPoint::Corrupt(path, reason) => on_event(SweepEvent::Corrupt(path, reason)),
        StoredPoint::Absent => {}
    }
    let inputs = inputs()?;
    let result = crate::experiment::run(&inputs.description.value, Recorder::off());
    let record = Record::of_inputs(inputs, &result);
    // The text of the description is in memory: only the files that it names may have changed.
    if !record.get("files").is_null() && record.inputs_hash() != inputs_hash {
        return Ok(None);
    }
    debug_assert_eq!(record.inputs_hash(), inputs_hash);
    if let Some(store) = store {
        store.store(inputs_hash, &record)?;
    }
    on_event(SweepEvent::Finished { from_store: false });
    Ok(Some(Arc::new(ResultRow::new(&record))))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::loaded_description::LoadedDescription;
    use crate::experiment::sweep::{Sweep, dimensions};
    use narrows_core::machine::Registry;

    #[test]
    fn kept_inputs_give_the_results_of_inputs_that_are_read_again() {
        let loaded = LoadedDescription::example(Registry::shared(), "ping-pong").expect("an example");
        let vary = ["workload.ping-pong.messages=1,2,3".to_owned(), "run.seed=1,2".to_owned()];
        let dimensions = dimensions(Registry::shared(), None, &vary, &[]).expect("valid dimensions");
        let reader = |settings: &[String]| loaded.read(settings);
        let checked = Sweep { reader: &reader, dimensions: &dimensions }.check();
        let checked = checked.unwrap_or_else(|_| panic!("valid points"));
        let kept_count =
            || checked.kept_inputs.iter().filter(|inputs| inputs.lock().expect("no panic").is_some()).count();
        assert_eq!(kept_count(), 6, "the inputs of a small sweep are kept");
        let options = RunOptions { store: None, shard: None, lines: None, on_event: &|_| () };
        // Metrics that were not measured are NaN, so the results are compared as texts.
        let results = || format!("{:?}", checked.run(&options).expect("results"));
        let of_kept_inputs = results();
        assert_eq!(kept_count(), 0, "each point is run once");
        assert_eq!(of_kept_inputs, results());
    }
}
