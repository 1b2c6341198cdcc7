//! The part of a result that tables show. It is small, since a sweep holds one row for each point.
//!
//! Rows with the same metrics, resources or stages share the list of their names. The machine, busy times, totals of
//! ledgers and all waits except the first are only in the record.

use super::record::{CANDIDATE_KEY, COMPLETE_OUTCOMES, Record, StageTimes};
use super::shared_names::{SharedName, SharedNames, shared_name, shared_names};
use narrows_core::engine::{Distribution, current_metric_name};
use serde_json::{Value as Json, json};

/// The part of a result that tables show.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub struct ResultRow {
    /// The name of the outcome.
    pub outcome: SharedName,
    /// The reason, if the run did not complete.
    pub reason: Option<Box<str>>,
    metric_names: SharedNames,
    metric_values: Box<[f64]>,
    metric_units: SharedNames,
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
    resource_names: SharedNames,
    resource_shares: Box<[f64]>,
    /// The number of messages in the ledger.
    pub messages: Option<u64>,
    stage_names: SharedNames,
    /// For each stage, the waiting and the service time.
    stage_times_us: Box<[[f64; 2]]>,
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
        let metrics = record.metrics();
        let resources: Vec<_> = record.resources().filter(|_| record.is_complete()).collect();
        let stages: Vec<_> = record.stages().collect();
        ResultRow {
            outcome: shared_name(record.text("outcome")),
            reason: record.get("reason").as_str().map(Into::into),
            metric_names: shared_names(metrics.iter().map(|(name, ..)| *name)),
            metric_values: metrics.iter().map(|(_, value, _)| *value).collect(),
            metric_units: shared_names(metrics.iter().map(|(.., unit)| *unit)),
            distributions: distributions(record),
            initial_transient: parse_initial_transient(record.get("warm_up")),
            transient_finding: record.get("warm_up")["finding"].as_str().map(Into::into),
            bottleneck: parse_bottleneck(record.get(CANDIDATE_KEY)),
            simulated_us: record.get("simulated_us").as_f64(),
            resource_names: shared_names(resources.iter().map(|(name, _)| *name)),
            resource_shares: resources.iter().map(|(_, share)| *share).collect(),
            messages: record.get("ledger")["messages"].as_u64(),
            stage_names: shared_names(stages.iter().map(|stage| stage.name)),
            stage_times_us: stages.iter().map(|stage| [stage.waiting_us, stage.service_us]).collect(),
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

    /// Returns the name, value (NaN if not measured) and unit of each metric.
    pub fn metrics(&self) -> impl Iterator<Item = (&str, f64, &str)> {
        let names_and_units = self.metric_names.iter().zip(&*self.metric_units);
        names_and_units.zip(&self.metric_values).map(|((name, unit), value)| (&**name, *value, &**unit))
    }

    /// Returns the value and unit of the metric `name`, if the result has it.
    pub fn metric(&self, name: &str) -> Option<(f64, &str)> {
        let name = current_metric_name(name);
        let metric = self.metrics().find(|(metric_name, ..)| *metric_name == name);
        metric.map(|(_, value, unit)| (value, unit))
    }

    /// Returns the name of each resource, and the fraction of the run for which it was busy. The result of a run that did
    /// not complete has no resources.
    pub fn resources(&self) -> impl Iterator<Item = (&str, f64)> {
        self.resource_names.iter().zip(&self.resource_shares).map(|(name, share)| (&**name, *share))
    }

    /// Returns the mean times of the messages in the ledger by stage.
    pub fn stages(&self) -> impl Iterator<Item = StageTimes<'_>> {
        let names_and_times = self.stage_names.iter().zip(&self.stage_times_us);
        names_and_times.map(|(name, [waiting_us, service_us])| StageTimes {
            name,
            waiting_us: *waiting_us,
            service_us: *service_us,
        })
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

/// Returns the distributions with shared names. A distribution that cannot be read is left out.
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

fn name_field(json: &Json, key: &str) -> Option<SharedName> {
    json[key].as_str().map(shared_name)
}
