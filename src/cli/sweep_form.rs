//! The forms of a sweep's result: which one is asked for, and the table in it.

use super::ending::Failure;
use super::output::{self, Output};
use super::sweep_seeds as replicated;
use super::sweep_table as table;
use clap::ValueEnum;
use narrows_core::text::{Problem, suggest};
use narrows_study::experiment::sweep::SweepPoint;
use narrows_study::experiment::sweep::plan::SweepPlan;
use narrows_study::experiment::tidy;
use narrows_study::report::dataset::Encoding;
use std::io::Write;
use std::path::Path;

/// The forms of a sweep's result.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// For reading
    Text,
    /// Tidy data as comma-separated values: numbers in base units, the unit in the column's name
    Csv,
    /// The same as an object a line
    Jsonl,
    /// The same as Apache Parquet
    Parquet,
    /// For programs, in the units and words of `narrows run --format json`
    Json,
}

impl Format {
    /// How tidy data is written in this form.
    pub fn encoding(self) -> Option<Encoding> {
        match self {
            Format::Csv => Some(Encoding::Csv),
            Format::Jsonl => Some(Encoding::JsonLines),
            Format::Parquet => Some(Encoding::Parquet),
            Format::Text | Format::Json => None,
        }
    }
}

/// The form that is asked for, or else that of the file's ending. Parquet is no text: it needs a file.
pub fn form(asked: Option<Format>, out: Option<&Path>) -> Result<Format, Failure> {
    let form = match (asked, out) {
        (Some(asked), _) => asked,
        (None, Some(out)) => of_ending(out)?,
        (None, None) => Format::Text,
    };
    if form == Format::Parquet && out.is_none() {
        return Err(Problem::new("Parquet is no text to be shown").help("name a file: --out F.parquet").into());
    }
    Ok(form)
}

/// The endings of files, and what they mean.
const ENDINGS: [(&str, Format); 6] = [
    ("csv", Format::Csv),
    ("jsonl", Format::Jsonl),
    ("ndjson", Format::Jsonl),
    ("parquet", Format::Parquet),
    ("json", Format::Json),
    ("txt", Format::Text),
];

/// A file without an ending holds text.
fn of_ending(out: &Path) -> Result<Format, Failure> {
    let Some(ending) = out.extension() else { return Ok(Format::Text) };
    let ending = ending.to_string_lossy();
    let known = ENDINGS.iter().find(|(known, _)| *known == ending).map(|(_, format)| *format);
    known.ok_or_else(|| {
        let names = || ENDINGS.iter().map(|(name, _)| *name);
        let problem = Problem::new(format!("`{}`: no form of a result ends in `.{ending}`", out.display()));
        let near = suggest::nearest(&ending, names()).map(|near| format!("did you mean `.{near}`?"));
        let problem = problem.help(near.unwrap_or_default());
        problem.help(format!("the endings are {}; or say --format", suggest::phrase(names()))).into()
    })
}

/// Writes the table of a sweep.
pub fn write(plan: &SweepPlan, rows: &[SweepPoint], format: Format, out: Option<Output>) -> Result<(), Failure> {
    put(&bytes(plan, rows, format)?, out)
}

/// Writes a result to where it goes.
pub fn put(bytes: &[u8], out: Option<Output>) -> Result<(), Failure> {
    match out {
        Some(out) => out.write(|file| file.write_all(bytes)),
        None => output::print_bytes(bytes),
    }
}

fn bytes(plan: &SweepPlan, rows: &[SweepPoint], format: Format) -> Result<Vec<u8>, Failure> {
    if let Some(encoding) = format.encoding() {
        return plan.dataset(rows).bytes(encoding).map_err(|why| Problem::new(why).into());
    }
    let metrics = tidy::metrics(rows, &plan.metrics);
    let seeded = plan.seeds.map(|seeds| tidy::replicated(rows, seeds as usize, &metrics));
    let text = match (&seeded, format) {
        (Some(points), Format::Json) => replicated::json(points),
        (Some(points), _) => replicated::table(points, &metrics).text(),
        (None, Format::Json) => table::json(rows, &metrics),
        (None, _) => table::table(rows, &metrics).text(),
    };
    Ok(text.into_bytes())
}
