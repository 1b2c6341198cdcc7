//! `narrows sweep --find`: the value of a key at which a metric crosses a threshold, or another description's metric.

use super::exit::{CommandResult, ExitStatus, Failure};
use super::input::{self, LoadedDescription};
use super::output::Output;
use super::progress::Progress;
use super::registry;
use super::sweep_form::{self, Format};
use super::sweep_runs::{point_store, pool, report_event};
use clap::Args;
use narrows_core::text::Problem;
use narrows_study::experiment::find::{
    Condition, FindQuery, FoundRow, LongerRun, PointValues, Probe, SearchContext, undecided_reason,
};
use narrows_study::experiment::points::PointStore;
use narrows_study::experiment::reader::Reader;
use narrows_study::experiment::sweep::{format_values, values_of};
use narrows_study::experiment::vary::Dimension;
use narrows_study::report::number::{counted, display_unit, short};
use narrows_study::report::{Cell, Column, ReportTable};
use serde_json::{Map, Value as Json, json};
use std::path::{Path, PathBuf};

/// The options of a search.
#[derive(Args)]
#[group(skip)]
pub struct Options {
    /// Find the value of the --over key at which a metric crosses VALUE, at each point of --vary
    #[arg(long, value_name = "METRIC >= VALUE", requires = "over")]
    #[arg(conflicts_with_all = ["seeds", "shard", "stop_at_saturation", "metrics"])]
    pub find: Option<String>,
    /// Key and range that --find searches; with a step, such as 64 B..8 KiB*2, only those values
    #[arg(long, value_name = "KEY=LOW..HIGH", requires = "find")]
    over: Option<String>,
    /// Find where the metrics of FILE and FILE2 cross; --find then names only the metric
    #[arg(long, value_name = "FILE2", requires = "find")]
    pub against: Option<PathBuf>,
    /// Override one value of FILE2, with precedence over --vary; may be repeated
    #[arg(long = "against-set", value_name = "KEY=VALUE", requires = "against")]
    against_sets: Vec<String>,
}

impl Options {
    /// Runs the search for the metric or condition `find` at each point of the dimensions of a description with the
    /// overrides `sets`. The result is written to the output file, or otherwise to standard output.
    pub fn run(
        &self,
        find: &str,
        subject: &LoadedDescription,
        sets: &[String],
        dimensions: &[Dimension],
        jobs: Option<u64>,
        (out, format): (Option<&Path>, Format),
    ) -> CommandResult {
        let other_subject = self.against.as_ref().map(|file| {
            let options = input::Options { file: file.clone(), sets: Vec::new() };
            options.subject()
        });
        let other_subject = other_subject.transpose()?;
        if format == Format::Perftest {
            let problem = Problem::new("perftest has no table of a search");
            return Err(problem.help("leave out --find, or choose another format").into());
        }
        let reader = |overrides: &[String]| subject.read_varied(sets, overrides);
        // The overrides of the other description replace the varied values, so that overrides and varied values may
        // name the same part.
        let other_reader = other_subject.as_ref().map(|subject| {
            move |overrides: &[String]| subject.read_varied(&[], &[overrides, &self.against_sets].concat())
        });
        let other_reader = other_reader.as_ref().map(|reader| reader as Reader<'_>);
        let over = self.over.as_deref().unwrap_or_default();
        let count: usize = dimensions.iter().map(Dimension::len).product();
        let points: Vec<PointValues> = (0..count).map(|point| values_of(dimensions, point)).collect();
        let sets = [sets, &self.against_sets].concat();
        let context = SearchContext { registry: registry(), base_overrides: &sets, first_values: &points[0] };
        let query =
            FindQuery::parse(find, over, other_reader.is_some(), &reader, &context).map_err(Failure::grouped)?;
        for reader in [Some(&reader as Reader<'_>), other_reader].into_iter().flatten() {
            let warnings = query.check(&points, reader).map_err(Failure::grouped)?;
            warnings.iter().for_each(|warning| eprint_line!("{warning}"));
        }
        let file = out.map(Output::prepare).transpose()?;
        let store = out.map(point_store).transpose()?;
        let probes_max = count * (query.range.probes_max() + 1) * if other_reader.is_some() { 2 } else { 1 };
        let progress = Progress::start("runs at most", probes_max, store.as_ref().map(PointStore::folder));
        let on_event = |event| report_event(&progress, event);
        let pool = pool(jobs)?;
        let rows = pool.install(|| query.search(&points, &reader, other_reader, store.as_ref(), &on_event));
        progress.finish();
        let rows = rows.map_err(|error| Failure::grouped(error.groups()))?;
        let bytes = match (format.encoding(), format) {
            (Some(encoding), _) => query.dataset(&rows).bytes(encoding).map_err(Problem::new)?,
            (None, Format::Json) => as_json(&query, &rows).into_bytes(),
            (None, _) => text(&query, &rows).into_bytes(),
        };
        sweep_form::write_result(&bytes, file)?;
        Ok(exit_status(&query, &rows))
    }
}

/// Prints on standard error which searches included runs that cannot be compared, and returns the exit status.
fn exit_status(query: &FindQuery, rows: &[FoundRow]) -> ExitStatus {
    let mut status = ExitStatus::Done;
    for (values, crossing) in rows {
        let point = if values.is_empty() { String::new() } else { format!(" of the point {}", format_values(values)) };
        for probe in crossing.undecided() {
            eprint_line!("The search{point} cannot compare {} {}.", query.range.key, undecided_reason(probe));
            status = ExitStatus::Stuck;
        }
        for probe in [&crossing.low_probe, &crossing.high_probe] {
            if probe.is_decided && probe.outcome == "saturated" {
                eprint_line!("The run{point} with {} = {} is saturated.", query.range.key, probe.value);
            }
        }
        for probe in crossing.transients() {
            let findings = probe.transient_findings.join(" ");
            eprint_line!(
                "The run{point} with {} = {} is not in a steady state. {findings}",
                query.range.key,
                probe.value
            );
        }
    }
    status
}

/// Returns a row for each point.
fn table(query: &FindQuery, rows: &[FoundRow]) -> ReportTable {
    let keys = rows.first().into_iter().flat_map(|(values, _)| values).map(|(key, _)| Column::new(key.as_str()));
    let mut columns: Vec<Column> = keys.chain([Column::new("holds")]).collect();
    for prefix in ["", "other side: "] {
        columns.push(Column::new(format!("{prefix}{}", query.range.key)));
        columns.push(Column::unit(format!("{prefix}{}", query.metric), query.unit.as_str()));
        columns.push(Column::new(format!("{prefix}outcome")));
        if query.condition.is_none() {
            columns.push(Column::unit(format!("{prefix}{} of the other", query.metric), query.unit.as_str()));
            columns.push(Column::new(format!("{prefix}outcome of the other")));
        }
    }
    let has_longer_run = rows.iter().any(|(_, crossing)| crossing.longer_run.is_some());
    if has_longer_run {
        columns.push(Column::new("holds in longer run"));
    }
    let mut table = ReportTable::new(columns);
    for (values, crossing) in rows {
        let mut cells: Vec<Cell> = values.iter().map(|(_, value)| value.as_str().into()).collect();
        cells.push(query.region(crossing).into());
        for probe in query.ordered_ends(crossing) {
            let mark = if probe.is_transient == Some(true) { ", transient" } else { "" };
            let outcome = format!("{}{mark}", probe.outcome);
            cells.extend([Cell::from(probe.value.as_str()), Cell::from(probe.metric), outcome.into()]);
            if let Some(outcome) = &probe.other_outcome {
                cells.extend([Cell::from(probe.other), outcome.as_str().into()]);
            }
        }
        if has_longer_run {
            cells.push(crossing.longer_run.as_ref().map_or("–", LongerRun::verdict).into());
        }
        table.push(cells);
    }
    table
}

fn text(query: &FindQuery, rows: &[FoundRow]) -> String {
    let probes: usize = rows.iter().map(|(_, crossing)| crossing.probes).sum();
    let longer = longer_run_note(query, rows);
    format!("{} Tried: {}.{longer}\n\n{}", finding(query, rows), counted(probes, "value"), table(query, rows).text())
}

/// Returns the sentences on the runs with four times the messages, after a line break, if there are any.
fn longer_run_note(query: &FindQuery, rows: &[FoundRow]) -> String {
    let runs: Vec<&LongerRun> = rows.iter().filter_map(|(_, crossing)| crossing.longer_run.as_ref()).collect();
    let unstable = runs.iter().filter(|run| !run.is_stable()).count();
    let advice = match unstable {
        0 => "",
        _ => " The answer depends on the length of the run: search again with more messages.",
    };
    let count = counted(runs.len(), "point");
    match &runs[..] {
        [] => String::new(),
        [run] if rows.len() == 1 => format!("\n{}{advice}", longer_run_finding(query, run)),
        _ if unstable == 0 => {
            format!("\nRuns that are four times as long change {} by at most 25 % at {count}.", query.metric)
        }
        _ => format!(
            "\nRuns that are four times as long change {} by more than 25 % at {unstable} of {count}.{advice}",
            query.metric
        ),
    }
}

/// Returns the sentence on a run with four times the messages.
fn longer_run_finding(query: &FindQuery, run: &LongerRun) -> String {
    let unit = display_unit(&query.unit);
    let amount = |metric: f64| format!("{} {unit}", short(metric)).trim_end().to_owned();
    let metric = match (run.probe.metric, run.found_metric) {
        (Some(metric), Some(found)) => format!("{} is {} in place of {}", query.metric, amount(metric), amount(found)),
        (Some(metric), None) => format!("{} is {}", query.metric, amount(metric)),
        (None, _) => format!("the run is {}", run.probe.outcome),
    };
    let verdict = match run.verdict() {
        "yes" => "it still holds".to_owned(),
        "no" => "it does not hold".to_owned(),
        _ => format!("it is unknown whether it holds, {}", run.probe.reason.as_deref().unwrap_or_default()),
    };
    format!("With {} = {}, four times as long, {metric} at this value: {verdict}.", run.key, run.value)
}

/// The reason why a search whose runs have initial transients has no answer for a steady state.
const TRANSIENT_REASON: &str = "the runs have an initial transient, so that the crossing depends on their length";

/// Returns the result as a sentence: where the condition holds, or, with several points, what was searched.
fn finding(query: &FindQuery, rows: &[FoundRow]) -> String {
    let key = &query.range.key;
    let comparison = match &query.condition {
        Some(condition) => format!("{} holds", condition.text()),
        None => format!("{} is less than that of the other description", query.metric),
    };
    let [(_, crossing)] = rows else {
        let transient_count = rows.iter().filter(|(_, crossing)| crossing.transients().next().is_some()).count();
        let warning = match transient_count {
            0 => String::new(),
            _ => {
                format!(" {transient_count} of {} have no answer for a steady state: {TRANSIENT_REASON}.", rows.len())
            }
        };
        return format!("Searched at each point: where {comparison}, over {key}.{warning}");
    };
    let [first_probe, _] = query.ordered_ends(crossing);
    let finding = match query.region(crossing) {
        "from" | "less from" => format!("{comparison} from {key} = {} on.", first_probe.value),
        "up to" | "less up to" => format!("{comparison} up to {key} = {}.", first_probe.value),
        "everywhere" | "always less" => format!("{comparison} in the whole range of {key}."),
        "nowhere" | "never less" => format!("{comparison} nowhere in the range of {key}."),
        _ => {
            let reasons: Vec<String> = crossing.undecided().map(undecided_reason).collect();
            format!("It is unknown where {comparison}: {}.", reasons.join("; "))
        }
    };
    let transient_values: Vec<&str> = crossing.transients().map(|probe| probe.value.as_str()).collect();
    match transient_values.is_empty() {
        true => finding,
        false => {
            let values = transient_values.join(" and ");
            format!("No answer for a steady state: {TRANSIENT_REASON} at {values}. In these runs, {finding}")
        }
    }
}

fn as_json(query: &FindQuery, rows: &[FoundRow]) -> String {
    let probe_json = |probe: &Probe| {
        let verdict = probe.is_decided.then_some(probe.holds);
        let mut json = json!({ "value": probe.value, "metric": probe.metric, "other": probe.other, "holds": verdict });
        json["outcome"] = probe.outcome.as_str().into();
        if let Some(outcome) = &probe.other_outcome {
            json["other_outcome"] = outcome.as_str().into();
        }
        if let Some(reason) = &probe.reason {
            json["reason"] = reason.as_str().into();
        }
        json["initial_transient"] = probe.is_transient.into();
        if !probe.transient_findings.is_empty() {
            json["transient_finding"] = probe.transient_findings.join(" ").into();
        }
        json
    };
    let row_json = |(values, crossing): &FoundRow| {
        let values: Map<String, Json> = values.iter().map(|(key, value)| (key.clone(), json!(value))).collect();
        let end_probes = [&crossing.low_probe, &crossing.high_probe].map(probe_json);
        let holds = query.region(crossing);
        let mut json = json!({ "values": values, "holds": holds, "between": end_probes, "probes": crossing.probes });
        json["is_steady"] = crossing.transients().next().is_none().into();
        if let Some(run) = &crossing.longer_run {
            json["longer_run"] =
                json!({ "key": run.key, "value": run.value, "stable": run.is_stable(), "run": probe_json(&run.probe) });
        }
        if let Some(probe) = &crossing.stopped_at {
            json["stopped_at"] = probe_json(probe);
        }
        json
    };
    let crossings: Vec<Json> = rows.iter().map(row_json).collect();
    let json = json!({
        "find": query.condition.as_ref().map_or(query.metric.clone(), Condition::text),
        "over": query.range.key,
        "metric": query.metric,
        "unit": query.unit,
        "found": crossings,
    });
    format!("{json:#}\n")
}
