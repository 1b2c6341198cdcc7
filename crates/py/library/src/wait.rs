//! Long work beside the interpreter: its lock is free meanwhile, Ctrl-C is seen, and progress is told.

use pyo3::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

/// How often it is looked whether there is something to be told.
const LOOK: Duration = Duration::from_millis(50);

/// How far work is, and whether it is to stop.
#[derive(Default)]
pub struct Watch {
    done: AtomicUsize,
    stopped: AtomicBool,
}

impl Watch {
    /// One thing more is done.
    pub fn one(&self) {
        self.done.fetch_add(1, Ordering::Relaxed);
    }

    /// Whether nobody waits for the rest.
    pub fn is_stopped(&self) -> bool {
        self.stopped.load(Ordering::Relaxed)
    }
}

/// Works in threads of its own, and tells `progress` how much is done; an exception there, or Ctrl-C, stops it.
pub fn work<T: Send>(
    py: Python<'_>,
    jobs: Option<usize>,
    progress: Option<&Py<PyAny>>,
    task: impl FnOnce(&Watch) -> T + Send,
) -> PyResult<T> {
    let pool = pool(jobs)?;
    let watch = Watch::default();
    py.detach(|| {
        std::thread::scope(|scope| {
            let working = scope.spawn(|| pool.install(|| task(&watch)));
            let (mut told, mut failed) = (0, Ok(()));
            loop {
                let ended = working.is_finished();
                if failed.is_ok() {
                    failed = Python::attach(|py| look(py, &watch, progress, &mut told));
                    watch.stopped.store(failed.is_err(), Ordering::Relaxed);
                }
                if ended {
                    break;
                }
                std::thread::park_timeout(if told == 0 { LOOK / 25 } else { LOOK });
            }
            let result = working.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
            failed.map(|()| result)
        })
    })
}

fn look(py: Python<'_>, watch: &Watch, progress: Option<&Py<PyAny>>, told: &mut usize) -> PyResult<()> {
    py.check_signals()?;
    let done = watch.done.load(Ordering::Relaxed);
    if let Some(progress) = progress.filter(|_| done > *told) {
        progress.call1(py, (done,))?;
    }
    *told = done;
    Ok(())
}

fn pool(jobs: Option<usize>) -> PyResult<ThreadPool> {
    let pool = ThreadPoolBuilder::new().num_threads(jobs.unwrap_or(0)).build();
    pool.map_err(|error| pyo3::exceptions::PyRuntimeError::new_err(format!("cannot start the jobs: {error}")))
}
