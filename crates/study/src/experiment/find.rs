//! Bisection for the value of a key at which a metric crosses a threshold, or another machine's metric.
//!
//! The metric is assumed to cross once; if it crosses several times, one crossing is found. A range without steps is
//! halved until its ends are adjacent or within a thousandth of each other.

mod condition;
mod query;
mod search_range;

pub use condition::Condition;
pub use query::{FindQuery, FoundRow, PointValues, ProblemGroups};
pub use search_range::SearchRange;

use super::points::PointStore;
use super::reader::Reader;
use super::record;
use super::result_row::ResultRow;
use super::sweep::{SweepEvent, run::find_or_run, settings};
use narrows_core::text::{Problem, Problems};
use std::io;
use std::sync::Arc;

/// The comparison that changes its result at the crossing.
#[derive(Clone, Copy)]
pub enum Comparison<'a> {
    /// The metric is compared with a constant.
    WithValue(&'a Condition),
    /// The metric of this name is compared with that of another description.
    WithMachine(&'a str, Reader<'a>),
}

/// The search at one point of a sweep.
pub struct Search<'a> {
    /// The reader of the description.
    pub reader: Reader<'a>,
    /// The keys and values of the point.
    pub values: &'a [(String, String)],
    /// The key that is searched along, and its range.
    pub range: &'a SearchRange,
    /// The comparison whose change is searched for.
    pub comparison: Comparison<'a>,
    /// The store of finished runs.
    pub points: Option<&'a PointStore>,
    /// Called for each run.
    pub on_event: &'a (dyn Fn(SweepEvent) + Sync),
}

/// The outcome of the comparison at one value of the key.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub struct Probe {
    /// The value of the key.
    pub value: String,
    /// The metric, if it was measured.
    pub metric: Option<f64>,
    /// The metric of the other description.
    pub other: Option<f64>,
    /// Whether the condition holds; for two descriptions, whether the metric of the first is the smaller.
    pub holds: bool,
}

/// The result of a search: the last interval, or the whole range if the comparison is the same at both its ends.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub struct MetricCrossing {
    /// The probe at the lower end.
    pub below: Probe,
    /// The probe at the upper end.
    pub above: Probe,
    /// The number of values that were run.
    pub probes: usize,
}

/// The reason why a search failed.
pub enum FindError {
    /// The description is invalid with these values.
    Invalid(Vec<(String, String)>, Problems),
    /// A result could not be stored.
    Store(io::Error),
}

impl MetricCrossing {
    /// Returns whether the comparison changes between `below` and `above`.
    pub fn is_between(&self) -> bool {
        self.below.holds != self.above.holds
    }
}

impl Search<'_> {
    /// Runs the bisection.
    pub fn run(&self) -> Result<MetricCrossing, FindError> {
        let (mut low, mut high) = self.range.ends();
        let (below, above) = rayon::join(|| self.probe(low), || self.probe(high));
        let mut found = MetricCrossing { below: below?, above: above?, probes: 2 };
        while found.is_between()
            && let Some(middle) = self.range.between(low, high)
        {
            let probe = self.probe(middle)?;
            found.probes += 1;
            match probe.holds == found.below.holds {
                true => (low, found.below) = (middle, probe),
                false => (high, found.above) = (middle, probe),
            }
        }
        Ok(found)
    }

    fn probe(&self, position: u64) -> Result<Probe, FindError> {
        let value = self.range.value(position);
        let values = [self.values, &[(self.range.key.clone(), value.clone())]].concat();
        let name = match self.comparison {
            Comparison::WithValue(condition) => condition.metric.as_str(),
            Comparison::WithMachine(name, _) => name,
        };
        let metric = self.metric(self.reader, &values, name)?;
        let (other, holds) = match self.comparison {
            Comparison::WithValue(condition) => (None, metric.is_some_and(|metric| condition.holds(metric))),
            Comparison::WithMachine(_, other) => {
                let other = self.metric(other, &values, name)?;
                let unmeasured = || Problem::new(format!("nothing was measured under `{name}`"));
                let (Some(one), Some(another)) = (metric, other) else {
                    return Err(FindError::Invalid(values, Problems::one(unmeasured())));
                };
                (other, one < another)
            }
        };
        Ok(Probe { value, metric, other, holds })
    }

    fn metric(&self, reader: Reader<'_>, values: &[(String, String)], name: &str) -> Result<Option<f64>, FindError> {
        let value = self.result(reader, values)?.metric(name).map(|(value, _)| value);
        Ok(value.filter(|value| !value.is_nan()))
    }

    fn result(&self, reader: Reader<'_>, values: &[(String, String)]) -> Result<Arc<ResultRow>, FindError> {
        let read = reader(&settings(values)).map_err(|problems| FindError::Invalid(values.to_vec(), problems))?;
        let inputs = record::inputs(&read);
        let result = find_or_run(&inputs, self.points, self.on_event, || Ok(read)).map_err(FindError::Store)?;
        Ok(result.expect("the inputs are unchanged since they were hashed"))
    }
}
