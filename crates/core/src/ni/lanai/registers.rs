//! The interface between firmware and an engine: the firmware stores a job while the engine is idle, and the engine is
//! busy until it reports completion. All three engines use it.

use super::EngineConnections;
use crate::engine::sim::WaitReasonId;
use crate::engine::{BusyTime, Signal, Sim, Time};
use std::cell::{Cell, RefCell};
use std::rc::Rc;

/// The registers of an engine that works on jobs of type `J`.
pub(super) struct Registers<J> {
    sim: Sim,
    firmware_wakeup: Rc<Signal>,
    job_started: Signal,
    job: RefCell<Option<J>>,
    is_busy: Cell<bool>,
    busy_time: BusyTime,
    active_total: Cell<Time>,
}

impl<J> Registers<J> {
    /// Creates the registers of an idle engine, which a deadlock report calls `engine`.
    pub(super) fn new(connections: &EngineConnections, engine: &str) -> Registers<J> {
        Registers {
            sim: connections.sim.clone(),
            firmware_wakeup: connections.firmware_wakeup.clone(),
            job_started: Signal::new(&connections.sim, format!("{} {engine} work", connections.name)),
            job: RefCell::default(),
            is_busy: Cell::new(false),
            busy_time: BusyTime::default(),
            active_total: Cell::default(),
        }
    }

    pub(super) fn is_idle(&self) -> bool {
        !self.is_busy.get()
    }

    pub(super) fn begin(&self, job: J) {
        assert!(self.is_idle(), "firmware starts an engine only when it is idle");
        self.is_busy.set(true);
        *self.job.borrow_mut() = Some(job);
        self.job_started.notify();
    }

    /// Waits for the engine's next job.
    pub(super) async fn next(&self) -> J {
        loop {
            if let Some(job) = self.job.borrow_mut().take() {
                return job;
            }
            self.job_started.wait().await;
        }
    }

    /// Records that the engine works from now on.
    pub(super) fn begin_work(&self) {
        self.busy_time.begin(self.sim.now());
    }

    /// Records that the engine has stopped working.
    pub(super) fn end_work(&self) {
        self.busy_time.end(self.sim.now());
    }

    /// Marks the engine as idle and notifies the firmware.
    pub(super) fn complete(&self) {
        self.is_busy.set(false);
        self.sim.progress();
        self.firmware_wakeup.notify();
    }

    pub(super) fn busy_total(&self) -> Time {
        self.busy_time.total(self.sim.now())
    }

    /// Adds `active_time` to the engine's active time: the time that its work takes at the full rate.
    pub(super) fn record_active(&self, active_time: Time) {
        self.active_total.set(self.active_total.get() + active_time);
    }

    pub(super) fn active_total(&self) -> Time {
        self.active_total.get()
    }

    /// Returns the wait reason of an idle engine.
    pub(super) fn idle_wait_reason(&self) -> WaitReasonId {
        self.job_started.wait_reason()
    }
}
