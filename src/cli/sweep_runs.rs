//! The runs of a sweep: its threads, its kept points, what is reported meanwhile and at the end.

use super::ending::{Ending, Failure};
use super::output::unwritable;
use super::progress::Progress;
use super::sweep_table as table;
use narrows_core::text::Problem;
use narrows_study::experiment::points::Points;
use narrows_study::experiment::sweep::{Checked, Faulty, Going, Share, Stops, SweepEvent, SweepPoint};
use std::path::Path;

/// Threads for so many runs at once; as many as there are processors if it is not said.
pub fn pool(jobs: Option<u64>) -> Result<rayon::ThreadPool, Failure> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(jobs.unwrap_or(0) as usize).build();
    pool.map_err(|error| Problem::new(format!("cannot start the jobs: {error}")).into())
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
