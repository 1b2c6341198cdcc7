//! `narrows sweep`: many runs, with their results in one table.

use super::completion_values;
use super::exit::{CommandResult, Failure};
use super::output::{Output, check_distinct, write_failure};
use super::sweep_find;
use super::sweep_form::{Format, format_for, write};
use super::sweep_runs::{exit_status, point_store, pool, runs};
use super::{input, registry};
use clap::Args;
use narrows_study::experiment::seeds::{self, SEEDS_MAX};
use narrows_study::experiment::sweep::plan::SweepPlan;
use narrows_study::experiment::sweep::{Shard, Sweep, dimensions, settings, values_of};
use narrows_study::experiment::vary::{Dimension, points_table};
use std::path::{Path, PathBuf};

const EXAMPLES: &str = "\
Values of --vary:
  1,2,4                   values separated by commas
  64 B,1 KiB,8 KiB        quantities; quote the option for the shell
  0.05..0.5+0.05          start, end, step; the end only if a step reaches it
  64 B..8 KiB*2           start, end, factor
  0..1.0+lin5             five values from start to end by equal steps
  1 us..1 ms*log9         nine values by equal factors, rounded to 4 digits
  [1,2],[3,4]  'a,b',c    commas in brackets and quotes belong to a value
  A=1,2;B=3,4             A and B together: 1 with 3, then 2 with 4
  ni=cni32qm,udma         shipped parts; also for host, protocol and fabric

Examples:
  narrows sweep stream --vary 'workload.stream.payload=128 B..8 KiB*2'
  narrows sweep ping-pong \\
      --vary ni.trapeze.policy=store-and-forward,adaptive-cut-through \\
      --vary run.seed=1,2,3 --out policies.csv
  narrows sweep memory-bus --vary ni=cni32qm,udma,ni2w \\
      --vary 'workload.ping-pong.payload=16 B..256 B*2'
  narrows sweep memory-bus --points points.csv --out predicted.csv
  narrows sweep offered-load --vary workload.offered.load=0.05..0.6+0.05 \\
      --seeds 5 --stop-at-saturation
  narrows sweep stream --find 'message.bandwidth >= 60 MB/s' \\
      --over 'workload.stream.payload=64 B..8 KiB*2'
  narrows sweep memory-bus --find message.latency_one_way \\
      --over 'workload.ping-pong.payload=16 B..256 B*2' \\
      --against memory-bus --against-set ni=udma

With --out F, each finished point is stored in the folder F.points. An
interrupted sweep that is started again runs only the missing points, and
several processes may work on the same F. On a cluster, run one shard in each
job, and merge the shards at the end:
  sbatch --array=1-8 --wrap \\
    'narrows sweep … --out F --shard $SLURM_ARRAY_TASK_ID/8'
  narrows merge F

Points that end in a deadlock or livelock, at a limit, or with messages lost are
written with the reason and their counts, and the exit code is 3. Saturated
points are not failures.";

/// Run a description with every combination of varied values, in parallel
#[derive(Args)]
#[group(skip)]
#[command(after_help = EXAMPLES)]
pub struct Options {
    #[command(flatten)]
    input: input::Options,
    /// Key and its values; may be repeated to run every combination, the last key varying fastest
    #[arg(long, value_name = "KEY=V1,V2,…", required_unless_present_any = ["find", "points"], add = completion_values::override_values())]
    vary: Vec<String>,
    /// CSV file of points: a column for each key, a row for each point; with --vary, every combination of both
    #[arg(long, value_name = "FILE.csv")]
    points: Option<PathBuf>,
    /// Number of parallel jobs [default: CPU count]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=1024))]
    jobs: Option<u64>,
    /// Output format [default: by the extension of --out: .csv, .jsonl, .parquet, .json or .txt]
    #[arg(long, value_enum, value_name = "FORMAT")]
    format: Option<Format>,
    /// Output file; finished points are stored in F.points [default: standard output]
    #[arg(long, value_name = "F")]
    out: Option<PathBuf>,
    /// Metric to show; may be repeated [default: all; in a table of text, the first six]
    #[arg(long = "metric", value_name = "NAME", value_parser = input::metric_name)]
    metrics: Vec<String>,
    /// Run each point with N seeds from run.seed on; print means and 95 % confidence intervals
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(2..=SEEDS_MAX))]
    seeds: Option<u64>,
    /// When a value of the last --vary saturates with every seed, skip the values after it
    #[arg(long, requires = "vary")]
    stop_at_saturation: bool,
    /// Run shard I of N and store its points; merge the shards with `narrows merge`
    #[arg(long, value_name = "I/N", requires = "out", value_parser = parse_shard)]
    shard: Option<Shard>,
    #[command(flatten)]
    search: sweep_find::Options,
}

/// Parses `I/N`.
fn parse_shard(text: &str) -> Result<Shard, String> {
    let numbers = text.split_once('/').and_then(|(i, n)| Some((i.trim().parse().ok()?, n.trim().parse().ok()?)));
    match numbers {
        Some((number, count)) if (1..=count).contains(&number) => Ok(Shard { number, count }),
        _ => Err("write I/N for the I-th of N shards, such as 1/8".to_owned()),
    }
}

/// Runs the command.
pub fn run(options: &Options) -> CommandResult {
    let description = options.input.subject()?;
    options.output_format()?;
    let table = options.points.as_deref().map(points_table::read).transpose()?;
    let mut dimensions = dimensions(registry(), table, &options.vary, &options.input.sets)?;
    options.check_output(&description, &dimensions)?;
    if let Some(find) = &options.search.find {
        let output = (options.out.as_deref(), options.output_format()?);
        return options.search.run(find, &description, &options.input.sets, &dimensions, options.jobs, output);
    }
    if let Some(count) = options.seeds {
        dimensions.push(seeds::dimension(
            &|overrides| description.read_varied(&options.input.sets, overrides),
            &dimensions,
            count,
        )?);
    }
    let pool = pool(options.jobs)?;
    let reader = |overrides: &[String]| description.read_varied(&options.input.sets, overrides);
    let sweep = Sweep { reader: &reader, dimensions: &dimensions };
    let unknown_metric = sweep.unknown_metric(&options.metrics);
    let checked_sweep = pool.install(|| sweep.check()).map_err(Failure::grouped)?;
    unknown_metric.map_or(Ok(()), |problem| Err(Failure::from(problem)))?;
    checked_sweep.warnings().iter().for_each(|warning| eprint_line!("{warning}"));
    let out = options.out.as_deref().map(|path| Ok::<_, Failure>((Output::prepare(path)?, point_store(path)?)));
    let (out, points) = out.transpose()?.unzip();
    let seeds_and_stop = (options.seeds, options.stop_at_saturation);
    let plan = SweepPlan::new(&dimensions, checked_sweep.input_hashes(), seeds_and_stop, &options.metrics);
    if let (Some(points), true) = (&points, options.shard.is_some()) {
        points.store_plan(&plan.text()).map_err(|error| write_failure(points.folder(), &error))?;
    }
    if points.is_none() {
        eprint_line!("Without --out no point is stored, so an interrupted sweep starts from the beginning.");
    }
    let rows = pool.install(|| runs(&checked_sweep, points.as_ref(), options.shard, plan.lines))?;
    match (options.shard, out) {
        (Some(shard), _) => {
            let path = options.out.as_deref().unwrap_or(Path::new("F")).display();
            eprint_line!(
                "Finished shard {} of {}. After all shards, run: narrows merge {path}",
                shard.number,
                shard.count
            );
        }
        (None, out) => pool.install(|| write(&plan, &rows, options.output_format()?, out))?,
    }
    Ok(exit_status(&rows))
}

impl Options {
    /// Checks that the output file, if there is one, would not replace a file that the runs read.
    fn check_output(&self, description: &input::LoadedDescription, dimensions: &[Dimension]) -> Result<(), Failure> {
        let Some(out) = self.out.as_deref() else { return Ok(()) };
        let values = dimensions.iter().flat_map(|dimension| &dimension.varies).flat_map(|vary| &vary.values);
        let paths = values.map(|value| PathBuf::from(value.trim_matches(['"', '\''])));
        // A problem of the first point is ignored here; the check of all points reports it.
        let read = description.read_varied(&self.input.sets, &settings(&values_of(dimensions, 0))).ok();
        let description_files = read.iter().flat_map(input::named_files);
        let inputs = self
            .input
            .input_file()
            .into_iter()
            .chain(self.search.against.clone())
            .chain(self.points.clone())
            .chain(description_files)
            .chain(paths);
        check_distinct(&inputs.collect::<Vec<_>>(), &[Some(out)])
    }

    /// Returns the output format.
    fn output_format(&self) -> Result<Format, Failure> {
        format_for(self.format, self.out.as_deref())
    }
}
