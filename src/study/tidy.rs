//! Results as tidy data: a row for each point of a sweep, or for each message of a run.
//!
//! Columns: what varies, the outcome, the metrics, what binds, how busy resources were, the mean stages of a message,
//! the seed and the hash. Where a run has many resources, those of each kind come together.

use super::record::Record;
use super::run::Delivery;
use super::sweep::SweepPoint;
use crate::engine::{EndId, Stage, Time};
use crate::report::dataset::{Base, ColumnValues, Dataset};
use serde_json::Value as Json;
use std::collections::HashSet;

mod json;
mod values;

pub use json::read as of_json;
pub use values::columns as of_values;

/// More resources than these come together by kind.
const RESOURCES_MAX: usize = 32;

/// A metric's name and unit.
pub type MetricName = (String, String);

/// The metrics of all points in the order in which they first appear, or those chosen.
pub fn metrics(rows: &[SweepPoint], chosen: &[String]) -> Vec<MetricName> {
    let (mut all, mut known): (Vec<MetricName>, HashSet<&str>) = Default::default();
    for (name, _, unit) in rows.iter().flat_map(|row| row.record.metrics()) {
        if known.insert(name) {
            all.push((name.to_owned(), unit.to_owned()));
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
    let records: Vec<&Record> = rows.iter().map(|row| &*row.record).collect();
    data.push("outcome", "", texts(&records, |record| Some(record.text("outcome").to_owned())));
    metrics.iter().for_each(|metric| push_metric(&mut data, &records, metric));
    bindings(&mut data, &records);
    data.push("simulated", "s", numbers(&records, |record| seconds(record.get("simulated_us"))));
    resources(&mut data, &records);
    stages(&mut data, &records);
    data.push("seed", "", counts(&records, |record| record.get("seed").as_u64()));
    data.push("hash", "", texts(&records, |record| Some(record.text("hash").to_owned())));
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

fn push_metric(data: &mut Dataset, records: &[&Record], (name, unit): &MetricName) {
    let value = |record: &&Record| record.get("metrics").get(name)?.get("value")?.as_f64();
    push_number(data, name, unit, records.iter().map(value).collect());
}

fn texts(records: &[&Record], of: impl Fn(&Record) -> Option<String>) -> ColumnValues {
    ColumnValues::Texts(records.iter().map(|record| of(record)).collect())
}

fn numbers(records: &[&Record], of: impl Fn(&Record) -> Option<f64>) -> ColumnValues {
    ColumnValues::Numbers(records.iter().map(|record| of(record)).collect())
}

fn counts(records: &[&Record], of: impl Fn(&Record) -> Option<u64>) -> ColumnValues {
    ColumnValues::Counts(records.iter().map(|record| of(record)).collect())
}

/// Microseconds as seconds.
fn seconds(us: &Json) -> Option<f64> {
    us.as_f64().map(|us| us / 1e6)
}

/// What binds each run: of what kind it is, which, and for what part.
fn bindings(data: &mut Dataset, records: &[&Record]) {
    let kinds = ["resource", "stage", "busiest"];
    let kind = |record: &Record| kinds.into_iter().find(|kind| record.get("binds").get(kind).is_some());
    let which = |record: &Record| Some(record.get("binds")[kind(record)?].as_str()?.to_owned());
    data.push("binds_kind", "", texts(records, |record| kind(record).map(str::to_owned)));
    data.push("binds", "", texts(records, which));
    data.push("binds_share", "", numbers(records, |record| record.get("binds")["share"].as_f64()));
}

/// The names of all things in lists under `key`, in the order in which they first appear.
fn names(records: &[&Record], list: impl Fn(&Record) -> &Json, key: &str) -> Vec<String> {
    let things = records.iter().flat_map(|record| list(record).as_array().into_iter().flatten());
    each_once(things.filter_map(|thing| thing[key].as_str())).into_iter().map(str::to_owned).collect()
}

/// Each name once, in the order in which they first appear.
fn each_once<'a>(names: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let mut known = HashSet::new();
    names.filter(|name| known.insert(*name)).collect()
}

/// How busy each resource was, as a part of the run; of many, the busiest of each kind and their mean.
fn resources(data: &mut Dataset, records: &[&Record]) {
    fn list(record: &Record) -> &[Json] {
        record.get("resources").as_array().map_or(&[], Vec::as_slice)
    }
    let all = names(records, |record| record.get("resources"), "resource");
    if all.len() <= RESOURCES_MAX {
        for name in &all {
            let share = |record: &Record| list(record).iter().find(|one| one["resource"] == **name)?["share"].as_f64();
            data.push(&format!("utilisation_{name}"), "", numbers(records, share));
        }
        return;
    }
    for of in each_once(all.iter().map(|name| kind(name))) {
        let shares = |record: &Record| -> Vec<f64> {
            let of_kind =
                list(record).iter().filter(|one| one["resource"].as_str().is_some_and(|name| kind(name) == of));
            of_kind.filter_map(|one| one["share"].as_f64()).collect()
        };
        data.push(
            &format!("utilisation_{of}_most"),
            "",
            numbers(records, |record| shares(record).into_iter().reduce(f64::max)),
        );
        let mean = |shares: Vec<f64>| (!shares.is_empty()).then(|| shares.iter().sum::<f64>() / shares.len() as f64);
        data.push(&format!("utilisation_{of}_mean"), "", numbers(records, |record| mean(shares(record))));
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
fn stages(data: &mut Dataset, records: &[&Record]) {
    fn list(record: &Record) -> &Json {
        &record.get("ledger")["stages"]
    }
    data.push("messages", "", counts(records, |record| record.get("ledger")["messages"].as_u64()));
    for name in names(records, list, "stage") {
        for part in ["waiting", "service"] {
            let key = format!("{part}_us");
            let of =
                |record: &Record| seconds(&list(record).as_array()?.iter().find(|one| one["stage"] == *name)?[&key]);
            data.push(&format!("stage_{name}_{part}"), "s", numbers(records, of));
        }
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
