//! The result of a run as JSON. `run --format json` prints it, and a sweep stores it.
//!
//! The bytes are the same for the same description on every computer, except for `host`, which states the cost of the
//! run and the folder of its files. `hash` covers everything except `host` and the uncertainty, so a record can be
//! verified on its own.

pub use super::digest::digest;
use super::inputs::{RunInputs, folder, hash_of_inputs};
pub use super::inputs::{VERSION, file_hashes, inputs_hash};
pub use super::outcome::{COMPLETE_OUTCOMES, is_comparable, outcome_name, outcome_reason};
use super::uncertainty::single::{MetricUncertainty, RunUncertainty};
use super::{Candidate, RunResult, distribution};
use crate::report::MeanLedger;
use narrows_core::engine::transient::TransientTest;
use narrows_core::engine::{DeadlockReport, Distribution, Metric, Outcome, Time, current_metric_name};
use narrows_core::machine::Machine;
use narrows_core::program::WarmUpCheck;
use narrows_core::text::Read;
use serde_json::{Map, Value as Json, json};
use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::path::PathBuf;

/// Key of the candidate for the bottleneck.
pub const CANDIDATE_KEY: &str = "candidate";

/// The keys that every record has.
const REQUIRED_KEYS: [&str; 6] = ["metrics", "machine", "seed", "version", "hash", "ledger"];

/// The fields that had another name in records of earlier versions, each with that name.
const FORMER_FIELDS: [(&str, &str); 1] = [(CANDIDATE_KEY, "binds")];

/// The key of the constants that could not be changed in both directions, each with the reason. Their contribution to
/// the uncertainty is missing.
const FAILED_CHANGES_KEY: &str = "uncertainty_untried";

/// The mean time of a message in a stage, in µs.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct StageTimes<'a> {
    /// The name of the stage.
    pub name: &'a str,
    /// The waiting time.
    pub waiting_us: f64,
    /// The service time.
    pub service_us: f64,
}

/// The result of a run as JSON.
#[derive(Clone, PartialEq, Debug)]
pub struct Record(Map<String, Json>);

impl Record {
    /// Returns the record of a run of `description`.
    pub fn new(description: &Read<Machine>, result: &RunResult) -> Record {
        Record::with_machine(description, description.resolved(), result)
    }

    /// Returns the record of a run of `inputs`, with the folder of its files.
    pub fn of_inputs(inputs: RunInputs, result: &RunResult) -> Record {
        let (description, machine) = inputs.into_parts();
        Record::with_machine(&description, machine, result).with_folder(&description)
    }

    fn with_machine(description: &Read<Machine>, machine: Json, result: &RunResult) -> Record {
        let ledger = MeanLedger::new(&result.ledger);
        let mut map = Map::new();
        map.insert("outcome".into(), outcome_name(&result.outcome).into());
        if let Some(reason) = outcome_reason(result) {
            map.insert("reason".into(), reason.into());
        }
        if let Some(note) = outcome_note(result) {
            map.insert("note".into(), note.into());
        }
        if let Some(check) = &result.warm_up {
            map.insert("warm_up".into(), warm_up_json(check));
        }
        map.insert("metrics".into(), metrics_json(result));
        if !result.distributions.is_empty() {
            map.insert(distribution::KEY.into(), distribution::json(&result.distributions));
        }
        map.insert("ledger".into(), ledger_json(&ledger));
        let listed_resources = listed_resources(result);
        map.insert("resources".into(), resources_json(result, &listed_resources));
        if listed_resources.len() < result.resources.len() {
            map.insert("resources_summed".into(), unlisted_sum_json(result, &listed_resources));
        }
        let candidate = result.outcome.is_complete().then(|| Candidate::new(result, &ledger));
        map.insert(CANDIDATE_KEY.into(), candidate.as_ref().map_or(Json::Null, candidate_json));
        map.insert("simulated_us".into(), result.end.as_us().into());
        if let Some(report) = pending_waits(&result.outcome) {
            map.insert("stuck".into(), deadlock_json(report));
        }
        map.insert("machine".into(), machine);
        let file_hashes = file_hashes(description);
        if !file_hashes.is_null() {
            map.insert("files".into(), file_hashes);
        }
        map.insert("seed".into(), description.value.run.seed.into());
        seal(&mut map);
        Record(map)
    }

    /// Adds the cost of the run: seconds of real time, and the number of events.
    pub fn with_run_cost(mut self, wall_s: f64, events: u64) -> Record {
        self.insert_computer_fact("wall_s", wall_s.into());
        self.insert_computer_fact("events", events.into());
        self
    }

    /// Adds the folder of the files that the description names, if it names any. The result can then be run again from
    /// another folder.
    pub fn with_folder(mut self, description: &Read<Machine>) -> Record {
        if let Some(folder) = folder(description) {
            self.insert_computer_fact("folder", folder.to_string_lossy().into());
        }
        self
    }

    /// Adds a fact about the computer that made the run, under the key `host`. The hash does not cover it.
    fn insert_computer_fact(&mut self, key: &str, value: Json) {
        let host = self.0.entry("host").or_insert_with(|| Json::Object(Map::new()));
        host[key] = value;
    }

    /// Returns the folder of the files that the description named.
    pub fn folder(&self) -> Option<PathBuf> {
        self.get("host")["folder"].as_str().map(PathBuf::from)
    }

    /// Adds the uncertainty of the metrics, and the constants that could not be changed. The hash does not cover them.
    pub fn with_uncertainty(mut self, uncertainty: &RunUncertainty) -> Record {
        let uncertainty_entry = |uncertainty: &MetricUncertainty| {
            let MetricUncertainty { metric, std_dev, elasticities } = uncertainty;
            (metric.name.clone(), json!({ "std_dev": std_dev, "elasticities": elasticities }))
        };
        self.0.insert("uncertainty".into(), Json::Object(uncertainty.metrics.iter().map(uncertainty_entry).collect()));
        if !uncertainty.failed_changes.is_empty() {
            let failed_changes =
                uncertainty.failed_changes.iter().map(|(name, why)| (name.clone(), why.as_str().into()));
            self.0.insert(FAILED_CHANGES_KEY.into(), Json::Object(failed_changes.collect()));
        }
        self
    }

    /// Parses a record.
    ///
    /// # Errors
    ///
    /// Returns a sentence that states why `text` is not a record.
    pub fn parse(text: &str) -> Result<Record, String> {
        let json: Json = serde_json::from_str(text).map_err(|error| format!("it is not JSON: {error}"))?;
        let Json::Object(map) = json else { return Err("it is JSON, but not an object".to_owned()) };
        if map.contains_key("claims") {
            return Err("it is a result of `narrows reproduce`, not of `narrows run`".to_owned());
        }
        if map.contains_key("points") {
            return Err(
                "it is a result of `narrows sweep`; its single runs are in the `.points` folder next to it".to_owned()
            );
        }
        match REQUIRED_KEYS.iter().find(|key| !map.contains_key(**key)) {
            Some(key) => Err(format!("it has no `{key}`")),
            None => Ok(Record(map)),
        }
    }

    /// Returns whether the hash matches the contents.
    pub fn is_intact(&self) -> bool {
        let mut hashed = self.0.clone();
        hashed.shift_remove("host");
        hashed.shift_remove("uncertainty");
        hashed.shift_remove(FAILED_CHANGES_KEY);
        let hash = hashed.shift_remove("hash");
        hash == Some(digest(&hashed).into())
    }

    /// Returns whether the run completed, so that its measurements hold.
    pub fn is_complete(&self) -> bool {
        COMPLETE_OUTCOMES.contains(&self.text("outcome"))
    }

    /// Returns the outcome, with the reason if the run did not complete.
    pub fn verdict(&self) -> String {
        match self.text("reason") {
            "" => self.text("outcome").to_owned(),
            reason => format!("{}: {reason}", self.text("outcome")),
        }
    }

    /// Returns the value of `key`, or null.
    pub fn get(&self, key: &str) -> &Json {
        let renamed = FORMER_FIELDS.iter().find(|(current_name, _)| *current_name == key);
        let value = self.0.get(key).or_else(|| self.0.get(renamed?.1));
        value.unwrap_or(&Json::Null)
    }

    /// Returns the text of `key`, or an empty text if it has none.
    pub fn text(&self, key: &str) -> &str {
        self.get(key).as_str().unwrap_or_default()
    }

    /// Returns the current name, the value and the unit of each metric. The value is NaN if the metric was not
    /// measured.
    pub fn metrics(&self) -> Vec<(&str, f64, &str)> {
        let Some(metrics) = self.get("metrics").as_object() else { return Vec::new() };
        metrics
            .iter()
            .map(|(name, metric)| {
                let unit = metric["unit"].as_str().unwrap_or_default();
                (current_metric_name(name), metric["value"].as_f64().unwrap_or(f64::NAN), unit)
            })
            .collect()
    }

    /// Returns the mean times of the messages in the ledger by stage.
    pub fn stages(&self) -> impl Iterator<Item = StageTimes<'_>> {
        let time = |stage: &Json, key: &str| stage[key].as_f64();
        elements(&self.get("ledger")["stages"]).filter_map(move |stage| {
            let (waiting_us, service_us) = (time(stage, "waiting_us")?, time(stage, "service_us")?);
            Some(StageTimes { name: stage["stage"].as_str()?, waiting_us, service_us })
        })
    }

    /// Returns the name of each listed resource, and the fraction of the run for which it was busy.
    pub fn resources(&self) -> impl Iterator<Item = (&str, f64)> {
        elements(self.get("resources"))
            .filter_map(|resource| Some((resource["resource"].as_str()?, resource["share"].as_f64()?)))
    }

    /// Returns the distributions.
    ///
    /// # Errors
    ///
    /// Returns a sentence that names the value that is not a distribution, and states the reason.
    pub fn distributions(&self) -> Result<Vec<Distribution>, String> {
        distribution::read(self.get(distribution::KEY))
    }

    /// Returns the hash of the run's inputs.
    pub fn inputs_hash(&self) -> String {
        hash_of_inputs(self.get("machine"), self.get("files"), self.text("version"))
    }

    /// Returns the record as indented JSON, with a newline at the end.
    pub fn pretty(&self) -> String {
        distribution::pretty(&self.0)
    }
}

/// Adds the version of the program, and the hash of everything before the hash, to a result.
pub fn seal(result: &mut Map<String, Json>) {
    result.insert("version".into(), VERSION.into());
    result.insert("hash".into(), digest(result).into());
}

/// Returns whether a run was stopped before its end, so that its counts cover only the time before the stop.
pub fn was_stopped(outcome: &Outcome) -> bool {
    pending_waits(outcome).is_some()
}

/// Returns an explanation of the outcome of a run, if its name does not suffice.
pub fn outcome_note(result: &RunResult) -> Option<String> {
    match &result.outcome {
        Outcome::Saturated(why) => Some(format!("The offered load exceeds the accepted load: {why}.")),
        _ => result.note.clone(),
    }
}

/// Returns the waits at the end of a run that was stopped.
pub fn pending_waits(outcome: &Outcome) -> Option<&DeadlockReport> {
    match outcome {
        Outcome::Done | Outcome::Saturated(_) | Outcome::Loss(_) => None,
        Outcome::Deadlock(report) | Outcome::Livelock(report) | Outcome::TimeLimit(report) => Some(report),
    }
}

/// Returns the metrics by name as JSON. The counts of a run that was stopped are marked as counts so far.
fn metrics_json(result: &RunResult) -> Json {
    let was_stopped = was_stopped(&result.outcome);
    let entry = |metric: &Metric| {
        let mut json = json!(metric);
        if was_stopped && metric.is_measured() {
            json["so_far"] = true.into();
        }
        (metric.name.clone(), json)
    };
    result.metrics.iter().map(entry).collect::<Map<_, _>>().into()
}

/// Returns the result of the test for an initial transient, with the key and the value of the warm-up.
fn warm_up_json(check: &WarmUpCheck) -> Json {
    let mut json = json!({
        "key": check.key,
        "value": check.value,
        "metric": check.metric,
        "initial_transient": check.test.is_transient(),
    });
    if let TransientTest::Transient(shift) = check.test {
        json["first"] = shift.first.into();
        json["mean_of_first"] = shift.mean_before.into();
        json["mean_of_rest"] = shift.mean_after.into();
        json["unit"] = check.unit.into();
    }
    if let Some(finding) = check.finding() {
        json["finding"] = finding.into();
    }
    json
}

/// Returns the elements of a list, or none if `json` is not one.
fn elements(json: &Json) -> impl Iterator<Item = &Json> {
    json.as_array().into_iter().flatten()
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

/// The largest number of resources that are listed individually. A network of thousands of routers has more.
const RESOURCES_LISTED_MAX: usize = 512;

/// Returns the indices of the resources that are listed individually: all, or the busiest.
fn listed_resources(result: &RunResult) -> BTreeSet<usize> {
    let mut indices: Vec<usize> = (0..result.resources.len()).collect();
    indices.sort_by_key(|index| Reverse(result.resources[*index].busy));
    indices.into_iter().take(RESOURCES_LISTED_MAX).collect()
}

fn resources_json(result: &RunResult, listed_resources: &BTreeSet<usize>) -> Json {
    let shares = result.shares();
    let resource = |index: &usize| {
        let (resource, share) = shares[*index];
        json!({
            "resource": resource.name,
            "busy_us": resource.busy.as_us(),
            "active_us": resource.active.as_us(),
            "share": share,
        })
    };
    listed_resources.iter().map(resource).collect()
}

/// Returns the number of resources that are not listed, and the sums of their times.
fn unlisted_sum_json(result: &RunResult, listed_resources: &BTreeSet<usize>) -> Json {
    let unlisted = || result.resources.iter().enumerate().filter(|(index, _)| !listed_resources.contains(index));
    let (busy, active): (Time, Time) =
        (unlisted().map(|(_, resource)| resource.busy).sum(), unlisted().map(|(_, resource)| resource.active).sum());
    json!({ "resources": unlisted().count(), "busy_us": busy.as_us(), "active_us": active.as_us() })
}

/// Returns the candidate for the bottleneck as JSON.
fn candidate_json(candidate: &Candidate) -> Json {
    match candidate {
        Candidate::Resource(name, share) => json!({ "resource": name, "share": share }),
        Candidate::Stage(name, share) => json!({ "stage": name, "share": share }),
        Candidate::Busiest(name, share) => json!({ "busiest": name, "share": share }),
        Candidate::Idle => Json::Null,
    }
}

fn deadlock_json(report: &DeadlockReport) -> Json {
    let wait = |wait: &narrows_core::engine::deadlock::Wait| {
        json!({
            "task": wait.task,
            "wants": wait.awaited,
            "holder": wait.holder,
            "closes_cycle": wait.closes_cycle,
        })
    };
    let mut json =
        json!({ "at_us": report.end_time.as_us(), "chain": report.chain.iter().map(wait).collect::<Vec<_>>() });
    if !report.losses.descriptions.is_empty() {
        json["lost"] = json!({ "first": report.losses.descriptions, "more": report.losses.unlisted });
    }
    json
}
