//! `narrows fit`: constants fitted on a study's claims, or on measurements.

use super::ending::{Ended, Ending, Failure};
use super::output::{Output, print};
use super::{Format, registry, subject};
use clap::Args;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use narrows_core::text::{Problem, Problems, file};
use narrows_study::experiment::fit::constant::PRIOR_MAX;
use narrows_study::experiment::fit::curve::Curve;
use narrows_study::experiment::fit::measured::Measuring;
use narrows_study::experiment::fit::{Fitted, Settled, write};
use narrows_study::papers;
use narrows_study::report::number::{percent, short, signed_percent};
use narrows_study::report::{Column, ReportTable};
use narrows_study::study;
use std::io::Write;
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  narrows fit trapeze                        the constants of a paper's machines, fitted again
  narrows fit my-study                       those of your own: fit.toml names constants and claims
  narrows fit my-study --write               and puts them into the descriptions
  narrows fit machine.toml --measured latency.csv --measured ib_write_bw.txt
  narrows fit machine.toml --measured latency.csv --constant messaging.send --constant 'ni.*.access'

fit.toml names number claims of role `calibrated`, and constants, each with a starting value, a prior
(one standard deviation about it) and bounds. The sum of squares of all errors and of all departures
from the starting values, in logarithms, is made least. A constant is determined when the numbers
leave it no freer than a quarter of its prior; else its starting value has its say.

A measured curve is CSV with units (size [B], latency [us]; or bandwidth [MB/s]), or what perftest's
and OSU's benchmarks print. A latency is one way, as of ping-pong; a bandwidth is that of a stream.";

/// Fits constants on published numbers or measured curves, and says how well each is determined.
#[derive(Args)]
#[group(skip)]
#[command(after_help = EXAMPLES)]
pub struct Options {
    /// The paper, or the folder of a study; with --measured, a description, as `narrows run` takes it
    #[arg(value_name = "PAPER|FOLDER|FILE")]
    subject: PathBuf,
    /// A measured curve to fit the description's constants on: size, and latency or bandwidth; may be
    /// repeated
    #[arg(long, value_name = "FILE")]
    measured: Vec<PathBuf>,
    /// A constant to be fitted, `*` for the name of any part; may be repeated; by default all whose
    /// comments say that they are derived, calibrated or chosen
    #[arg(long = "constant", value_name = "KEY", requires = "measured")]
    constants: Vec<String>,
    /// One standard deviation of each constant about its value; by default 25, or what its comment says
    #[arg(long, value_name = "PERCENT", requires = "measured", value_parser = part)]
    prior: Option<f64>,
    /// One standard deviation of what was measured
    #[arg(long, value_name = "PERCENT", requires = "measured", default_value = "3", value_parser = part)]
    noise: f64,
    /// Sets one value of the description; may be repeated
    #[arg(long = "set", value_name = "KEY=VALUE", requires = "measured")]
    sets: Vec<String>,
    /// Put the fitted values into the files that the constants stand in
    #[arg(long)]
    write: bool,
    /// How many runs are made at once; by default as many as there are processors
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=1024))]
    jobs: Option<u64>,
    /// The form of the result
    #[arg(long, value_enum, default_value_t = Format::Text, value_name = "FORMAT")]
    format: Format,
}

/// Fits.
pub fn run(options: &Options) -> Ended {
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
        written(&fitted)?;
    }
    Ok(Ending::Done)
}

/// A study, by its `fit.toml`.
fn study(options: &Options, bar: &Runs) -> Result<Fitted, Failure> {
    let name = options.subject.to_string_lossy();
    if options.subject.is_file() {
        let problem = Problem::new(format!("`{name}` is a file, and nothing is said to fit it on"));
        return Err(problem.help("name a measured curve: --measured FILE; or the folder of a study").into());
    }
    let found = study::find(&name, false, &papers::builtins(registry()))?;
    study::fit::of_study(&found, bar).map_err(Failure::grouped)
}

/// A description, by measured curves.
fn curves(options: &Options, bar: &Runs) -> Result<Fitted, Failure> {
    let about = subject::Options { file: options.subject.clone(), sets: options.sets.clone() };
    let subject = about.subject()?;
    let read = |path: &PathBuf| Ok(Curve::read(path, &file::read(path)?)?);
    let curves: Vec<Curve> = options.measured.iter().map(read).collect::<Result<_, Failure>>()?;
    let reader = |sets: &[String]| subject.read_varied(&about.sets, sets);
    let (constants, prior, noise) = (options.constants.as_slice(), options.prior, options.noise);
    let done = || bar.0.inc(1);
    let measuring = Measuring { reader: &reader, curves: &curves, constants, prior, noise, done: &done };
    Ok(measuring.fit()?)
}

/// A percentage above nothing, as a part.
fn part(text: &str) -> Result<f64, String> {
    let number = text.trim().trim_end_matches('%').trim().parse::<f64>().map_err(|error| error.to_string())?;
    match number > 0.0 && number <= 100.0 * PRIOR_MAX {
        true => Ok(number / 100.0),
        false => Err(format!("it must be above 0 %, and at most {} %", 100.0 * PRIOR_MAX)),
    }
}

/// Puts the values into their files.
fn written(fitted: &Fitted) -> Result<(), Failure> {
    if !fitted.settled {
        let problem = Problem::new("nothing is written: the fit did not settle");
        return Err(problem.help("bounds that are closer together, or starting values nearer to the truth").into());
    }
    let told = |problems: Vec<Problem>| Failure::from(Problems::new(problems, &Default::default()));
    for (path, text) in write::edits(&fitted.constants).map_err(told)? {
        Output::prepare(&path)?.write(|out| out.write_all(text.as_bytes()))?;
        tell!("written: {}", path.display());
    }
    Ok(())
}

fn text(fitted: &Fitted) -> String {
    let mut constants =
        ReportTable::new(["constant", "before", "fit", "after", "prior", "left free"].map(Column::new).to_vec());
    for one in &fitted.constants {
        let mark = if one.determined { "" } else { " (not determined)" };
        let [prior, free] = [one.prior, one.left_free].map(|part| format!("±{}", percent(part)));
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

/// What is to be said of a fit.
fn summary(fitted: &Fitted) -> String {
    let (constants, data) = (fitted.constants.len(), fitted.residuals.len());
    let mut text = format!("{constants} constants on {data} numbers.");
    if constants > data {
        text += " More constants than numbers: what the numbers leave open, the starting values decide.";
    }
    let named = |is: &dyn Fn(&&Settled) -> bool| {
        let names: Vec<&str> = fitted.constants.iter().filter(is).map(|one| one.key.as_str()).collect();
        names.join(", ")
    };
    let (open, bound) = (named(&|one| !one.determined), named(&|one| one.at_bound));
    if !open.is_empty() {
        text += &format!("\nNot determined by these numbers, but by their starting values, too: {open}.");
    }
    if !bound.is_empty() {
        text += &format!("\nAt a bound: {bound}.");
    }
    if !fitted.settled {
        text += "\nThe fit did not settle: the values are the best that were found.";
    }
    text + "\n"
}

/// How many runs were made, on standard error where that is a terminal.
struct Runs(ProgressBar);

impl Runs {
    fn new() -> Runs {
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
        let style = ProgressStyle::with_template("{spinner} {pos} numbers asked, {elapsed}").expect("a template");
        Runs(bar.with_style(style))
    }
}

impl study::Progress for Runs {
    fn begins(&self, _: usize) {}

    fn done(&self, _: &str) {
        self.0.inc(1);
    }
}
