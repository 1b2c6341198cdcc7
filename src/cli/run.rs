//! `narrows run`: one run, and its result.

use super::exit::{CommandResult, ExitStatus, Failure};
use super::heartbeat::Heartbeat;
use super::output::{self, Output};
use super::trace::{self, Trace};
use super::{Format, capture, input, perftest, run_seeds, run_text};
use clap::{Args, ValueEnum};
use indicatif::{ProgressBar, ProgressStyle};
use narrows_core::engine::{Outcome, Recorder, Time};
use narrows_core::machine::Machine;
use narrows_core::text::Problem;
use narrows_study::experiment::seeds::SEEDS_MAX;
use narrows_study::experiment::shell_command::command_line;
use narrows_study::experiment::uncertainty::single::{self, RunUncertainty};
use narrows_study::experiment::{self, Record, RunResult, record, tidy};
use narrows_study::report::dataset::Encoding;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Instant;

const EXAMPLES: &str = "\
Examples:
  narrows run ping-pong
  narrows run cluster.toml --set ni.trapeze.policy=store-and-forward
  narrows run cluster.toml --format json > result.json
  narrows run stream --trace s.pftrace      a trace to open in ui.perfetto.dev
  narrows run ping-pong --messages m.csv    write a row for each message
  narrows run ping-pong --uncertainty       compute the uncertainty of metrics
  narrows run offered-load --seeds 10       means and 95 % confidence intervals

A run that ends in a deadlock or livelock, at a limit, or with messages lost
prints its outcome first, with the reason. Of its metrics it prints only the
counts so far. It prints the waiting tasks on standard error, and exits with 3.";

/// The output formats of a run.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum RunFormat {
    /// Text for a terminal
    Text,
    /// JSON for programs
    Json,
    /// Table in the format of perftest; only for [workload.verbs]
    Perftest,
}

/// Run a description once and print its metrics, latency by stage, and busiest resources
#[derive(Args)]
#[group(skip)]
#[command(after_help = EXAMPLES)]
pub struct Options {
    #[command(flatten)]
    subject: input::Options,
    /// Seed of all random streams; same as --set run.seed=N
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
    /// Run with N seeds from run.seed on; print the mean and 95 % confidence interval of each metric
    #[arg(long, value_name = "N", conflicts_with_all = ["trace", "uncertainty"])]
    #[arg(value_parser = clap::value_parser!(u64).range(2..=SEEDS_MAX))]
    seeds: Option<u64>,
    /// Number of parallel jobs [default: CPU count]
    #[arg(long, value_name = "N", requires = "seeds", value_parser = clap::value_parser!(u64).range(1..=1024))]
    jobs: Option<u64>,
    /// Output format
    #[arg(long, value_enum, default_value_t = RunFormat::Text, value_name = "FORMAT")]
    format: RunFormat,
    /// Output file for a trace of the use of resources, for ui.perfetto.dev: F.pftrace or F.json
    ///
    /// A name that ends in .json gives Chrome's JSON form, any other name Perfetto's binary form,
    /// which is written while the run goes on and needs no memory for its spans.
    #[arg(long, value_name = "F")]
    trace: Option<PathBuf>,
    /// Number of spans in the trace: the first N of the run
    #[arg(long, value_name = "N", default_value_t = 200_000, requires = "trace")]
    #[arg(value_parser = clap::value_parser!(u64).range(1..=trace::SPANS_MAX))]
    trace_spans: u64,
    /// Output file for the packets of all nodes, for Wireshark: pcapng in simulated nanoseconds
    #[arg(long, value_name = "OUT", conflicts_with = "seeds")]
    pcap: Option<PathBuf>,
    /// Output file with a row for each message and its stages: F.csv, F.jsonl or F.parquet
    #[arg(long, value_name = "F", conflicts_with = "seeds")]
    messages: Option<PathBuf>,
    /// Compute the uncertainty of each metric, and the constants that it depends on
    ///
    /// Each constant whose TOML comment says that it is derived, calibrated, chosen, or remembered (no
    /// source was read) is changed up and down by its standard deviation, at most by 25 %. The standard deviation is the
    /// one in the comment, or 25 % without one. Constants from a paper, a data sheet or a standard,
    /// and measured ones, are taken as exact.
    #[arg(long)]
    uncertainty: bool,
    /// Omit the wall-clock time and the number of events, so that equal runs print equal bytes
    #[arg(long)]
    no_host: bool,
}

/// Runs the command.
pub fn run(options: &Options) -> CommandResult {
    let subject = options.subject.subject()?;
    if let Some(seeds) = options.seeds {
        return run_seeds::run(&subject, &options.sets(), seeds, options.jobs, options.seeds_format()?);
    }
    let read = {
        let _heartbeat = Heartbeat::start("reading and checking the description");
        subject.read(&options.sets())?
    };
    read.value.warnings().iter().for_each(|warning| eprint_line!("{warning}"));
    let inputs: Vec<PathBuf> = options.subject.input_file().into_iter().chain(input::named_files(&read)).collect();
    let outputs = [&options.trace, &options.pcap, &options.messages].map(Option::as_deref);
    output::check_distinct(&inputs, &outputs)?;
    output::remove_unfinished_on_interrupt();
    let trace = options.trace.as_deref().map(|path| Trace::prepare(path, options.trace_spans)).transpose()?;
    if options.pcap.is_some() {
        capture::check_format(&read.value)?;
    }
    let pcap = options.pcap.as_deref().map(Output::prepare).transpose()?;
    let messages = options.messages.as_deref().map(messages_output).transpose()?;
    let (trace, recorder) = match trace {
        Some(trace) => trace.open().map(|(trace, recorder)| (Some(trace), recorder))?,
        None => (None, Recorder::off()),
    };
    let recorder = options.with_instruments(recorder);
    let start = Instant::now();
    let result = {
        let _heartbeat = Heartbeat::start("building the machine and running it");
        experiment::run(&read.value, recorder)
    };
    let wall_s = start.elapsed().as_secs_f64();
    let record = Record::new(&read, &result);
    let host = (!options.no_host).then_some((wall_s, result.events));
    let uncertainties = options.uncertainty.then(|| options.uncertainties(&subject, &result)).transpose()?;
    output::print(&match options.format {
        RunFormat::Text => {
            let table =
                uncertainties.map(|uncertainties| run_text::uncertainties(&uncertainties, &result)).unwrap_or_default();
            run_text::text(subject.name(), &result, &record, host, &options.whatif_command()) + &table
        }
        RunFormat::Perftest => perftest::run_table(&result.metrics)?,
        RunFormat::Json => {
            let record = match host {
                Some((wall_s, events)) => record.with_run_cost(wall_s, events).with_folder(&read),
                None => record,
            };
            uncertainties.map_or(record.clone(), |uncertainties| record.with_uncertainty(&uncertainties)).pretty()
        }
    })?;
    if let Some(trace) = trace {
        trace.finish(&result.timeline)?;
    }
    if let (Some(pcap), Some(path)) = (pcap, &options.pcap) {
        capture::write(pcap, path, &read.value, &result.packets)?;
    }
    if let (Some((out, encoding)), Some(path)) = (messages, &options.messages) {
        write_messages(out, encoding, path, &read.value, &result)?;
    }
    Ok(exit_status(&result))
}

/// Returns the file that messages are written to, and its format.
fn messages_output(path: &Path) -> Result<(Output, Encoding), Failure> {
    let encoding = Encoding::from_path(path).ok_or_else(|| {
        let problem = Problem::new(format!("`{}`: unknown format of messages", path.display()));
        problem.help("name a file that ends in `.csv`, `.jsonl` or `.parquet`")
    })?;
    encoding.check_built()?;
    Ok((Output::prepare(path)?, encoding))
}

fn write_messages(
    out: Output,
    encoding: Encoding,
    path: &Path,
    machine: &Machine,
    result: &RunResult,
) -> Result<(), Failure> {
    let data = tidy::messages_dataset(&result.deliveries, &machine.endpoint_names());
    let bytes = data.bytes(encoding).map_err(Problem::new)?;
    out.write(|file| file.write_all(&bytes))?;
    eprint_line!("Wrote {} messages to `{}`.", data.rows(), path.display());
    Ok(())
}

impl Options {
    /// Returns the `--set` options, with `--seed` last.
    fn sets(&self) -> Vec<String> {
        let seed = self.seed.map(|seed| format!("run.seed={seed}"));
        self.subject.sets.iter().cloned().chain(seed).collect()
    }

    /// Returns the output format of a run with several seeds.
    fn seeds_format(&self) -> Result<Format, Failure> {
        match self.format {
            RunFormat::Text => Ok(Format::Text),
            RunFormat::Json => Ok(Format::Json),
            RunFormat::Perftest => {
                let problem = Problem::new("perftest has no table of several seeds");
                Err(problem.help("leave out --seeds, or choose another format").into())
            }
        }
    }

    /// Returns the command line of the sensitivity analysis of this run.
    fn whatif_command(&self) -> String {
        let file = self.subject.file.to_string_lossy();
        command_line("whatif", &file, &[("--set", &self.sets())])
    }

    /// Computes the uncertainty of the metrics, with a progress bar if standard error is a terminal.
    fn uncertainties(&self, subject: &input::LoadedDescription, result: &RunResult) -> Result<RunUncertainty, Failure> {
        let sets = self.sets();
        let reader = |overrides: &[String]| subject.read_varied(&sets, overrides);
        let style =
            ProgressStyle::with_template("{bar:40} {pos}/{len} runs, {eta} left").expect("the template is valid");
        let bar = ProgressBar::new(0).with_style(style);
        let uncertainties = single::uncertainties(&reader, result, &|runs| bar.set_length(runs as u64), &|| bar.inc(1));
        bar.finish_and_clear();
        Ok(uncertainties?)
    }

    /// Returns `recorder` with the messages and packets that are written.
    fn with_instruments(&self, recorder: Recorder) -> Recorder {
        let recorder = if self.messages.is_some() { recorder.with_messages() } else { recorder };
        if self.pcap.is_some() { recorder.with_packets() } else { recorder }
    }
}

/// Prints on standard error why a run did not complete, and returns the exit status.
fn exit_status(result: &RunResult) -> ExitStatus {
    if let Outcome::Loss(reason) = &result.outcome {
        eprint_line!("The run ended in a loss: {reason}");
    }
    let Some(waits) = record::pending_waits(&result.outcome) else {
        return if result.outcome.is_complete() { ExitStatus::Done } else { ExitStatus::Stuck };
    };
    let ending = match result.outcome {
        Outcome::TimeLimit(_) if waits.end_time == Time::END => "reached the end of simulated time".to_owned(),
        Outcome::TimeLimit(_) => "reached its limit of simulated time, `run.time-limit`,".to_owned(),
        _ => format!("ended in a {}", record::outcome_name(&result.outcome)),
    };
    eprint_line!("The run {ending} {waits}");
    ExitStatus::Stuck
}
