//! The result of a run as text.

use narrows_core::engine::distribution::SAMPLES;
use narrows_core::engine::histogram::{PERCENTILES, samples_needed};
use narrows_study::experiment::candidate::Candidate;
use narrows_study::experiment::run::ResourceUse;
use narrows_study::experiment::run_summary::{self, number};
use narrows_study::experiment::uncertainty::single::{MetricUncertainty, RunUncertainty};
use narrows_study::experiment::{Record, RunResult, record};
use narrows_study::report::number::{self, percent};
use narrows_study::report::{Cell, Column, MeanLedger, ReportTable};

/// The number of busiest resources that are listed.
const RESOURCES_SHOWN: usize = 8;

/// Returns the outcome, metrics, mean ledger, busiest resources, identity and candidate for the bottleneck of a run;
/// `whatif` is the command line that finds the bottleneck.
pub fn text(name: &str, result: &RunResult, record: &Record, host: Option<(f64, u64)>, whatif: &str) -> String {
    let ledger = MeanLedger::new(&result.ledger);
    let parts = [
        format!("{name}: {}\n{}", run_summary::outcome(result), run_summary::note(result)),
        metrics(record, record::was_stopped(&result.outcome)),
        distributions(record),
        ledger_text(&ledger),
        resources(result),
        identity(record, host),
        verdict(&run_summary::finding(result, &ledger), whatif),
    ];
    parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("\n")
}

/// The statistics of a distribution: the suffixes of their metrics' names, and their headings.
const STATISTICS: [(&str, &str); 8] = [
    ("", "mean"),
    ("_min", "min"),
    ("_p50", "p50"),
    ("_p90", "p90"),
    ("_p99", "p99"),
    ("_p999", "p99.9"),
    ("_max", "max"),
    (SAMPLES, "samples"),
];

/// Returns the names of the distributions whose statistics are among the metrics.
fn distribution_names<'a>(metrics: &[(&'a str, f64, &str)]) -> Vec<&'a str> {
    let is_reported = |name_prefix: &str, suffix: &str| {
        metrics.iter().any(|(name, ..)| name.strip_prefix(name_prefix).is_some_and(|rest| rest == suffix))
    };
    let name_prefixes = metrics.iter().filter_map(|(name, ..)| name.strip_suffix(SAMPLES));
    name_prefixes.filter(|name_prefix| STATISTICS.iter().all(|(suffix, _)| is_reported(name_prefix, suffix))).collect()
}

/// Returns the finding of a run, and the command line that finds the bottleneck by experiment. The text is empty if
/// there is no finding.
fn verdict(finding: &str, whatif: &str) -> String {
    if finding.is_empty() { String::new() } else { format!("{finding}Bottleneck, by experiment: {whatif}\n") }
}

/// Returns the table of metrics, with aligned decimal points; `is_incomplete` marks counts as incomplete. Statistics of
/// distributions have a table of their own.
fn metrics(record: &Record, is_incomplete: bool) -> String {
    let mut metrics = record.metrics();
    let names = distribution_names(&metrics);
    let is_statistic = |name: &str| {
        let suffix = names.iter().find_map(|distribution| name.strip_prefix(distribution));
        suffix.is_some_and(|suffix| STATISTICS.iter().any(|(known_suffix, _)| *known_suffix == suffix))
    };
    metrics.retain(|(name, ..)| !is_statistic(name));
    if metrics.is_empty() {
        return String::new();
    }
    let mut table = ReportTable::new(vec![Column::new("metric"), Column::new("value"), Column::new("unit")]);
    let values: Vec<String> = metrics.iter().map(|(_, value, unit)| number(*value, unit)).collect();
    for ((name, measured, unit), value) in metrics.into_iter().zip(aligned(values)) {
        let unit = number::display_unit(unit);
        let unit = if is_incomplete && !measured.is_nan() { format!("{unit} so far").trim().to_owned() } else { unit };
        table.push(vec![name.into(), value.into(), unit.into()]);
    }
    table.text()
}

/// Returns the table of distributions: a row for each, with its measured statistics. If none of the distributions has
/// enough samples for a percentile, that percentile has no column.
fn distributions(record: &Record) -> String {
    let metrics = record.metrics();
    let names = distribution_names(&metrics);
    if names.is_empty() {
        return String::new();
    }
    let statistic = |distribution: &str, suffix: &str| {
        let statistic =
            metrics.iter().find(|(name, ..)| name.strip_prefix(distribution).is_some_and(|rest| rest == suffix));
        statistic.map_or((f64::NAN, ""), |(_, value, unit)| (*value, *unit))
    };
    let is_shown = |suffix: &str| names.iter().any(|distribution| !statistic(distribution, suffix).0.is_nan());
    let shown_statistics: Vec<_> =
        STATISTICS.into_iter().filter(|(suffix, _)| suffix.is_empty() || is_shown(suffix)).collect();
    let headings = shown_statistics.iter().map(|(_, head)| *head);
    let mut table =
        ReportTable::new(["distribution"].into_iter().chain(headings).chain(["unit"]).map(Column::new).collect());
    for distribution in &names {
        let value = |(suffix, _): &(&str, &str)| {
            let (value, unit) = statistic(distribution, suffix);
            Cell::Text(number(value, unit))
        };
        let unit = Cell::Text(number::display_unit(statistic(distribution, "").1));
        table.push(
            [Cell::from(*distribution)].into_iter().chain(shown_statistics.iter().map(value)).chain([unit]).collect(),
        );
    }
    table.text() + &missing_percentiles(&metrics, &names)
}

/// Returns a line with the percentiles that have no value because a distribution has too few samples, with the number
/// that each needs. The text is empty if nothing is missing.
fn missing_percentiles(metrics: &[(&str, f64, &str)], names: &[&str]) -> String {
    let value = |name: String| metrics.iter().find(|(metric, ..)| *metric == name).map(|(_, value, _)| *value);
    let samples = names
        .iter()
        .filter_map(|distribution| value(format!("{distribution}{SAMPLES}")))
        .reduce(f64::max)
        .unwrap_or(0.0);
    let missing_statistics = PERCENTILES.iter().filter(|(suffix, _)| {
        names.iter().any(|distribution| value(format!("{distribution}{suffix}")).is_some_and(f64::is_nan))
    });
    let requirements: Vec<String> = missing_statistics
        .filter_map(|(suffix, percent)| {
            let head = STATISTICS.iter().find(|(known_suffix, _)| known_suffix == suffix)?.1;
            Some(format!("{head} needs {} samples", samples_needed(*percent)))
        })
        .collect();
    match requirements.is_empty() || samples == 0.0 {
        true => String::new(),
        false => format!("(too few samples for some percentiles: {})\n", requirements.join(", ")),
    }
}

/// Pads numbers with spaces, so that their decimal points are aligned.
pub fn aligned(numbers: Vec<String>) -> Vec<String> {
    let integer_digits = |number: &str| number.split('.').next().map_or(0, |digits| digits.chars().count());
    let digits_max = numbers.iter().map(|number| integer_digits(number)).max().unwrap_or(0);
    numbers.iter().map(|number| format!("{}{number}", " ".repeat(digits_max - integer_digits(number)))).collect()
}

fn ledger_text(ledger: &MeanLedger) -> String {
    match ledger.messages {
        0 => String::new(),
        _ => ledger.text(),
    }
}

/// Returns the table of the busiest resources: the resources with the highest utilisation, and the time for which each
/// was active.
fn resources(result: &RunResult) -> String {
    let mut resources: Vec<&ResourceUse> = result.resources.iter().collect();
    resources.sort_by_key(|resource| std::cmp::Reverse((resource.active, resource.busy)));
    let idle_count = resources.iter().filter(|resource| resource.busy.ps() == 0).count();
    resources.retain(|resource| resource.busy.ps() > 0);
    if resources.is_empty() {
        return String::new();
    }
    let busy_column = Column::unit("busy", "µs").decimals(3);
    let active = Column::unit("active", "µs").decimals(3);
    let mut table =
        ReportTable::new(vec![Column::new("busiest resources"), busy_column, active, Column::new("utilisation")]);
    let omitted_count = resources.len().saturating_sub(RESOURCES_SHOWN);
    for resource in resources.into_iter().take(RESOURCES_SHOWN) {
        let share = result.utilisation(resource);
        let (busy, active) = (resource.busy.as_us(), resource.active.as_us());
        table.push(vec![resource.name.as_str().into(), busy.into(), active.into(), Cell::Text(percent(share))]);
    }
    match (omitted_count, idle_count) {
        (0, 0) => table.text(),
        _ => format!("{}({omitted_count} more are less busy, {idle_count} are idle)\n", table.text()),
    }
}

/// The number of constants that are listed for each metric.
const CONSTANTS_SHOWN: usize = 3;

/// Returns the table of the uncertainties of metrics, and the constants that could not be changed.
pub fn uncertainties(uncertainty: &RunUncertainty, result: &RunResult) -> String {
    if !uncertainty.has_effect() {
        return format!("\n{}{}", no_effect(&uncertainty.constants, result), failed_changes(uncertainty));
    }
    let mut table = ReportTable::new(["metric", "value", "uncertainty", "most sensitive to"].map(Column::new).to_vec());
    let incomplete = if uncertainty.failed_changes.is_empty() { "" } else { " (incomplete)" };
    for MetricUncertainty { metric, std_dev, elasticities } in &uncertainty.metrics {
        let shown_elasticities = elasticities.iter().take(CONSTANTS_SHOWN);
        let constants_shown: Vec<String> = shown_elasticities
            .map(|elasticity| format!("{} {:+.2}", elasticity.constant, elasticity.elasticity))
            .collect();
        let constants_shown =
            if constants_shown.is_empty() { "none of them".to_owned() } else { constants_shown.join(", ") };
        let value = format!("{} {}", number(metric.value, metric.unit), number::display_unit(metric.unit));
        table.push(
            [metric.name.clone(), value, format!("±{}{incomplete}", percent(*std_dev)), constants_shown]
                .map(Cell::Text)
                .into(),
        );
    }
    format!(
        "\n{}\nThe uncertainty is one standard deviation due to the constants alone. The number after a constant is the \
         relative change of the metric divided by that of the constant.\n{}",
        table.text(),
        failed_changes(uncertainty)
    )
}

/// Returns the reason for which no metric has an uncertainty due to the constants.
fn no_effect(constants: &[String], result: &RunResult) -> String {
    if constants.is_empty() {
        return "No metric has an uncertainty due to the constants: each constant is from a paper, a data sheet or a \
                standard, or measured.\n"
            .to_owned();
    }
    let reason = match Candidate::new(result, &MeanLedger::new(&result.ledger)) {
        Candidate::Resource(name, share) => format!(
            "{name} limits the run: it is active for {} of the run, and none of these constants changes its speed.",
            percent(share)
        ),
        _ => "None of these constants is on the path that the metrics depend on.".to_owned(),
    };
    format!(
        "No uncertain constant changes a metric, so that no metric has an uncertainty due to them. {reason}\n\
         Tried up and down: {}.\n",
        constants.join(", ")
    )
}

/// Returns the constants that were not tried in both directions, after an empty line, if there are any.
fn failed_changes(uncertainty: &RunUncertainty) -> String {
    if uncertainty.failed_changes.is_empty() {
        return String::new();
    }
    let mut table =
        ReportTable::new(["constants that were not tried up and down", "because"].map(Column::new).to_vec());
    for (name, reason) in &uncertainty.failed_changes {
        table.push([name, reason].map(|text| text.as_str().into()).into());
    }
    format!("\nThe uncertainty due to these constants is incomplete or missing.\n{}", table.text())
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
