//! `narrows sweep`: many runs, their results as one table.

use super::ending::{Ended, Ending, Failure};
use super::output::{self, Output, unwritable};
use super::subject;
use super::sweep_seeds as replicated;
use super::sweep_table as table;
use crate::study::points::Points;
use crate::study::seeds::{self, SEEDS_MAX};
use crate::study::sweep::{Checked, Event, Faulty, POINTS_MAX, Point, Sweep, varies};
use crate::study::vary::{self, Vary};
use crate::text::{Problem, Problems};
use clap::{Args, ValueEnum};
use indicatif::{ProgressBar, ProgressStyle};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

const EXAMPLES: &str = "\
Values of --vary:
  1,2,4                   separated by commas
  64 B,1 KiB,8 KiB        with units; quote the whole for the shell
  64 B..8 KiB*2           from, to, times a factor
  0..100+10               from, to, by steps; the end belongs to it where it is met
  [1,2],[3,4]  'a,b',c    commas in brackets and quotes belong to a value

Examples:
  narrows sweep stream --vary 'workload.stream.payload=128 B..8 KiB*2'
  narrows sweep stream --vary ni.trapeze.policy=store-and-forward,adaptive-cut-through \\
                       --vary run.seed=1,2,3 --out policies.csv
  narrows sweep offered-load --vary workload.offered.load=0.2,0.4,0.6 --seeds 5

With --out F, each finished point is kept in the folder F.points: a sweep that was stopped and is
started again runs only what is missing. A point that ends stuck is a row like others; the exit
code is then 3. A point that is saturated is one, too, and is no failure.";

/// Runs a description with every combination of varied values, on all processors.
#[derive(Args)]
#[group(skip)]
#[command(after_help = EXAMPLES)]
pub struct Options {
    #[command(flatten)]
    subject: subject::Options,
    /// A key and its values; repeated, every combination is run, the last key varying fastest
    #[arg(long, value_name = "KEY=V1,V2,…", required = true)]
    vary: Vec<String>,
    /// How many points are run at once; by default as many as there are processors
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=1024))]
    jobs: Option<u64>,
    /// The form of the result; by default as --out ends (.csv, .json), else text
    #[arg(long, value_enum, value_name = "FORMAT")]
    format: Option<Format>,
    /// Write the result here, not to standard output, and keep finished points beside it
    #[arg(long, value_name = "F")]
    out: Option<PathBuf>,
    /// Show only this metric; may be repeated
    #[arg(long = "metric", value_name = "NAME")]
    metrics: Vec<String>,
    /// Run each point with N seeds, from run.seed on: the mean of each metric, and its 95 % interval
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(2..=SEEDS_MAX))]
    seeds: Option<u64>,
}

/// The forms of a sweep's result.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// For reading
    Text,
    /// For spreadsheets, with all digits
    Csv,
    /// For programs
    Json,
}

/// Sweeps.
pub fn run(options: &Options) -> Ended {
    let subject = options.subject.subject()?;
    let mut varies = varies(&options.vary, &options.subject.sets).map_err(no_values)?;
    if let Some(count) = options.seeds {
        varies.push(seeds_vary(&subject, &options.subject.sets, &varies, count)?);
    }
    let pool = pool(options.jobs)?;
    let reader = |varied: &[String]| subject.read_varied(&options.subject.sets, varied);
    let sweep = Sweep { reader: &reader, varies: &varies };
    let count = sweep.points();
    let checked = pool.install(|| sweep.check()).map_err(|found| faults(found, count))?;
    let out = options.out.as_deref().map(|path| Ok::<_, Failure>((Output::prepare(path)?, points(path)?)));
    let (out, points) = out.transpose()?.unzip();
    if points.is_none() {
        eprintln!("Without --out no point is kept: if this sweep is stopped, it starts anew.");
    }
    let rows = pool.install(|| runs(&checked, points.as_ref()))?;
    let text = options.text(&rows)?;
    match out {
        Some(out) => out.write(|file| file.write_all(text.as_bytes()))?,
        None => output::print(&text)?,
    }
    Ok(told(&rows))
}

impl Options {
    fn format(&self) -> Format {
        let ending = self.out.as_ref().and_then(|path| path.extension()).and_then(|ending| ending.to_str());
        self.format.unwrap_or(match ending {
            Some("csv") => Format::Csv,
            Some("json") => Format::Json,
            _ => Format::Text,
        })
    }

    fn text(&self, rows: &[Point]) -> Result<String, Failure> {
        let metrics = table::choose(rows, &self.metrics)?;
        if let Some(seeds) = self.seeds {
            let points = replicated::points(rows, seeds as usize, &metrics);
            return Ok(match self.format() {
                Format::Text => replicated::table(&points, &metrics, true).text(),
                Format::Csv => replicated::table(&points, &metrics, false).csv(),
                Format::Json => replicated::json(&points),
            });
        }
        Ok(match self.format() {
            Format::Text => table::table(rows, &metrics).text(),
            Format::Csv => table::table(rows, &metrics).csv(),
            Format::Json => table::json(rows, &metrics),
        })
    }
}

/// The seeds of each point, as one more key that varies.
fn seeds_vary(subject: &subject::Subject, sets: &[String], varies: &[Vary], count: u64) -> Result<Vary, Failure> {
    let names = |key: &str| vary::names(&format!("{key}=0")).ok();
    if varies.iter().any(|vary| names(&vary.key) == names(seeds::KEY)) {
        let problem = Problem::new("`run.seed` is varied, and --seeds varies it, too");
        return Err(problem.help("leave out one of the two").into());
    }
    let points: usize = varies.iter().map(|vary| vary.values.len()).product();
    if points.saturating_mul(count as usize) > POINTS_MAX {
        let problem = Problem::new(format!("the sweep has more than {POINTS_MAX} runs"));
        return Err(problem.help("vary fewer values, or take fewer seeds").into());
    }
    let first: Vec<String> = varies.iter().map(|vary| format!("{}={}", vary.key, vary.values[0])).collect();
    // What is wrong with the first point is told with all others.
    let seed = subject.read_varied(sets, &first).map_or(0, |read| read.value.run.seed);
    Ok(seeds::vary(seed, count))
}

/// Threads for so many runs at once; as many as there are processors if it is not said.
pub fn pool(jobs: Option<u64>) -> Result<rayon::ThreadPool, Failure> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(jobs.unwrap_or(0) as usize).build();
    pool.map_err(|error| Problem::new(format!("cannot start the jobs: {error}")).into())
}

fn no_values(problems: Vec<Problem>) -> Failure {
    Failure::grouped(problems.into_iter().map(|problem| (String::new(), Problems::one(problem))).collect())
}

/// Problems of points, each under the points that have it.
pub fn faults(faults: Vec<Faulty>, points: usize) -> Failure {
    let head = |faulty: &Faulty| match faulty.points {
        1 => format!("At the point {}:", table::values(&faulty.first)),
        n if n == points => format!("At every point, the first of them {}:", table::values(&faulty.first)),
        n => format!("At {n} points, the first of them {}:", table::values(&faulty.first)),
    };
    Failure::grouped(faults.into_iter().map(|faulty| (head(&faulty), faulty.problem)).collect())
}

fn points(out: &Path) -> Result<Points, Failure> {
    Points::beside(out).map_err(|error| unwritable(out, &error))
}

/// Runs what is not kept, with a bar on standard error if that is a terminal.
pub fn runs(checked: &Checked<'_>, points: Option<&Points>) -> Result<Vec<Point>, Failure> {
    let (all, distinct) = checked.points();
    let style = ProgressStyle::with_template("{bar:40} {pos}/{len} points, {eta} left").expect("a template");
    let bar = ProgressBar::new(distinct as u64).with_style(style);
    let kept_before = AtomicUsize::new(0);
    let tell = |event| match event {
        Event::Finished { kept } => {
            kept_before.fetch_add(usize::from(kept), Ordering::Relaxed);
            bar.inc(1);
        }
        Event::Corrupt(path, why) => bar.suspend(|| {
            eprintln!("warning: `{}` is no finished point: {why}; running it again", path.display());
        }),
    };
    let rows = checked.run(points, &tell).map_err(|error| Problem::new(format!("cannot keep a point: {error}")))?;
    bar.finish_and_clear();
    let kept_before = kept_before.into_inner();
    let like_others = if all > distinct { format!(", {} like another", all - distinct) } else { String::new() };
    eprintln!("{all} points: {} run, {kept_before} kept before{like_others}.", distinct - kept_before);
    Ok(rows)
}

/// Says on standard error which points did not end by themselves.
pub fn told(rows: &[Point]) -> Ending {
    let saturated = rows.iter().filter(|row| row.record.text("outcome") == "saturated").count();
    if saturated > 0 {
        eprintln!("{saturated} of {} runs are saturated: the queues of their sources only grew.", rows.len());
    }
    let is_stuck = |row: &&Point| !["done", "saturated"].contains(&row.record.text("outcome"));
    let stuck: Vec<&Point> = rows.iter().filter(is_stuck).collect();
    for row in &stuck {
        let first = row.record.get("stuck")["chain"].get(0);
        let wait = first.map(|wait| format!(": {} waits for {}", plain(&wait["task"]), plain(&wait["wants"])));
        let (values, outcome) = (table::values(&row.values), row.record.text("outcome"));
        eprintln!("The point {values} ended in a {outcome}{}.", wait.unwrap_or_default());
    }
    if stuck.is_empty() { Ending::Done } else { Ending::Stuck }
}

fn plain(json: &serde_json::Value) -> &str {
    json.as_str().unwrap_or_default()
}
