//! The engine's promises, one file per kind: the order of tasks, waits, things held, delays
//! that pass at once, stuck runs.

mod deadlock;
mod held;
mod passing;
mod tasks;
mod waits;

use super::record::Recorder;
use super::sim::{Limits, Outcome, Sim, Simulation};
use super::time::Time;
use std::cell::RefCell;
use std::future::Future;
use std::rc::Rc;

/// A simulation whose tasks write down what happened, and when in nanoseconds.
struct Bench {
    simulation: Simulation,
    log: Log,
}

#[derive(Clone)]
struct Log {
    sim: Sim,
    lines: Rc<RefCell<Vec<String>>>,
}

impl Log {
    fn note(&self, what: impl std::fmt::Display) {
        self.lines.borrow_mut().push(format!("{} {what}", self.sim.now().ps() / 1_000));
    }
}

impl Bench {
    fn new() -> Bench {
        let simulation = Simulation::new(Recorder::off());
        let log = Log { sim: simulation.sim(), lines: Rc::default() };
        Bench { simulation, log }
    }

    fn sim(&self) -> Sim {
        self.simulation.sim()
    }

    /// Starts an essential task.
    fn spawn<F: Future<Output = ()> + 'static>(&self, name: &'static str, work: impl FnOnce(Sim, Log) -> F) {
        self.sim().spawn(name, work(self.sim(), self.log.clone()));
    }

    /// Runs without limits to the end of every essential task; the lines written.
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
