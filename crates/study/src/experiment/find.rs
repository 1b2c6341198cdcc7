//! Where along a key a metric passes a value, or another machine's: by bisection.
//!
//! It is taken for granted that it passes once; of several such places one is found. Between two ends without steps
//! the search goes on until they are neighbours, or within a thousandth of each other.

mod condition;
mod query;
mod search_range;

pub use condition::Condition;
pub use query::{FindQuery, FoundRow, Grouped, PointValues};
pub use search_range::SearchRange;

use super::points::Points;
use super::reader::Reader;
use super::record;
use super::result_row::ResultRow;
use super::sweep::{SweepEvent, run::found_or_run, settings};
use narrows_core::text::{Problem, Problems};
use std::io;
use std::sync::Arc;

/// What is compared along the key.
#[derive(Clone, Copy)]
pub enum Question<'a> {
    /// The metric with a value.
    Passes(&'a Condition),
    /// The metric with that of another description.
    Meets(&'a str, Reader<'a>),
}

/// A search at one point of a sweep.
pub struct Search<'a> {
    /// Reads the description.
    pub reader: Reader<'a>,
    /// The point's values.
    pub values: &'a [(String, String)],
    /// Along which key.
    pub over: &'a SearchRange,
    /// For what.
    pub question: Question<'a>,
    /// Where finished runs are kept.
    pub points: Option<&'a Points>,
    /// Is told what happens.
    pub tell: &'a (dyn Fn(SweepEvent) + Sync),
}

/// What was seen at a value of the key.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub struct Probe {
    /// The value.
    pub value: String,
    /// The metric there, if anything was measured.
    pub metric: Option<f64>,
    /// That of the other description.
    pub other: Option<f64>,
    /// Whether what is wanted holds there; of two descriptions, whether the first has the less.
    pub holds: bool,
}

/// What a search found: the ends of its last step, or of the whole where it holds at both or at neither.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub struct MetricCrossing {
    /// The lower end.
    pub below: Probe,
    /// The upper end.
    pub above: Probe,
    /// How many values were looked at.
    pub looks: usize,
}

/// Why a search found nothing.
pub enum FindError {
    /// What is wrong at these values.
    Unsound(Vec<(String, String)>, Problems),
    /// A result could not be kept.
    Unkept(io::Error),
}

impl MetricCrossing {
    /// Whether there is a place where it changes.
    pub fn is_between(&self) -> bool {
        self.below.holds != self.above.holds
    }
}

impl Search<'_> {
    /// Searches.
    pub fn run(&self) -> Result<MetricCrossing, FindError> {
        let (mut low, mut high) = self.over.ends();
        let (below, above) = rayon::join(|| self.look(low), || self.look(high));
        let mut found = MetricCrossing { below: below?, above: above?, looks: 2 };
        while found.is_between()
            && let Some(middle) = self.over.between(low, high)
        {
            let seen = self.look(middle)?;
            found.looks += 1;
            match seen.holds == found.below.holds {
                true => (low, found.below) = (middle, seen),
                false => (high, found.above) = (middle, seen),
            }
        }
        Ok(found)
    }

    fn look(&self, place: u64) -> Result<Probe, FindError> {
        let value = self.over.value(place);
        let values = [self.values, &[(self.over.key.clone(), value.clone())]].concat();
        let name = match self.question {
            Question::Passes(condition) => condition.metric.as_str(),
            Question::Meets(name, _) => name,
        };
        let metric = self.metric(self.reader, &values, name)?;
        let (other, holds) = match self.question {
            Question::Passes(condition) => (None, metric.is_some_and(|metric| condition.holds(metric))),
            Question::Meets(_, other) => {
                let other = self.metric(other, &values, name)?;
                let unmeasured = || Problem::new(format!("nothing was measured under `{name}`"));
                let (Some(one), Some(another)) = (metric, other) else {
                    return Err(FindError::Unsound(values, Problems::one(unmeasured())));
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
        let read = reader(&settings(values)).map_err(|problems| FindError::Unsound(values.to_vec(), problems))?;
        let inputs = record::inputs(&read);
        let result = found_or_run(&inputs, self.points, self.tell, || Ok(read)).map_err(FindError::Unkept)?;
        Ok(result.expect("what was just hashed has that hash"))
    }
}
