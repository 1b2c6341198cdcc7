//! `narrows sweep`: many runs, their results as one table.

use super::candidates;
use super::ending::{Ended, Failure};
use super::output::{Output, unwritable};
use super::sweep_find::{self, FindOptions};
use super::sweep_form::{Format, form, write};
use super::sweep_runs::{faults, points, pool, runs, told};
use super::{registry, subject};
use clap::Args;
use narrows_core::text::{Problem, Problems};
use narrows_study::experiment::seeds::{self, SEEDS_MAX};
use narrows_study::experiment::sweep::plan::SweepPlan;
use narrows_study::experiment::sweep::{Share, Sweep, dimensions};
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
    let mut dimensions = dimensions(registry(), &options.vary, &options.subject.sets).map_err(no_values)?;
    if let Some(find) = &options.find {
        return sweep_find::run(&options.search(find)?, &subject, &dimensions);
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

impl Options {
    /// Returns what `--find` asks for, as metric or condition `find`.
    fn search<'a>(&'a self, find: &'a str) -> Result<FindOptions<'a>, Failure> {
        let against = self.against.as_ref().map(|file| {
            let options = subject::Options { file: file.clone(), sets: Vec::new() };
            Ok::<_, Failure>((options.subject()?, self.against_sets.as_slice()))
        });
        Ok(FindOptions {
            find,
            over: self.over.as_deref().unwrap_or_default(),
            sets: &self.subject.sets,
            against: against.transpose()?,
            jobs: self.jobs,
            out: self.out.as_deref(),
            form: self.form()?,
        })
    }

    /// The form of the result.
    fn form(&self) -> Result<Format, Failure> {
        form(self.format, self.out.as_deref())
    }
}

fn no_values(problems: Vec<Problem>) -> Failure {
    Failure::grouped(problems.into_iter().map(|problem| (String::new(), Problems::one(problem))).collect())
}
