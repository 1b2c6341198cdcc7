//! What tables tell of a result: a small part of its record, since a sweep holds one for each of its points.
//!
//! Names are kept once for all results of the process. Leaves out what only the record tells: the machine, busy times,
//! ledgers' totals, all waits but the first.

use super::record::Record;
use serde_json::{Value as Json, json};
use std::collections::HashSet;
use std::sync::{Arc, LazyLock, Mutex};

/// A name that is kept once.
pub type SharedName = Arc<str>;

/// The mean time of messages in a stage, in µs.
#[derive(Clone, PartialEq, Debug)]
pub struct StageTimes {
    /// The stage.
    pub name: SharedName,
    /// Waiting.
    pub waiting_us: f64,
    /// Served.
    pub service_us: f64,
}

/// What tables tell of a result.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub struct ResultRow {
    /// How the run ended.
    pub outcome: SharedName,
    /// Its metrics: name, value (not a number where nothing was measured), unit.
    pub metrics: Vec<(SharedName, f64, SharedName)>,
    /// What held it back: of what kind it is, which, for what part.
    pub binds: Option<(SharedName, SharedName, f64)>,
    /// The simulated time at which it ended, in µs.
    pub simulated_us: Option<f64>,
    /// For what part of the run each resource was busy.
    pub resources: Vec<(SharedName, f64)>,
    /// How many messages the ledger is of.
    pub messages: Option<u64>,
    /// Where they spent their time.
    pub stages: Vec<StageTimes>,
    /// The seed.
    pub seed: Option<u64>,
    /// The hash of the whole record.
    pub hash: Box<str>,
    /// Of a run that did not end by itself, who waits for whom first.
    pub stuck: Option<Box<str>>,
}

/// What can hold a run back, as records name it.
const BINDING: [&str; 3] = ["resource", "stage", "busiest"];

impl ResultRow {
    /// Of a record.
    pub fn of(record: &Record) -> ResultRow {
        let ledger = record.get("ledger");
        ResultRow {
            outcome: shared(record.text("outcome")),
            metrics: record
                .metrics()
                .into_iter()
                .map(|(name, value, unit)| (shared(name), value, shared(unit)))
                .collect(),
            binds: binds(record.get("binds")),
            simulated_us: record.get("simulated_us").as_f64(),
            resources: each(record.get("resources"), |one| Some((named(one, "resource")?, one["share"].as_f64()?))),
            messages: ledger["messages"].as_u64(),
            stages: each(&ledger["stages"], stage),
            seed: record.get("seed").as_u64(),
            hash: record.text("hash").into(),
            stuck: stuck(record.get("stuck")),
        }
    }

    /// A metric, if the result tells one of this name.
    pub fn metric(&self, name: &str) -> Option<(f64, &str)> {
        let found = self.metrics.iter().find(|(known, ..)| **known == *name);
        found.map(|(_, value, unit)| (*value, &**unit))
    }

    /// What held it back, as its record tells it.
    pub fn binds_json(&self) -> Json {
        self.binds.as_ref().map_or(Json::Null, |(kind, which, share)| json!({ &**kind: **which, "share": share }))
    }
}

fn binds(json: &Json) -> Option<(SharedName, SharedName, f64)> {
    let kind = BINDING.into_iter().find(|kind| json.get(kind).is_some())?;
    Some((shared(kind), named(json, kind)?, json["share"].as_f64()?))
}

fn stage(json: &Json) -> Option<StageTimes> {
    let [waiting_us, service_us] = ["waiting_us", "service_us"].map(|key| json[key].as_f64());
    Some(StageTimes { name: named(json, "stage")?, waiting_us: waiting_us?, service_us: service_us? })
}

fn stuck(json: &Json) -> Option<Box<str>> {
    let first = json["chain"].get(0)?;
    Some(format!("{} waits for {}", first["task"].as_str()?, first["wants"].as_str()?).into())
}

fn each<T>(list: &Json, of: impl Fn(&Json) -> Option<T>) -> Vec<T> {
    list.as_array().into_iter().flatten().filter_map(of).collect()
}

fn named(json: &Json, key: &str) -> Option<SharedName> {
    json[key].as_str().map(shared)
}

/// A name, kept once.
fn shared(name: &str) -> SharedName {
    static KNOWN: LazyLock<Mutex<HashSet<SharedName>>> = LazyLock::new(Mutex::default);
    let mut known = KNOWN.lock().expect("nobody panics with it");
    known.get(name).cloned().unwrap_or_else(|| {
        let name: SharedName = name.into();
        known.insert(name.clone());
        name
    })
}
