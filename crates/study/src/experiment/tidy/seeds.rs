//! Tidy data of points with several seeds: a row for each point, with the mean of each metric (or the percentile of the
//! samples of all seeds) and half the width of its 95 % confidence interval.

use super::{MetricName, OUTCOME, TRANSIENT, push_columns, push_number};
use crate::experiment::seeds::{self, ReplicatedMetric};
use crate::experiment::sweep::SweepPoint;
use crate::report::dataset::{ColumnValues, Dataset};
use narrows_core::engine::Distribution;

/// A point that was run with several seeds.
pub struct ReplicatedPoint<'a> {
    /// The keys and values, without the seed.
    pub values: Vec<(String, String)>,
    /// The runs of the point.
    pub runs: &'a [SweepPoint],
    /// The outcomes of the runs.
    pub outcome: String,
    /// The metrics over the runs.
    pub metrics: Vec<ReplicatedMetric>,
    /// The distributions of the samples of all runs.
    pub distributions: Vec<Distribution>,
}

impl<'a> ReplicatedPoint<'a> {
    fn new(runs: &'a [SweepPoint], metrics: &[MetricName]) -> ReplicatedPoint<'a> {
        let results: Vec<_> = runs.iter().map(|run| &*run.result).collect();
        let distributions = seeds::distributions(&results);
        let mut all_metrics = seeds::metrics(&results, &distributions);
        all_metrics.retain(|metric| metrics.iter().any(|(name, _)| *name == metric.name));
        let values = runs[0].values.iter().filter(|(key, _)| key != seeds::SEED_KEY).cloned().collect();
        ReplicatedPoint { values, runs, outcome: seeds::outcomes(&results), metrics: all_metrics, distributions }
    }

    /// Returns the number of runs with an initial transient, or `None` if no run was tested.
    pub fn transients(&self) -> Option<u64> {
        self.runs
            .iter()
            .filter_map(|run| run.result.is_transient())
            .map(u64::from)
            .reduce(|sum, transient| sum + transient)
    }

    /// Returns the outcomes of the runs in the form that tables show, with the number of runs that have an initial
    /// transient.
    pub fn marked_outcome(&self) -> String {
        match self.transients() {
            None | Some(0) => self.outcome.clone(),
            Some(runs) => format!("{}, transient {runs}", self.outcome),
        }
    }

    /// Returns the metric `name`.
    pub fn metric(&self, name: &str) -> Option<&ReplicatedMetric> {
        self.metrics.iter().find(|metric| metric.name == name)
    }
}

/// Groups rows whose last key is the seed into points of `seeds` runs each, with the given metrics.
pub fn replicated<'a>(rows: &'a [SweepPoint], seeds: usize, metrics: &[MetricName]) -> Vec<ReplicatedPoint<'a>> {
    rows.chunks(seeds).map(|runs| ReplicatedPoint::new(runs, metrics)).collect()
}

/// Returns a row for each point. Columns whose names end in `_ci95` hold half the width of each interval.
pub fn replicated_dataset(points: &[ReplicatedPoint<'_>], metrics: &[MetricName]) -> Dataset {
    let mut data = Dataset::default();
    push_columns(&mut data, &points.iter().map(|point| &point.values[..]).collect::<Vec<_>>());
    let outcomes = points.iter().map(|point| Some(point.outcome.clone())).collect();
    data.push(OUTCOME, "", ColumnValues::Texts(outcomes));
    for (name, unit) in metrics {
        let column = |value_of: fn(&ReplicatedMetric) -> Option<f64>| {
            points.iter().map(|point| value_of(point.metric(name)?)).collect()
        };
        push_number(&mut data, name, unit, column(|metric| Some(metric.value)));
        push_number(&mut data, &format!("{name}_ci95"), unit, column(|metric| metric.half_width));
    }
    let seeds = points.iter().map(|point| Some(point.runs.len() as u64)).collect();
    data.push("seeds", "", ColumnValues::Counts(seeds));
    let transient = points.iter().map(ReplicatedPoint::transients).collect();
    data.push(TRANSIENT, "", ColumnValues::Counts(transient));
    data
}
