//! The result of a run for a terminal.

use crate::engine::Time;
use crate::report::number::percent;
use crate::report::{Cell, Column, MeanLedger, Table};
use crate::study::uncertainty::single::Sure;
use crate::study::{Binds, Record, RunResult, record};

/// The busiest resources are told, as many as this.
const RESOURCES: usize = 8;

/// Outcome, metrics, mean ledger, busiest resources, what binds, and what identifies the run.
pub fn text(name: &str, result: &RunResult, record: &Record, host: Option<(f64, u64)>) -> String {
    let ledger = MeanLedger::of(&result.ledgers);
    let parts = [
        format!("{name}: {}\n", outcome(result)),
        metrics(record),
        ledger_text(&ledger),
        resources(result),
        format!("{}\n", Binds::of(result, &ledger)),
        identity(record, host),
    ];
    parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("\n")
}

fn outcome(result: &RunResult) -> String {
    match record::outcome_name(&result.outcome) {
        "done" => format!("done after {} simulated", result.end),
        "time-limit" if result.end == Time::END => {
            format!("reached the end of simulated time, {}; these are the results so far", result.end)
        }
        "time-limit" => format!("reached `run.time-limit` at {}; these are the results so far", result.end),
        stuck => format!("ended in a {stuck} at {}; these are the results so far", result.end),
    }
}

/// Metric, value and unit, the points of the values below each other.
fn metrics(record: &Record) -> String {
    let mut table = Table::new(vec![Column::new("metric"), Column::new("value"), Column::new("unit")]);
    let values: Vec<String> = record.metrics().into_iter().map(|(_, value, unit)| number(value, unit)).collect();
    for ((name, _, unit), value) in record.metrics().into_iter().zip(aligned(values)) {
        table.push(vec![name.into(), value.into(), unit.into()]);
    }
    table.text()
}

/// The numbers with spaces before them, so that their points stand below each other.
pub fn aligned(numbers: Vec<String>) -> Vec<String> {
    let before = |number: &str| number.split('.').next().map_or(0, |whole| whole.chars().count());
    let most = numbers.iter().map(|number| before(number)).max().unwrap_or(0);
    numbers.iter().map(|number| format!("{}{number}", " ".repeat(most - before(number)))).collect()
}

/// Counts as they are, other numbers with three decimals.
pub fn number(value: f64, unit: &str) -> String {
    match unit.is_empty() && value.fract() == 0.0 {
        true => format!("{value}"),
        false => format!("{value:.3}"),
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
    let mut table = Table::new(vec![Column::new("busiest resources"), us, moving, Column::new("share of the run")]);
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
pub fn sure(sure: &[Sure]) -> String {
    let mut table = Table::new(["metric", "value", "left free", "it answers most to"].map(Column::new).to_vec());
    for Sure { metric, left_free, elasticities } in sure {
        let most = elasticities.iter().take(CONSTANTS);
        let most: Vec<String> = most.map(|one| format!("{} {:+.2}", one.constant, one.elasticity)).collect();
        let value = format!("{} {}", number(metric.value, metric.unit), metric.unit);
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
