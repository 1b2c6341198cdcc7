//! Tests of what the engine guarantees, one file for each subject: the order of tasks, waits, resources and pools,
//! delays that are completed without an event in the queue, and deadlocked runs.

mod deadlock;
mod delays;
mod resources;
mod tasks;
mod waits;

use super::record::Recorder;
use super::sim::{Limits, Outcome, Sim, Simulation};
use super::time::Time;
use std::cell::RefCell;
use std::future::Future;
use std::rc::Rc;

/// A simulation, and a log in which its tasks write what happened, and when in nanoseconds.
struct TestBench {
    simulation: Simulation,
    log: Log,
}

#[derive(Clone)]
struct Log {
    sim: Sim,
    lines: Rc<RefCell<Vec<String>>>,
}

impl Log {
    fn note(&self, entry: impl std::fmt::Display) {
        self.lines.borrow_mut().push(format!("{} {entry}", self.sim.now().ps() / 1_000));
    }
}

impl TestBench {
    fn new() -> TestBench {
        let simulation = Simulation::new(Recorder::off());
        let log = Log { sim: simulation.sim(), lines: Rc::default() };
        TestBench { simulation, log }
    }

    fn sim(&self) -> Sim {
        self.simulation.sim()
    }

    /// Starts an essential task.
    fn spawn<F: Future<Output = ()> + 'static>(&self, name: &'static str, work: impl FnOnce(Sim, Log) -> F) {
        self.sim().spawn(name, work(self.sim(), self.log.clone()));
    }

    /// Runs without limits until every essential task has finished, and returns the lines of the log.
    fn finish(&self) -> Vec<String> {
        assert_eq!(self.run(Limits::default()), Outcome::Done);
        self.log.lines.take()
    }

    fn run(&self, limits: Limits) -> Outcome {
        self.simulation.run(limits)
    }
}

fn ns(ns: u64) -> Time {
    Time::from_ns(ns)
}
