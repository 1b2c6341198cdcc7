//! `narrows compare`: the differences of two results by metric, stage and resource.

use super::exit::CommandResult;
use super::run_text::aligned;
use super::{Format, output};
use clap::Args;
use narrows_core::text::{Problem, file};
use narrows_study::experiment::json_leaves::leaves;
use narrows_study::experiment::run_summary::number as metric_number;
use narrows_study::experiment::{Record, record};
use narrows_study::report::number::{self, signed_percent};
use narrows_study::report::{Cell, Column, ReportTable};
use serde_json::{Map, Value as Json, json};
use std::path::{Path, PathBuf};

const EXAMPLES: &str = "\
Examples:
  narrows run ping-pong --format json > a.json
  narrows run ping-pong --set ni.trapeze.policy=store-and-forward \\
                        --format json > b.json
  narrows compare a.json b.json";

/// Show the differences between two results of `narrows run --format json`
#[derive(Args)]
#[group(skip)]
#[command(after_help = EXAMPLES)]
pub struct Options {
    /// First result
    #[arg(value_name = "A.json")]
    a: PathBuf,
    /// Second result
    #[arg(value_name = "B.json")]
    b: PathBuf,
    /// Output format
    #[arg(long, value_enum, default_value_t = Format::Text, value_name = "FORMAT")]
    format: Format,
}

/// The number of busiest resources that are listed.
const RESOURCES_SHOWN: usize = 12;

/// A name, and its value in each result that has it.
type NamedPair<T> = (String, Option<T>, Option<T>);

/// The comparison of two results.
struct Comparison {
    metrics: Vec<(NamedPair<f64>, String)>,
    stages: Vec<NamedPair<f64>>,
    /// The fraction of the run for which each resource was busy.
    resources: Vec<NamedPair<f64>>,
    /// The values in which the two descriptions differ.
    description_differences: Vec<NamedPair<String>>,
    /// The verdict on each result.
    verdicts: [String; 2],
    /// The metrics that are not compared, each with the reason.
    exclusion_notes: Vec<String>,
    are_same: bool,
}

/// Runs the command.
pub fn run(options: &Options) -> CommandResult {
    let (a, b) = match (read(&options.a), read(&options.b)) {
        (Ok(a), Ok(b)) => (a, b),
        (a, b) => return Err([a.err(), b.err()].into_iter().flatten().collect::<Vec<_>>().into()),
    };
    let comparison = Comparison::new(&a, &b);
    output::print_result(options.format, || comparison.text(), || comparison.json())
}

fn read(path: &Path) -> Result<Record, Problem> {
    let record = Record::parse(&file::read(path)?).map_err(|reason| {
        Problem::new(format!("`{}` is not the result of a run: {reason}", path.display()))
            .help("write one with `narrows run FILE --format json`")
    })?;
    if !record.is_intact() {
        eprint_line!("warning: `{}` was changed after it was written: its hash does not match", path.display());
    }
    Ok(record)
}

impl Comparison {
    fn new(a: &Record, b: &Record) -> Comparison {
        let units = [a.metrics(), b.metrics()].concat();
        let unit = |name: &str| units.iter().find(|(unit_name, ..)| *unit_name == name).map_or("", |(_, _, unit)| unit);
        let values =
            |record: &Record| record.metrics().iter().map(|(name, value, _)| (name.to_string(), *value)).collect();
        let measured = |value: Option<f64>| value.filter(|value| !value.is_nan());
        let are_same = a.is_intact() && b.is_intact() && a.text("hash") == b.text("hash");
        let is_comparable =
            |metric: &str| [a, b].iter().all(|record| record::is_comparable(record.text("outcome"), metric));
        let metrics = named_pairs(values(a), values(b)).into_iter();
        let metrics = metrics
            .filter(|(name, ..)| are_same || is_comparable(name))
            .map(|(name, a, b)| (name, measured(a), measured(b)));
        let stages = if are_same || is_comparable("latency") { named_pairs(stages(a), stages(b)) } else { Vec::new() };
        let are_complete = are_same || (a.is_complete() && b.is_complete());
        Comparison {
            metrics: metrics.map(|pair| (pair.clone(), unit(&pair.0).to_owned())).collect(),
            stages,
            resources: if are_complete { named_pairs(resources(a), resources(b)) } else { Vec::new() },
            description_differences: named_pairs(description_values(a), description_values(b))
                .into_iter()
                .filter(|(_, a, b)| a != b)
                .collect(),
            verdicts: [a.verdict(), b.verdict()],
            exclusion_notes: if are_same {
                Vec::new()
            } else {
                [("A", a), ("B", b)].into_iter().filter_map(exclusion_note).collect()
            },
            are_same,
        }
    }

    fn text(&self) -> String {
        let metrics = number_table("metric", &self.metrics);
        let stages: Vec<_> = self.stages.iter().map(|pair| (pair.clone(), "us".to_owned())).collect();
        let stages = number_table("stage", &stages);
        let (busiest, more_count) = self.busiest();
        let resources = number_table("utilisation", &busiest);
        let omitted = if more_count > 0 { format!("({more_count} more are less busy)\n") } else { String::new() };
        let mut values = ReportTable::new(["description", "A", "B"].map(Column::new).into());
        for (name, a, b) in &self.description_differences {
            let cell = |value: &Option<String>| Cell::Text(value.clone().unwrap_or_else(|| "–".to_owned()));
            values.push(vec![name.as_str().into(), cell(a), cell(b)]);
        }
        let values = if self.description_differences.is_empty() {
            "The descriptions are the same.\n".into()
        } else {
            values.text()
        };
        let equality = if self.are_same { "\nThe results are the same.\n" } else { "" };
        let left_out: String = self.exclusion_notes.iter().map(|line| format!("{line}\n")).collect();
        let gap = if left_out.is_empty() { "" } else { "\n" };
        let tables = [(self.metrics.is_empty(), metrics), (self.stages.is_empty(), stages)];
        let tables: String =
            tables.iter().filter(|(is_empty, _)| !is_empty).map(|(_, table)| table.text() + "\n").collect();
        let resources = if busiest.is_empty() { String::new() } else { resources.text() + &omitted + "\n" };
        format!("{left_out}{gap}{tables}{resources}{values}{equality}")
    }

    /// Returns the busiest resources in either result, in per cent of the run, and the number of all others.
    fn busiest(&self) -> (Vec<(NamedPair<f64>, String)>, usize) {
        let share = |(_, a, b): &NamedPair<f64>| a.unwrap_or(0.0).max(b.unwrap_or(0.0));
        let mut used_resources: Vec<&NamedPair<f64>> = self.resources.iter().filter(|pair| share(pair) > 0.0).collect();
        used_resources.sort_by(|a, b| share(b).total_cmp(&share(a)));
        let percent = |(name, a, b): &NamedPair<f64>| {
            let percent = |share: &Option<f64>| share.map(|share| 100.0 * share);
            ((name.clone(), percent(a), percent(b)), "%".to_owned())
        };
        (
            used_resources.iter().take(RESOURCES_SHOWN).map(|pair| percent(pair)).collect(),
            used_resources.len().saturating_sub(RESOURCES_SHOWN),
        )
    }

    fn json(&self) -> Json {
        let number = |(_, a, b): &NamedPair<f64>| json!({ "a": a, "b": b, "difference": difference(*a, *b) });
        let metric = |(pair, unit): &(NamedPair<f64>, String)| {
            let mut metric = number(pair);
            metric["unit"] = json!(unit);
            (pair.0.clone(), metric)
        };
        let value = |(name, a, b): &NamedPair<String>| (name.clone(), json!({ "a": a, "b": b }));
        json!({
            "same": self.are_same,
            "outcomes": { "a": self.verdicts[0], "b": self.verdicts[1] },
            "left_out": self.exclusion_notes,
            "metrics": self.metrics.iter().map(metric).collect::<Map<_, _>>(),
            "stages_us": self.stages.iter().map(|pair| (pair.0.clone(), number(pair))).collect::<Map<_, _>>(),
            "resources": self.resources.iter().map(|pair| (pair.0.clone(), number(pair))).collect::<Map<_, _>>(),
            "machine": self.description_differences.iter().map(value).collect::<Map<_, _>>(),
        })
    }
}

/// Returns the parts of a result that are not compared, with the reason, if there are any.
fn exclusion_note((name, record): (&str, &Record)) -> Option<String> {
    let verdict = record.verdict();
    match (record.is_complete(), record.text("outcome")) {
        (false, _) => Some(format!("{name} ended in a {verdict}. Its metrics are not compared.")),
        (true, "saturated") => {
            Some(format!("{name} is saturated. Latencies and backlogs are not compared, since they grow with the run."))
        }
        (true, _) => None,
    }
}

/// Returns a table of numbers with aligned decimal points.
fn number_table(heading: &str, pairs: &[(NamedPair<f64>, String)]) -> ReportTable {
    let mut table = ReportTable::new([heading, "A", "B", "B − A", "change", "unit"].map(Column::new).into());
    let column = |value: &dyn Fn(&NamedPair<f64>) -> Option<f64>| {
        let row = |(pair, unit): &(NamedPair<f64>, String)| {
            value(pair).map_or("–".to_owned(), |x| metric_number(x, unit).replace('-', "−"))
        };
        aligned(pairs.iter().map(row).collect())
    };
    let (a, b) = (column(&|pair| pair.1), column(&|pair| pair.2));
    let differences = column(&|pair| difference(pair.1, pair.2));
    for (n, (pair, unit)) in pairs.iter().enumerate() {
        let cells = [&pair.0, &a[n], &b[n], &differences[n], &relative_change(pair), &number::display_unit(unit)];
        table.push(cells.map(|cell| Cell::from(cell.as_str())).into());
    }
    table
}

fn relative_change((_, a, b): &NamedPair<f64>) -> String {
    match (a, b) {
        (Some(a), Some(b)) if a == b => "same".to_owned(),
        (Some(a), Some(b)) if *a != 0.0 => signed_percent((b - a) / a.abs()),
        _ => String::new(),
    }
}

fn difference(a: Option<f64>, b: Option<f64>) -> Option<f64> {
    Some(b? - a?)
}

/// Merges two lists by name, in the order of the first, followed by names that only the second has.
fn named_pairs<T: Clone>(a: Vec<(String, T)>, b: Vec<(String, T)>) -> Vec<NamedPair<T>> {
    let find = |list: &[(String, T)], name: &str| {
        list.iter().find(|(known_name, _)| known_name == name).map(|(_, x)| x.clone())
    };
    let only_b = b.iter().filter(|(name, _)| a.iter().all(|(known_name, _)| known_name != name));
    a.iter().chain(only_b).map(|(name, _)| (name.clone(), find(&a, name), find(&b, name))).collect()
}

/// Returns the total time of each stage of the mean ledger, and their sum.
fn stages(record: &Record) -> Vec<(String, f64)> {
    let stages = record.stages().map(|stage| (stage.name.to_owned(), stage.waiting_us + stage.service_us));
    let total = record.get("ledger")["total_us"].as_f64().unwrap_or(0.0);
    stages.chain([("total".to_owned(), total)]).collect()
}

/// Returns the fraction of the run for which each listed resource was busy.
fn resources(record: &Record) -> Vec<(String, f64)> {
    record.resources().map(|(name, share)| (name.to_owned(), share)).collect()
}

/// Returns every value of the description, and the version, by key.
fn description_values(record: &Record) -> Vec<(String, String)> {
    let mut values = leaves("", record.get("machine"));
    if let files @ Json::Object(_) = record.get("files") {
        values.extend(leaves("contents of", files));
    }
    values.push(("version".to_owned(), record.text("version").to_owned()));
    values
}
