//! The plan of a sharded sweep, which is stored with its points. It contains everything that is needed to merge the
//! shards into one table.
//!
//! All shards of a sweep write the same plan. It does not contain the machine description: a point is identified by the
//! hash of its inputs. A line consists of the points that differ only in the last varied key and the seed; a position
//! of a line is one value of that key.

use super::run::{SweepLines, is_saturated};
use super::{SweepPoint, values_of};
use crate::experiment::ResultRow;
use crate::experiment::points::{PointStore, StoredPoint};
use crate::experiment::record::VERSION;
use crate::experiment::tidy::{self, PointColumns};
use crate::experiment::vary::Dimension;
use crate::report::dataset::{Dataset, Encoding};
use narrows_core::engine::current_metric_name;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::io::{self, Write};
use std::ops::Range;
use std::sync::Arc;

/// The plan of a sweep.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct SweepPlan {
    /// The version of the program.
    pub version: String,
    /// The varied keys.
    pub dimensions: Vec<Dimension>,
    /// The hash of each point's inputs.
    #[serde(rename = "inputs")]
    pub input_hashes: Vec<String>,
    /// The lines of the sweep, if it stops at saturation.
    pub lines: Option<SweepLines>,
    /// The number of seeds of each point, if they are varied.
    pub seeds: Option<u64>,
    /// The metrics to show; all if empty.
    pub metrics: Vec<String>,
}

/// The points of a plan that have results, and those that do not.
pub struct GatheredPoints {
    /// The points with results, in order.
    pub points: Vec<SweepPoint>,
    /// The keys and values of the missing points.
    pub missing: Vec<Vec<(String, String)>>,
}

impl SweepPlan {
    /// Returns the plan of a sweep with `seeds` seeds for each point; `stops_at_saturation` states whether the sweep
    /// stops at saturation.
    pub fn new(
        dimensions: &[Dimension],
        input_hashes: &[String],
        (seeds, stops_at_saturation): (Option<u64>, bool),
        metrics: &[String],
    ) -> SweepPlan {
        SweepPlan {
            version: VERSION.to_owned(),
            dimensions: dimensions.to_vec(),
            input_hashes: input_hashes.to_vec(),
            lines: SweepLines::new(dimensions, seeds).filter(|_| stops_at_saturation),
            seeds,
            metrics: metrics.iter().map(|name| current_metric_name(name).to_owned()).collect(),
        }
    }

    /// Parses a plan.
    ///
    /// # Errors
    ///
    /// Returns a sentence that states why the text is not a plan, or that another version of the program made it.
    pub fn parse(text: &str) -> Result<SweepPlan, String> {
        let plan: SweepPlan =
            serde_json::from_str(text).map_err(|error| format!("it is not the plan of a sweep: {error}"))?;
        match plan.version == VERSION {
            true => Ok(plan),
            false => Err(format!("it was made by version {} of Narrows, and this is {VERSION}", plan.version)),
        }
    }

    /// Returns the text of the plan.
    pub fn text(&self) -> String {
        serde_json::to_string(self).expect("a plan is plain JSON") + "\n"
    }

    /// Collects the points from several stores. An invalid result counts as missing.
    pub fn gather(&self, stores: &[PointStore]) -> GatheredPoints {
        let mut results: HashMap<&str, Option<Arc<_>>> = HashMap::new();
        let find = |inputs_hash: &str| {
            stores.iter().find_map(|store| match store.find(inputs_hash) {
                StoredPoint::Valid(record) => Some(Arc::new(ResultRow::new(&record))),
                StoredPoint::Absent | StoredPoint::Corrupt(..) => None,
            })
        };
        self.gather_from(|inputs_hash| results.entry(inputs_hash).or_insert_with(|| find(inputs_hash)).clone())
    }

    /// Collects the points for which `find` returns a result, given the hash of their inputs.
    pub fn gather_from<'a>(&'a self, mut find: impl FnMut(&'a str) -> Option<Arc<ResultRow>>) -> GatheredPoints {
        let mut points = GatheredPoints { points: Vec::new(), missing: Vec::new() };
        self.line_ranges().for_each(|line| self.gather_line(line, &mut points, &mut find));
        points
    }

    /// Returns the points to run next; `find` returns the results so far. In a sweep without lines, these are all
    /// missing points. In a sweep that stops at saturation, they are the points at the first incomplete position of
    /// each line that is not saturated yet.
    pub fn next_points<'a>(&'a self, mut find: impl FnMut(&'a str) -> Option<Arc<ResultRow>>) -> Vec<usize> {
        let mut next_points = Vec::new();
        for line in self.line_ranges() {
            for position in line.step_by(self.runs_per_position()) {
                let result_or_index = |point: usize| {
                    let result = find(&self.input_hashes[point]);
                    result.map(|result| SweepPoint { values: Vec::new(), result }).ok_or(point)
                };
                let (finished_points, missing): (Vec<_>, Vec<_>) =
                    (position..position + self.runs_per_position()).map(result_or_index).partition(Result::is_ok);
                let points: Vec<SweepPoint> = finished_points.into_iter().flatten().collect();
                next_points.extend(missing.into_iter().filter_map(Result::err));
                if self.lines.is_some() && (points.len() < self.runs_per_position() || is_saturated(&points)) {
                    break;
                }
            }
        }
        next_points
    }

    /// Returns the results as tidy data: a row for each point, with means if there are several seeds.
    pub fn dataset(&self, rows: &[SweepPoint]) -> Dataset {
        let metrics = tidy::metrics(rows, self.seeds, &self.metrics);
        match self.seeds {
            Some(seeds) => tidy::replicated_dataset(&tidy::replicated(rows, seeds as usize, &metrics), &metrics),
            None => PointColumns::new(rows, &metrics).dataset(rows),
        }
    }

    /// Writes the results as tidy data, without keeping the whole table in memory if there is one seed.
    ///
    /// # Errors
    ///
    /// Returns the errors of `out`, and an error for Parquet in a build without the feature `parquet`.
    pub fn write(&self, rows: &[SweepPoint], encoding: Encoding, out: &mut dyn Write) -> io::Result<()> {
        if self.seeds.is_some() {
            return out.write_all(&self.dataset(rows).bytes(encoding).map_err(io::Error::other)?);
        }
        let metrics = tidy::metrics(rows, None, &self.metrics);
        let columns = PointColumns::new(rows, &metrics);
        Dataset::write_blocks(rows.len(), |block| columns.dataset(&rows[block]), encoding, out)
    }

    /// Returns the number of runs at each position of a line.
    fn runs_per_position(&self) -> usize {
        self.seeds.unwrap_or(1) as usize
    }

    /// Returns the range of points of each line.
    fn line_ranges(&self) -> impl Iterator<Item = Range<usize>> + use<> {
        let (step, end) = (
            self.lines.map_or(self.runs_per_position(), |lines| lines.points_per_line()).max(1),
            self.input_hashes.len(),
        );
        (0..end).step_by(step).map(move |from| from..(from + step).min(end))
    }

    /// Collects one line. In a sweep that stops at saturation, points after the first saturated position do not count
    /// as missing. A position that lacks a run is left out.
    fn gather_line<'a>(
        &'a self,
        line: Range<usize>,
        points: &mut GatheredPoints,
        find: &mut dyn FnMut(&'a str) -> Option<Arc<ResultRow>>,
    ) {
        let runs_per_position = self.runs_per_position();
        for position in line.step_by(runs_per_position) {
            let position_start = points.points.len();
            for point in position..position + runs_per_position {
                let values = values_of(&self.dimensions, point);
                match find(&self.input_hashes[point]) {
                    Some(result) => points.points.push(SweepPoint { values, result }),
                    None => points.missing.push(values),
                }
            }
            let position_points = &points.points[position_start..];
            if position_points.len() < runs_per_position {
                points.points.truncate(position_start);
            } else if self.lines.is_some() && is_saturated(position_points) {
                break;
            }
        }
    }
}
