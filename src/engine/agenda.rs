//! Which event each task awaits: the one it set last, of whatever is pending for it.

use super::queue::{Event, EventQueue, TASK_BITS};
use super::sim::TaskId;
use super::time::Time;

/// No event: what a task awaits that was never set.
const NO_EVENT: u64 = u64::MAX;

/// The pending events, and which of them each task awaits.
#[derive(Default)]
pub(super) struct Agenda {
    pub(super) queue: EventQueue,
    awaited: Vec<Awaited>,
    newest: u64,
}

/// The event that a task awaits.
struct Awaited {
    id: u64,
    /// When it was set.
    since: Time,
}

impl Agenda {
    /// Another task, which awaits nothing yet.
    pub(super) fn add_task(&mut self, now: Time) {
        self.awaited.push(Awaited { id: NO_EVENT, since: now });
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
    pub(super) fn put_back(&mut self, event: Event) -> bool {
        let is_awaited = self.is_awaited(event);
        if is_awaited {
            self.queue.push(event);
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
    ///
    /// A function of its own, so that what waits has few registers to save; it saves few itself, for all that it
    /// calls it calls last.
    #[inline(never)]
    pub(super) fn set(&mut self, task: TaskId, time: Time, now: Time) {
        let id = self.identity(task, now);
        match time > now {
            true => self.queue.push(Event { time, id }),
            false => self.set_now(Event { time: now, id }),
        }
    }

    /// Has it happen at the present instant. Apart, since a list that may grow would cost `set` registers.
    #[inline(never)]
    fn set_now(&mut self, event: Event) {
        self.queue.push_now(event);
    }

    /// The identity of the event that `task` awaits from `now` on.
    #[inline]
    pub(super) fn identity(&mut self, task: TaskId, now: Time) -> u64 {
        self.newest = self.newest.checked_add(1 << TASK_BITS).expect("a run has at most 10¹² events");
        let id = self.newest | u64::from(task);
        self.awaited[task as usize] = Awaited { id, since: now };
        id
    }
}
