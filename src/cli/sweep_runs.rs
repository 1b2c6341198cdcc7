//! The runs of a sweep: threads, stored points, and messages.

use super::exit::{ExitStatus, Failure};
use super::output::write_failure;
use super::progress::Progress;
use super::sweep_table as table;
use narrows_core::text::Problem;
use narrows_study::experiment::points::PointStore;
use narrows_study::experiment::steadiness;
use narrows_study::experiment::sweep::{CheckedSweep, RunOptions, Shard, SweepEvent, SweepLines, SweepPoint};
use narrows_study::report::number::counted;
use std::collections::BTreeMap;
use std::path::Path;

/// Returns a pool of `jobs` threads; by default one per CPU.
pub fn pool(jobs: Option<u64>) -> Result<rayon::ThreadPool, Failure> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(jobs.unwrap_or(0) as usize).build();
    pool.map_err(|error| Problem::new(format!("cannot start the jobs: {error}")).into())
}

/// Returns the store of finished points of an output file.
pub fn point_store(out: &Path) -> Result<PointStore, Failure> {
    PointStore::create(out).map_err(|error| write_failure(out, &error))
}

/// Reports a progress event.
pub fn report_event(progress: &Progress, event: SweepEvent) {
    match event {
        SweepEvent::Finished { from_store: stored } => progress.count_finished(stored),
        SweepEvent::Corrupt(path, reason) => {
            progress.print_line(&format!(
                "warning: `{}` is not a finished point: {reason}; the point is run again",
                path.display()
            ));
        }
    }
}

/// Runs the points without stored results, with a progress display.
pub fn runs(
    checked: &CheckedSweep<'_>,
    store: Option<&PointStore>,
    shard: Option<Shard>,
    lines: Option<SweepLines>,
) -> Result<Vec<SweepPoint>, Failure> {
    let (total, distinct) = checked.point_counts();
    let planned_count = checked.planned_point_count(&RunOptions { store, shard, lines, on_event: &|_| () });
    let progress = Progress::start("points", planned_count, store.map(PointStore::folder));
    let options = RunOptions { store, shard, lines, on_event: &|event| report_event(&progress, event) };
    let rows = checked.run(&options).map_err(|error| Problem::new(format!("cannot store a point: {error}")))?;
    let (run_count, stored_count) = progress.finish();
    let identical_note =
        if total > distinct { format!(", {} identical to others", total - distinct) } else { String::new() };
    let shard = shard.map(|shard| format!(", shard {} of {}", shard.number, shard.count)).unwrap_or_default();
    eprint_line!("{}{shard}: {run_count} run, {stored_count} stored before{identical_note}.", counted(total, "point"));
    if lines.is_some() && rows.len() < planned_count {
        eprint_line!("Left out: {} after saturated ones.", counted(planned_count - rows.len(), "point"));
    }
    Ok(rows)
}

/// Prints on standard error which points did not complete, and returns the exit status.
pub fn exit_status(rows: &[SweepPoint]) -> ExitStatus {
    let saturated_count = rows.iter().filter(|row| *row.result.outcome == *"saturated").count();
    if saturated_count > 0 {
        eprint_line!("{saturated_count} of {} runs are saturated: their source queues grew without bound.", rows.len());
    }
    print_transients(rows);
    let incomplete: Vec<&SweepPoint> = rows.iter().filter(|row| !row.result.is_complete()).collect();
    for row in &incomplete {
        eprint_line!("The point {} ended in a {}.", table::values(&row.values), row.result.verdict());
    }
    if incomplete.is_empty() { ExitStatus::Done } else { ExitStatus::Stuck }
}

/// Prints on standard error how many runs have an initial transient, for each key of a warm-up.
fn print_transients(rows: &[SweepPoint]) {
    let mut counts_by_key: BTreeMap<&str, usize> = BTreeMap::new();
    for (is_transient, key) in rows.iter().filter_map(|row| row.result.initial_transient.as_ref()) {
        *counts_by_key.entry(key).or_default() += usize::from(*is_transient);
    }
    for (key, runs) in counts_by_key.into_iter().filter(|(_, runs)| *runs > 0) {
        eprint_line!("{}", steadiness::transient_runs_warning(runs, rows.len(), key));
    }
}
