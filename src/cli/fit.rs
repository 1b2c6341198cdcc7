//! `narrows fit`: calibration of constants on the claims of a study, or on measured curves.

use super::exit::{CommandResult, ExitStatus, Failure};
use super::fit_progress::FitProgress;
use super::fit_text as text;
use super::output::Output;
use super::sweep_form::write_result;
use super::sweep_runs::pool;
use super::{Format, input, registry};
use clap::Args;
use narrows_core::engine::Bytes;
use narrows_core::text::{Problem, Problems, file, quantity};
use narrows_study::experiment::fit::constant::PRIOR_MAX;
use narrows_study::experiment::fit::control::FitControl;
use narrows_study::experiment::fit::curve::Curve;
use narrows_study::experiment::fit::curve_fit::CurveFit;
use narrows_study::experiment::fit::{FitResult, Residual, write};
use narrows_study::papers;
use narrows_study::report::cross_validation::HeldOutNumber;
use narrows_study::study::fit::cross_validation::cross_validate;
use narrows_study::study::{self, LocatedStudy, held_out};
use std::io::Write;
use std::path::{Path, PathBuf};

const EXAMPLES: &str = "\
Examples:
  narrows fit trapeze             repeat the calibration of a paper's machines
  narrows fit my-study            calibrate by the fit.toml of your own study
  narrows fit my-study --write    and write the values into the descriptions
  narrows fit machine.toml --measured latency.csv --measured ib_write_bw.txt
  narrows fit machine.toml --measured latency.csv \\
                           --constant messaging.send --constant 'ni.*.access'
  narrows fit machine.toml --measured latency.csv --out fit.json

fit.toml names claims of kind `number` and role `calibrated`, and constants,
each with a starting value, its prior (a standard deviation) and bounds. The
fit minimises the sum of squares of all errors and of all deviations from the
starting values, in logarithms. A constant is determined if its uncertainty
after the fit is at most a quarter of its prior; otherwise its value depends on
its starting value.

A measured curve is CSV with units (size [B], latency [us] or bandwidth [MB/s]),
or the output of perftest, netperf, sockperf or the OSU benchmarks. Latencies
are one-way, as in the workload ping-pong; bandwidths are those of the workload
stream. If the workload of the description is verbs, the runs use that workload
in place of ping-pong or stream.

A fit fails if it leaves a number with an error above the tolerance. The exit
code is then 1, nothing is written, and the part of the curve that fails and the
constants at their bounds are named. With --out F, the result of each run is
kept in F.fit. The same command resumes an interrupted fit from there, with the
same result. Ctrl-C stops after the runs in progress and prints the best values.";

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
    /// Constant to fit, where `*` matches the name of any part; may be repeated [default: all whose
    /// TOML comment says that they are derived, calibrated, chosen, or remembered (no source was read), and
    /// that have an effect]
    #[arg(long = "constant", value_name = "KEY", requires = "measured")]
    constants: Vec<String>,
    /// Prior of each constant: the standard deviation of its starting value [default: as its comment states, or 25]
    #[arg(long, value_name = "PERCENT", requires = "measured", value_parser = parse_percentage)]
    prior: Option<f64>,
    /// Standard deviation of the measured values
    #[arg(long, value_name = "PERCENT", requires = "measured", default_value = "3", value_parser = parse_percentage)]
    noise: f64,
    /// Largest size to fit; larger sizes of the measured curves are left out
    #[arg(long, value_name = "SIZE", requires = "measured", value_parser = parse_size)]
    size_max: Option<Bytes>,
    /// Override one value of the description; may be repeated
    #[arg(long = "set", value_name = "KEY=VALUE", requires = "measured")]
    sets: Vec<String>,
    /// Largest error of a number in a successful fit [default: three times --noise, or as each claim of a study states]
    #[arg(long, value_name = "PERCENT", value_parser = parse_percentage)]
    tolerance: Option<f64>,
    /// Write the fitted values into the files that define the constants, or with --cross-validate the predictions into
    /// the study's cross-validation.toml
    #[arg(long)]
    write: bool,
    /// Cross-validate a study: for each row of the paper's table, fit without that row, and print the predictions of
    /// its numbers
    #[arg(long, conflicts_with = "measured")]
    cross_validate: bool,
    /// Number of parallel jobs [default: CPU count]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=1024))]
    jobs: Option<u64>,
    /// Output file; the results of runs are stored in F.fit, from which a fit resumes [default: standard output]
    #[arg(long, value_name = "F")]
    out: Option<PathBuf>,
    /// Output format [default: json if --out ends in .json, or else text]
    #[arg(long, value_enum, value_name = "FORMAT")]
    format: Option<Format>,
}

/// Runs the command.
pub fn run(options: &Options) -> CommandResult {
    let pool = pool(options.jobs)?;
    let out = options.out.as_deref().map(Output::prepare).transpose()?;
    let state = options.out.as_deref().map(state_file);
    let progress = FitProgress::start(state.is_some());
    let control = FitControl { monitor: &progress, state: state.as_deref() };
    if options.cross_validate {
        let held_out_numbers = pool.install(|| cross_validation(options, control));
        progress.end(held_out_numbers.is_ok());
        let Some(held_out_numbers) = held_out_numbers? else {
            if let Some(state) = &state {
                print_resumption(state);
            }
            return Ok(ExitStatus::Interrupted);
        };
        let result = match options.format() {
            Format::Text => text::cross_validation(&held_out_numbers),
            Format::Json => format!("{:#}\n", serde_json::json!(held_out_numbers)),
        };
        write_result(result.as_bytes(), out)?;
        if options.write {
            write_predictions(options, &held_out_numbers)?;
        }
        return Ok(ExitStatus::Done);
    }
    let result = pool.install(|| {
        if options.measured.is_empty() { fit_study(options, control) } else { fit_curves(options, control) }
    });
    progress.end(result.is_ok());
    let fit_result = result?;
    let result = match options.format() {
        Format::Text => text::text(&fit_result),
        Format::Json => format!("{:#}\n", fit_result.json()),
    };
    write_result(result.as_bytes(), out)?;
    let status = exit_status(&fit_result);
    if options.out.is_some() || status == ExitStatus::Interrupted {
        eprint_line!("{}", text::finding(&fit_result).trim_end());
    }
    match (status, &state) {
        (ExitStatus::Interrupted, Some(state)) => print_resumption(state),
        (ExitStatus::Done, _) if options.write => write_values(&fit_result)?,
        _ if options.write => eprint_line!("Nothing is written into the descriptions."),
        _ => {}
    }
    Ok(status)
}

/// Prints how an interrupted fit resumes.
fn print_resumption(state: &Path) {
    eprint_line!("Its runs are stored in `{}`; the same command resumes from there.", state.display());
}

/// Returns the path of the state file of an output file.
fn state_file(out: &Path) -> PathBuf {
    let mut name = out.file_name().unwrap_or_default().to_owned();
    name.push(".fit");
    out.with_file_name(name)
}

/// Returns the exit status. A number without a value is a failure of its run; a number with too large an error is a
/// failure of the fit.
fn exit_status(result: &FitResult) -> ExitStatus {
    let is_missing = |residual: &Residual| residual.missing_reason.is_some();
    match result {
        result if result.stopped => ExitStatus::Interrupted,
        result if result.residuals.iter().any(is_missing) => ExitStatus::Stuck,
        result if !result.is_within_tolerance() => ExitStatus::FitFailed,
        _ => ExitStatus::Done,
    }
}

impl Options {
    /// Returns the output format.
    fn format(&self) -> Format {
        let is_json = self.out.as_ref().is_some_and(|out| out.extension().is_some_and(|extension| extension == "json"));
        self.format.unwrap_or(if is_json { Format::Json } else { Format::Text })
    }
}

/// Fits the constants of a study by its `fit.toml`.
fn fit_study(options: &Options, control: FitControl<'_>) -> Result<FitResult, Failure> {
    study::fit::fit_study(&located_study(options)?, options.tolerance, control).map_err(Failure::grouped)
}

/// Fits the constants of a study without each row of its numbers. Returns `None` if it was interrupted.
fn cross_validation(options: &Options, control: FitControl<'_>) -> Result<Option<Vec<HeldOutNumber>>, Failure> {
    cross_validate(&located_study(options)?, control).map_err(Failure::grouped)
}

/// Writes the predictions of a cross-validation into their file in the folder of the study. The folder of a shipped
/// study is looked for below `papers/` of the working directory.
fn write_predictions(options: &Options, numbers: &[HeldOutNumber]) -> Result<(), Failure> {
    let located = located_study(options)?;
    let shipped = || Path::new("papers").join(located.location.name());
    let path = located.location.folder().map_or_else(shipped, Path::to_path_buf).join(held_out::FILE);
    Output::prepare(&path)?.write(|out| out.write_all(held_out::text(numbers).as_bytes()))?;
    eprint_line!("Wrote `{}`.", path.display());
    Ok(())
}

/// Returns the study that the options name.
fn located_study(options: &Options) -> Result<LocatedStudy, Failure> {
    let name = options.subject.to_string_lossy();
    if options.subject.is_file() {
        let problem = Problem::new(format!("`{name}` is a file, and no measured curve is given"));
        return Err(problem.help("name a measured curve with --measured FILE, or give the folder of a study").into());
    }
    Ok(study::find(&name, &papers::builtins(registry()))?)
}

/// Fits the constants of a description to measured curves.
fn fit_curves(options: &Options, control: FitControl<'_>) -> Result<FitResult, Failure> {
    let input = input::Options { file: options.subject.clone(), sets: options.sets.clone() };
    let subject = input.subject()?;
    let read_curve = |path: &PathBuf| Ok(Curve::read(path, &file::read(path)?)?);
    let mut curves: Vec<Curve> = options.measured.iter().map(read_curve).collect::<Result<_, Failure>>()?;
    for curve in &mut curves {
        if !curve.other_columns.is_empty() {
            let unread_columns = curve.other_columns.join("`, `");
            eprint_line!("{}: reading the column `{}`, not `{unread_columns}`.", curve.name, curve.column);
        }
        let Some(size_max) = options.size_max else { continue };
        let size_count = curve.samples.len();
        curve.samples.retain(|sample| sample.size <= size_max.get());
        if curve.samples.len() < 2 {
            let problem = Problem::new(format!("`{}`: fewer than 2 sizes are at most {size_max}", curve.name));
            return Err(problem.help("give a larger --size-max").into());
        }
        if curve.samples.len() < size_count {
            eprint_line!("{}: {} of {size_count} sizes are at most {size_max}.", curve.name, curve.samples.len());
        }
    }
    let reader = |varied: &[String]| subject.read_varied(&input.sets, varied);
    let Options { constants, prior, noise, tolerance, .. } = options;
    let (prior, noise, tolerance) = (*prior, *noise, *tolerance);
    let curve_fit = CurveFit { reader: &reader, curves: &curves, constants, prior, noise, tolerance, control };
    Ok(curve_fit.fit()?)
}

/// Parses a size, such as `4 KiB`.
fn parse_size(text: &str) -> Result<Bytes, String> {
    quantity::parse::<Bytes>(text).map_err(|error| format!("{}: {}", error.label, error.help.join("; ")))
}

/// Parses a percentage above 0 as a fraction.
fn parse_percentage(text: &str) -> Result<f64, String> {
    let value = text.trim().trim_end_matches('%').trim().parse::<f64>().map_err(|error| error.to_string())?;
    match value > 0.0 && value <= 100.0 * PRIOR_MAX {
        true => Ok(value / 100.0),
        false => Err(format!("it must be above 0 %, and at most {} %", 100.0 * PRIOR_MAX)),
    }
}

/// Writes the fitted values into their files.
fn write_values(result: &FitResult) -> Result<(), Failure> {
    if !result.converged {
        let problem = Problem::new("nothing is written, since the fit did not converge");
        return Err(problem.help("give narrower bounds, or starting values closer to the solution").into());
    }
    let failure = |problems: Vec<Problem>| Failure::from(Problems::new(problems, &Default::default()));
    for (path, text) in write::edits(&result.constants).map_err(failure)? {
        Output::prepare(&path)?.write(|out| out.write_all(text.as_bytes()))?;
        eprint_line!("Wrote `{}`.", path.display());
    }
    Ok(())
}
