//! A run on a result page: its metrics, the latency of a message by stage, and the utilisation of resources.

use crate::experiment::plot::{CdfSpec, SampleSet, quantity_words};
use crate::experiment::record::{CANDIDATE_KEY, Record};
use crate::report::number::{self, significant};
use crate::report::{Artifact, BarChart, Cell, Column, ExplorerLink, MeanLedger, ReportTable, ledger::MeanStage};
use narrows_core::engine::Distribution;
use narrows_core::machine::Registry;
use serde_json::Value as Json;

/// The utilisation below which a resource is left out of the chart.
const BUSY_MIN: f64 = 0.005;
/// The largest number of bars in the chart.
const BARS_MAX: usize = 24;

/// Returns the tables and charts of a run.
pub fn artifacts(record: &Record, name: &str) -> Vec<Artifact> {
    let mut artifacts: Vec<Artifact> =
        [Some(metrics_artifact(record, name)), stages_artifact(record, name)].into_iter().flatten().collect();
    artifacts.extend(distribution_artifacts(record, name));
    artifacts.extend(resources_artifact(record, name));
    let explorer = explorer_fragment(record);
    artifacts.iter_mut().for_each(|artifact| artifact.explorer.clone_from(&explorer));
    artifacts
}

/// Returns the fragment of a link to the machine in the explorer page, or `None` if the machine needs files of the
/// user.
fn explorer_fragment(record: &Record) -> Option<String> {
    let text = Registry::shared().description(record.get("machine"));
    record.get("files").is_null().then(|| ExplorerLink { text, ..ExplorerLink::default() }.fragment())
}

fn metrics_artifact(record: &Record, name: &str) -> Artifact {
    let mut table = ReportTable::new(["metric", "value", "unit"].map(Column::new).into());
    for (metric, value, unit) in record.metrics() {
        let value = if value.is_nan() { Cell::from("–") } else { significant(value, 5).into() };
        let so_far = if record.get("metrics")[metric]["so_far"] == true { " so far" } else { "" };
        table.push(vec![metric.into(), value, format!("{}{so_far}", number::display_unit(unit)).trim().into()]);
    }
    let (hash, seed) = (record.text("hash"), record.get("seed"));
    let simulated = significant(record.get("simulated_us").as_f64().unwrap_or_default(), 6);
    let finding = record.get("warm_up")["finding"].as_str().map_or_else(String::new, |finding| format!("{finding} "));
    let caption = match record.is_complete() {
        true => format!(
            "{} after {simulated} µs of simulated time; seed {seed}, hash {hash}. {finding}{}",
            record.text("outcome"),
            candidate_sentence(record)
        ),
        false => format!(
            "{}. The run ended after {simulated} µs of simulated time. Only counts are measured; seed {seed}, hash \
             {hash}.",
            record.verdict()
        ),
    };
    Artifact::of_table("metrics", name, caption, table)
}

/// Returns the candidate for the bottleneck of the run as a sentence.
fn candidate_sentence(record: &Record) -> String {
    let candidate = record.get(CANDIDATE_KEY);
    let share = significant(candidate["share"].as_f64().unwrap_or_default() * 100.0, 3);
    let name = |key: &str| candidate[key].as_str();
    match (name("resource"), name("busiest"), name("stage")) {
        (Some(resource), ..) | (_, Some(resource), _) => {
            format!("Candidate for the bottleneck: {resource}, the busiest resource ({share} % utilised).")
        }
        (.., Some(stage)) => {
            format!(
                "No resource is active for 90 % of the run. Longest stage: {stage} ({share} % of the message latency)."
            )
        }
        _ => String::new(),
    }
}

fn stages_artifact(record: &Record, name: &str) -> Option<Artifact> {
    let ledger = mean_ledger(record)?;
    let title = format!("{name}: message latency by stage");
    let caption = format!("Mean over {} messages.", ledger.messages);
    let svg = Some(ledger.chart("Message latency by stage").svg());
    Some(Artifact { svg, ..Artifact::of_table("stages", title, caption, ledger.table()) })
}

/// Returns the mean ledger of a result, or `None` if no message was delivered.
fn mean_ledger(record: &Record) -> Option<MeanLedger> {
    let messages = record.get("ledger")["messages"].as_u64().filter(|messages| *messages > 0)?;
    let stages: Vec<_> = record
        .stages()
        .map(|stage| MeanStage {
            name: stage.name.to_owned(),
            waiting_us: stage.waiting_us,
            service_us: stage.service_us,
        })
        .collect();
    (!stages.is_empty()).then_some(MeanLedger { messages, stages })
}

/// Returns a chart for each distribution. A distribution that cannot be read is left out.
fn distribution_artifacts(record: &Record, name: &str) -> Vec<Artifact> {
    let artifact = |distribution: &Distribution| {
        let plot = CdfSpec::default().draw(&[SampleSet::new(String::new(), distribution)]).ok()?;
        Some(Artifact {
            id: format!("distribution-{}", distribution.name),
            title: format!("{name}: distribution of {}", quantity_words(&distribution.name)),
            caption: format!("{} samples.", distribution.histogram.samples()),
            svg: Some(plot.svg),
            ..Artifact::default()
        })
    };
    record.distributions().unwrap_or_default().iter().filter_map(artifact).collect()
}

fn resources_artifact(record: &Record, name: &str) -> Option<Artifact> {
    let list = record.get("resources").as_array()?;
    let share = |resource: &Json| resource["share"].as_f64().unwrap_or_default();
    let mut table = ReportTable::new(vec![
        Column::new("resource"),
        Column::unit("busy", "us").decimals(1),
        Column::unit("busy", "%").decimals(1),
    ]);
    for resource in list {
        let name = resource["resource"].as_str().unwrap_or_default();
        table.push(vec![name.into(), resource["busy_us"].as_f64().into(), (share(resource) * 100.0).into()]);
    }
    let mut busy_resources: Vec<&Json> = list.iter().filter(|resource| share(resource) >= BUSY_MIN).collect();
    if busy_resources.len() > BARS_MAX {
        busy_resources.sort_by(|a, b| share(b).total_cmp(&share(a)));
        busy_resources.truncate(BARS_MAX);
    }
    let bars = busy_resources
        .iter()
        .map(|resource| (resource["resource"].as_str().unwrap_or_default().to_owned(), vec![100.0 * share(resource)]));
    let svg = (!busy_resources.is_empty())
        .then(|| BarChart::stacked("Utilisation of resources", "busy [%]", &[""], bars).svg());
    let caption = match busy_resources.len() < list.len() {
        true => format!("The chart leaves out the {} least busy resources.", list.len() - busy_resources.len()),
        false => String::new(),
    };
    Some(Artifact {
        svg,
        ..Artifact::of_table("resources", format!("{name}: utilisation of resources"), caption, table)
    })
}
