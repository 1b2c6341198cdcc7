//! Results as tidy data: a row for each point of a sweep, or for each message of a run.
//!
//! The columns of a sweep are the varied keys, the outcome, the reason if a run did not complete, the metrics, the
//! bottleneck, the initial transient, the utilisation of resources, the mean time of a message by stage, the seed and
//! the hash. If there are many resources, the resources of each kind are aggregated.

use super::record::{CANDIDATE_KEY, StageTimes};
use super::result_row::ResultRow;
use super::run::Delivery;
use super::shared_names::SharedName;
use super::sweep::SweepPoint;
use crate::report::dataset::{BaseUnit, ColumnValues, Dataset};
use narrows_core::engine::distribution::SAMPLES;
use narrows_core::engine::histogram::{PERCENTILES, samples_needed};
use narrows_core::engine::{EndpointId, Stage, Time};
use rayon::prelude::*;
use std::collections::HashSet;

mod json;
mod seeds;
mod values;

pub use json::read as dataset_from_json;
pub use seeds::{ReplicatedPoint, replicated, replicated_dataset};
pub use values::{KeyColumns, push_columns};

/// The number of resources above which the resources of each kind are aggregated.
const RESOURCES_MAX: usize = 32;

/// The column that states whether an initial transient was detected: 1, 0, or empty if there was no test. With several
/// seeds, it is the number of runs with a transient.
pub const TRANSIENT: &str = "initial_transient";
/// The column of the outcomes.
pub const OUTCOME: &str = "outcome";

/// The name and the unit of a metric.
pub type MetricName = (String, String);

/// Returns the `requested` metrics, or if none are requested, all metrics in the order in which they first appear.
/// `seeds` is the number of runs of each point. A percentile for which no point has enough samples is left out unless
/// it is requested.
pub fn metrics(rows: &[SweepPoint], seeds: Option<u64>, requested: &[String]) -> Vec<MetricName> {
    let (mut all_metrics, mut known_names): (Vec<MetricName>, HashSet<&str>) = Default::default();
    for (name, _, unit) in rows.iter().flat_map(|row| row.result.metrics()) {
        if known_names.insert(name) {
            all_metrics.push((name.to_string(), unit.to_string()));
        }
    }
    if requested.is_empty() {
        let runs = seeds.unwrap_or(1).max(1) as usize;
        all_metrics.retain(|(name, _)| rows.chunks(runs).any(|point| has_samples(name, point)));
        return all_metrics;
    }
    let find_metric = |name: &String| all_metrics.iter().find(|(metric_name, _)| metric_name == name).cloned();
    requested.iter().map(|name| find_metric(name).unwrap_or((name.clone(), String::new()))).collect()
}

/// Returns whether the runs of a point have enough samples for the metric `name`. A metric that is not a percentile
/// needs none.
fn has_samples(name: &str, point: &[SweepPoint]) -> bool {
    let percentile = PERCENTILES.iter().find_map(|(suffix, percent)| Some((name.strip_suffix(suffix)?, *percent)));
    let Some((distribution, percent)) = percentile else { return true };
    let sample_count_metric = format!("{distribution}{SAMPLES}");
    let samples: Vec<f64> = point.iter().filter_map(|run| Some(run.result.metric(&sample_count_metric)?.0)).collect();
    samples.is_empty() || samples.iter().sum::<f64>() >= samples_needed(percent) as f64
}

/// The columns of the points of a sweep. They are those of all points, so that tables of some of the points have the
/// same columns.
pub struct PointColumns<'a> {
    keys: KeyColumns<'a>,
    has_reasons: bool,
    metrics: &'a [MetricName],
    resources: Vec<&'a str>,
    stages: Vec<&'a str>,
}

impl<'a> PointColumns<'a> {
    /// Returns the columns of all points of a sweep.
    pub fn new(rows: &'a [SweepPoint], metrics: &'a [MetricName]) -> PointColumns<'a> {
        let results = || rows.iter().map(|row| &*row.result);
        PointColumns {
            keys: KeyColumns::new(rows.iter().map(|row| &row.values[..])),
            has_reasons: results().any(|result| result.reason.is_some()),
            metrics,
            resources: distinct(results().flat_map(|result| result.resources().map(|(name, _)| name))),
            stages: distinct(results().flat_map(|result| result.stages().map(|stage| stage.name))),
        }
    }

    /// Returns a row for each of these points.
    pub fn dataset(&self, rows: &[SweepPoint]) -> Dataset {
        let mut data = Dataset::default();
        self.keys.push(&mut data, rows.iter().map(|row| &row.values[..]));
        let results: Vec<&ResultRow> = rows.iter().map(|row| &*row.result).collect();
        data.push(OUTCOME, "", texts(&results, |result| Some(result.outcome.to_string())));
        if self.has_reasons {
            data.push("reason", "", texts(&results, |result| result.reason.as_ref().map(|reason| reason.to_string())));
        }
        self.metrics.iter().for_each(|metric| push_metric(&mut data, &results, metric));
        push_bottlenecks(&mut data, &results);
        data.push(TRANSIENT, "", counts(&results, |result| result.is_transient().map(u64::from)));
        data.push("simulated", "s", numbers(&results, |result| result.simulated_us.map(seconds)));
        self.push_resources(&mut data, &results);
        self.push_stages(&mut data, &results);
        data.push("seed", "", counts(&results, |result| result.seed));
        data.push("hash", "", texts(&results, |result| Some(result.hash.to_string())));
        data
    }

    /// Adds the utilisation of each resource. If there are many, adds the largest and the mean of each kind instead.
    fn push_resources(&self, data: &mut Dataset, results: &[&ResultRow]) {
        if self.resources.len() <= RESOURCES_MAX {
            for name in &self.resources {
                let share_of_resource = |result: &ResultRow| {
                    result.resources().find(|(resource, _)| resource == name).map(|(_, share)| share)
                };
                data.push(&format!("utilisation_{name}"), "", numbers(results, share_of_resource));
            }
            return;
        }
        for shared_kind in distinct(self.resources.iter().map(|name| resource_kind(name))) {
            let shares = |result: &ResultRow| -> Vec<f64> {
                let of_kind = result.resources().filter(|(name, _)| resource_kind(name) == shared_kind);
                of_kind.map(|(_, share)| share).collect()
            };
            let share_max = |result: &ResultRow| shares(result).into_iter().reduce(f64::max);
            data.push(&format!("utilisation_{shared_kind}_most"), "", numbers(results, share_max));
            let mean =
                |shares: Vec<f64>| (!shares.is_empty()).then(|| shares.iter().sum::<f64>() / shares.len() as f64);
            data.push(&format!("utilisation_{shared_kind}_mean"), "", numbers(results, |result| mean(shares(result))));
        }
    }

    /// Adds the mean waiting and service time of a message in each stage.
    fn push_stages(&self, data: &mut Dataset, results: &[&ResultRow]) {
        data.push("messages", "", counts(results, |result| result.messages));
        for name in &self.stages {
            let mut push_part = |part: &str, time_of: fn(StageTimes<'_>) -> f64| {
                let time =
                    |result: &ResultRow| result.stages().find(|stage| stage.name == *name).map(time_of).map(seconds);
                data.push(&format!("stage_{name}_{part}"), "s", numbers(results, time));
            };
            push_part("waiting", |stage| stage.waiting_us);
            push_part("service", |stage| stage.service_us);
        }
    }
}

/// Adds a column of numbers with the unit `unit`, converted to its base unit.
pub fn push_number(data: &mut Dataset, name: &str, unit: &str, numbers: Vec<Option<f64>>) {
    let numbers = numbers.into_iter().map(|number| number.filter(|number| !number.is_nan()));
    match BaseUnit::from_unit(unit) {
        Some(base) => {
            let numbers = numbers.map(|number| number.map(|number| base.to_base(number)));
            data.push(name, base.unit, ColumnValues::Numbers(numbers.collect()));
        }
        None => data.push(name, unit, ColumnValues::Numbers(numbers.collect())),
    }
}

fn push_metric(data: &mut Dataset, results: &[&ResultRow], (name, unit): &MetricName) {
    let value = |result: &&ResultRow| result.metric(name).map(|(value, _)| value);
    push_number(data, name, unit, results.par_iter().map(value).collect());
}

fn texts<R: Sync>(rows: &[&R], text_of: impl Fn(&R) -> Option<String> + Sync) -> ColumnValues {
    ColumnValues::Texts(rows.par_iter().map(|row| text_of(row)).collect())
}

fn numbers<R: Sync>(rows: &[&R], number_of: impl Fn(&R) -> Option<f64> + Sync) -> ColumnValues {
    ColumnValues::Numbers(rows.par_iter().map(|row| number_of(row)).collect())
}

fn counts<R: Sync>(rows: &[&R], count_of: impl Fn(&R) -> Option<u64> + Sync) -> ColumnValues {
    ColumnValues::Counts(rows.par_iter().map(|row| count_of(row)).collect())
}

/// Converts microseconds to seconds.
fn seconds(us: f64) -> f64 {
    us / 1e6
}

/// Adds the columns of the bottleneck of each run: its kind, its name, and its fraction.
fn push_bottlenecks(data: &mut Dataset, results: &[&ResultRow]) {
    let text_column = |field_of: fn(&(SharedName, SharedName, f64)) -> &SharedName| {
        texts(results, move |result| result.bottleneck.as_ref().map(|bottleneck| field_of(bottleneck).to_string()))
    };
    data.push("candidate_kind", "", text_column(|(kind, ..)| kind));
    data.push(CANDIDATE_KEY, "", text_column(|(_, candidate, _)| candidate));
    data.push("candidate_share", "", numbers(results, |result| result.bottleneck.as_ref().map(|(.., share)| *share)));
}

/// Returns each name once, in the order in which they first appear.
fn distinct<'a>(names: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let mut seen = HashSet::new();
    names.filter(|name| seen.insert(*name)).collect()
}

/// Returns the kind of a resource: its name without the node or link.
fn resource_kind(resource: &str) -> &str {
    match resource.split_once(' ') {
        Some(("link", _)) | None => "link",
        Some((_, kind)) => kind,
    }
}

/// Returns a row for each message of a run, with its ledger; `endpoints` are the names of the endpoints.
pub fn messages_dataset(deliveries: &[Delivery], endpoints: &[String]) -> Dataset {
    let mut data = Dataset::default();
    let rows: Vec<&Delivery> = deliveries.iter().collect();
    let count = |count_of: fn(&Delivery) -> u64| counts(&rows, |delivery| Some(count_of(delivery)));
    let endpoint = |endpoint_of: fn(&Delivery) -> EndpointId| {
        texts(&rows, |delivery| endpoints.get(endpoint_of(delivery).index()).cloned())
    };
    let time = |time_of: fn(&Delivery) -> Time| numbers(&rows, |delivery| Some(time_of(delivery).as_s()));
    data.push("message", "", count(|delivery| delivery.message));
    data.push("source", "", endpoint(|delivery| delivery.source));
    data.push("destination", "", endpoint(|delivery| delivery.destination));
    data.push("payload", "B", count(|delivery| delivery.payload.get()));
    data.push("sent", "s", time(|delivery| delivery.ledger.start()));
    data.push("delivered", "s", time(|delivery| delivery.at));
    data.push("latency", "s", time(|delivery| delivery.ledger.total()));
    for name in distinct(deliveries.iter().flat_map(|delivery| delivery.ledger.stages()).map(|stage| stage.name)) {
        data.push(&format!("stage_{name}_waiting"), "s", stage_times(&rows, name, |stage| stage.waiting));
        data.push(&format!("stage_{name}_service"), "s", stage_times(&rows, name, |stage| stage.service));
    }
    data
}

/// Returns the time of each message in a stage, summed over its passes. It is empty for a message that does not pass
/// the stage.
fn stage_times(deliveries: &[&Delivery], name: &str, time_of: fn(&Stage) -> Time) -> ColumnValues {
    numbers(deliveries, |delivery| {
        let stages = || delivery.ledger.stages().iter().filter(|stage| stage.name == name);
        stages().next().map(|_| stages().map(time_of).sum::<Time>().as_s())
    })
}
