//! The result of a run as JSON: what `run --format json` prints and what a sweep keeps.
//!
//! The same bytes for the same description on every machine, but for `host`, which says how the
//! run itself went. `hash` is over everything else, so a record can be checked by itself.

use super::uncertainty::single::MetricUncertainty;
use super::{Bottleneck, RunResult};
use crate::report::MeanLedger;
use narrows_core::engine::{DeadlockReport, Outcome, Time};
use narrows_core::machine::{Machine, shipped};
use narrows_core::text::Read;
use serde_json::{Map, Value as Json, json};
use sha2::{Digest, Sha256};
use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;

/// The version of the program, which is part of every result.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

/// The keys of every record.
const KEYS: [&str; 6] = ["metrics", "machine", "seed", "version", "hash", "ledger"];

/// The result of a run as JSON.
#[derive(Clone, PartialEq, Debug)]
pub struct Record(Map<String, Json>);

impl Record {
    /// Of a run of `read`.
    pub fn of(read: &Read<Machine>, result: &RunResult) -> Record {
        let ledger = MeanLedger::of(&result.ledger);
        let mut map = Map::new();
        map.insert("outcome".into(), outcome_name(&result.outcome).into());
        if let Some(note) = said(result) {
            map.insert("note".into(), note.into());
        }
        map.insert("metrics".into(), metrics(result));
        map.insert("ledger".into(), ledger_json(&ledger));
        let told = told(result);
        map.insert("resources".into(), resources(result, &told));
        if told.len() < result.resources.len() {
            map.insert("resources_summed".into(), summed(result, &told));
        }
        map.insert("binds".into(), binds(&Bottleneck::of(result, &ledger)));
        map.insert("simulated_us".into(), result.end.as_us().into());
        if let Some(stuck) = stuck(&result.outcome) {
            map.insert("stuck".into(), stuck_json(stuck));
        }
        map.insert("machine".into(), read.resolved());
        let files = files(read);
        if !files.is_null() {
            map.insert("files".into(), files);
        }
        map.insert("seed".into(), read.value.run.seed.into());
        map.insert("version".into(), VERSION.into());
        let hash = digest(&map);
        map.insert("hash".into(), hash.into());
        Record(map)
    }

    /// The same record with what the run cost: seconds of real time, and events.
    pub fn with_host(mut self, wall_s: f64, events: u64) -> Record {
        self.0.insert("host".into(), json!({ "wall_s": wall_s, "events": events }));
        self
    }

    /// The same record with how sure its metrics are, which is no part of what its hash is over.
    pub fn with_uncertainty(mut self, sure: &[MetricUncertainty]) -> Record {
        let one = |sure: &MetricUncertainty| {
            let MetricUncertainty { metric, left_free, elasticities } = sure;
            (metric.name.clone(), json!({ "left_free": left_free, "elasticities": elasticities }))
        };
        self.0.insert("uncertainty".into(), Json::Object(sure.iter().map(one).collect()));
        self
    }

    /// The record that a text holds, or why it is none.
    pub fn parse(text: &str) -> Result<Record, String> {
        let json: Json = serde_json::from_str(text).map_err(|error| format!("it is not JSON: {error}"))?;
        let Json::Object(map) = json else { return Err("it is JSON, but not an object".to_owned()) };
        if map.contains_key("claims") {
            return Err("it is a result of `narrows reproduce`, not of `narrows run`".to_owned());
        }
        if map.contains_key("points") {
            return Err("it is a result of `narrows sweep`; its single runs lie in the folder beside it".to_owned());
        }
        match KEYS.iter().find(|key| !map.contains_key(**key)) {
            Some(key) => Err(format!("it has no `{key}`")),
            None => Ok(Record(map)),
        }
    }

    /// Whether its hash is that of its contents.
    pub fn is_whole(&self) -> bool {
        let mut rest = self.0.clone();
        rest.shift_remove("host");
        rest.shift_remove("uncertainty");
        let hash = rest.shift_remove("hash");
        hash == Some(digest(&rest).into())
    }

    /// What stands under `key`.
    pub fn get(&self, key: &str) -> &Json {
        self.0.get(key).unwrap_or(&Json::Null)
    }

    /// What stands under `key`, if it is text, and else nothing.
    pub fn text(&self, key: &str) -> &str {
        self.get(key).as_str().unwrap_or_default()
    }

    /// The metrics: name, value, unit.
    pub fn metrics(&self) -> Vec<(&str, f64, &str)> {
        let Some(metrics) = self.get("metrics").as_object() else { return Vec::new() };
        metrics
            .iter()
            .map(|(name, metric)| {
                let unit = metric["unit"].as_str().unwrap_or_default();
                (name.as_str(), metric["value"].as_f64().unwrap_or(f64::NAN), unit)
            })
            .collect()
    }

    /// The hash of what it was computed from.
    pub fn inputs(&self) -> String {
        inputs_of(self.get("machine"), self.get("files"), self.text("version"))
    }

    /// The record as JSON over several lines, with a newline at the end.
    pub fn pretty(&self) -> String {
        serde_json::to_string_pretty(&self.0).expect("a record is plain JSON") + "\n"
    }
}

/// The hash of what a run of `read` is computed from: the resolved description, with the seed in
/// it, the files it names, and the version.
pub fn inputs(read: &Read<Machine>) -> String {
    inputs_of(&read.resolved(), &files(read), VERSION)
}

fn inputs_of(machine: &Json, files: &Json, version: &str) -> String {
    match files {
        Json::Null => digest(&json!({ "machine": machine, "version": version })),
        files => digest(&json!({ "machine": machine, "files": files, "version": version })),
    }
}

/// The hash of each file that the description names, by the key that names it; null if there is
/// none. A shipped trace is no file: it belongs to the version.
fn files(read: &Read<Machine>) -> Json {
    let hash = |(key, file): &(String, PathBuf)| Some((key.clone(), sha256(&fs::read(file).ok()?).into()));
    let own = read.files().iter().filter(|(_, file)| !file.starts_with(shipped::SHIPPED));
    let files: Map<String, Json> = own.filter_map(hash).collect();
    if files.is_empty() { Json::Null } else { files.into() }
}

/// SHA-256 over compact JSON, in hexadecimal.
pub fn digest(json: &impl serde::Serialize) -> String {
    sha256(serde_json::to_string(json).expect("a record is plain JSON").as_bytes())
}

fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// How a run ended, in a word.
pub fn outcome_name(outcome: &Outcome) -> &'static str {
    match outcome {
        Outcome::Done => "done",
        Outcome::Deadlock(_) => "deadlock",
        Outcome::Livelock(_) => "livelock",
        Outcome::TimeLimit(_) => "time-limit",
        Outcome::Saturated(_) => "saturated",
    }
}

/// What is to be known of how a run ended, beside its outcome.
pub fn said(result: &RunResult) -> Option<String> {
    match &result.outcome {
        Outcome::Saturated(why) => Some(format!("More is offered than is accepted: {why}.")),
        _ => result.note.clone(),
    }
}

/// The waits of a run that did not end by itself.
pub fn stuck(outcome: &Outcome) -> Option<&DeadlockReport> {
    match outcome {
        Outcome::Done | Outcome::Saturated(_) => None,
        Outcome::Deadlock(stuck) | Outcome::Livelock(stuck) | Outcome::TimeLimit(stuck) => Some(stuck),
    }
}

fn metrics(result: &RunResult) -> Json {
    result.metrics.iter().map(|metric| (metric.name.clone(), json!(metric))).collect::<Map<_, _>>().into()
}

fn ledger_json(ledger: &MeanLedger) -> Json {
    let total = ledger.total_us();
    let stage = |stage: &crate::report::ledger::MeanStage| {
        json!({
            "stage": stage.name,
            "waiting_us": stage.waiting_us,
            "service_us": stage.service_us,
            "share": if total > 0.0 { stage.total_us() / total } else { 0.0 },
        })
    };
    let stages: Vec<Json> = ledger.stages.iter().map(stage).collect();
    json!({ "messages": ledger.messages, "total_us": total, "stages": stages })
}

/// The most resources that are told one by one: those of a network of thousands of routers are not.
const RESOURCES_TOLD: usize = 512;

/// Which resources are told one by one, by their places: all, or the busiest.
fn told(result: &RunResult) -> BTreeSet<usize> {
    let mut places: Vec<usize> = (0..result.resources.len()).collect();
    places.sort_by_key(|place| Reverse(result.resources[*place].busy));
    places.into_iter().take(RESOURCES_TOLD).collect()
}

fn resources(result: &RunResult, told: &BTreeSet<usize>) -> Json {
    let shares = result.shares();
    let resource = |place: &usize| {
        let (resource, share) = shares[*place];
        json!({
            "resource": resource.name,
            "busy_us": resource.busy.as_us(),
            "moving_us": resource.moving.as_us(),
            "share": share,
        })
    };
    told.iter().map(resource).collect()
}

/// How many resources are not told one by one, and their times together.
fn summed(result: &RunResult, told: &BTreeSet<usize>) -> Json {
    let rest = || result.resources.iter().enumerate().filter(|(place, _)| !told.contains(place));
    let (busy, moving): (Time, Time) =
        (rest().map(|(_, resource)| resource.busy).sum(), rest().map(|(_, resource)| resource.moving).sum());
    json!({ "resources": rest().count(), "busy_us": busy.as_us(), "moving_us": moving.as_us() })
}

fn binds(binds: &Bottleneck) -> Json {
    match binds {
        Bottleneck::Resource(name, share) => json!({ "resource": name, "share": share }),
        Bottleneck::Stage(name, share) => json!({ "stage": name, "share": share }),
        Bottleneck::Busiest(name, share) => json!({ "busiest": name, "share": share }),
        Bottleneck::Nothing | Bottleneck::Stuck => Json::Null,
    }
}

fn stuck_json(stuck: &DeadlockReport) -> Json {
    let wait = |wait: &narrows_core::engine::deadlock::Wait| json!({ "task": wait.task, "wants": wait.wants, "holder": wait.holder, "closes_cycle": wait.closes_cycle });
    let mut told = json!({ "at_us": stuck.at.as_us(), "chain": stuck.chain.iter().map(wait).collect::<Vec<_>>() });
    if !stuck.lost.first.is_empty() {
        told["lost"] = json!({ "first": stuck.lost.first, "more": stuck.lost.more });
    }
    told
}
