//! Points that were run with several seeds: a row for each, with the mean of each metric and half the width of its
//! 95 % interval.

use super::{MetricName, of_values, push_number};
use crate::experiment::seeds::{self, Replicated};
use crate::experiment::sweep::SweepPoint;
use crate::report::dataset::{ColumnValues, Dataset};

/// A point, and what its runs come to.
pub struct ReplicatedPoint<'a> {
    /// Its values, without the seed.
    pub values: Vec<(String, String)>,
    /// Its runs.
    pub runs: &'a [SweepPoint],
    /// How they ended.
    pub outcome: String,
    /// What they measured.
    pub metrics: Vec<Replicated>,
}

impl<'a> ReplicatedPoint<'a> {
    fn of(runs: &'a [SweepPoint], metrics: &[MetricName]) -> ReplicatedPoint<'a> {
        let results: Vec<_> = runs.iter().map(|run| &*run.result).collect();
        let mut all = seeds::metrics(&results);
        all.retain(|metric| metrics.iter().any(|(name, _)| *name == metric.name));
        let values = runs[0].values.iter().filter(|(key, _)| key != seeds::KEY).cloned().collect();
        ReplicatedPoint { values, runs, outcome: seeds::outcomes(&results), metrics: all }
    }

    /// One of its metrics.
    pub fn metric(&self, name: &str) -> Option<&Replicated> {
        self.metrics.iter().find(|metric| metric.name == name)
    }
}

/// The points of rows whose last key is the seed, each with `seeds` runs: of the metrics named.
pub fn replicated<'a>(rows: &'a [SweepPoint], seeds: usize, metrics: &[MetricName]) -> Vec<ReplicatedPoint<'a>> {
    rows.chunks(seeds).map(|runs| ReplicatedPoint::of(runs, metrics)).collect()
}

/// A row for each point; under `ci95` half the width of each interval.
pub fn of_replicated(points: &[ReplicatedPoint<'_>], metrics: &[MetricName]) -> Dataset {
    let mut data = Dataset::default();
    of_values(&mut data, &points.iter().map(|point| &point.values[..]).collect::<Vec<_>>());
    let outcomes = points.iter().map(|point| Some(point.outcome.clone())).collect();
    data.push("outcome", "", ColumnValues::Texts(outcomes));
    for (name, unit) in metrics {
        let of = |of: fn(&Replicated) -> Option<f64>| points.iter().map(|point| of(point.metric(name)?)).collect();
        push_number(&mut data, name, unit, of(|metric| Some(metric.mean)));
        push_number(&mut data, &format!("{name}_ci95"), unit, of(|metric| metric.half_width));
    }
    let seeds = points.iter().map(|point| Some(point.runs.len() as u64)).collect();
    data.push("seeds", "", ColumnValues::Counts(seeds));
    data
}
