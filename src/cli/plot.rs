//! `narrows plot`: a chart of the result of a sweep or run.

use super::exit::{CommandResult, ExitStatus, Failure};
use super::output::{Output, check_distinct, read_bytes, read_problem};
use clap::{Args, ValueEnum};
use narrows_core::text::Problem;
use narrows_study::experiment::plot::{
    self, CdfSpec, LatencyLoadSpec, PlotSpec, RenderedPlot, SampleSet, SweepColumns,
};
use narrows_study::experiment::{steadiness, tidy};
use narrows_study::report::dataset::{Dataset, Encoding};
use narrows_study::report::image::ImageFormat;
use narrows_study::report::number::counted;
use std::io::Write;
use std::path::{Path, PathBuf};

const EXAMPLES: &str = "\
Examples:
  narrows sweep stream \\
      --vary 'workload.stream.payload=64 B..8 KiB*2' \\
      --vary ni.trapeze.policy=store-and-forward,adaptive-cut-through \\
      --out s.csv
  narrows plot s.csv --out s.svg
  narrows plot s.csv --x payload --y message.bandwidth --by policy --log x \\
                     --out s.svg
  narrows plot s.csv --x policy --y message.latency_one_way --by payload \\
                     --out bars.pdf
  narrows run ping-pong --messages m.parquet
  narrows plot m.parquet --x sent --y latency --out m.png

  narrows sweep open-loop --vary ni=cni32qm,udma \\
      --vary 'workload.stream.arrivals.poisson.interval=8 us..0.4 us*log20' \\
      --stop-at-saturation --out loads.csv
  narrows plot loads.csv --latency-load --out loads.svg

  narrows run open-loop --format json > run.json
  narrows plot run.json --cdf message.latency_one_way --log y --out cdf.svg

A column is selected by its name in the file, by its key or metric, or by a
suffix of these. An x column of text gives bars, one of numbers gives lines.
With --x and without --by, all rows are one line. Without either, each
combination of the other varied keys is a line.

--cdf plots distributions in the .json of runs and sweeps, or a column of a
table. With --log y it shows the tail: the share of samples above each value.";

/// Plot results of `narrows run` and `narrows sweep`: columns, distributions, or latency over load
#[derive(Args)]
#[group(skip)]
#[command(after_help = EXAMPLES)]
pub struct Options {
    /// Result file: .csv, .jsonl, .parquet or .json; several with --cdf
    #[arg(value_name = "RESULT", required = true)]
    results: Vec<PathBuf>,
    /// Column for the x axis [default: the first varied key with numbers]
    #[arg(long, value_name = "COLUMN")]
    x: Option<String>,
    /// Column for the y axis; may be repeated, for columns of one unit [default: the first metric]
    #[arg(long, value_name = "COLUMN")]
    y: Vec<String>,
    /// Plot the cumulative distribution of the samples with this name, or of a column
    #[arg(long, value_name = "NAME", conflicts_with_all = ["x", "y"])]
    cdf: Option<String>,
    /// Plot the median and the 99th percentile of the latency over the offered load of a sweep
    ///
    /// Saturated points are left out, and the load that they accepted is marked. The last --vary of the
    /// sweep is the load; each combination of the other values has its own lines.
    #[arg(long, conflicts_with_all = ["x", "y", "cdf"])]
    latency_load: bool,
    /// Column or key to group by: one line for each of its values; may be repeated
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
    let format = ImageFormat::from_path(&options.out)?;
    check_distinct(&options.results, &[Some(options.out.as_path())])?;
    let output = Output::prepare(&options.out)?;
    let plot = options.draw()?;
    if plot.left_out > 0 {
        match options.latency_load {
            true => eprint_line!("Left out: {} without a steady state.", counted(plot.left_out, "point")),
            false => eprint_line!("Left out: {} not measured.", counted(plot.left_out, "value")),
        }
    }
    for path in &options.results {
        let warnings = match path.extension().is_some_and(|extension| extension == "json") {
            true => steadiness::json_warnings(&text(path)?),
            false => steadiness::data_warnings(&read(path)?),
        };
        warnings.iter().for_each(|warning| eprint_line!("{}: {warning}", path.display()));
    }
    let bytes = format.bytes(&plot.svg).map_err(Problem::new)?;
    output.write(|file| file.write_all(&bytes))?;
    eprint_line!("Wrote `{}`.", options.out.display());
    Ok(ExitStatus::Done)
}

impl Options {
    fn draw(&self) -> Result<RenderedPlot, Failure> {
        let log = (self.log.contains(&PlotAxis::X), self.log.contains(&PlotAxis::Y));
        if let Some(name) = &self.cdf {
            return Ok(CdfSpec { title: self.title.clone(), log }.draw(&self.samples(name)?)?);
        }
        let [result] = &self.results[..] else {
            return Err(Problem::new("several results can be plotted in one chart only as distributions")
                .help("name one result, or plot a distribution with --cdf")
                .into());
        };
        let (data, title, by) = (read(result)?, self.title.clone(), self.by.clone());
        let plot = match self.latency_load {
            true => LatencyLoadSpec { title, by, log_x: log.0 }.draw(&data),
            false => self.columns(&data, log)?.draw(&data),
        };
        Ok(plot?)
    }

    /// Returns the columns of the chart. The varied keys and metrics of a sweep determine those that the options omit.
    fn columns(&self, data: &Dataset, log: (bool, bool)) -> Result<PlotSpec, Problem> {
        let columns = SweepColumns::new(data);
        let first_metric = || columns.first_metric().map(|metric| metric.name.clone());
        let y = if self.y.is_empty() { first_metric().into_iter().collect() } else { self.y.clone() };
        let default_chart = columns.chart(y.clone()).filter(|_| self.x.is_none());
        let (Some(x), false) = (self.x.clone().or(default_chart.as_ref().map(|chart| chart.x.clone())), y.is_empty())
        else {
            return Err(Problem::new("the result does not say what was varied and measured")
                .help("name columns with --x and --y; a result of `narrows sweep` needs neither"));
        };
        let requested = PlotSpec { title: self.title.clone(), x, y, by: self.by.clone(), log };
        Ok(match default_chart {
            None => requested,
            Some(chart) => PlotSpec {
                by: if self.by.is_empty() { chart.by } else { requested.by },
                log: (log.0 || chart.log.0, log.1),
                ..requested
            },
        })
    }

    /// Returns the samples of the distribution or column `name` in each result. If there are several results, each name
    /// begins with the name of the file.
    fn samples(&self, name: &str) -> Result<Vec<SampleSet>, Failure> {
        let mut sample_sets = Vec::new();
        for path in &self.results {
            let sets_of_file = match path.extension().is_some_and(|extension| extension == "json") {
                true => plot::samples_from_json(&text(path)?, name, &self.by),
                false => plot::samples_from_dataset(&read(path)?, name, &self.by),
            };
            let with_file_name =
                |problem: Problem| Problem { message: format!("`{}`: {}", path.display(), problem.message), ..problem };
            let file = path.file_stem().unwrap_or(path.as_os_str()).to_string_lossy();
            for sample_set in sets_of_file.map_err(with_file_name)? {
                let parts = [&*file, sample_set.name.as_str()].into_iter().filter(|part| !part.is_empty());
                let name =
                    if self.results.len() > 1 { parts.collect::<Vec<_>>().join(", ") } else { sample_set.name.clone() };
                sample_sets.push(SampleSet { name, ..sample_set });
            }
        }
        Ok(sample_sets)
    }
}

/// Reads the data of a result.
fn read(path: &Path) -> Result<Dataset, Failure> {
    let failure = |reason: String| {
        Problem::new(format!("`{}` is not a result that can be plotted: {reason}", path.display()))
            .help("write one with `narrows sweep … --out F.csv`, or with `.jsonl`, `.parquet` or `.json`")
    };
    if path.extension().is_some_and(|extension| extension == "json") {
        return Ok(tidy::dataset_from_json(&text(path)?).map_err(failure)?);
    }
    let bytes = read_bytes(path)?;
    let encoding =
        Encoding::from_path(path).ok_or_else(|| failure("its extension is not one of a result format".to_owned()))?;
    Ok(Dataset::read(bytes, encoding).map_err(failure)?)
}

fn text(path: &Path) -> Result<String, Problem> {
    String::from_utf8(read_bytes(path)?).map_err(|error| read_problem(path, &error.to_string()))
}
