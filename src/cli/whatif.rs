//! `narrows whatif`: the sensitivity of a metric to the numeric parameters of a machine.

use super::exit::{CommandResult, ExitStatus, Failure};
use super::{Format, input, output};
use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};
use narrows_study::experiment::whatif::{self, GAIN_MIN, Gain, WhatIf, WhatIfQuery};
use narrows_study::report::number::{percent, unit};
use narrows_study::report::{Cell, Column, ReportTable};

const EXAMPLES: &str = "\
Examples:
  narrows whatif ping-pong
  narrows whatif stream --metric message.latency_one_way_p90 --by 4
  narrows whatif stream --set ni.trapeze.policy=store-and-forward --format json

Each numeric parameter of the machine's parts is multiplied and divided by the
factor, one at a time, and the workload is run again. A ratio above 1 is an
improvement of the metric: a higher rate, or a shorter time.";

/// Vary each numeric parameter up and down; report improvements, the bottleneck, and parameters with no effect
#[derive(Args)]
#[group(skip)]
#[command(after_help = EXAMPLES)]
pub struct Options {
    #[command(flatten)]
    subject: input::Options,
    /// Metric to improve [default: the objective of the workload]
    #[arg(long, value_name = "NAME")]
    metric: Option<String>,
    /// Factor by which parameters are multiplied and divided, above 1
    #[arg(long, value_name = "FACTOR", default_value = "2", value_parser = factor)]
    by: f64,
    /// Number of parallel jobs [default: CPU count]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=1024))]
    jobs: Option<u64>,
    /// Show all gains and losses, not only the largest
    #[arg(long)]
    all: bool,
    /// Output format
    #[arg(long, value_enum, default_value_t = Format::Text, value_name = "FORMAT")]
    format: Format,
}

/// Parses a factor.
fn factor(text: &str) -> Result<f64, String> {
    let factor = text.parse::<f64>().map_err(|error| error.to_string())?;
    match (1.001..=1000.0).contains(&factor) {
        true => Ok(factor),
        false => Err("it must be more than 1, and at most 1000".to_owned()),
    }
}

/// Runs the command.
pub fn run(options: &Options) -> CommandResult {
    let subject = options.subject.subject()?;
    let pool = rayon::ThreadPoolBuilder::new().num_threads(options.jobs.unwrap_or(0) as usize).build();
    let pool = pool
        .map_err(|error| Failure::from(narrows_core::text::Problem::new(format!("cannot start the jobs: {error}"))))?;
    let reader = |sets: &[String]| subject.read_varied(&options.subject.sets, sets);
    let experiment = WhatIfQuery { reader: &reader, metric: options.metric.as_deref(), factor: options.by };
    let style = ProgressStyle::with_template("{bar:40} {pos} of about {len} runs, {eta} left").expect("a template");
    let bar = ProgressBar::new(2 * experiment.runs() as u64).with_style(style);
    let found = pool.install(|| experiment.run(&|| bar.inc(1)));
    bar.finish_and_clear();
    let found = found.map_err(|failure| match failure {
        whatif::WhatIfError::Invalid(problems) => Failure::from(problems),
        whatif::WhatIfError::Unmeasurable(problem) => Failure::from(problem),
    })?;
    output::print(&match options.format {
        Format::Text => text(&found, options.all),
        Format::Json => format!("{:#}\n", found.json()),
    })?;
    Ok(ExitStatus::Done)
}

/// The number of gains and of losses that are shown.
const SHOWN: usize = 8;

fn text(found: &WhatIf, all: bool) -> String {
    let metric = &found.metric;
    let mut text = format!("{} is {:.3} {}\n", metric.name, metric.value, unit(metric.unit));
    if !found.shorter.is_empty() {
        text += &format!("runs are shortened with {}, which changes it by at most 0.2 %\n", found.shorter.join(", "));
    }
    text.push('\n');
    let gains: Vec<&Gain> = found.gains.iter().filter(|gain| gain.ratio >= GAIN_MIN).collect();
    let losses: Vec<&Gain> = found.gains.iter().rev().filter(|gain| gain.ratio <= 1.0 / GAIN_MIN).collect();
    let shown = if all { usize::MAX } else { SHOWN };
    text += &table("improvements", &gains, shown);
    text += &table("degradations", &losses, shown);
    text += &bottleneck(found, gains.first().copied());
    if !found.dead.is_empty() {
        text += "\nNo effect:\n";
        for dead in &found.dead {
            let reason = if dead.reason.is_empty() { String::new() } else { format!(": {}", dead.reason) };
            text += &format!("  {}{reason}\n", dead.key);
        }
    }
    if !found.refused.is_empty() {
        text += "\nNot possible:\n";
        found.refused.iter().for_each(|(change, why)| text += &format!("  {change}: {why}\n"));
    }
    text
}

fn table(head: &str, gains: &[&Gain], shown: usize) -> String {
    if gains.is_empty() {
        return String::new();
    }
    let better = Column::new("ratio").decimals(3);
    let mut table = ReportTable::new(vec![Column::new(head), Column::new("from"), Column::new("to"), better]);
    for gain in gains.iter().take(shown) {
        let Gain { key, before, value, ratio, .. } = gain;
        table.push(vec![key.as_str().into(), before.as_str().into(), value.as_str().into(), Cell::from(*ratio)]);
    }
    let more = gains.len().saturating_sub(shown);
    let more = if more > 0 { format!("({more} more with --all)\n") } else { String::new() };
    format!("{}{more}\n", table.text())
}

/// Returns the bottleneck, the point at which improving it gains no more, and the next bottleneck.
fn bottleneck(found: &WhatIf, first: Option<&Gain>) -> String {
    let (Some(first), Some(next)) = (first, &found.next) else {
        return "No bottleneck: no single parameter gains 1 %.\n".to_owned();
    };
    let mut text = format!("Bottleneck: {}. {} gives +{}.", first.key, first.value, percent(first.ratio - 1.0));
    text += &format!(" It saturates at +{} ({})", percent(next.ratio - 1.0), next.value);
    match &next.gain {
        Some(gain) => text += &format!("; the next bottleneck is {}.\n", gain.key),
        None => text += "; then no single parameter gains 1 %.\n",
    }
    text
}
