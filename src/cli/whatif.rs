//! `narrows whatif`: the bottleneck of a machine, by experiment.

use super::exit::{CommandResult, ExitStatus, Failure};
use super::progress::{self, Progress};
use super::sweep_runs::pool;
use super::{Format, input, output};
use clap::Args;
use narrows_core::text::{Problem, Problems};
use narrows_study::experiment::whatif::{self, WhatIfError, WhatIfQuery};

const EXAMPLES: &str = "\
Examples:
  narrows whatif ping-pong
  narrows whatif stream --metric message.latency_one_way_p90 --by 4
  narrows whatif stream --set ni.trapeze.policy=store-and-forward --format json

The bottleneck is the resource whose speed-up improves the metric most. A trial
makes all parameters of a resource faster or slower together, by the factor of
--by. Further trials speed up pairs of the resources that matter most, and
single parameters. For choices, up to four other words are tried, and for
numbers that are 0 up to three values; at most 64 such runs, unless --all is
given.
A ratio above 1 is an improvement of the metric: a higher rate, or a shorter
time.";

/// Find the bottleneck by experiment: speed up resources, pairs of them and parameters, and report what helps
#[derive(Args)]
#[group(skip)]
#[command(after_help = EXAMPLES)]
pub struct Options {
    #[command(flatten)]
    subject: input::Options,
    /// Metric to improve [default: the objective of the workload]
    #[arg(long, value_name = "NAME", value_parser = input::metric_name)]
    metric: Option<String>,
    /// Factor by which resources and parameters are made faster and slower; more than 1
    #[arg(long, value_name = "FACTOR", default_value = "2", value_parser = parse_factor)]
    by: f64,
    /// Number of parallel jobs [default: CPU count]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=1024))]
    jobs: Option<u64>,
    /// Show all gains and losses, not only the largest, and make all trials even if each run is long
    #[arg(long)]
    all: bool,
    /// Output format
    #[arg(long, value_enum, default_value_t = Format::Text, value_name = "FORMAT")]
    format: Format,
}

/// The note of an analysis that was stopped.
const STOPPED_NOTE: &str = "Stopped by Ctrl-C";

/// Parses a factor.
fn parse_factor(text: &str) -> Result<f64, String> {
    let factor = text.parse::<f64>().map_err(|error| error.to_string())?;
    match (1.001..=1000.0).contains(&factor) {
        true => Ok(factor),
        false => Err("it must be more than 1, and at most 1000".to_owned()),
    }
}

/// Runs the command.
pub fn run(options: &Options) -> CommandResult {
    let subject = options.subject.subject()?;
    let pool = pool(options.jobs)?;
    let progress = Progress::start("runs", 1, None);
    progress::stop_on_interrupt();
    // After Ctrl-C, no further trial begins: its description is refused.
    let reader = |varied: &[String]| match progress::is_stopped() {
        true => Err(Problems::from_problem(Problem::new(STOPPED_NOTE))),
        false => subject.read_varied(&options.subject.sets, varied),
    };
    let (metric, thorough) = (options.metric.as_deref(), options.all);
    let query = WhatIfQuery { reader: &reader, metric, factor: options.by, thorough };
    let jobs = pool.current_num_threads();
    let result = pool.install(|| {
        query.run(&|step| match step {
            whatif::TrialProgress::Expected(runs) => progress.expect(runs, jobs),
            whatif::TrialProgress::RunEnded => progress.count_finished(false),
        })
    });
    let is_stopped = progress::is_stopped();
    let (runs, _) = progress.finish();
    let mut analysis = result.map_err(|failure| match failure {
        WhatIfError::Invalid(problems) => Failure::from(problems),
        WhatIfError::Unmeasurable(problem) => Failure::from(problem),
    })?;
    if is_stopped {
        analysis.refused.retain(|refusal| refusal.reason != STOPPED_NOTE);
        analysis.notes.push(format!("{STOPPED_NOTE} after {runs} runs: the result below is incomplete."));
    }
    let status =
        output::print_result(options.format, || whatif::text::text(&analysis, options.all), || analysis.json())?;
    Ok(if is_stopped { ExitStatus::Interrupted } else { status })
}
