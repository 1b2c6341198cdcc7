//! Arbitration among the programs and interrupt handlers that share a processor. One of them holds it at a time.
//!
//! The module models the processor as a resource. At each priority (`priority.rs`), it is granted in the order of
//! requests. The arbiter accounts for the time for which the processor is busy, that is, held by a task or at work, and
//! for the time for which it is active, which excludes waits for accesses. The arbiter records a span for each lease,
//! in the processor's local time. The module leaves out preemption within a priority.

use super::priority::ExecPriority;
use super::utilization::Utilization;
use crate::engine::resource::{Acquire, Resource};
use crate::engine::sim::TaskId;
use crate::engine::{BusyTime, Sim, SpanLabel, Time, Track};
use std::cell::Cell;
use std::rc::Rc;

/// The arbiter of a processor at one priority.
pub struct CpuArbiter {
    sim: Sim,
    resource: Resource,
    /// Shared by all priorities of the processor.
    account: Rc<Account>,
    track: Cell<Track>,
    /// End of the last recorded span.
    recorded_until: Cell<Time>,
    /// First task that held the processor.
    first_holder: Cell<Option<TaskId>>,
    /// Whether a task other than `first_holder` has held the processor.
    is_shared: Cell<bool>,
}

/// The times for which a processor was busy and active.
#[derive(Default)]
struct Account {
    busy: BusyTime,
    active: BusyTime,
}

/// One of several equal, consecutive periods for which a processor is busy.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct BusyPeriod {
    /// Start of the first period.
    pub from: Time,
    /// End of the active part of the period.
    pub active_to: Time,
    /// End of the period, at which the next one starts.
    pub to: Time,
    /// End of the work after the last period. This work takes at most as long as the active part of a period.
    pub work_to: Time,
}

impl CpuArbiter {
    /// Creates the arbiter of the processor of the host `name`, which has one priority.
    pub fn new(sim: &Sim, name: &str) -> CpuArbiter {
        CpuArbiter::with_priority(sim, name, ExecPriority::Program, &Rc::default())
    }

    /// Creates the arbiters of the processor of the host `name`, one for each priority.
    pub fn by_priority(sim: &Sim, name: &str) -> [CpuArbiter; ExecPriority::COUNT] {
        let account = Rc::default();
        ExecPriority::ALL.map(|priority| CpuArbiter::with_priority(sim, name, priority, &account))
    }

    fn with_priority(sim: &Sim, name: &str, priority: ExecPriority, account: &Rc<Account>) -> CpuArbiter {
        let track_name = priority.track();
        // A priority at which no code runs has no track.
        let track = if priority == ExecPriority::Program {
            sim.recorder().register_track(name, track_name)
        } else {
            Track::default()
        };
        CpuArbiter {
            sim: sim.clone(),
            resource: Resource::new(sim, format!("{name} {track_name}")),
            account: account.clone(),
            track: Cell::new(track),
            recorded_until: Cell::default(),
            first_holder: Cell::default(),
            is_shared: Cell::default(),
        }
    }

    /// Records spans from now on, on the track of `priority` of the host `name`.
    pub fn record_spans_of(&self, name: &str, priority: ExecPriority) {
        self.track.set(self.sim.recorder().register_track(name, priority.track()));
    }

    /// Returns the processor at this priority as a resource.
    pub fn resource(&self) -> &Resource {
        &self.resource
    }

    /// Returns whether no task holds the processor at this priority.
    pub fn is_free(&self) -> bool {
        !self.resource.is_held()
    }

    /// Returns whether several tasks have held the processor.
    pub fn is_shared(&self) -> bool {
        self.is_shared.get()
    }

    /// Requests the processor.
    pub(super) fn request(&self) -> Acquire<'_> {
        self.resource.acquire()
    }

    /// Begins a lease of the current task and returns the current time.
    pub(super) fn begin_lease(&self) -> Time {
        self.note_holder(self.sim.current());
        let now = self.sim.now();
        self.account.busy.begin(now);
        now
    }

    /// Ends a lease whose holder worked until `until` in local time, and grants the next request.
    pub(super) fn end_lease(&self, until: Time) {
        let now = self.sim.now();
        self.account.busy.end(now);
        if until > now {
            self.record_active(now, until);
        }
        self.resource.release_raw();
    }

    fn note_holder(&self, task: TaskId) {
        match self.first_holder.get() {
            None => self.first_holder.set(Some(task)),
            Some(first_holder) if first_holder == task => {}
            Some(_) => self.is_shared.set(true),
        }
    }

    /// Starts to account for work of the processor.
    pub fn begin_work(&self) {
        let now = self.sim.now();
        self.account.busy.begin(now);
        self.account.active.begin(now);
    }

    /// Ends the work that [`begin_work`](CpuArbiter::begin_work) began.
    pub fn end_work(&self) {
        let now = self.sim.now();
        self.account.busy.end(now);
        self.account.active.end(now);
    }

    /// Accounts for work from `from`, which is in the past, to `to`, which may be ahead of the simulation.
    pub fn record_active(&self, from: Time, to: Time) {
        self.record_busy(from, to, to);
    }

    /// Accounts for a busy period from `from`, which is in the past, to `to`. The part until `active_to` is active.
    pub fn record_busy(&self, from: Time, active_to: Time, to: Time) {
        self.account.busy.add_interval(from, to);
        self.account.active.add_interval(from, active_to);
    }

    /// Accounts for `times` consecutive periods equal to `period`, and for the work after the last one.
    pub(super) fn record_repeated(&self, period: BusyPeriod, times: u64) {
        let BusyPeriod { from, active_to, to, work_to } = period;
        let (period_length, last_start) = (to - from, (to - from) * (times - 1));
        self.account.busy.add_interval(from, work_to + last_start);
        self.account.active.add_intervals((from, active_to), period_length, times);
        self.account.active.add_interval(to + last_start, work_to + last_start);
    }

    /// Returns the utilization of the processor at all priorities.
    pub fn utilization(&self) -> Utilization {
        let now = self.sim.now();
        Utilization {
            part_name: "processor",
            busy: self.account.busy.total(now),
            active: self.account.active.total(now),
        }
    }

    /// Returns whether spans of the processor are recorded.
    pub(super) fn is_recorded(&self) -> bool {
        self.sim.recorder().keeps_spans_of(self.track.get())
    }

    /// Records a span from `start`, or from the end of the last span if that is later, until `end`. An empty span is
    /// left out.
    pub fn record_span(&self, label: SpanLabel, start: Time, end: Time) {
        let start = start.max(self.recorded_until.get());
        if end > start {
            self.sim.recorder().record_span(self.track.get(), label, start, end);
            self.recorded_until.set(end);
        }
    }
}
