//! Tasks of a device that work at the same time, each on one job after another.
//!
//! A device with several transactions outstanding gives each to the next free task. With one task there is no pool, and
//! the device's loop does the work itself.

use crate::engine::{LocalFuture, Signal, Sim};
use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;

/// Tasks that carry out jobs.
pub struct WorkPool {
    jobs: RefCell<VecDeque<LocalFuture<'static>>>,
    submitted: Signal,
}

impl WorkPool {
    /// Starts `workers` tasks, which are named `name`.
    pub fn start(sim: &Sim, name: &str, workers: usize) -> Rc<WorkPool> {
        let submitted = Signal::new(sim, format!("{name}: a job"));
        let pool = Rc::new(WorkPool { jobs: RefCell::default(), submitted });
        for worker in 0..workers {
            sim.spawn_server(format!("{name} {worker}"), pool.clone().serve());
        }
        pool
    }

    /// Adds a job, after all earlier ones.
    pub fn submit(&self, job: impl Future<Output = ()> + 'static) {
        self.jobs.borrow_mut().push_back(Box::pin(job));
        self.submitted.notify();
    }

    async fn serve(self: Rc<Self>) {
        loop {
            let job = self.jobs.borrow_mut().pop_front();
            match job {
                Some(job) => job.await,
                None => {
                    self.submitted.wait().await;
                }
            }
        }
    }
}
