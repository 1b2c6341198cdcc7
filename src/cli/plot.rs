//! `narrows plot`: a picture of a sweep's result, by the charts of studies.

use super::ending::{Ended, Ending, Failure};
use super::output::{Output, plain};
use clap::{Args, ValueEnum};
use narrows_core::text::Problem;
use narrows_study::experiment::plot::Drawing;
use narrows_study::experiment::tidy;
use narrows_study::report::dataset::{Dataset, Encoding};
use narrows_study::report::picture::PictureForm;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

const EXAMPLES: &str = "\
Examples:
  narrows sweep stream --vary 'workload.stream.payload=64 B..8 KiB*2' \\
                       --vary ni.trapeze.policy=store-and-forward,adaptive-cut-through --out s.csv
  narrows plot s.csv --x payload --y message.bandwidth --by policy --log x --out s.svg
  narrows plot s.csv --x policy --y message.latency_one_way --by payload --out bars.pdf
  narrows run ping-pong --messages m.parquet
  narrows plot m.parquet --x sent --y latency --out m.png

A column is called by its name in the file, by the key or metric that it holds, or by the end of that.
Over words bars are drawn, over numbers lines. Without --by all rows are one line.";

/// Draws columns of a result: of `narrows sweep --out`, or of `narrows run --messages`.
#[derive(Args)]
#[group(skip)]
#[command(after_help = EXAMPLES)]
pub struct Options {
    /// The result: .csv, .jsonl, .parquet, or the .json of a sweep
    #[arg(value_name = "RESULT")]
    result: PathBuf,
    /// The column below
    #[arg(long, value_name = "COLUMN")]
    x: String,
    /// The column at the left; may be repeated, for columns of one unit
    #[arg(long, value_name = "COLUMN", required = true)]
    y: Vec<String>,
    /// A column whose values are lines of their own; may be repeated
    #[arg(long, value_name = "COLUMN")]
    by: Vec<String>,
    /// An axis that is logarithmic; may be repeated
    #[arg(long, value_enum, value_name = "AXIS")]
    log: Vec<Along>,
    /// The heading
    #[arg(long, value_name = "TEXT")]
    title: Option<String>,
    /// Where the picture goes: F.svg, F.pdf or F.png
    #[arg(long, value_name = "F")]
    out: PathBuf,
}

/// An axis.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Along {
    /// The one below
    X,
    /// The one at the left
    Y,
}

/// Draws.
pub fn run(options: &Options) -> Ended {
    let form = form(&options.out)?;
    let data = read(&options.result)?;
    let out = Output::prepare(&options.out)?;
    let drawing = Drawing {
        title: options.title.clone(),
        x: options.x.clone(),
        y: options.y.clone(),
        by: options.by.clone(),
        log: (options.log.contains(&Along::X), options.log.contains(&Along::Y)),
    };
    let drawn = drawing.draw(&data)?;
    if drawn.left_out > 0 {
        tell!("{} values were not measured, and are left out.", drawn.left_out);
    }
    let bytes = form.bytes(&drawn.svg).map_err(Problem::new)?;
    out.write(|file| file.write_all(&bytes))?;
    tell!("Wrote `{}`.", options.out.display());
    Ok(Ending::Done)
}

/// The form that a file's name asks for.
fn form(path: &Path) -> Result<PictureForm, Problem> {
    PictureForm::of(path).ok_or_else(|| {
        let endings: Vec<String> = PictureForm::ENDINGS.iter().map(|(ending, _)| format!("`.{ending}`")).collect();
        Problem::new(format!("`{}`: pictures are not drawn in this form", path.display()))
            .help(format!("name a file that ends in one of {}", endings.join(", ")))
    })
}

/// What a result holds.
fn read(path: &Path) -> Result<Dataset, Failure> {
    let wrong = |why: String| {
        Problem::new(format!("`{}` is no result that can be drawn: {why}", path.display()))
            .help("write one with `narrows sweep … --out F.csv`; `.jsonl`, `.parquet` and `.json` are others")
    };
    let unreadable = |error| Problem::new(format!("cannot read `{}`: {}", path.display(), plain(&error)));
    let bytes = fs::read(path).map_err(unreadable)?;
    if path.extension().is_some_and(|ending| ending == "json") {
        let text = String::from_utf8(bytes).map_err(|error| wrong(error.to_string()))?;
        return Ok(tidy::of_json(&text).map_err(wrong)?);
    }
    let encoding =
        Encoding::of(path).ok_or_else(|| wrong("its name ends in none of the forms of results".to_owned()))?;
    Ok(Dataset::read(bytes, encoding).map_err(wrong)?)
}
