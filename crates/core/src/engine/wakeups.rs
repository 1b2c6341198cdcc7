//! The pending wake-ups, and for each task the one that it awaits, which is the one that was scheduled last.

use super::limits::EVENTS_PER_INSTANT_MAX;
use super::queue::{Event, EventQueue, TASK_BITS};
use super::sim::TaskId;
use super::time::Time;

/// The identity that a task awaits before its first event is scheduled, and after the task has ended.
const NO_EVENT: u64 = u64::MAX;
/// The largest identity of an event.
const IDENTITY_MAX: u64 = NO_EVENT - (2 << TASK_BITS);

/// The pending events, and for each task the event that it awaits.
pub(super) struct WakeupTable {
    pub(super) queue: EventQueue,
    awaited_events: Vec<AwaitedEvent>,
    last_identity: u64,
    /// The identity from which the next check for a stalled clock is due.
    livelock_check_from: u64,
    /// The instant from which each event is checked before it fires: for the limit of simulated time, for progress, and
    /// for a clock that does not advance.
    pub(super) check_from: Time,
    /// Whether the next event is checked for a stalled clock.
    is_livelock_check_due: bool,
    /// The number of events that were taken although no task awaited them any more.
    pub(super) stale_events: u64,
}

/// The event that a task awaits.
struct AwaitedEvent {
    id: u64,
    /// The instant at which it was scheduled.
    scheduled_at: Time,
}

impl Default for WakeupTable {
    fn default() -> WakeupTable {
        let (queue, awaited_events) = (EventQueue::default(), Vec::new());
        let livelock_check_from = EVENTS_PER_INSTANT_MAX << TASK_BITS;
        WakeupTable {
            queue,
            awaited_events,
            last_identity: 0,
            livelock_check_from,
            check_from: Time::ZERO,
            is_livelock_check_due: false,
            stale_events: 0,
        }
    }
}

impl WakeupTable {
    /// Adds a task, which awaits no event yet.
    pub(super) fn add_task(&mut self, now: Time) {
        self.awaited_events.push(AwaitedEvent { id: NO_EVENT, scheduled_at: now });
    }

    /// Cancels the event that `task` awaits.
    pub(super) fn cancel(&mut self, task: TaskId) {
        self.awaited_events[task as usize].id = NO_EVENT;
    }

    /// Returns the instant at which the event that `task` awaits, or awaited last, was scheduled.
    pub(super) fn scheduled_at(&self, task: TaskId) -> Time {
        self.awaited_events[task as usize].scheduled_at
    }

    /// Puts `event` back into the queue if its task still awaits it, and returns whether it does.
    pub(super) fn requeue(&mut self, event: Event) -> bool {
        let is_awaited = self.is_awaited(event);
        match is_awaited {
            true => self.queue.push(event),
            false => self.stale_events += 1,
        }
        is_awaited
    }

    /// Returns whether a task awaits the event: the task has scheduled no other since, and was not woken.
    #[inline]
    pub(super) fn is_awaited(&self, event: Event) -> bool {
        self.awaited_events[event.task() as usize].id == event.id
    }

    /// Calls `visit` with every timer that its task still awaits, and the instant at which it was set.
    pub(super) fn for_each_timer(&self, mut visit: impl FnMut(Event, Time)) {
        self.queue.for_each_later(|event| {
            if self.is_awaited(event) {
                visit(event, self.awaited_events[event.task() as usize].scheduled_at);
            }
        });
    }

    /// Schedules `task` to be polled at `time`, or now if that has passed, in place of the event that it awaited.
    #[inline(always)]
    pub(super) fn schedule(&mut self, task: TaskId, time: Time, now: Time) {
        let id = self.new_identity(task, now);
        self.queue.push_not_before(Event { time, id }, now);
    }

    /// Does what [`schedule`](Self::schedule) does. It is not inlined, so that its callers have fewer registers to
    /// save.
    #[inline(never)]
    pub(super) fn schedule_outlined(&mut self, task: TaskId, time: Time, now: Time) {
        self.schedule(task, time, now);
    }

    /// Returns a new identity for the event that `task` awaits from `now` on.
    #[inline]
    pub(super) fn new_identity(&mut self, task: TaskId, now: Time) -> u64 {
        if self.last_identity >= self.livelock_check_from {
            self.schedule_livelock_check();
        }
        self.last_identity += 1 << TASK_BITS;
        let id = self.last_identity | u64::from(task);
        self.awaited_events[task as usize] = AwaitedEvent { id, scheduled_at: now };
        id
    }

    /// Requests a check for a stalled clock before the next event.
    #[cold]
    #[inline(never)]
    fn schedule_livelock_check(&mut self) {
        assert!(self.last_identity < IDENTITY_MAX, "a run has at most 10¹² events");
        self.livelock_check_from =
            self.last_identity.saturating_add(EVENTS_PER_INSTANT_MAX << TASK_BITS).min(IDENTITY_MAX);
        (self.check_from, self.is_livelock_check_due) = (Time::ZERO, true);
    }

    /// Requests that events are checked for limits and progress from `instant` on. Returns whether a check for a
    /// stalled clock is due.
    pub(super) fn request_check_from(&mut self, instant: Time) -> bool {
        self.check_from = instant;
        std::mem::take(&mut self.is_livelock_check_due)
    }

    /// Requests a check for limits and progress before the next event.
    pub(super) fn request_check_at_next_event(&mut self) {
        self.check_from = Time::ZERO;
    }

    /// Returns the number of events that have fired: all that were scheduled, without the pending and the stale ones.
    pub(super) fn events_handled(&self) -> u64 {
        (self.last_identity >> TASK_BITS) - self.stale_events - self.queue.len() as u64
    }
}
