//! `narrows run --seeds N`: a run with several seeds, in parallel.

use super::exit::{CommandResult, Failure};
use super::run_text::aligned;
use super::sweep_runs::{exit_status, pool, runs};
use super::{Format, input, output};
use narrows_core::engine::Distribution;
use narrows_study::experiment::distribution;
use narrows_study::experiment::record::seal;
use narrows_study::experiment::run_summary::number;
use narrows_study::experiment::seeds::{self, ReplicatedMetric};
use narrows_study::experiment::sweep::{Sweep, SweepPoint};
use narrows_study::report::number::display_unit;
use narrows_study::report::{Column, ReportTable};
use serde_json::{Map, Value as Json, json};

/// Runs the description with `seeds` seeds, beginning with the seed of the description, on `jobs` threads.
pub fn run(
    subject: &input::LoadedDescription,
    sets: &[String],
    seeds: u64,
    jobs: Option<u64>,
    format: Format,
) -> CommandResult {
    let read = subject.read(sets)?;
    read.value.warnings().iter().for_each(|warning| eprint_line!("{warning}"));
    let dimensions = [seeds::seed_values(read.value.run.seed, seeds).into()];
    let reader = |overrides: &[String]| subject.read_varied(sets, overrides);
    let sweep = Sweep { reader: &reader, dimensions: &dimensions };
    let pool = pool(jobs)?;
    let checked_sweep = pool.install(|| sweep.check()).map_err(Failure::grouped)?;
    let rows = pool.install(|| runs(&checked_sweep, None, None, None))?;
    let results: Vec<_> = rows.iter().map(|row| &*row.result).collect();
    let distributions = seeds::distributions(&results);
    let metrics = seeds::metrics(&results, &distributions);
    output::print(&match format {
        Format::Text => text(subject.name(), &rows, &seeds::outcomes(&results), &metrics),
        Format::Json => json(&read.resolved(), &rows, &seeds::outcome_counts(&results), &metrics, &distributions),
    })?;
    Ok(exit_status(&rows))
}

fn text(name: &str, rows: &[SweepPoint], outcomes: &str, metrics: &[ReplicatedMetric]) -> String {
    let headings = ["metric", "value", "± 95 %", "unit", "runs"].map(Column::new);
    let mut table = ReportTable::new(headings.to_vec());
    let column = |value_of: fn(&ReplicatedMetric) -> f64| -> Vec<String> {
        aligned(metrics.iter().map(|metric| number(value_of(metric), &metric.unit)).collect())
    };
    let (values, half_widths) = (column(|metric| metric.value), column(|metric| metric.half_width.unwrap_or(f64::NAN)));
    for ((metric, value), half_width) in metrics.iter().zip(values).zip(half_widths) {
        let ReplicatedMetric { name, runs, .. } = metric;
        let unit = display_unit(&metric.unit);
        table.push(vec![name.as_str().into(), value.into(), half_width.into(), unit.into(), (*runs as u64).into()]);
    }
    let seed = |row: Option<&SweepPoint>| row.and_then(|row| row.result.seed).unwrap_or_default();
    let seeds = format!("{} seeds, {} to {}", rows.len(), seed(rows.first()), seed(rows.last()));
    format!("{name}: {outcomes}; {seeds}\n\n{}", table.text())
}

fn json(
    machine: &Json,
    rows: &[SweepPoint],
    outcomes: &[(String, usize)],
    metrics: &[ReplicatedMetric],
    distributions: &[Distribution],
) -> String {
    let mut json = Map::new();
    let outcome_counts: Map<String, Json> =
        outcomes.iter().map(|(outcome, runs)| (outcome.clone(), json!(runs))).collect();
    json.insert("outcomes".into(), outcome_counts.into());
    let transients = rows.iter().filter(|row| row.result.is_transient() == Some(true)).count();
    json.insert("initial_transients".into(), transients.into());
    json.insert("metrics".into(), seeds::json(metrics));
    json.insert(distribution::KEY.into(), distribution::json(distributions));
    json.insert("machine".into(), machine.clone());
    json.insert("seeds".into(), rows.iter().map(|row| row.result.seed).collect());
    json.insert("hashes".into(), rows.iter().map(|row| &*row.result.hash).collect());
    seal(&mut json);
    distribution::pretty(&json)
}
