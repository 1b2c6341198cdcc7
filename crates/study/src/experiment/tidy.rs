//! Results as tidy data: a row for each point of a sweep, or for each message of a run.
//!
//! Columns: what varies, the outcome, the metrics, what binds, how busy resources were, the mean stages of a message,
//! the seed and the hash. Where a run has many resources, those of each kind come together.

use super::result_row::{ResultRow, SharedName, StageTimes};
use super::run::Delivery;
use super::sweep::SweepPoint;
use crate::report::dataset::{Base, ColumnValues, Dataset};
use narrows_core::engine::{EndId, Stage, Time};
use rayon::prelude::*;
use std::collections::HashSet;

mod json;
mod seeds;
mod values;

pub use json::read as of_json;
pub use seeds::{ReplicatedPoint, of_replicated, replicated};
pub use values::columns as of_values;

/// More resources than these come together by kind.
const RESOURCES_MAX: usize = 32;

/// A metric's name and unit.
pub type MetricName = (String, String);

/// The metrics of all points in the order in which they first appear, or those chosen.
pub fn metrics(rows: &[SweepPoint], chosen: &[String]) -> Vec<MetricName> {
    let (mut all, mut known): (Vec<MetricName>, HashSet<&str>) = Default::default();
    for (name, _, unit) in rows.iter().flat_map(|row| &row.result.metrics) {
        if known.insert(name) {
            all.push((name.to_string(), unit.to_string()));
        }
    }
    if chosen.is_empty() {
        return all;
    }
    let find = |name: &String| all.iter().find(|(known, _)| known == name).cloned();
    chosen.iter().map(|name| find(name).unwrap_or((name.clone(), String::new()))).collect()
}

/// A row for each point.
pub fn points(rows: &[SweepPoint], metrics: &[MetricName]) -> Dataset {
    let mut data = Dataset::default();
    values::columns(&mut data, &rows.iter().map(|row| &row.values[..]).collect::<Vec<_>>());
    let results: Vec<&ResultRow> = rows.iter().map(|row| &*row.result).collect();
    data.push("outcome", "", texts(&results, |result| Some(result.outcome.to_string())));
    metrics.iter().for_each(|metric| push_metric(&mut data, &results, metric));
    bindings(&mut data, &results);
    data.push("simulated", "s", numbers(&results, |result| result.simulated_us.map(seconds)));
    resources(&mut data, &results);
    stages(&mut data, &results);
    data.push("seed", "", counts(&results, |result| result.seed));
    data.push("hash", "", texts(&results, |result| Some(result.hash.to_string())));
    data
}

/// A column of numbers that are told in a unit, in its base.
pub fn push_number(data: &mut Dataset, name: &str, unit: &str, numbers: Vec<Option<f64>>) {
    let numbers = numbers.into_iter().map(|number| number.filter(|number| !number.is_nan()));
    match Base::of(unit) {
        Some(base) => {
            let numbers = numbers.map(|number| number.map(|number| base.value(number)));
            data.push(name, base.unit, ColumnValues::Numbers(numbers.collect()));
        }
        None => data.push(name, unit, ColumnValues::Numbers(numbers.collect())),
    }
}

fn push_metric(data: &mut Dataset, results: &[&ResultRow], (name, unit): &MetricName) {
    let value = |result: &&ResultRow| result.metric(name).map(|(value, _)| value);
    push_number(data, name, unit, results.par_iter().map(value).collect());
}

fn texts(results: &[&ResultRow], of: impl Fn(&ResultRow) -> Option<String> + Sync) -> ColumnValues {
    ColumnValues::Texts(results.par_iter().map(|result| of(result)).collect())
}

fn numbers(results: &[&ResultRow], of: impl Fn(&ResultRow) -> Option<f64> + Sync) -> ColumnValues {
    ColumnValues::Numbers(results.par_iter().map(|result| of(result)).collect())
}

fn counts(results: &[&ResultRow], of: impl Fn(&ResultRow) -> Option<u64> + Sync) -> ColumnValues {
    ColumnValues::Counts(results.par_iter().map(|result| of(result)).collect())
}

/// Microseconds as seconds.
fn seconds(us: f64) -> f64 {
    us / 1e6
}

/// What binds each run: of what kind it is, which, and for what part.
fn bindings(data: &mut Dataset, results: &[&ResultRow]) {
    let word = |of: fn(&(SharedName, SharedName, f64)) -> &SharedName| {
        texts(results, move |result| result.binds.as_ref().map(|binds| of(binds).to_string()))
    };
    data.push("binds_kind", "", word(|(kind, ..)| kind));
    data.push("binds", "", word(|(_, which, _)| which));
    data.push("binds_share", "", numbers(results, |result| result.binds.as_ref().map(|(.., share)| *share)));
}

/// Each name once, in the order in which they first appear.
fn each_once<'a>(names: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let mut known = HashSet::new();
    names.filter(|name| known.insert(*name)).collect()
}

/// How busy each resource was, as a part of the run; of many, the busiest of each kind and their mean.
fn resources(data: &mut Dataset, results: &[&ResultRow]) {
    let all = each_once(results.iter().flat_map(|result| &result.resources).map(|(name, _)| &**name));
    if all.len() <= RESOURCES_MAX {
        for name in &all {
            let share = |result: &ResultRow| {
                result.resources.iter().find(|(known, _)| **known == **name).map(|(_, share)| *share)
            };
            data.push(&format!("utilisation_{name}"), "", numbers(results, share));
        }
        return;
    }
    for of in each_once(all.iter().map(|name| kind(name))) {
        let shares = |result: &ResultRow| -> Vec<f64> {
            result.resources.iter().filter(|(name, _)| kind(name) == of).map(|(_, share)| *share).collect()
        };
        let most = |result: &ResultRow| shares(result).into_iter().reduce(f64::max);
        data.push(&format!("utilisation_{of}_most"), "", numbers(results, most));
        let mean = |shares: Vec<f64>| (!shares.is_empty()).then(|| shares.iter().sum::<f64>() / shares.len() as f64);
        data.push(&format!("utilisation_{of}_mean"), "", numbers(results, |result| mean(shares(result))));
    }
}

/// What a resource is, without the node or link that it is of.
fn kind(resource: &str) -> &str {
    match resource.split_once(' ') {
        Some(("link", _)) | None => "link",
        Some((_, kind)) => kind,
    }
}

/// The mean stages of a message, each in its parts.
fn stages(data: &mut Dataset, results: &[&ResultRow]) {
    data.push("messages", "", counts(results, |result| result.messages));
    for name in each_once(results.iter().flat_map(|result| &result.stages).map(|stage| &*stage.name)) {
        let mut part = |part: &str, of: fn(&StageTimes) -> f64| {
            let time =
                |result: &ResultRow| result.stages.iter().find(|stage| *stage.name == *name).map(of).map(seconds);
            data.push(&format!("stage_{name}_{part}"), "s", numbers(results, time));
        };
        part("waiting", |stage| stage.waiting_us);
        part("service", |stage| stage.service_us);
    }
}

/// A row for each message of a run, with its ledger: `ends` are the names of endpoints.
pub fn messages(deliveries: &[Delivery], ends: &[String]) -> Dataset {
    let mut data = Dataset::default();
    let counts = |of: fn(&Delivery) -> u64| ColumnValues::Counts(deliveries.iter().map(|one| Some(of(one))).collect());
    let end = |of: fn(&Delivery) -> EndId| {
        ColumnValues::Texts(deliveries.iter().map(|one| ends.get(of(one).index()).cloned()).collect())
    };
    let time =
        |of: fn(&Delivery) -> Time| ColumnValues::Numbers(deliveries.iter().map(|one| Some(of(one).as_s())).collect());
    data.push("message", "", counts(|one| one.message));
    data.push("source", "", end(|one| one.source));
    data.push("destination", "", end(|one| one.destination));
    data.push("payload", "B", counts(|one| one.payload.get()));
    data.push("sent", "s", time(|one| one.ledger.start()));
    data.push("delivered", "s", time(|one| one.at));
    data.push("latency", "s", time(|one| one.ledger.total()));
    for name in each_once(deliveries.iter().flat_map(|one| one.ledger.stages()).map(|stage| stage.name)) {
        data.push(&format!("stage_{name}_waiting"), "s", spent(deliveries, name, |stage| stage.waiting));
        data.push(&format!("stage_{name}_service"), "s", spent(deliveries, name, |stage| stage.service));
    }
    data
}

/// What messages spent in a stage, which one may pass several times, or not at all.
fn spent(deliveries: &[Delivery], name: &str, of: fn(&Stage) -> Time) -> ColumnValues {
    let of_message = |one: &Delivery| {
        let passed = || one.ledger.stages().iter().filter(|stage| stage.name == name);
        passed().next().map(|_| passed().map(of).sum::<Time>().as_s())
    };
    ColumnValues::Numbers(deliveries.iter().map(of_message).collect())
}
