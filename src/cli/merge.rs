//! `narrows merge`: the shards of a sweep as one table, the same bytes as if one machine had run them all.

use super::ending::{Ended, Failure};
use super::output::Output;
use super::sweep_form::{Format, form, write};
use super::sweep_runs::told;
use super::sweep_table;
use clap::Args;
use narrows_core::text::Problem;
use narrows_study::experiment::points::Points;
use narrows_study::experiment::sweep::plan::{Gathered, SweepPlan};
use std::path::{Path, PathBuf};

const EXAMPLES: &str = "\
Examples:
  narrows sweep stream --vary run.seed=1..100+1 --out s.csv --shard 1/2
  narrows sweep stream --vary run.seed=1..100+1 --out s.csv --shard 2/2
  narrows merge s.csv                          shards that kept their points on one disk
  narrows merge a.csv b.csv --out s.csv        and on several

A job array of Slurm is one line; the second waits for it:
  sbatch --array=1-8 --wrap 'narrows sweep … --out s.csv --shard $SLURM_ARRAY_TASK_ID/8'";

/// Makes one table of the shards of a sweep, as `narrows sweep --shard` kept them.
#[derive(Args)]
#[group(skip)]
#[command(after_help = EXAMPLES)]
pub struct Options {
    /// The --out of the shards, beside which their points are kept
    #[arg(value_name = "F", required = true)]
    shards: Vec<PathBuf>,
    /// Write the result here; by default to F, where there is one
    #[arg(long, value_name = "F")]
    out: Option<PathBuf>,
    /// The form of the result; by default as the file it is written to ends
    #[arg(long, value_enum, value_name = "FORMAT")]
    format: Option<Format>,
}

/// Merges.
pub fn run(options: &Options) -> Ended {
    let out = match (&options.out, &options.shards[..]) {
        (Some(out), _) => out,
        (None, [one]) => one,
        (None, _) => {
            let problem = Problem::new("several shards are given, and no file for the whole");
            return Err(problem.help("name one with --out").into());
        }
    };
    let format = form(options.format, Some(out))?;
    let (folders, plan) = folders(&options.shards)?;
    let file = Output::prepare(out)?;
    let Gathered { points, missing } = plan.gather(&folders);
    if let Some(first) = missing.first() {
        return Err(incomplete(&missing, first, plan.inputs.len()).into());
    }
    write(&plan, &points, format, Some(file))?;
    tell!("Wrote {} points to `{}`.", points.len(), out.display());
    Ok(told(&points))
}

fn incomplete(missing: &[Vec<(String, String)>], first: &[(String, String)], all: usize) -> Problem {
    Problem::new(format!(
        "{} of {all} points are not there, the first of them {}",
        missing.len(),
        sweep_table::values(first)
    ))
    .help("run the shards that were not finished again: what is kept is not run twice")
    .help("name all of their files, if they lie apart")
}

/// The folders of the shards, and the plan that they share.
fn folders(shards: &[PathBuf]) -> Result<(Vec<Points>, SweepPlan), Failure> {
    let mut all = Vec::new();
    let mut plans: Vec<(&Path, SweepPlan)> = Vec::new();
    for shard in shards {
        let none = |why: String| {
            Problem::new(format!("`{}` has no shards beside it: {why}", shard.display()))
                .help("give the --out of `narrows sweep … --out F --shard I/N`")
        };
        let folder =
            Points::found(shard).ok_or_else(|| none(format!("there is no folder `{}.points`", shard.display())))?;
        let text = folder.plan().map_err(|_| none("what is kept there is of a sweep without --shard".to_owned()))?;
        plans.push((shard, SweepPlan::parse(&text).map_err(none)?));
        all.push(folder);
    }
    if let Some((other, _)) = plans.iter().find(|(_, plan)| *plan != plans[0].1) {
        let (first, other) = (plans[0].0.display(), other.display());
        let problem = Problem::new(format!("`{first}` and `{other}` hold shards of different sweeps"));
        return Err(problem.help("all shards are run with the same description and options, but for --shard").into());
    }
    Ok((all, plans.remove(0).1))
}
