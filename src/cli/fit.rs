//! `narrows fit`: calibration of constants on the claims of a study, or on measured curves.

use super::exit::{CommandResult, ExitStatus, Failure};
use super::output::{Output, print};
use super::{Format, input, registry};
use clap::Args;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use narrows_core::text::{Problem, Problems, file};
use narrows_study::experiment::fit::constant::PRIOR_MAX;
use narrows_study::experiment::fit::curve::Curve;
use narrows_study::experiment::fit::curve_fit::CurveFit;
use narrows_study::experiment::fit::{FitResult, FittedConstant, write};
use narrows_study::papers;
use narrows_study::report::number::{percent, short, signed_percent};
use narrows_study::report::{Column, ReportTable};
use narrows_study::study;
use std::io::Write;
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  narrows fit trapeze             repeat the calibration of a paper's machines
  narrows fit my-study            calibrate by the fit.toml of your own study
  narrows fit my-study --write    and write the values into the descriptions
  narrows fit machine.toml --measured latency.csv --measured ib_write_bw.txt
  narrows fit machine.toml --measured latency.csv \\
                           --constant messaging.send --constant 'ni.*.access'

fit.toml names number claims of the role `calibrated`, and constants, each with
a starting value, a prior (one standard deviation) and bounds. The fit minimises
the sum of squares of all errors and of all deviations from the starting values,
in logarithms. A constant is determined if its uncertainty after the fit is at
most a quarter of its prior; otherwise its value depends on its starting value.

A measured curve is CSV with units (size [B], latency [us] or bandwidth [MB/s]),
or the output of perftest or the OSU benchmarks. Latencies are one-way, as of
the workload ping-pong; bandwidths are those of the workload stream.";

/// Fit constants to published numbers or measured curves, and report how well each is determined
#[derive(Args)]
#[group(skip)]
#[command(after_help = EXAMPLES)]
pub struct Options {
    /// Paper or folder of a study; with --measured, a description as for `narrows run`
    #[arg(value_name = "PAPER|FOLDER|FILE")]
    subject: PathBuf,
    /// Measured curve of latency or bandwidth by size, to fit the description's constants to; may be repeated
    #[arg(long, value_name = "FILE")]
    measured: Vec<PathBuf>,
    /// Constant to fit, where `*` matches the name of any part; may be repeated [default: all whose comments say that
    /// they are derived, calibrated or chosen]
    #[arg(long = "constant", value_name = "KEY", requires = "measured")]
    constants: Vec<String>,
    /// One standard deviation of each constant [default: as its comment states, or 25]
    #[arg(long, value_name = "PERCENT", requires = "measured", value_parser = percentage)]
    prior: Option<f64>,
    /// One standard deviation of the measured values
    #[arg(long, value_name = "PERCENT", requires = "measured", default_value = "3", value_parser = percentage)]
    noise: f64,
    /// Override one value of the description; may be repeated
    #[arg(long = "set", value_name = "KEY=VALUE", requires = "measured")]
    sets: Vec<String>,
    /// Write the fitted values into the files that define the constants
    #[arg(long)]
    write: bool,
    /// Number of parallel jobs [default: CPU count]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=1024))]
    jobs: Option<u64>,
    /// Output format
    #[arg(long, value_enum, default_value_t = Format::Text, value_name = "FORMAT")]
    format: Format,
}

/// Runs the command.
pub fn run(options: &Options) -> CommandResult {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(options.jobs.unwrap_or(0) as usize).build();
    let pool = pool.map_err(|error| Failure::from(Problem::new(format!("cannot start the jobs: {error}"))))?;
    let bar = Runs::new();
    let fitted =
        pool.install(|| if options.measured.is_empty() { study(options, &bar) } else { curves(options, &bar) });
    bar.0.finish_and_clear();
    let fitted = fitted?;
    print(&match options.format {
        Format::Text => text(&fitted),
        Format::Json => format!("{:#}\n", fitted.json()),
    })?;
    if options.write {
        write_values(&fitted)?;
    }
    Ok(ExitStatus::Done)
}

/// Fits the constants of a study by its `fit.toml`.
fn study(options: &Options, bar: &Runs) -> Result<FitResult, Failure> {
    let name = options.subject.to_string_lossy();
    if options.subject.is_file() {
        let problem = Problem::new(format!("`{name}` is a file, and no measured curve is given"));
        return Err(problem.help("name a measured curve with --measured FILE, or give the folder of a study").into());
    }
    let found = study::find(&name, false, &papers::builtins(registry()))?;
    study::fit::fit_study(&found, bar).map_err(Failure::grouped)
}

/// Fits the constants of a description to measured curves.
fn curves(options: &Options, bar: &Runs) -> Result<FitResult, Failure> {
    let input = input::Options { file: options.subject.clone(), sets: options.sets.clone() };
    let subject = input.subject()?;
    let read = |path: &PathBuf| Ok(Curve::read(path, &file::read(path)?)?);
    let curves: Vec<Curve> = options.measured.iter().map(read).collect::<Result<_, Failure>>()?;
    let reader = |sets: &[String]| subject.read_varied(&input.sets, sets);
    let (constants, prior, noise) = (options.constants.as_slice(), options.prior, options.noise);
    let done = || bar.0.inc(1);
    let curve_fit = CurveFit { reader: &reader, curves: &curves, constants, prior, noise, done: &done };
    Ok(curve_fit.fit()?)
}

/// Parses a percentage above 0 as a fraction.
fn percentage(text: &str) -> Result<f64, String> {
    let number = text.trim().trim_end_matches('%').trim().parse::<f64>().map_err(|error| error.to_string())?;
    match number > 0.0 && number <= 100.0 * PRIOR_MAX {
        true => Ok(number / 100.0),
        false => Err(format!("it must be above 0 %, and at most {} %", 100.0 * PRIOR_MAX)),
    }
}

/// Writes the fitted values into their files.
fn write_values(fitted: &FitResult) -> Result<(), Failure> {
    if !fitted.converged {
        let problem = Problem::new("nothing is written, since the fit did not converge");
        return Err(problem.help("give narrower bounds, or starting values closer to the solution").into());
    }
    let failure = |problems: Vec<Problem>| Failure::from(Problems::new(problems, &Default::default()));
    for (path, text) in write::edits(&fitted.constants).map_err(failure)? {
        Output::prepare(&path)?.write(|out| out.write_all(text.as_bytes()))?;
        eprint_line!("Wrote `{}`.", path.display());
    }
    Ok(())
}

fn text(fitted: &FitResult) -> String {
    let mut constants =
        ReportTable::new(["constant", "before", "fit", "after", "prior", "uncertainty"].map(Column::new).to_vec());
    for one in &fitted.constants {
        let mark = if one.determined { "" } else { " (not determined)" };
        let [prior, free] = [one.prior, one.std_dev].map(|percentage| format!("±{}", percent(percentage)));
        let values = [&one.key, &one.before, &one.fitted, &one.after].map(|text| text.as_str().into());
        constants.push(values.into_iter().chain([prior.into(), (free + mark).into()]).collect());
    }
    let heads = ["number", "expected", "before", "after", "error"].map(Column::new);
    let mut residuals = ReportTable::new(heads.to_vec());
    for one in &fitted.residuals {
        let [expected, before, after] = [one.datum.expected, one.before, one.after].map(short);
        let expected = format!("{expected} {}", one.datum.unit);
        let error = signed_percent(one.error());
        residuals.push([one.datum.name.clone(), expected, before, after, error].map(Into::into).to_vec());
    }
    format!("{}\n{}\n{}", constants.text(), residuals.text(), summary(fitted))
}

/// Returns the summary of a fit.
fn summary(fitted: &FitResult) -> String {
    let (constants, data) = (fitted.constants.len(), fitted.residuals.len());
    let mut text = format!("{constants} constants on {data} numbers.");
    if constants > data {
        text += " There are more constants than numbers, so the result depends on the starting values.";
    }
    let named = |is: &dyn Fn(&&FittedConstant) -> bool| {
        let names: Vec<&str> = fitted.constants.iter().filter(is).map(|one| one.key.as_str()).collect();
        names.join(", ")
    };
    let (open, bound) = (named(&|one| !one.determined), named(&|one| one.at_bound));
    if !open.is_empty() {
        text += &format!("\nNot determined by these numbers alone, but also by their starting values: {open}.");
    }
    if !bound.is_empty() {
        text += &format!("\nAt a bound: {bound}.");
    }
    if !fitted.converged {
        text += "\nThe fit did not converge: the values are the best that were found.";
    }
    text + "\n"
}

/// A counter of runs on standard error, if it is a terminal.
struct Runs(ProgressBar);

impl Runs {
    fn new() -> Runs {
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
        let style = ProgressStyle::with_template("{spinner} {pos} runs, {elapsed}").expect("a template");
        Runs(bar.with_style(style))
    }
}

impl study::Progress for Runs {
    fn begins(&self, _: usize) {}

    fn done(&self, _: &str) {
        self.0.inc(1);
    }
}
