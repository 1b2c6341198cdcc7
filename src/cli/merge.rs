//! `narrows merge`: the shards of a sweep as one table, with the same bytes as without shards.

use super::exit::{CommandResult, Failure};
use super::output::Output;
use super::sweep_form::{Format, format_for, write};
use super::sweep_runs::exit_status;
use super::sweep_table;
use clap::Args;
use narrows_core::text::Problem;
use narrows_study::experiment::points::PointStore;
use narrows_study::experiment::sweep::plan::{GatheredPoints, SweepPlan};
use narrows_study::report::number::counted;
use std::path::{Path, PathBuf};

const EXAMPLES: &str = "\
Examples:
  narrows sweep stream --vary run.seed=1..100+1 --out s.csv --shard 1/2
  narrows sweep stream --vary run.seed=1..100+1 --out s.csv --shard 2/2
  narrows merge s.csv                      shards on one disk
  narrows merge a.csv b.csv --out s.csv    shards on several disks

A job array of Slurm runs all shards:
  sbatch --array=1-8 --wrap \\
    'narrows sweep … --out s.csv --shard $SLURM_ARRAY_TASK_ID/8'";

/// Merge the shards of `narrows sweep --shard` into one table
#[derive(Args)]
#[group(skip)]
#[command(after_help = EXAMPLES)]
pub struct Options {
    /// The --out file of the shards; their points are in the folder F.points
    #[arg(value_name = "F", required = true)]
    shards: Vec<PathBuf>,
    /// Output file [default: F, if there is only one]
    #[arg(long, value_name = "F")]
    out: Option<PathBuf>,
    /// Output format [default: by the extension of the output file]
    #[arg(long, value_enum, value_name = "FORMAT")]
    format: Option<Format>,
}

/// Runs the command.
pub fn run(options: &Options) -> CommandResult {
    let out = match (&options.out, &options.shards[..]) {
        (Some(out), _) => out,
        (None, [shard]) => shard,
        (None, _) => {
            let problem = Problem::new("several shards are given, but no output file");
            return Err(problem.help("name one with --out").into());
        }
    };
    let format = format_for(options.format, Some(out))?;
    let (stores, plan) = stores_and_plan(&options.shards)?;
    let file = Output::prepare(out)?;
    let GatheredPoints { points, missing } = plan.gather(&stores);
    if let Some(first_missing) = missing.first() {
        return Err(missing_points_problem(&missing, first_missing, plan.input_hashes.len()).into());
    }
    write(&plan, &points, format, Some(file))?;
    eprint_line!("Wrote {} to `{}`.", counted(points.len(), "point"), out.display());
    Ok(exit_status(&points))
}

fn missing_points_problem(missing: &[Vec<(String, String)>], first: &[(String, String)], total: usize) -> Problem {
    Problem::new(format!(
        "{} of {total} points are missing, the first of them {}",
        missing.len(),
        sweep_table::values(first)
    ))
    .help("run the unfinished shards again; finished points are not repeated")
    .help("name the files of all shards, if they are in different folders")
}

/// Returns the stores of the shards, and their common plan.
fn stores_and_plan(shards: &[PathBuf]) -> Result<(Vec<PointStore>, SweepPlan), Failure> {
    let mut stores = Vec::new();
    let mut plans: Vec<(&Path, SweepPlan)> = Vec::new();
    for shard in shards {
        let no_shards_problem = |reason: String| {
            Problem::new(format!("`{}` has no shards: {reason}", shard.display()))
                .help("give the file that --out names in `narrows sweep … --out F --shard I/N`")
        };
        let store = PointStore::open(shard)
            .ok_or_else(|| no_shards_problem(format!("there is no folder `{}.points`", shard.display())))?;
        let text = store
            .plan()
            .map_err(|_| no_shards_problem("its points are those of a sweep without --shard".to_owned()))?;
        plans.push((shard, SweepPlan::parse(&text).map_err(no_shards_problem)?));
        stores.push(store);
    }
    if let Some((other, _)) = plans.iter().find(|(_, plan)| *plan != plans[0].1) {
        let (first, other) = (plans[0].0.display(), other.display());
        let problem = Problem::new(format!("`{first}` and `{other}` are shards of different sweeps"));
        return Err(problem.help("run all shards with the same description and options, except --shard").into());
    }
    Ok((stores, plans.remove(0).1))
}
