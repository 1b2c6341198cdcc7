//! What a sharded sweep is, kept beside its points: enough to make one table of all shards, in order.
//!
//! The same for all shards of a sweep, whoever writes it first. Leaves out the description: a point is known by the
//! hash of its inputs.

use super::run::{Stops, is_saturated};
use super::{SweepPoint, values_of};
use crate::experiment::ResultRow;
use crate::experiment::points::{Kept, Points};
use crate::experiment::record::VERSION;
use crate::experiment::tidy;
use crate::experiment::vary::Dimension;
use crate::report::dataset::Dataset;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

/// A sweep, as its shards know it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct SweepPlan {
    /// The version of the program.
    pub version: String,
    /// What varies.
    pub dimensions: Vec<Dimension>,
    /// The hash of each point's inputs.
    pub inputs: Vec<String>,
    /// Where it stops at saturation.
    pub lines: Option<Stops>,
    /// How many seeds a point has, where they vary.
    pub seeds: Option<u64>,
    /// The metrics to be shown; all if none.
    pub metrics: Vec<String>,
}

/// What of a plan is there.
pub struct Gathered {
    /// The points, in order.
    pub points: Vec<SweepPoint>,
    /// The values of those that are missing.
    pub missing: Vec<Vec<(String, String)>>,
}

impl SweepPlan {
    /// Of these points, with so many seeds each, or one; it may stop at saturation.
    pub fn new(
        dimensions: &[Dimension],
        inputs: &[String],
        (seeds, stops): (Option<u64>, bool),
        metrics: &[String],
    ) -> SweepPlan {
        SweepPlan {
            version: VERSION.to_owned(),
            dimensions: dimensions.to_vec(),
            inputs: inputs.to_vec(),
            lines: Stops::of(dimensions, seeds).filter(|_| stops),
            seeds,
            metrics: metrics.to_vec(),
        }
    }

    /// The plan that a text holds, or why it is none that can be followed.
    pub fn parse(text: &str) -> Result<SweepPlan, String> {
        let plan: SweepPlan =
            serde_json::from_str(text).map_err(|error| format!("it is no plan of a sweep: {error}"))?;
        match plan.version == VERSION {
            true => Ok(plan),
            false => Err(format!("it was made by version {} of Narrows, and this is {VERSION}", plan.version)),
        }
    }

    /// As it is written.
    pub fn text(&self) -> String {
        serde_json::to_string(self).expect("a plan is plain JSON") + "\n"
    }

    /// Gathers the points from folders; what is not to be believed counts as missing.
    pub fn gather(&self, folders: &[Points]) -> Gathered {
        let mut known: HashMap<&str, Option<Arc<_>>> = HashMap::new();
        let find = |inputs: &str| {
            folders.iter().find_map(|folder| match folder.find(inputs) {
                Kept::Whole(record) => Some(Arc::new(ResultRow::of(&record))),
                Kept::Absent | Kept::Corrupt(..) => None,
            })
        };
        self.gather_from(|inputs| known.entry(inputs).or_insert_with(|| find(inputs)).clone())
    }

    /// Gathers the points whose results `find` knows by the hashes of their inputs.
    pub fn gather_from<'a>(&'a self, mut find: impl FnMut(&'a str) -> Option<Arc<ResultRow>>) -> Gathered {
        let mut gathered = Gathered { points: Vec::new(), missing: Vec::new() };
        self.each_line().for_each(|line| self.line(line, &mut gathered, &mut find));
        gathered
    }

    /// The points to be run next, when `find` knows the results of the others: all that are missing, or where it
    /// stops at saturation the first such place of each line that is not saturated yet.
    pub fn open<'a>(&'a self, mut find: impl FnMut(&'a str) -> Option<Arc<ResultRow>>) -> Vec<usize> {
        let mut open = Vec::new();
        for line in self.each_line() {
            for place in line.step_by(self.runs()) {
                let point = |point: usize| {
                    let result = find(&self.inputs[point]);
                    result.map(|result| SweepPoint { values: Vec::new(), result }).ok_or(point)
                };
                let (found, missing): (Vec<_>, Vec<_>) =
                    (place..place + self.runs()).map(point).partition(Result::is_ok);
                let found: Vec<SweepPoint> = found.into_iter().flatten().collect();
                open.extend(missing.into_iter().filter_map(Result::err));
                if self.lines.is_some() && (found.len() < self.runs() || is_saturated(&found)) {
                    break;
                }
            }
        }
        open
    }

    /// The results as tidy data: a row for each point, of several seeds a point their means.
    pub fn dataset(&self, rows: &[SweepPoint]) -> Dataset {
        let metrics = tidy::metrics(rows, &self.metrics);
        match self.seeds {
            Some(seeds) => tidy::of_replicated(&tidy::replicated(rows, seeds as usize, &metrics), &metrics),
            None => tidy::points(rows, &metrics),
        }
    }

    /// How many points a place of a line has.
    fn runs(&self) -> usize {
        self.seeds.unwrap_or(1) as usize
    }

    /// The points of each line.
    fn each_line(&self) -> impl Iterator<Item = Range<usize>> + use<> {
        let (step, end) = (self.lines.map_or(self.runs(), |lines| lines.points()).max(1), self.inputs.len());
        (0..end).step_by(step).map(move |from| from..(from + step).min(end))
    }

    /// Gathers one line; where it stops at saturation, what lies behind is not missed. A place that lacks a run is
    /// left out.
    fn line<'a>(
        &'a self,
        line: Range<usize>,
        gathered: &mut Gathered,
        find: &mut dyn FnMut(&'a str) -> Option<Arc<ResultRow>>,
    ) {
        let runs = self.runs();
        for place in line.step_by(runs) {
            let before = gathered.points.len();
            for point in place..place + runs {
                let values = values_of(&self.dimensions, point);
                match find(&self.inputs[point]) {
                    Some(result) => gathered.points.push(SweepPoint { values, result }),
                    None => gathered.missing.push(values),
                }
            }
            let found = &gathered.points[before..];
            if found.len() < runs {
                gathered.points.truncate(before);
            } else if self.lines.is_some() && is_saturated(found) {
                break;
            }
        }
    }
}
