//! `narrows sweep`: many runs, their results as one table.

use super::candidates;
use super::ending::{Ended, Ending, Failure};
use super::output::{self, Output, unwritable};
use super::progress::Progress;
use super::subject::{self, Subject};
use super::sweep_find;
use super::sweep_seeds as replicated;
use super::sweep_table as table;
use crate::experiment::points::Points;
use crate::experiment::seeds::{self, SEEDS_MAX};
use crate::experiment::sweep::plan::SweepPlan;
use crate::experiment::sweep::{Checked, Faulty, Going, Share, Stops, Sweep, SweepEvent, SweepPoint, dimensions};
use crate::experiment::tidy;
use crate::report::dataset::Encoding;
use crate::text::{Problem, Problems, suggest};
use clap::{Args, ValueEnum};
use std::io::Write;
use std::path::{Path, PathBuf};

const EXAMPLES: &str = "\
Values of --vary:
  1,2,4                   separated by commas
  64 B,1 KiB,8 KiB        with units; quote the whole for the shell
  0.05..0.5+0.05          from, to, by steps; the end belongs to it where it is met
  64 B..8 KiB*2           from, to, times a factor
  0..1.0+lin5             five values from end to end, by equal steps
  1 us..1 ms*log9         nine values from end to end, by equal factors, to four digits
  [1,2],[3,4]  'a,b',c    commas in brackets and quotes belong to a value
  A=1,2;B=3,4             A and B together: 1 with 3, then 2 with 4
  ni=cni32qm,udma         shipped parts by name; host, protocol and fabric, too

Examples:
  narrows sweep stream --vary 'workload.stream.payload=128 B..8 KiB*2'
  narrows sweep ping-pong --vary ni.trapeze.policy=store-and-forward,adaptive-cut-through \\
                          --vary run.seed=1,2,3 --out policies.csv
  narrows sweep memory-bus --vary ni=cni32qm,udma,ni2w --vary 'workload.ping-pong.payload=16 B..256 B*2'
  narrows sweep offered-load --vary workload.offered.load=0.05..0.6+0.05 --seeds 5 --stop-at-saturation
  narrows sweep stream --find 'message.bandwidth >= 60 MB/s' --over 'workload.stream.payload=64 B..8 KiB*2'
  narrows sweep memory-bus --find message.latency_one_way --over 'workload.ping-pong.payload=16 B..256 B*2' \\
                           --against memory-bus --against-set ni=udma

With --out F, each finished point is kept in the folder F.points: a sweep that was stopped and is
started again runs only what is missing, and several processes may work on one F. For a cluster, give
each job its share, and put the shares together at the end:
  sbatch --array=1-8 --wrap 'narrows sweep … --out F --shard $SLURM_ARRAY_TASK_ID/8'
  narrows merge F

A point that ends stuck is a row like others; the exit code is then 3. A point that is saturated is
one, too, and is no failure.";

/// Runs a description with every combination of varied values, on all processors.
#[derive(Args)]
#[group(skip)]
#[command(after_help = EXAMPLES)]
pub struct Options {
    #[command(flatten)]
    subject: subject::Options,
    /// A key and its values; repeated, every combination is run, the last key varying fastest
    #[arg(long, value_name = "KEY=V1,V2,…", required_unless_present = "find", add = candidates::settings())]
    vary: Vec<String>,
    /// How many points are run at once; by default as many as there are processors
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=1024))]
    jobs: Option<u64>,
    /// The form of the result; by default as --out ends: .csv, .jsonl, .parquet, .json or .txt
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
    /// Along the last --vary, leave out what lies behind the first value that is saturated with every seed
    #[arg(long)]
    stop_at_saturation: bool,
    /// Run one of N shares of the points, and keep them beside --out: `narrows merge` makes the table
    #[arg(long, value_name = "I/N", requires = "out", value_parser = share)]
    shard: Option<Share>,
    /// Find where a metric passes a value, by bisection over --over, at each point of --vary if there is one
    #[arg(long, value_name = "METRIC >= VALUE", requires = "over")]
    #[arg(conflicts_with_all = ["seeds", "shard", "stop_at_saturation", "metrics"])]
    find: Option<String>,
    /// The key that --find goes over, and its ends; with a step, as 64 B..8 KiB*2, only those values are tried
    #[arg(long, value_name = "KEY=LOW..HIGH", requires = "find")]
    over: Option<String>,
    /// Find where the metric of FILE and that of this description meet: --find names the metric alone
    #[arg(long, value_name = "FILE2", requires = "find")]
    against: Option<PathBuf>,
    /// Sets a value of FILE2, as --set does of FILE; may be repeated
    #[arg(long = "against-set", value_name = "KEY=VALUE", requires = "against")]
    against_sets: Vec<String>,
}

/// The forms of a sweep's result.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// For reading
    Text,
    /// Tidy data as comma-separated values: numbers in base units, the unit in the column's name
    Csv,
    /// The same as an object a line
    Jsonl,
    /// The same as Apache Parquet
    Parquet,
    /// For programs, in the units and words of `narrows run --format json`
    Json,
}

impl Format {
    /// How tidy data is written in this form.
    pub fn encoding(self) -> Option<Encoding> {
        match self {
            Format::Csv => Some(Encoding::Csv),
            Format::Jsonl => Some(Encoding::JsonLines),
            Format::Parquet => Some(Encoding::Parquet),
            Format::Text | Format::Json => None,
        }
    }
}

/// `I/N`, from the command line.
fn share(text: &str) -> Result<Share, String> {
    let numbers = text.split_once('/').and_then(|(i, n)| Some((i.trim().parse().ok()?, n.trim().parse().ok()?)));
    match numbers {
        Some((number, of)) if (1..=of).contains(&number) => Ok(Share { number, of }),
        _ => Err("write I/N, the I-th of N shares, such as 1/8 to 8/8".to_owned()),
    }
}

/// Sweeps.
pub fn run(options: &Options) -> Ended {
    let subject = options.subject.subject()?;
    options.form()?;
    let mut dimensions = dimensions(&options.vary, &options.subject.sets).map_err(no_values)?;
    if options.find.is_some() {
        return sweep_find::run(options, &subject, &dimensions);
    }
    if let Some(count) = options.seeds {
        dimensions.push(seeds::dimension(
            &|varied| subject.read_varied(&options.subject.sets, varied),
            &dimensions,
            count,
        )?);
    }
    let pool = pool(options.jobs)?;
    let reader = |varied: &[String]| subject.read_varied(&options.subject.sets, varied);
    let sweep = Sweep { reader: &reader, dimensions: &dimensions };
    let count = sweep.points();
    let known = sweep.unknown_metric(&options.metrics);
    let checked = pool.install(|| sweep.check()).map_err(|found| faults(found, count))?;
    known.map_or(Ok(()), |unknown| Err(Failure::from(unknown)))?;
    let out = options.out.as_deref().map(|path| Ok::<_, Failure>((Output::prepare(path)?, points(path)?)));
    let (out, points) = out.transpose()?.unzip();
    let seeds = (options.seeds, options.stop_at_saturation);
    let plan = SweepPlan::new(&dimensions, checked.inputs(), seeds, &options.metrics);
    if let (Some(points), true) = (&points, options.shard.is_some()) {
        points.keep_plan(&plan.text()).map_err(|error| unwritable(points.folder(), &error))?;
    }
    if points.is_none() {
        tell!("Without --out no point is kept: if this sweep is stopped, it starts anew.");
    }
    let rows = pool.install(|| runs(&checked, points.as_ref(), options.shard, plan.lines))?;
    match (options.shard, out) {
        (Some(share), _) => {
            let path = options.out.as_deref().unwrap_or(Path::new("F")).display();
            tell!("This was shard {} of {}. When all are run: narrows merge {path}", share.number, share.of);
        }
        (None, out) => pool.install(|| write(&plan, &rows, options.form()?, out))?,
    }
    Ok(told(&rows))
}

/// Writes the table of a sweep.
pub fn write(plan: &SweepPlan, rows: &[SweepPoint], format: Format, out: Option<Output>) -> Result<(), Failure> {
    put(&bytes(plan, rows, format)?, out)
}

/// Writes a result to where it goes.
pub fn put(bytes: &[u8], out: Option<Output>) -> Result<(), Failure> {
    match out {
        Some(out) => out.write(|file| file.write_all(bytes)),
        None => output::print_bytes(bytes),
    }
}

fn bytes(plan: &SweepPlan, rows: &[SweepPoint], format: Format) -> Result<Vec<u8>, Failure> {
    if let Some(encoding) = format.encoding() {
        return plan.dataset(rows).bytes(encoding).map_err(|why| Problem::new(why).into());
    }
    let metrics = tidy::metrics(rows, &plan.metrics);
    let seeded = plan.seeds.map(|seeds| tidy::replicated(rows, seeds as usize, &metrics));
    let text = match (&seeded, format) {
        (Some(points), Format::Json) => replicated::json(points),
        (Some(points), _) => replicated::table(points, &metrics).text(),
        (None, Format::Json) => table::json(rows, &metrics),
        (None, _) => table::table(rows, &metrics).text(),
    };
    Ok(text.into_bytes())
}

impl Options {
    /// The settings of FILE.
    pub fn sets(&self) -> &[String] {
        &self.subject.sets
    }

    /// Where the result goes.
    pub fn out(&self) -> Option<&Path> {
        self.out.as_deref()
    }

    /// How many runs go at once.
    pub fn jobs(&self) -> Option<u64> {
        self.jobs
    }

    /// What is to be found.
    pub fn find(&self) -> Option<&str> {
        self.find.as_deref()
    }

    /// Over what.
    pub fn over(&self) -> Option<&str> {
        self.over.as_deref()
    }

    /// The other description, and its settings.
    pub fn against(&self) -> Result<Option<(Subject, &[String])>, Failure> {
        let Some(file) = &self.against else { return Ok(None) };
        let options = subject::Options { file: file.clone(), sets: Vec::new() };
        Ok(Some((options.subject()?, &self.against_sets)))
    }

    /// The form of the result.
    pub fn form(&self) -> Result<Format, Failure> {
        form(self.format, self.out.as_deref())
    }
}

/// The form that is asked for, or else that of the file's ending. Parquet is no text: it needs a file.
pub fn form(asked: Option<Format>, out: Option<&Path>) -> Result<Format, Failure> {
    let form = match (asked, out) {
        (Some(asked), _) => asked,
        (None, Some(out)) => of_ending(out)?,
        (None, None) => Format::Text,
    };
    if form == Format::Parquet && out.is_none() {
        return Err(Problem::new("Parquet is no text to be shown").help("name a file: --out F.parquet").into());
    }
    Ok(form)
}

/// The endings of files, and what they mean.
const ENDINGS: [(&str, Format); 6] = [
    ("csv", Format::Csv),
    ("jsonl", Format::Jsonl),
    ("ndjson", Format::Jsonl),
    ("parquet", Format::Parquet),
    ("json", Format::Json),
    ("txt", Format::Text),
];

/// A file without an ending holds text.
fn of_ending(out: &Path) -> Result<Format, Failure> {
    let Some(ending) = out.extension() else { return Ok(Format::Text) };
    let ending = ending.to_string_lossy();
    let known = ENDINGS.iter().find(|(known, _)| *known == ending).map(|(_, format)| *format);
    known.ok_or_else(|| {
        let names = || ENDINGS.iter().map(|(name, _)| *name);
        let problem = Problem::new(format!("`{}`: no form of a result ends in `.{ending}`", out.display()));
        let near = suggest::nearest(&ending, names()).map(|near| format!("did you mean `.{near}`?"));
        let problem = problem.help(near.unwrap_or_default());
        problem.help(format!("the endings are {}; or say --format", suggest::phrase(names()))).into()
    })
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
    Failure::grouped(faults.into_iter().map(|faulty| (faulty.head(points), faulty.problem)).collect())
}

/// The folder of finished points beside a result.
pub fn points(out: &Path) -> Result<Points, Failure> {
    Points::beside(out).map_err(|error| unwritable(out, &error))
}

/// Tells what happened to a point.
pub fn happened(progress: &Progress, event: SweepEvent) {
    match event {
        SweepEvent::Finished { kept } => progress.finished(kept),
        SweepEvent::Corrupt(path, why) => {
            progress.tell(&format!("warning: `{}` is no finished point: {why}; running it again", path.display()));
        }
    }
}

/// Runs what is not kept, and tells how far it is.
pub fn runs(
    checked: &Checked<'_>,
    points: Option<&Points>,
    share: Option<Share>,
    lines: Option<Stops>,
) -> Result<Vec<SweepPoint>, Failure> {
    let (all, distinct) = checked.points();
    let to_do = checked.to_do(&Going { points, share, lines, tell: &|_| () });
    let progress = Progress::begin("points", to_do, points.map(Points::folder));
    let going = Going { points, share, lines, tell: &|event| happened(&progress, event) };
    let rows = checked.run(&going).map_err(|error| Problem::new(format!("cannot keep a point: {error}")))?;
    let (run, kept) = progress.end();
    let like_others = if all > distinct { format!(", {} like another", all - distinct) } else { String::new() };
    let share = share.map(|share| format!(", shard {} of {}", share.number, share.of)).unwrap_or_default();
    tell!("{all} points{share}: {run} run, {kept} kept before{like_others}.");
    if lines.is_some() && rows.len() < to_do {
        tell!("{} points lie behind saturated ones, and are left out.", to_do - rows.len());
    }
    Ok(rows)
}

/// Says on standard error which points did not end by themselves.
pub fn told(rows: &[SweepPoint]) -> Ending {
    let saturated = rows.iter().filter(|row| *row.result.outcome == *"saturated").count();
    if saturated > 0 {
        tell!("{saturated} of {} runs are saturated: the queues of their sources only grew.", rows.len());
    }
    let is_stuck = |row: &&SweepPoint| !["done", "saturated"].contains(&&*row.result.outcome);
    let stuck: Vec<&SweepPoint> = rows.iter().filter(is_stuck).collect();
    for row in &stuck {
        let wait = row.result.stuck.as_ref().map(|wait| format!(": {wait}"));
        let (values, outcome) = (table::values(&row.values), &row.result.outcome);
        tell!("The point {values} ended in a {outcome}{}.", wait.unwrap_or_default());
    }
    if stuck.is_empty() { Ending::Done } else { Ending::Stuck }
}
