//! What firmware sees of an engine: it stores a job when the engine is idle, and the engine is busy
//! until it says that it is done. One piece for all three engines.

use super::Wires;
use crate::engine::sim::WaitReasonId;
use crate::engine::{Busy, Signal, Sim, Time};
use std::cell::{Cell, RefCell};
use std::rc::Rc;

/// The registers of an engine that works on jobs of type `J`.
pub(super) struct Registers<J> {
    sim: Sim,
    attention: Rc<Signal>,
    started: Signal,
    job: RefCell<Option<J>>,
    busy: Cell<bool>,
    worked: Busy,
    moved_total: Cell<Time>,
}

impl<J> Registers<J> {
    /// An idle engine, called `engine` in the tale of a stuck run.
    pub(super) fn new(wires: &Wires, engine: &str) -> Registers<J> {
        Registers {
            sim: wires.sim.clone(),
            attention: wires.attention.clone(),
            started: Signal::new(&wires.sim, format!("{} {engine} work", wires.name)),
            job: RefCell::default(),
            busy: Cell::new(false),
            worked: Busy::default(),
            moved_total: Cell::default(),
        }
    }

    pub(super) fn is_idle(&self) -> bool {
        !self.busy.get()
    }

    pub(super) fn begin(&self, job: J) {
        assert!(self.is_idle(), "firmware starts an engine only when it is idle");
        self.busy.set(true);
        *self.job.borrow_mut() = Some(job);
        self.started.notify();
    }

    /// The engine waits for its next job.
    pub(super) async fn next(&self) -> J {
        loop {
            if let Some(job) = self.job.borrow_mut().take() {
                return job;
            }
            self.started.wait().await;
        }
    }

    /// The engine works from now on.
    pub(super) fn works(&self) {
        self.worked.begin(self.sim.now());
    }

    /// It works no more.
    pub(super) fn rests(&self) {
        self.worked.end(self.sim.now());
    }

    /// The engine is done, and tells the firmware.
    pub(super) fn done(&self) {
        self.busy.set(false);
        self.sim.progress();
        self.attention.notify();
    }

    pub(super) fn busy_total(&self) -> Time {
        self.worked.total(self.sim.now())
    }

    /// The engine has moved bytes that take `alone` at its own pace.
    pub(super) fn moves(&self, alone: Time) {
        self.moved_total.set(self.moved_total.get() + alone);
    }

    pub(super) fn moved_total(&self) -> Time {
        self.moved_total.get()
    }

    /// What the engine waits for when it has no job.
    pub(super) fn work(&self) -> WaitReasonId {
        self.started.point()
    }
}
