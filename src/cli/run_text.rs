//! The result of a run for a terminal.

use narrows_core::engine::Time;
use narrows_study::experiment::uncertainty::single::MetricUncertainty;
use narrows_study::experiment::{Bottleneck, Record, RunResult, record};
use narrows_study::report::number::{self, percent, significant};
use narrows_study::report::{Cell, Column, MeanLedger, ReportTable};

/// The busiest resources are told, as many as this.
const RESOURCES: usize = 8;

/// Outcome, metrics, mean ledger, busiest resources, what identifies the run, and what binds; `ask` is the
/// command that says what would change.
pub fn text(name: &str, result: &RunResult, record: &Record, host: Option<(f64, u64)>, ask: &str) -> String {
    let ledger = MeanLedger::of(&result.ledger);
    let parts = [
        format!("{name}: {}\n{}", outcome(result), note(result)),
        metrics(record),
        ledger_text(&ledger),
        resources(result),
        identity(record, host),
        verdict(result, &ledger, ask),
    ];
    parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("\n")
}

fn outcome(result: &RunResult) -> String {
    match record::outcome_name(&result.outcome) {
        "done" => format!("done after {} simulated", result.end),
        "saturated" => format!("saturated; stopped after {} simulated", result.end),
        "time-limit" if result.end == Time::END => {
            format!("reached the end of simulated time, {}; these are the results so far", result.end)
        }
        "time-limit" => format!("reached `run.time-limit` at {}; these are the results so far", result.end),
        stuck => format!("ended in a {stuck} at {}; these are the results so far", result.end),
    }
}

fn note(result: &RunResult) -> String {
    record::said(result).map_or_else(String::new, |note| note + "\n")
}

/// What holds the run back, what is busiest, and how to ask what would change.
fn verdict(result: &RunResult, ledger: &MeanLedger, ask: &str) -> String {
    let binds = Bottleneck::of(result, ledger);
    let busiest = match (&binds, result.busiest().filter(|(_, share)| *share > 0.0)) {
        (Bottleneck::Stage(..), Some((name, share))) => {
            format!(" The busiest is {name}, {} of the run.", percent(share))
        }
        _ => String::new(),
    };
    match result.outcome.is_complete() {
        true => format!("{binds}{busiest}\nWhat would change it: {ask}\n"),
        false => format!("{binds}{busiest}\n"),
    }
}

/// Metric, value and unit, the points of the values below each other.
fn metrics(record: &Record) -> String {
    let mut table = ReportTable::new(vec![Column::new("metric"), Column::new("value"), Column::new("unit")]);
    let values: Vec<String> = record.metrics().into_iter().map(|(_, value, unit)| number(value, unit)).collect();
    for ((name, _, unit), value) in record.metrics().into_iter().zip(aligned(values)) {
        table.push(vec![name.into(), value.into(), number::unit(unit).into()]);
    }
    table.text()
}

/// The numbers with spaces before them, so that their points stand below each other.
pub fn aligned(numbers: Vec<String>) -> Vec<String> {
    let before = |number: &str| number.split('.').next().map_or(0, |whole| whole.chars().count());
    let most = numbers.iter().map(|number| before(number)).max().unwrap_or(0);
    numbers.iter().map(|number| format!("{}{number}", " ".repeat(most - before(number)))).collect()
}

/// Less than this has more decimals than three: as many as show three digits.
const SMALL: f64 = 0.01;

/// Counts as they are, other numbers with three decimals; nothing where nothing was measured.
pub fn number(value: f64, unit: &str) -> String {
    if value.is_nan() {
        return "–".to_owned();
    }
    match value.abs() {
        whole if unit.is_empty() && whole.fract() == 0.0 => format!("{value}"),
        small if small > 0.0 && small < SMALL => significant(value, 3),
        _ => format!("{value:.3}"),
    }
}

fn ledger_text(ledger: &MeanLedger) -> String {
    match ledger.messages {
        0 => String::new(),
        _ => ledger.text(),
    }
}

/// The busiest resources, busiest first.
fn resources(result: &RunResult) -> String {
    let mut shares = result.shares();
    shares.sort_by_key(|(resource, _)| std::cmp::Reverse(resource.busy));
    let idle = shares.iter().filter(|(resource, _)| resource.busy.ps() == 0).count();
    shares.retain(|(resource, _)| resource.busy.ps() > 0);
    if shares.is_empty() {
        return String::new();
    }
    let us = Column::unit("busy", "µs").decimals(3);
    let moving = Column::unit("moving", "µs").decimals(3);
    let mut table =
        ReportTable::new(vec![Column::new("busiest resources"), us, moving, Column::new("share of the run")]);
    let more = shares.len().saturating_sub(RESOURCES);
    for (resource, share) in shares.into_iter().take(RESOURCES) {
        let (busy, moving) = (resource.busy.as_us(), resource.moving.as_us());
        table.push(vec![resource.name.as_str().into(), busy.into(), moving.into(), Cell::Text(percent(share))]);
    }
    match (more, idle) {
        (0, 0) => table.text(),
        _ => format!("{}({more} more are less busy, {idle} are idle)\n", table.text()),
    }
}

/// How many of the constants that a metric comes from are named.
const CONSTANTS: usize = 3;

/// How sure metrics are.
pub fn sure(sure: &[MetricUncertainty]) -> String {
    let mut table = ReportTable::new(["metric", "value", "left free", "it answers most to"].map(Column::new).to_vec());
    for MetricUncertainty { metric, left_free, elasticities } in sure {
        let most = elasticities.iter().take(CONSTANTS);
        let most: Vec<String> = most.map(|one| format!("{} {:+.2}", one.constant, one.elasticity)).collect();
        let value = format!("{} {}", number(metric.value, metric.unit), number::unit(metric.unit));
        table.push(
            [metric.name.clone(), value, format!("±{}", percent(*left_free)), most.join(", ")].map(Cell::Text).into(),
        );
    }
    format!(
        "\n{}\nOne standard deviation, by what is not known of the constants alone: a per cent of a constant gives so \
         many of the metric.\n",
        table.text()
    )
}

/// Seed, version and hash, and what the run cost.
fn identity(record: &Record, host: Option<(f64, u64)>) -> String {
    let hash = record.text("hash");
    let line = format!("seed {}, version {}, hash {}\n", record.get("seed"), record.text("version"), hash);
    match host {
        Some((wall_s, events)) => format!("{line}{events} events in {wall_s:.3} s\n"),
        None => line,
    }
}
