//! `narrows whatif`: what would change if a number of the machine were another.

use super::ending::{Ended, Ending, Failure};
use super::{Format, output, subject};
use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};
use narrows_study::experiment::whatif::{self, Gain, Inquiry, LEAST, WhatIf};
use narrows_study::report::number::{percent, unit};
use narrows_study::report::{Cell, Column, ReportTable};

const EXAMPLES: &str = "\
Examples:
  narrows whatif ping-pong
  narrows whatif stream --metric message.latency_one_way_p99 --by 4
  narrows whatif stream --set ni.trapeze.policy=store-and-forward --format json

Each number of the machine's parts is multiplied, and divided, one at a time, and the workload run
again. A ratio says how many times better the metric is: more of a rate, less of a time.";

/// Tries every number of a machine larger and smaller: what gains, what binds, what changes nothing.
#[derive(Args)]
#[group(skip)]
#[command(after_help = EXAMPLES)]
pub struct Options {
    #[command(flatten)]
    subject: subject::Options,
    /// The metric; by default the one that the program is run for
    #[arg(long, value_name = "NAME")]
    metric: Option<String>,
    /// By what numbers are multiplied and divided, more than 1
    #[arg(long, value_name = "FACTOR", default_value = "2", value_parser = factor)]
    by: f64,
    /// How many runs are made at once; by default as many as there are processors
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=1024))]
    jobs: Option<u64>,
    /// Show all gains and losses, not only the largest
    #[arg(long)]
    all: bool,
    /// The form of the result
    #[arg(long, value_enum, default_value_t = Format::Text, value_name = "FORMAT")]
    format: Format,
}

/// A factor, from the command line.
fn factor(text: &str) -> Result<f64, String> {
    let factor = text.parse::<f64>().map_err(|error| error.to_string())?;
    match (1.001..=1000.0).contains(&factor) {
        true => Ok(factor),
        false => Err("it must be more than 1, and at most 1000".to_owned()),
    }
}

/// Tries.
pub fn run(options: &Options) -> Ended {
    let subject = options.subject.subject()?;
    let pool = rayon::ThreadPoolBuilder::new().num_threads(options.jobs.unwrap_or(0) as usize).build();
    let pool = pool
        .map_err(|error| Failure::from(narrows_core::text::Problem::new(format!("cannot start the jobs: {error}"))))?;
    let reader = |sets: &[String]| subject.read_varied(&options.subject.sets, sets);
    let experiment = Inquiry { reader: &reader, metric: options.metric.as_deref(), by: options.by };
    let style = ProgressStyle::with_template("{bar:40} {pos} of some {len} runs, {eta} left").expect("a template");
    let bar = ProgressBar::new(2 * experiment.runs() as u64).with_style(style);
    let found = pool.install(|| experiment.run(&|| bar.inc(1)));
    bar.finish_and_clear();
    let found = found.map_err(|failure| match failure {
        whatif::Unanswered::Unsound(problems) => Failure::from(problems),
        whatif::Unanswered::Unasked(problem) => Failure::from(problem),
    })?;
    output::print(&match options.format {
        Format::Text => text(&found, options.all),
        Format::Json => format!("{:#}\n", found.json()),
    })?;
    Ok(Ending::Done)
}

/// How many gains and losses are shown of those there are.
const SHOWN: usize = 8;

fn text(found: &WhatIf, all: bool) -> String {
    let metric = &found.metric;
    let mut text = format!("{} is {:.3} {}\n", metric.name, metric.value, unit(metric.unit));
    if !found.shorter.is_empty() {
        text += &format!("tried with {}, where it is within 0.2 % of that\n", found.shorter.join(", "));
    }
    text.push('\n');
    let gains: Vec<&Gain> = found.gains.iter().filter(|gain| gain.ratio >= LEAST).collect();
    let losses: Vec<&Gain> = found.gains.iter().rev().filter(|gain| gain.ratio <= 1.0 / LEAST).collect();
    let shown = if all { usize::MAX } else { SHOWN };
    text += &table("what would gain", &gains, shown);
    text += &table("what would cost", &losses, shown);
    text += &binds(found, gains.first().copied());
    if !found.dead.is_empty() {
        text += "\nThese change nothing here:\n";
        for dead in &found.dead {
            let reason = if dead.reason.is_empty() { String::new() } else { format!(": {}", dead.reason) };
            text += &format!("  {}{reason}\n", dead.key);
        }
    }
    if !found.refused.is_empty() {
        text += "\nThese could not be tried:\n";
        found.refused.iter().for_each(|(change, why)| text += &format!("  {change}: {why}\n"));
    }
    text
}

fn table(head: &str, gains: &[&Gain], shown: usize) -> String {
    if gains.is_empty() {
        return String::new();
    }
    let better = Column::new("times better").decimals(3);
    let mut table = ReportTable::new(vec![Column::new(head), Column::new("from"), Column::new("to"), better]);
    for gain in gains.iter().take(shown) {
        let Gain { key, before, value, ratio, .. } = gain;
        table.push(vec![key.as_str().into(), before.as_str().into(), value.as_str().into(), Cell::from(*ratio)]);
    }
    let more = gains.len().saturating_sub(shown);
    let more = if more > 0 { format!("({more} more: --all)\n") } else { String::new() };
    format!("{}{more}\n", table.text())
}

/// What really binds, and what does after it.
fn binds(found: &WhatIf, first: Option<&Gain>) -> String {
    let (Some(first), Some(next)) = (first, &found.next) else {
        return "No number binds by itself: none gains 1 %.\n".to_owned();
    };
    let mut text = format!("{} binds: {} gains {}.", first.key, first.value, percent(first.ratio - 1.0));
    text += &format!(" From {} on, {} in all, it gains no more", next.value, percent(next.ratio - 1.0));
    match &next.gain {
        Some(gain) => text += &format!("; then {} binds.\n", gain.key),
        None => text += "; then nothing binds by itself.\n",
    }
    text
}
