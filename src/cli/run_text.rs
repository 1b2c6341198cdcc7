//! The result of a run as text.

use narrows_core::engine::Time;
use narrows_study::experiment::run::ResourceUse;
use narrows_study::experiment::uncertainty::single::MetricUncertainty;
use narrows_study::experiment::{Candidate, Record, RunResult, record};
use narrows_study::report::number::{self, percent, significant};
use narrows_study::report::{Cell, Column, MeanLedger, ReportTable};

/// The number of busiest resources that are listed.
const RESOURCES: usize = 8;

/// Returns the outcome, metrics, mean ledger, busiest resources, identity and candidate for the bottleneck of a run; `whatif`
/// is the command line that finds the bottleneck.
pub fn text(name: &str, result: &RunResult, record: &Record, host: Option<(f64, u64)>, whatif: &str) -> String {
    let ledger = MeanLedger::of(&result.ledger);
    let parts = [
        format!("{name}: {}\n{}", outcome(result), note(result)),
        metrics(record),
        ledger_text(&ledger),
        resources(result),
        identity(record, host),
        verdict(result, &ledger, whatif),
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
    record::outcome_note(result).map_or_else(String::new, |note| note + "\n")
}

/// Returns the candidate for the bottleneck, and the command line that finds the bottleneck by experiment.
fn verdict(result: &RunResult, ledger: &MeanLedger, whatif: &str) -> String {
    let candidate = match (Candidate::of(result, ledger), result.busiest().filter(|(_, share)| *share > 0.0)) {
        (stage @ Candidate::Stage(..), Some((name, share))) => {
            format!("{}\n{stage}", Candidate::Busiest(name.to_owned(), share))
        }
        (candidate, _) => candidate.to_string(),
    };
    match result.outcome.is_complete() {
        true => format!("{candidate}\nBottleneck, by experiment: {whatif}\n"),
        false => format!("{candidate}\n"),
    }
}

/// Returns the table of metrics, with aligned decimal points.
fn metrics(record: &Record) -> String {
    let mut table = ReportTable::new(vec![Column::new("metric"), Column::new("value"), Column::new("unit")]);
    let values: Vec<String> = record.metrics().into_iter().map(|(_, value, unit)| number(value, unit)).collect();
    for ((name, _, unit), value) in record.metrics().into_iter().zip(aligned(values)) {
        table.push(vec![name.into(), value.into(), number::unit(unit).into()]);
    }
    table.text()
}

/// Pads numbers with spaces, so that their decimal points are aligned.
pub fn aligned(numbers: Vec<String>) -> Vec<String> {
    let before = |number: &str| number.split('.').next().map_or(0, |whole| whole.chars().count());
    let most = numbers.iter().map(|number| before(number)).max().unwrap_or(0);
    numbers.iter().map(|number| format!("{}{number}", " ".repeat(most - before(number)))).collect()
}

/// Numbers below this have as many decimals as show three significant digits.
const SMALL: f64 = 0.01;

/// Formats a metric: counts as they are, other numbers with three decimals, a dash if it was not measured.
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

/// Returns the table of the busiest resources: those with the highest utilisation, the time for which they are active.
fn resources(result: &RunResult) -> String {
    let mut resources: Vec<&ResourceUse> = result.resources.iter().collect();
    resources.sort_by_key(|resource| std::cmp::Reverse((resource.active, resource.busy)));
    let idle = resources.iter().filter(|resource| resource.busy.ps() == 0).count();
    resources.retain(|resource| resource.busy.ps() > 0);
    if resources.is_empty() {
        return String::new();
    }
    let us = Column::unit("busy", "µs").decimals(3);
    let active = Column::unit("active", "µs").decimals(3);
    let mut table = ReportTable::new(vec![Column::new("busiest resources"), us, active, Column::new("utilisation")]);
    let more = resources.len().saturating_sub(RESOURCES);
    for resource in resources.into_iter().take(RESOURCES) {
        let share = result.utilisation(resource);
        let (busy, active) = (resource.busy.as_us(), resource.active.as_us());
        table.push(vec![resource.name.as_str().into(), busy.into(), active.into(), Cell::Text(percent(share))]);
    }
    match (more, idle) {
        (0, 0) => table.text(),
        _ => format!("{}({more} more are less busy, {idle} are idle)\n", table.text()),
    }
}

/// The number of constants that are listed for each metric.
const CONSTANTS: usize = 3;

/// Returns the table of the uncertainties of metrics.
pub fn uncertainties(uncertainties: &[MetricUncertainty]) -> String {
    let mut table = ReportTable::new(["metric", "value", "uncertainty", "most sensitive to"].map(Column::new).to_vec());
    for MetricUncertainty { metric, std_dev, elasticities } in uncertainties {
        let most = elasticities.iter().take(CONSTANTS);
        let most: Vec<String> = most.map(|one| format!("{} {:+.2}", one.constant, one.elasticity)).collect();
        let value = format!("{} {}", number(metric.value, metric.unit), number::unit(metric.unit));
        table.push(
            [metric.name.clone(), value, format!("±{}", percent(*std_dev)), most.join(", ")].map(Cell::Text).into(),
        );
    }
    format!(
        "\n{}\nThe uncertainty is one standard deviation due to the constants alone. The number after a constant is the \
         change of the metric, in per cent, per per cent of the constant.\n",
        table.text()
    )
}

/// Returns the seed, version and hash, and the cost of the run.
fn identity(record: &Record, host: Option<(f64, u64)>) -> String {
    let hash = record.text("hash");
    let line = format!("seed {}, version {}, hash {}\n", record.get("seed"), record.text("version"), hash);
    match host {
        Some((wall_s, events)) => format!("{line}{events} events in {wall_s:.3} s\n"),
        None => line,
    }
}
