//! `run` and `record`: one run of a machine.

use crate::question::Question;
use crate::{AnswerEngine, AnswerResult, warnings};
use narrows_core::engine::{Ledger, Recorder, Stage};
use narrows_core::machine::{Machine, Registry};
use narrows_core::part::{ResultKind, ResultName};
use narrows_core::text::Read;
use narrows_study::experiment::run::{Delivery, ResourceUse};
use narrows_study::experiment::{self, Record, RunResult, record as outcome, run_summary};
use narrows_study::report::MeanLedger;
use narrows_study::report::number::{display_unit, percent};
use serde_json::value::RawValue;
use serde_json::{Value as Json, json};

/// The number of messages whose timed stages are in an answer: the first of the run.
const SHOWN_MESSAGES_MAX: usize = 24;

/// Runs the machine, and returns the record and the data that a page shows.
pub fn run(engine: &AnswerEngine, question: &Question) -> AnswerResult {
    let read = question.subject(engine)?.read(&question.sets)?;
    let recorder = Recorder::off().with_first_messages(SHOWN_MESSAGES_MAX);
    let result = experiment::run(&read.value, recorder);
    let record_json = || RawValue::from_string(Record::new(&read, &result).pretty().trim_end().to_owned());
    let record = question.record.then(|| record_json().expect("a record is JSON"));
    let meanings = Meanings::new(&engine.registry);
    let ledger = MeanLedger::new(&result.ledger);
    let notes: Vec<String> = read.value.note().into_iter().chain(outcome::outcome_note(&result)).collect();
    let answer = PageRun {
        record: record.as_deref(),
        headline: run_summary::outcome(&result),
        finding: run_summary::finding(&result, &ledger).trim_end().to_owned(),
        metrics: result.metrics.iter().map(|metric| {
            json!({
                "name": metric.name,
                "value": metric.is_measured().then_some(metric.value),
                "unit": metric.unit,
                "text": format!("{} {}", run_summary::number(metric.value, metric.unit), display_unit(metric.unit)).trim_end(),
                "meaning": meanings.meaning_of(ResultKind::Metric, &metric.name),
            })
        }).collect(),
        stages: ledger.stages.iter().map(|stage| {
            json!({
                "name": stage.name,
                "waiting_ps": stage.waiting_us * 1e6,
                "service_ps": stage.service_us * 1e6,
                "text": format!("{:.3} µs", stage.total_us()),
                "meaning": meanings.meaning_of(ResultKind::Stage, &stage.name),
            })
        }).collect(),
        resources: resources(&result),
        messages: messages(&read, &result),
        notes,
        warnings: warnings(&read),
        simulated_ps: result.end.ps(),
        events: result.events,
        stopped: outcome::outcome_reason(&result),
    };
    Ok(serde_json::to_string(&answer).expect("an answer is JSON"))
}

/// Runs the machine, and returns exactly the bytes of `narrows run --format json --no-host`.
pub fn record(engine: &AnswerEngine, question: &Question) -> AnswerResult {
    let read = question.subject(engine)?.read(&question.sets)?;
    Ok(Record::new(&read, &experiment::run(&read.value, Recorder::off())).pretty())
}

/// The answer to `run`.
#[derive(serde::Serialize)]
struct PageRun<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    record: Option<&'a RawValue>,
    headline: String,
    finding: String,
    metrics: Vec<Json>,
    stages: Vec<Json>,
    resources: Vec<Json>,
    messages: Vec<Json>,
    notes: Vec<String>,
    warnings: Vec<String>,
    simulated_ps: u64,
    events: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    stopped: Option<String>,
}

/// The meanings of the names in results.
struct Meanings(Vec<&'static ResultName>);

impl Meanings {
    fn new(registry: &Registry) -> Meanings {
        Meanings(registry.result_names().map(|(_, name)| name).collect())
    }

    fn meaning_of(&self, kind: ResultKind, name: &str) -> Option<&'static str> {
        self.0.iter().find(|result_name| result_name.describes(kind, name)).map(|result_name| result_name.meaning)
    }
}

/// Returns the resources that were used, the busiest first.
fn resources(result: &RunResult) -> Vec<Json> {
    let mut used_resources: Vec<&ResourceUse> =
        result.resources.iter().filter(|resource| resource.busy.ps() > 0).collect();
    used_resources.sort_by_key(|resource| std::cmp::Reverse((resource.active, resource.busy)));
    let entry = |resource: &&ResourceUse| {
        let busy = resource.busy.as_s() / result.end.as_s().max(f64::MIN_POSITIVE);
        let active = result.utilisation(resource);
        json!({
            "name": resource.name,
            "kind": resource.kind,
            "busy": busy,
            "active": active,
            "text": format!("{} held, {} active", percent(busy), percent(active)),
        })
    };
    used_resources.iter().map(entry).collect()
}

/// Returns the first messages, each with its stages one after the other.
fn messages(read: &Read<Machine>, result: &RunResult) -> Vec<Json> {
    let names = read.value.endpoint_names();
    let entry = |delivery: &Delivery| {
        json!({
            "id": delivery.message,
            "source": names[delivery.source.0 as usize],
            "destination": names[delivery.destination.0 as usize],
            "payload": delivery.payload.get(),
            "sent_ps": delivery.ledger.start().ps(),
            "delivered_ps": delivery.at.ps(),
            "stages": stages(&delivery.ledger),
        })
    };
    result.deliveries.iter().map(entry).collect()
}

fn stages(ledger: &Ledger) -> Vec<Json> {
    let entry = |stage: &Stage| json!({ "name": stage.name, "waiting_ps": stage.waiting.ps(), "service_ps": stage.service.ps() });
    ledger.stages().iter().map(entry).collect()
}
