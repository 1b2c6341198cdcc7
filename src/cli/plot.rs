//! `narrows plot`: a chart of the result of a sweep or run.

use super::exit::{CommandResult, ExitStatus, Failure};
use super::output::{Output, check_distinct, error_text};
use clap::{Args, ValueEnum};
use narrows_core::text::Problem;
use narrows_study::experiment::plot::PlotSpec;
use narrows_study::experiment::tidy;
use narrows_study::report::dataset::{Dataset, Encoding};
use narrows_study::report::image::ImageFormat;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

const EXAMPLES: &str = "\
Examples:
  narrows sweep stream \\
      --vary 'workload.stream.payload=64 B..8 KiB*2' \\
      --vary ni.trapeze.policy=store-and-forward,adaptive-cut-through \\
      --out s.csv
  narrows plot s.csv --x payload --y message.bandwidth --by policy --log x \\
                     --out s.svg
  narrows plot s.csv --x policy --y message.latency_one_way --by payload \\
                     --out bars.pdf
  narrows run ping-pong --messages m.parquet
  narrows plot m.parquet --x sent --y latency --out m.png

A column is selected by its name in the file, by its key or metric, or by a
suffix of these. An x column of text gives bars, one of numbers gives lines.
Without --by all rows are one line.";

/// Plot columns of a result of `narrows sweep --out` or `narrows run --messages`
#[derive(Args)]
#[group(skip)]
#[command(after_help = EXAMPLES)]
pub struct Options {
    /// Result file: .csv, .jsonl, .parquet, or the .json of a sweep
    #[arg(value_name = "RESULT")]
    result: PathBuf,
    /// Column for the x axis
    #[arg(long, value_name = "COLUMN")]
    x: String,
    /// Column for the y axis; may be repeated, for columns of one unit
    #[arg(long, value_name = "COLUMN", required = true)]
    y: Vec<String>,
    /// Column to group by: one line for each of its values; may be repeated
    #[arg(long, value_name = "COLUMN")]
    by: Vec<String>,
    /// Axis to scale logarithmically; may be repeated
    #[arg(long, value_enum, value_name = "AXIS")]
    log: Vec<PlotAxis>,
    /// Title of the chart
    #[arg(long, value_name = "TEXT")]
    title: Option<String>,
    /// Output file: F.svg, F.pdf or F.png
    #[arg(long, value_name = "F")]
    out: PathBuf,
}

/// An axis.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum PlotAxis {
    /// The x axis
    X,
    /// The y axis
    Y,
}

/// Runs the command.
pub fn run(options: &Options) -> CommandResult {
    let format = image_format(&options.out)?;
    let data = read(&options.result)?;
    check_distinct(std::slice::from_ref(&options.result), &[Some(options.out.as_path())])?;
    let out = Output::prepare(&options.out)?;
    let plot = PlotSpec {
        title: options.title.clone(),
        x: options.x.clone(),
        y: options.y.clone(),
        by: options.by.clone(),
        log: (options.log.contains(&PlotAxis::X), options.log.contains(&PlotAxis::Y)),
    };
    let drawn = plot.draw(&data)?;
    if drawn.left_out > 0 {
        eprint_line!("{} values that were not measured are left out.", drawn.left_out);
    }
    let bytes = format.bytes(&drawn.svg).map_err(Problem::new)?;
    out.write(|file| file.write_all(&bytes))?;
    eprint_line!("Wrote `{}`.", options.out.display());
    Ok(ExitStatus::Done)
}

/// Returns the image format of a file by its extension.
fn image_format(path: &Path) -> Result<ImageFormat, Problem> {
    ImageFormat::of(path).ok_or_else(|| {
        let endings: Vec<String> = ImageFormat::EXTENSIONS.iter().map(|(ending, _)| format!("`.{ending}`")).collect();
        Problem::new(format!("`{}`: unknown image format", path.display()))
            .help(format!("name a file that ends in one of {}", endings.join(", ")))
    })
}

/// Reads the data of a result.
fn read(path: &Path) -> Result<Dataset, Failure> {
    let wrong = |why: String| {
        Problem::new(format!("`{}` is not a result that can be plotted: {why}", path.display()))
            .help("write one with `narrows sweep … --out F.csv`, or with `.jsonl`, `.parquet` or `.json`")
    };
    let unreadable = |error| Problem::new(format!("cannot read `{}`: {}", path.display(), error_text(&error)));
    let bytes = fs::read(path).map_err(unreadable)?;
    if path.extension().is_some_and(|ending| ending == "json") {
        let text = String::from_utf8(bytes).map_err(|error| wrong(error.to_string()))?;
        return Ok(tidy::of_json(&text).map_err(wrong)?);
    }
    let encoding = Encoding::of(path).ok_or_else(|| wrong("its extension is not one of a result format".to_owned()))?;
    Ok(Dataset::read(bytes, encoding).map_err(wrong)?)
}
