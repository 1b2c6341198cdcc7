//! Which event each task awaits: the one it set last, of whatever is pending for it.

use super::limits::EVENTS_PER_INSTANT_MAX;
use super::queue::{Event, EventQueue, TASK_BITS};
use super::sim::TaskId;
use super::time::Time;

/// No event: what a task awaits that was never set.
const NO_EVENT: u64 = u64::MAX;
/// From here on no event has an identity.
const LAST: u64 = NO_EVENT - (2 << TASK_BITS);

/// The pending events, and which of them each task awaits.
pub(super) struct WakeupTable {
    pub(super) queue: EventQueue,
    awaited: Vec<AwaitedEvent>,
    newest: u64,
    /// The identity with which it is time to look whether the clock stands still.
    livelock_check_from: u64,
    /// From this instant on, events are looked at before they fire.
    pub(super) guarded: Time,
    /// Whether the next is to be looked at for a clock that stands still.
    is_livelock_check_due: bool,
    /// How many events were taken that nobody awaited any more.
    pub(super) stale: u64,
}

/// The event that a task awaits.
struct AwaitedEvent {
    id: u64,
    /// When it was set.
    since: Time,
}

impl Default for WakeupTable {
    fn default() -> WakeupTable {
        let (queue, awaited) = (EventQueue::default(), Vec::new());
        let livelock_check_from = EVENTS_PER_INSTANT_MAX << TASK_BITS;
        WakeupTable { queue, awaited, newest: 0, livelock_check_from, guarded: Time::ZERO, is_livelock_check_due: false, stale: 0 }
    }
}

impl WakeupTable {
    /// Another task, which awaits nothing yet.
    pub(super) fn add_task(&mut self, now: Time) {
        self.awaited.push(AwaitedEvent { id: NO_EVENT, since: now });
    }

    /// A task awaits nothing any more.
    pub(super) fn forget(&mut self, task: TaskId) {
        self.awaited[task as usize].id = NO_EVENT;
    }

    /// When the event was set that `task` awaits, or awaited last.
    pub(super) fn since(&self, task: TaskId) -> Time {
        self.awaited[task as usize].since
    }

    /// Has `event`, which was taken, come again, if its task still waits for it: whether it does.
    pub(super) fn requeue(&mut self, event: Event) -> bool {
        let is_awaited = self.is_awaited(event);
        match is_awaited {
            true => self.queue.push(event),
            false => self.stale += 1,
        }
        is_awaited
    }

    /// Whether its task has set no other event and been woken by none since it was set.
    #[inline]
    pub(super) fn is_awaited(&self, event: Event) -> bool {
        self.awaited[event.task() as usize].id == event.id
    }

    /// Shows every timer that its task still waits for, and when it was set.
    pub(super) fn timers(&self, mut show: impl FnMut(Event, Time)) {
        self.queue.each_later(|event| {
            if self.is_awaited(event) {
                show(event, self.awaited[event.task() as usize].since);
            }
        });
    }

    /// Has `task` polled at `time`, or where that is over, at the present instant, whatever event it awaited before.
    #[inline(always)]
    pub(super) fn set(&mut self, task: TaskId, time: Time, now: Time) {
        let id = self.identity(task, now);
        self.queue.push_from(Event { time, id }, now);
    }

    /// The same as a function of its own, so that what waits has few registers to save.
    #[inline(never)]
    pub(super) fn set_apart(&mut self, task: TaskId, time: Time, now: Time) {
        self.set(task, time, now);
    }

    /// The identity of the event that `task` awaits from `now` on.
    #[inline]
    pub(super) fn identity(&mut self, task: TaskId, now: Time) -> u64 {
        if self.newest >= self.livelock_check_from {
            self.schedule_livelock_check();
        }
        self.newest += 1 << TASK_BITS;
        let id = self.newest | u64::from(task);
        self.awaited[task as usize] = AwaitedEvent { id, since: now };
        id
    }

    /// Has the next event looked at whether the clock stands still.
    #[cold]
    #[inline(never)]
    fn schedule_livelock_check(&mut self) {
        assert!(self.newest < LAST, "a run has at most 10¹² events");
        self.livelock_check_from = self.newest.saturating_add(EVENTS_PER_INSTANT_MAX << TASK_BITS).min(LAST);
        (self.guarded, self.is_livelock_check_due) = (Time::ZERO, true);
    }

    /// Has events looked at from `instant` on, and says whether it is to be looked whether the clock stands still.
    pub(super) fn guard_from(&mut self, instant: Time) -> bool {
        self.guarded = instant;
        std::mem::take(&mut self.is_livelock_check_due)
    }

    /// How many events have fired: of those that were set, all but those pending and those taken that nobody
    /// awaited any more.
    pub(super) fn fired(&self) -> u64 {
        (self.newest >> TASK_BITS) - self.stale - self.queue.len() as u64
    }
}
