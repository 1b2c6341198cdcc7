//! What a sharded sweep is, kept beside its points: enough to make one table of all shards, in order.
//!
//! The same for all shards of a sweep, whoever writes it first. Leaves out the description: a point is known by the
//! hash of its inputs.

use super::run::{Stops, is_saturated};
use super::{SweepPoint, values_of};
use crate::study::points::{Kept, Points};
use crate::study::record::VERSION;
use crate::study::vary::Dimension;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
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
                Kept::Whole(record) => Some(Arc::new(record.without_machine())),
                Kept::Absent | Kept::Corrupt(..) => None,
            })
        };
        let step = self.lines.map_or(1, |lines| lines.points()).max(1);
        let mut gathered = Gathered { points: Vec::new(), missing: Vec::new() };
        for from in (0..self.inputs.len()).step_by(step) {
            self.line(from..(from + step).min(self.inputs.len()), &mut gathered, &mut |inputs| {
                known.entry(inputs).or_insert_with(|| find(inputs)).clone()
            });
        }
        gathered
    }

    /// Gathers one line; where it stops at saturation, what lies behind is not missed.
    fn line<'a>(
        &'a self,
        line: std::ops::Range<usize>,
        gathered: &mut Gathered,
        find: &mut dyn FnMut(&'a str) -> Option<Arc<super::Record>>,
    ) {
        let runs = self.lines.map_or(1, |lines| lines.runs);
        for place in line.step_by(runs) {
            let before = gathered.points.len();
            for point in place..place + runs {
                let values = values_of(&self.dimensions, point);
                match find(&self.inputs[point]) {
                    Some(record) => gathered.points.push(SweepPoint { values, record }),
                    None => gathered.missing.push(values),
                }
            }
            let found = &gathered.points[before..];
            if self.lines.is_some() && found.len() == runs && is_saturated(found) {
                break;
            }
        }
    }
}
