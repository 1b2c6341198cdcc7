//! The output formats of a sweep.

use super::exit::Failure;
use super::output::{self, Output};
use super::perftest;
use super::sweep_seeds as replicated;
use super::sweep_table as table;
use clap::ValueEnum;
use narrows_core::text::{Problem, suggest};
use narrows_study::experiment::sweep::SweepPoint;
use narrows_study::experiment::sweep::plan::SweepPlan;
use narrows_study::experiment::tidy;
use narrows_study::report::dataset::Encoding;
use std::io::{self, Write};
use std::path::Path;

/// The output formats of a sweep.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// Text for a terminal
    Text,
    /// Tidy data as comma-separated values, in base units, with units in the column names
    Csv,
    /// Tidy data as one JSON object per line
    Jsonl,
    /// Tidy data as Apache Parquet
    Parquet,
    /// JSON for programs, with the units and names of `narrows run --format json`
    Json,
    /// Tables in the format of perftest; only for [workload.verbs]
    Perftest,
}

impl Format {
    /// Returns the encoding of tidy data, or `None` for the other formats.
    pub fn encoding(self) -> Option<Encoding> {
        match self {
            Format::Csv => Some(Encoding::Csv),
            Format::Jsonl => Some(Encoding::JsonLines),
            Format::Parquet => Some(Encoding::Parquet),
            Format::Text | Format::Json | Format::Perftest => None,
        }
    }
}

/// Returns the requested format, or the format of the file's extension. Parquet is binary and needs a file.
pub fn format_for(requested: Option<Format>, out: Option<&Path>) -> Result<Format, Failure> {
    let format = match (requested, out) {
        (Some(format), _) => format,
        (None, Some(out)) => format_of_extension(out)?,
        (None, None) => Format::Text,
    };
    if let Some(encoding) = format.encoding() {
        encoding.check_built()?;
    }
    if format == Format::Parquet && out.is_none() {
        return Err(Problem::new("Parquet is a binary format and cannot be printed")
            .help("name a file: --out F.parquet")
            .into());
    }
    Ok(format)
}

/// The file name extensions of the formats.
const EXTENSIONS: [(&str, Format); 6] = [
    ("csv", Format::Csv),
    ("jsonl", Format::Jsonl),
    ("ndjson", Format::Jsonl),
    ("parquet", Format::Parquet),
    ("json", Format::Json),
    ("txt", Format::Text),
];

/// Returns the format of a file by its extension; the format is text if the file has none.
fn format_of_extension(out: &Path) -> Result<Format, Failure> {
    let Some(extension) = out.extension() else { return Ok(Format::Text) };
    let extension = extension.to_string_lossy();
    let format = EXTENSIONS.iter().find(|(name, _)| *name == extension).map(|(_, format)| *format);
    format.ok_or_else(|| {
        let names = || EXTENSIONS.iter().map(|(name, _)| *name);
        let problem = Problem::new(format!("`{}`: unknown extension `.{extension}`", out.display()));
        let nearest = suggest::nearest(&extension, names()).map(|near| format!("did you mean `.{near}`?"));
        let problem = problem.help(nearest.unwrap_or_default());
        problem
            .help(format!("the extensions are {}; or choose a format with --format", suggest::phrase(names())))
            .into()
    })
}

/// Writes the table of a sweep.
pub fn write(plan: &SweepPlan, rows: &[SweepPoint], format: Format, out: Option<Output>) -> Result<(), Failure> {
    match format.encoding() {
        Some(encoding) => write_by(out, |file| plan.write(rows, encoding, file)),
        None => write_result(text(plan, rows, format)?.as_bytes(), out),
    }
}

/// Writes a result to the output file or standard output.
pub fn write_result(bytes: &[u8], out: Option<Output>) -> Result<(), Failure> {
    write_by(out, |file| file.write_all(bytes))
}

/// Calls `write` with the output file or standard output.
fn write_by(out: Option<Output>, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<(), Failure> {
    match out {
        Some(out) => out.write(|file| write(file)),
        None => output::print_by(write),
    }
}

/// Returns the table in a format that is not tidy data.
fn text(plan: &SweepPlan, rows: &[SweepPoint], format: Format) -> Result<String, Failure> {
    if format == Format::Perftest {
        return perftest::sweep_tables(rows.iter().map(|row| &*row.result));
    }
    let mut metrics = tidy::metrics(rows, plan.seeds, &plan.metrics);
    let metrics_shown_count = if format == Format::Text { metrics_shown(plan, metrics.len()) } else { metrics.len() };
    let hidden_count = metrics.split_off(metrics_shown_count).len();
    let replicated_points = plan.seeds.map(|seeds| tidy::replicated(rows, seeds as usize, &metrics));
    let text = match (&replicated_points, format) {
        (Some(points), Format::Json) => replicated::json(points),
        (Some(points), _) => replicated::table(points, &metrics).text(),
        (None, Format::Json) => table::json(rows, &metrics),
        (None, _) => table::table(rows, &metrics).text(),
    };
    let note = match hidden_count {
        0 => String::new(),
        _ => format!("{hidden_count} more metrics are left out: --metric NAME shows one, --format csv all.\n"),
    };
    Ok(text + &note)
}

/// The largest number of metrics in a table for a terminal, unless the user chooses them.
const METRICS_SHOWN: usize = 6;

/// Returns the number of metrics, out of `metric_count`, that a table for a terminal shows: those that the user chose,
/// or the first ones.
fn metrics_shown(plan: &SweepPlan, metric_count: usize) -> usize {
    if plan.metrics.is_empty() { metric_count.min(METRICS_SHOWN) } else { metric_count }
}
