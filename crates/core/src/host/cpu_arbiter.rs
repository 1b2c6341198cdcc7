//! Arbitration among the programs and interrupt handlers that share a processor: one of them holds it at a time.
//!
//! Models: the processor as a resource, granted in the order of requests at each priority (`priority.rs`). Accounts the
//! time for which the processor is busy, which is while somebody holds it or its own work goes on; and the time for
//! which it is active, which leaves out the accesses that it waits for. Records a span for each lease, in the
//! processor's local time.

use super::priority::ExecPriority;
use super::utilization::Utilization;
use crate::engine::resource::{Acquire, Resource};
use crate::engine::sim::TaskId;
use crate::engine::{Busy, Sim, SpanLabel, Time, Track};
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
    /// The task that held the processor first, and whether another one has held it since.
    first: Cell<Option<TaskId>>,
    is_shared: Cell<bool>,
}

/// The times for which a processor was busy, and active.
#[derive(Default)]
struct Account {
    busy: Busy,
    active: Busy,
}

/// One of several equal periods for which a processor is busy, one behind the other.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct BusyPeriod {
    /// Start of the first period.
    pub from: Time,
    /// Instant up to which the processor is active in it.
    pub active_to: Time,
    /// End of the period, at which the next one starts.
    pub to: Time,
    /// End of the work that follows the last period; as late as `active_to` of a further period at most.
    pub on_to: Time,
}

impl CpuArbiter {
    /// Returns the arbiter of the processor of the host `name`, which has one priority.
    pub fn new(sim: &Sim, name: &str) -> CpuArbiter {
        CpuArbiter::at(sim, name, ExecPriority::Program, &Rc::default())
    }

    /// Returns the arbiters of the processor of the host `name`, one for each priority.
    pub fn by_priority(sim: &Sim, name: &str) -> [CpuArbiter; ExecPriority::COUNT] {
        let account = Rc::default();
        ExecPriority::ALL.map(|priority| CpuArbiter::at(sim, name, priority, &account))
    }

    fn at(sim: &Sim, name: &str, priority: ExecPriority, account: &Rc<Account>) -> CpuArbiter {
        let what = priority.track();
        // A priority at which no code runs has no track.
        let track = if priority == ExecPriority::Program {
            sim.recorder().register_track(name, what)
        } else {
            Track::default()
        };
        CpuArbiter {
            sim: sim.clone(),
            resource: Resource::new(sim, format!("{name} {what}")),
            account: account.clone(),
            track: Cell::new(track),
            recorded_until: Cell::default(),
            first: Cell::default(),
            is_shared: Cell::default(),
        }
    }

    /// Records spans of `priority`, too.
    pub fn show(&self, name: &str, priority: ExecPriority) {
        self.track.set(self.sim.recorder().register_track(name, priority.track()));
    }

    /// Returns the processor at this priority as a resource.
    pub fn resource(&self) -> &Resource {
        &self.resource
    }

    /// Returns whether nobody holds the processor at this priority.
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

    /// Begins a lease of the current task; returns the instant.
    pub(super) fn begin_lease(&self) -> Time {
        self.note_holder(self.sim.current());
        let now = self.sim.now();
        self.account.busy.begin(now);
        now
    }

    /// Ends a lease whose holder worked until `until` by the processor's clock, and grants the next.
    pub(super) fn end_lease(&self, until: Time) {
        let now = self.sim.now();
        self.account.busy.end(now);
        if until > now {
            self.record_active(now, until);
        }
        self.resource.release_raw();
    }

    fn note_holder(&self, task: TaskId) {
        match self.first.get() {
            None => self.first.set(Some(task)),
            Some(first) if first == task => {}
            Some(_) => self.is_shared.set(true),
        }
    }

    /// Accounts work of the processor from now on.
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

    /// Accounts work from `from`, which has passed, to `to`, which may lie ahead of the simulation.
    pub fn record_active(&self, from: Time, to: Time) {
        self.record_busy(from, to, to);
    }

    /// Accounts a busy period from `from`, which has passed, to `to`, active until `active_to`.
    pub fn record_busy(&self, from: Time, active_to: Time, to: Time) {
        self.account.busy.cover(from, to);
        self.account.active.cover(from, active_to);
    }

    /// Accounts `times` periods equal to `period`, one behind the other, and the work that follows the last.
    pub(super) fn record_repeated(&self, period: BusyPeriod, times: u64) {
        let BusyPeriod { from, active_to, to, on_to } = period;
        let (every, last) = (to - from, (to - from) * (times - 1));
        self.account.busy.cover(from, on_to + last);
        self.account.active.cover_each((from, active_to), every, times);
        self.account.active.cover(to + last, on_to + last);
    }

    /// Returns the utilization of the processor at all priorities.
    pub fn utilization(&self) -> Utilization {
        let now = self.sim.now();
        Utilization { what: "processor", busy: self.account.busy.total(now), active: self.account.active.total(now) }
    }

    /// Returns whether spans of the processor are recorded.
    pub(super) fn is_recorded(&self) -> bool {
        self.sim.recorder().keeps(self.track.get())
    }

    /// Records a span until `end`. Work before `start` that no span covers is counted to it; an empty span is left out.
    pub fn record_span(&self, span_label: SpanLabel, start: Time, end: Time) {
        let start = start.max(self.recorded_until.get());
        if end > start {
            self.sim.recorder().record_span(self.track.get(), span_label, start, end);
            self.recorded_until.set(end);
        }
    }
}
