//! Runs long work without the interpreter's lock, checks for Ctrl-C and reports progress meanwhile.

use pyo3::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

/// Interval at which signals and progress are checked.
const INTERVAL: Duration = Duration::from_millis(50);

/// The progress of the work, and the request to stop.
#[derive(Default)]
pub struct Watch {
    finished_count: AtomicUsize,
    is_stopped: AtomicBool,
}

impl Watch {
    /// Counts a finished item.
    pub fn count_finished(&self) {
        self.finished_count.fetch_add(1, Ordering::Relaxed);
    }

    /// Returns whether the work should stop.
    pub fn is_stopped(&self) -> bool {
        self.is_stopped.load(Ordering::Relaxed)
    }
}

/// Runs `task` in a separate thread pool, and calls `progress` with the number of finished items. An exception of
/// `progress`, or Ctrl-C, stops the work.
pub fn run_with_progress<T: Send>(
    py: Python<'_>,
    jobs: Option<usize>,
    progress: Option<&Py<PyAny>>,
    task: impl FnOnce(&Watch) -> T + Send,
) -> PyResult<T> {
    let pool = pool(jobs)?;
    let watch = Watch::default();
    py.detach(|| {
        std::thread::scope(|scope| {
            let worker = scope.spawn(|| pool.install(|| task(&watch)));
            let (mut reported, mut progress_status) = (0, Ok(()));
            loop {
                let has_ended = worker.is_finished();
                if progress_status.is_ok() {
                    progress_status = Python::attach(|py| report_progress(py, &watch, progress, &mut reported));
                    watch.is_stopped.store(progress_status.is_err(), Ordering::Relaxed);
                }
                if has_ended {
                    break;
                }
                std::thread::park_timeout(if reported == 0 { INTERVAL / 25 } else { INTERVAL });
            }
            let result = worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
            progress_status.map(|()| result)
        })
    })
}

/// Checks for signals, and calls `progress` if more items are finished than were reported.
fn report_progress(py: Python<'_>, watch: &Watch, progress: Option<&Py<PyAny>>, reported: &mut usize) -> PyResult<()> {
    py.check_signals()?;
    let finished_count = watch.finished_count.load(Ordering::Relaxed);
    if let Some(progress) = progress.filter(|_| finished_count > *reported) {
        progress.call1(py, (finished_count,))?;
    }
    *reported = finished_count;
    Ok(())
}

fn pool(jobs: Option<usize>) -> PyResult<ThreadPool> {
    let pool = ThreadPoolBuilder::new().num_threads(jobs.unwrap_or(0)).build();
    pool.map_err(|error| pyo3::exceptions::PyRuntimeError::new_err(format!("cannot start the jobs: {error}")))
}
