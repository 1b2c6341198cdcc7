//! Tasks of a device that work at the same time, each on one job after another.
//!
//! A device with several transactions outstanding gives each transaction to the next free task. With one task there is
//! no pool, and the device's loop does the work itself.

use crate::engine::{LocalFuture, Signal, Sim};
use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::{Rc, Weak};

/// Tasks that carry out jobs. Only the tasks own the jobs: a job often holds the pool, so a pool that owned its jobs
/// would never be dropped.
pub struct WorkPool(Weak<Jobs>);

/// The jobs that wait for a task.
struct Jobs {
    waiting_jobs: RefCell<VecDeque<LocalFuture<'static>>>,
    submitted: Signal,
}

impl WorkPool {
    /// Starts `workers` tasks, which are named `name`.
    pub fn start(sim: &Sim, name: &str, workers: usize) -> Rc<WorkPool> {
        let submitted = Signal::new(sim, format!("{name}: a job"));
        let jobs = Rc::new(Jobs { waiting_jobs: RefCell::default(), submitted });
        for worker in 0..workers {
            sim.spawn_server(format!("{name} {worker}"), jobs.clone().serve());
        }
        Rc::new(WorkPool(Rc::downgrade(&jobs)))
    }

    /// Adds a job, after all earlier ones. At the end of the simulation it is dropped.
    pub fn submit(&self, job: impl Future<Output = ()> + 'static) {
        let Some(jobs) = self.0.upgrade() else { return };
        jobs.waiting_jobs.borrow_mut().push_back(Box::pin(job));
        jobs.submitted.notify();
    }
}

impl Jobs {
    async fn serve(self: Rc<Self>) {
        loop {
            let job = self.waiting_jobs.borrow_mut().pop_front();
            match job {
                Some(job) => job.await,
                None => {
                    self.submitted.wait().await;
                }
            }
        }
    }
}
