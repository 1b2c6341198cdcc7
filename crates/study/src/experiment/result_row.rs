//! The part of a result that tables show. It is small, since a sweep holds one row for each point.
//!
//! Names are interned for the whole process. The machine, busy times, totals of ledgers and all waits except the first
//! are only in the record.

use super::record::{CANDIDATE_KEY, COMPLETE_OUTCOMES, Record};
use narrows_core::engine::{Distribution, current_metric_name};
use serde_json::{Value as Json, json};
use std::collections::HashSet;
use std::sync::{Arc, LazyLock, Mutex};

/// An interned name.
pub type SharedName = Arc<str>;

/// The mean time of a message in a stage, in µs.
#[derive(Clone, PartialEq, Debug)]
pub struct StageTimes {
    /// The name of the stage.
    pub name: SharedName,
    /// The waiting time.
    pub waiting_us: f64,
    /// The service time.
    pub service_us: f64,
}

/// The part of a result that tables show.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub struct ResultRow {
    /// The name of the outcome.
    pub outcome: SharedName,
    /// The reason, if the run did not complete.
    pub reason: Option<Box<str>>,
    /// The name, value (NaN if not measured) and unit of each metric.
    pub metrics: Vec<(SharedName, f64, SharedName)>,
    /// The distributions of the run, which are merged with those of other seeds.
    pub distributions: Vec<Distribution>,
    /// The result of the test for an initial transient: whether one was detected, and the key of the warm-up; `None`
    /// without a test.
    pub initial_transient: Option<(bool, SharedName)>,
    /// The sentences that describe the initial transient, if one was detected.
    pub transient_finding: Option<Box<str>>,
    /// The kind of bottleneck (see `BOTTLENECK_KINDS`), its name, and its fraction of the run or of the latency.
    pub bottleneck: Option<(SharedName, SharedName, f64)>,
    /// The simulated time at the end of the run, in µs.
    pub simulated_us: Option<f64>,
    /// The fraction of the run for which each resource was busy; empty if the run did not complete.
    pub resources: Vec<(SharedName, f64)>,
    /// The number of messages in the ledger.
    pub messages: Option<u64>,
    /// The mean times of these messages by stage.
    pub stages: Vec<StageTimes>,
    /// The seed of the run.
    pub seed: Option<u64>,
    /// The hash of the whole record.
    pub hash: Box<str>,
}

/// The kinds of bottleneck, as records name them.
const BOTTLENECK_KINDS: [&str; 3] = ["resource", "stage", "busiest"];

impl ResultRow {
    /// Extracts the row from a record.
    pub fn new(record: &Record) -> ResultRow {
        let ledger = record.get("ledger");
        let resources = if record.is_complete() { record.get("resources") } else { &Json::Null };
        ResultRow {
            outcome: shared_name(record.text("outcome")),
            reason: record.get("reason").as_str().map(Into::into),
            metrics: record
                .metrics()
                .into_iter()
                .map(|(name, value, unit)| (shared_name(name), value, shared_name(unit)))
                .collect(),
            distributions: distributions(record),
            initial_transient: parse_initial_transient(record.get("warm_up")),
            transient_finding: record.get("warm_up")["finding"].as_str().map(Into::into),
            bottleneck: parse_bottleneck(record.get(CANDIDATE_KEY)),
            simulated_us: record.get("simulated_us").as_f64(),
            resources: parse_list(resources, |resource| {
                Some((name_field(resource, "resource")?, resource["share"].as_f64()?))
            }),
            messages: ledger["messages"].as_u64(),
            stages: parse_list(&ledger["stages"], parse_stage),
            seed: record.get("seed").as_u64(),
            hash: record.text("hash").into(),
        }
    }

    /// Returns whether the run completed, so that its measurements hold.
    pub fn is_complete(&self) -> bool {
        COMPLETE_OUTCOMES.contains(&&*self.outcome)
    }

    /// Returns the outcome, with the reason if the run did not complete.
    pub fn verdict(&self) -> String {
        match &self.reason {
            Some(reason) => format!("{}: {reason}", self.outcome),
            None => self.outcome.to_string(),
        }
    }

    /// Returns the value and unit of the metric `name`, if the result has it.
    pub fn metric(&self, name: &str) -> Option<(f64, &str)> {
        let name = current_metric_name(name);
        let metric = self.metrics.iter().find(|(metric_name, ..)| **metric_name == *name);
        metric.map(|(_, value, unit)| (*value, &**unit))
    }

    /// Returns whether an initial transient was detected, or `None` if it was not tested.
    pub fn is_transient(&self) -> Option<bool> {
        self.initial_transient.as_ref().map(|(detected, _)| *detected)
    }

    /// Returns the outcome in the form that tables show, with a mark if an initial transient was detected.
    pub fn marked_outcome(&self) -> String {
        match self.is_transient() {
            Some(true) => format!("{}, transient", self.outcome),
            _ => self.outcome.to_string(),
        }
    }

    /// Returns the bottleneck in the form of the record.
    pub fn bottleneck_json(&self) -> Json {
        self.bottleneck
            .as_ref()
            .map_or(Json::Null, |(kind, resource, share)| json!({ &**kind: **resource, "share": share }))
    }
}

/// Returns the distributions with interned names. A distribution that cannot be read is left out.
fn distributions(record: &Record) -> Vec<Distribution> {
    let distributions = record.distributions().unwrap_or_default().into_iter();
    distributions.map(|distribution| Distribution { name: shared_name(&distribution.name), ..distribution }).collect()
}

fn parse_initial_transient(json: &Json) -> Option<(bool, SharedName)> {
    Some((json["initial_transient"].as_bool()?, name_field(json, "key")?))
}

fn parse_bottleneck(json: &Json) -> Option<(SharedName, SharedName, f64)> {
    let kind = BOTTLENECK_KINDS.into_iter().find(|kind| json.get(kind).is_some())?;
    Some((shared_name(kind), name_field(json, kind)?, json["share"].as_f64()?))
}

fn parse_stage(json: &Json) -> Option<StageTimes> {
    let [waiting_us, service_us] = ["waiting_us", "service_us"].map(|key| json[key].as_f64());
    Some(StageTimes { name: name_field(json, "stage")?, waiting_us: waiting_us?, service_us: service_us? })
}

fn parse_list<T>(list: &Json, item: impl Fn(&Json) -> Option<T>) -> Vec<T> {
    list.as_array().into_iter().flatten().filter_map(item).collect()
}

fn name_field(json: &Json, key: &str) -> Option<SharedName> {
    json[key].as_str().map(shared_name)
}

/// Interns a name.
fn shared_name(name: &str) -> SharedName {
    static NAMES: LazyLock<Mutex<HashSet<SharedName>>> = LazyLock::new(Mutex::default);
    let mut names = NAMES.lock().expect("no thread panics while it holds the lock");
    names.get(name).cloned().unwrap_or_else(|| {
        let name: SharedName = name.into();
        names.insert(name.clone());
        name
    })
}
