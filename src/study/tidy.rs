//! Results as tidy data: a row for each point of a sweep, or for each message of a run.
//!
//! Columns: what varies, the outcome, the metrics, what binds, how busy resources were, the mean stages of a message,
//! the seed and the hash. Where a run has many resources, those of each kind come together.

use super::record::Record;
use super::run::Delivery;
use super::sweep::SweepPoint;
use crate::engine::{Ledger, Time};
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
    let (mut all, mut known) = (Vec::new(), HashSet::new());
    for name in records.iter().flat_map(|record| list(record).as_array().into_iter().flatten()) {
        if let Some(name) = name[key].as_str().filter(|name| known.insert(name.to_string())) {
            all.push(name.to_owned());
        }
    }
    all
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
    let mut kinds: Vec<&str> = all.iter().map(|name| kind(name)).collect();
    let mut known = HashSet::new();
    kinds.retain(|kind| known.insert(*kind));
    for of in kinds {
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
    let list = |record: &'_ Record| record.get("ledger")["stages"].clone();
    let lists: Vec<Json> = records.iter().map(|record| list(record)).collect();
    data.push("messages", "", counts(records, |record| record.get("ledger")["messages"].as_u64()));
    let mut all: Vec<&str> = Vec::new();
    for name in
        lists.iter().flat_map(|list| list.as_array().into_iter().flatten()).filter_map(|one| one["stage"].as_str())
    {
        if !all.contains(&name) {
            all.push(name);
        }
    }
    for name in all {
        for part in ["waiting", "service"] {
            let key = format!("{part}_us");
            let of = |list: &Json| seconds(&list.as_array()?.iter().find(|one| one["stage"] == name)?[&key]);
            let values = lists.iter().map(of).collect();
            data.push(&format!("stage_{name}_{part}"), "s", ColumnValues::Numbers(values));
        }
    }
}

/// A row for each message of a run, with its ledger: `ends` are the names of endpoints.
pub fn messages(deliveries: &[Delivery], ledgers: &[Ledger], ends: &[String]) -> Dataset {
    let mut data = Dataset::default();
    let end = |place: usize| ends.get(place).cloned();
    let time = |of: &dyn Fn(usize) -> Time| {
        ColumnValues::Numbers((0..deliveries.len()).map(|row| Some(of(row).as_s())).collect())
    };
    data.push("message", "", ColumnValues::Counts(deliveries.iter().map(|one| Some(one.message)).collect()));
    data.push("source", "", ColumnValues::Texts(deliveries.iter().map(|one| end(one.source.index())).collect()));
    data.push(
        "destination",
        "",
        ColumnValues::Texts(deliveries.iter().map(|one| end(one.destination.index())).collect()),
    );
    data.push("payload", "B", ColumnValues::Counts(deliveries.iter().map(|one| Some(one.payload.get())).collect()));
    data.push("sent", "s", time(&|row| ledgers[row].start()));
    data.push("delivered", "s", time(&|row| deliveries[row].at));
    data.push("latency", "s", time(&|row| ledgers[row].total()));
    let mut names: Vec<&str> = Vec::new();
    for stage in ledgers.iter().flat_map(Ledger::stages) {
        if !names.contains(&stage.name) {
            names.push(stage.name);
        }
    }
    for name in names {
        // A message may pass a stage of one name several times.
        let sum = |of: fn(&crate::engine::Stage) -> Time| {
            let of_ledger = |ledger: &Ledger| {
                let passed = || ledger.stages().iter().filter(|stage| stage.name == name);
                passed().next().map(|_| passed().map(of).sum::<Time>().as_s())
            };
            ColumnValues::Numbers(ledgers.iter().map(of_ledger).collect())
        };
        data.push(&format!("stage_{name}_waiting"), "s", sum(|stage| stage.waiting));
        data.push(&format!("stage_{name}_service"), "s", sum(|stage| stage.service));
    }
    data
}
