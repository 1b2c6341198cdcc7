//! `narrows run`: one run, and its result.

use super::alive::Alive;
use super::ending::{Ended, Ending, Failure};
use super::output::{self, Output};
use super::{Format, capture, run_seeds, run_text, subject};
use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};
use narrows_core::engine::{Outcome, Recorder, Time, Timeline};
use narrows_core::machine::Machine;
use narrows_core::text::Problem;
use narrows_study::experiment::seeds::SEEDS_MAX;
use narrows_study::experiment::uncertainty::single::{self, MetricUncertainty};
use narrows_study::experiment::{self, Record, RunResult, record, tidy};
use narrows_study::report::dataset::Encoding;
use narrows_study::report::perfetto;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Instant;

const EXAMPLES: &str = "\
Examples:
  narrows run ping-pong
  narrows run cluster.toml --set ni.trapeze.policy=store-and-forward
  narrows run cluster.toml --format json > result.json
  narrows run stream --trace stream.json     then open stream.json in ui.perfetto.dev
  narrows run ping-pong --messages m.csv     a row for each message: when, how large, and its stages
  narrows run ping-pong --uncertainty        how sure each metric is
  narrows run offered-load --seeds 10        means over seeds, and their 95 % intervals

A run that ends in a deadlock, a livelock or at a stated limit prints its results so far, says
on standard error who waits for whom, and exits with 3.";

/// Runs a description once: its metrics, where the time went, and what binds.
#[derive(Args)]
#[group(skip)]
#[command(after_help = EXAMPLES)]
pub struct Options {
    #[command(flatten)]
    subject: subject::Options,
    /// The seed of every random stream; the same as --set run.seed=N
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
    /// Run it with N seeds, from its own on: the mean of each metric, and its 95 % interval
    #[arg(long, value_name = "N", conflicts_with_all = ["trace", "uncertainty"])]
    #[arg(value_parser = clap::value_parser!(u64).range(2..=SEEDS_MAX))]
    seeds: Option<u64>,
    /// How many of them are run at once; by default as many as there are processors
    #[arg(long, value_name = "N", requires = "seeds", value_parser = clap::value_parser!(u64).range(1..=1024))]
    jobs: Option<u64>,
    /// The form of the result on standard output
    #[arg(long, value_enum, default_value_t = Format::Text, value_name = "FORMAT")]
    format: Format,
    /// Record who held which resource when, and write it here for ui.perfetto.dev
    #[arg(long, value_name = "OUT")]
    trace: Option<PathBuf>,
    /// How many spans the trace keeps: the first N of the run
    #[arg(long, value_name = "N", default_value_t = 200_000, requires = "trace")]
    #[arg(value_parser = clap::value_parser!(u64).range(1..=50_000_000))]
    trace_spans: u64,
    /// Write the packets that left each node here, for Wireshark or tshark: pcapng in simulated nanoseconds
    #[arg(long, value_name = "OUT", conflicts_with = "seeds")]
    pcap: Option<PathBuf>,
    /// Write a row for each message here, with its stages: F.csv, F.jsonl or F.parquet
    #[arg(long, value_name = "F", conflicts_with = "seeds")]
    messages: Option<PathBuf>,
    /// Say of each metric how sure it is, and which constants that comes from
    ///
    /// Every constant that is derived, calibrated or chosen, by its comment, is tried up and down by as
    /// much as it may be off, 25 % at most; each counts as known to ±25 %, one standard deviation, or as its comment states.
    #[arg(long)]
    uncertainty: bool,
    /// Leave out what the run itself cost, so that equal runs print equal bytes
    #[arg(long)]
    no_host: bool,
}

/// Runs once.
pub fn run(options: &Options) -> Ended {
    let subject = options.subject.subject()?;
    if let Some(seeds) = options.seeds {
        return run_seeds::run(&subject, &options.sets(), seeds, options.jobs, options.format);
    }
    let read = {
        let _alive = Alive::tell("reading and checking the description");
        subject.read(&options.sets())?
    };
    let trace = options.trace.as_deref().map(Output::prepare).transpose()?;
    if options.pcap.is_some() {
        capture::is_possible(&read.value)?;
    }
    let pcap = options.pcap.as_deref().map(Output::prepare).transpose()?;
    let messages = options.messages.as_deref().map(messages).transpose()?;
    let begun = Instant::now();
    let result = {
        let _alive = Alive::tell("building the machine and running it");
        experiment::run(&read.value, options.recorder())
    };
    let wall_s = begun.elapsed().as_secs_f64();
    let record = Record::of(&read, &result);
    let host = (!options.no_host).then_some((wall_s, result.events));
    let sure = options.uncertainty.then(|| options.sure(&subject, &result)).transpose()?;
    output::print(&match options.format {
        Format::Text => {
            let sure = sure.map(|sure| run_text::sure(&sure)).unwrap_or_default();
            run_text::text(subject.name(), &result, &record, host, &options.ask()) + &sure
        }
        Format::Json => {
            let record = match host {
                Some((wall_s, events)) => record.with_host(wall_s, events),
                None => record,
            };
            sure.map_or(record.clone(), |sure| record.with_uncertainty(&sure)).pretty()
        }
    })?;
    if let (Some(trace), Some(path)) = (trace, &options.trace) {
        write_trace(trace, path, &result.timeline)?;
    }
    if let (Some(pcap), Some(path)) = (pcap, &options.pcap) {
        capture::write(pcap, path, &read.value, &result.packets)?;
    }
    if let (Some((out, encoding)), Some(path)) = (messages, &options.messages) {
        write_messages(out, encoding, path, &read.value, &result)?;
    }
    Ok(told(&result))
}

/// Where messages are written, and how.
fn messages(path: &Path) -> Result<(Output, Encoding), Failure> {
    let encoding = Encoding::of(path).ok_or_else(|| {
        let problem = Problem::new(format!("`{}`: messages are not written in this form", path.display()));
        problem.help("name a file that ends in `.csv`, `.jsonl` or `.parquet`")
    })?;
    Ok((Output::prepare(path)?, encoding))
}

fn write_messages(
    out: Output,
    encoding: Encoding,
    path: &Path,
    machine: &Machine,
    result: &RunResult,
) -> Result<(), Failure> {
    let data = tidy::messages(&result.deliveries, &machine.end_names());
    let bytes = data.bytes(encoding).map_err(Problem::new)?;
    out.write(|file| file.write_all(&bytes))?;
    tell!("Wrote {} messages to `{}`.", data.rows(), path.display());
    Ok(())
}

impl Options {
    /// The `--set` options, `--seed` last.
    fn sets(&self) -> Vec<String> {
        let seed = self.seed.map(|seed| format!("run.seed={seed}"));
        self.subject.sets.iter().cloned().chain(seed).collect()
    }

    /// The command that asks what would change.
    fn ask(&self) -> String {
        let file = self.subject.file.to_string_lossy();
        let sets = self.sets().into_iter().map(|set| format!(" --set {}", quoted(&set)));
        format!("narrows whatif {}{}", quoted(&file), sets.collect::<String>())
    }

    /// How sure the metrics of a run are, with a bar on standard error if that is a terminal.
    fn sure(&self, subject: &subject::Subject, result: &RunResult) -> Result<Vec<MetricUncertainty>, Failure> {
        let sets = self.sets();
        let reader = |varied: &[String]| subject.read_varied(&sets, varied);
        let style = ProgressStyle::with_template("{bar:40} {pos}/{len} runs, {eta} left").expect("a template");
        let bar = ProgressBar::new(0).with_style(style);
        let sure = single::sure(&reader, &result.metrics, &|runs| bar.set_length(runs as u64), &|| bar.inc(1));
        bar.finish_and_clear();
        Ok(sure?)
    }

    fn recorder(&self) -> Recorder {
        let recorder = match &self.trace {
            Some(_) => Recorder::keeping(self.trace_spans as usize),
            None => Recorder::off(),
        };
        let recorder = if self.messages.is_some() { recorder.with_messages() } else { recorder };
        if self.pcap.is_some() { recorder.with_packets() } else { recorder }
    }
}

fn write_trace(trace: Output, path: &Path, timeline: &Timeline) -> Result<(), Failure> {
    trace.write(|out| perfetto::write(timeline, out))?;
    let (kept, dropped) = (timeline.spans.len(), timeline.dropped);
    tell!("Wrote {kept} spans to `{}`.", path.display());
    if kept == 0 {
        tell!("Nothing was at work in this run that a trace could tell of.");
    }
    if dropped > 0 {
        tell!("The last {dropped} spans were dropped: --trace-spans {} would keep all.", kept as u64 + dropped);
    }
    Ok(())
}

/// A word as a shell takes it.
fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./=:,+".contains(c);
    match !word.is_empty() && word.chars().all(is_plain) {
        true => word.to_owned(),
        false => format!("'{}'", word.replace('\'', "'\\''")),
    }
}

/// Says on standard error why a run did not end by itself.
fn told(result: &RunResult) -> Ending {
    let Some(stuck) = record::stuck(&result.outcome) else { return Ending::Done };
    let how = match result.outcome {
        Outcome::TimeLimit(_) if stuck.at == Time::END => "reached the end of simulated time".to_owned(),
        Outcome::TimeLimit(_) => "reached its limit of simulated time, `run.time-limit`,".to_owned(),
        _ => format!("ended in a {}", record::outcome_name(&result.outcome)),
    };
    tell!("The run {how} {stuck}");
    Ending::Stuck
}
