//! Delays: how a task lets simulated time pass.
//!
//! A task that awaits a delay names the instant at which the delay ends. The engine schedules an event for that instant
//! when the task has returned to it. If no other event comes before that instant, and few events are pending, the delay
//! passes within the current event instead: the clock advances, and the task continues without a new event and without
//! returning through the callers that await it. Waits for a signal with a deadline, and for a value that is under way in a
//! mailbox, end in the same way (`signal.rs`). The results of a run are the same, including its number of events;
//! tests compare it with a reference run in which every delay is queued at once.

use super::sim::Sim;
use super::time::Time;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

/// The wait of [`Sim::delay`] and [`Sim::until`].
#[must_use = "a delay passes only when awaited"]
pub struct Delay<'a> {
    /// The simulation, until the event is set.
    sim: Option<&'a Sim>,
    until: Time,
}

impl Future for Delay<'_> {
    type Output = ();
    #[inline]
    fn poll(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<()> {
        let Some(sim) = self.sim else { return Poll::Ready(()) };
        self.sim = None;
        if sim.try_advance(self.until) {
            return Poll::Ready(());
        }
        sim.request_wakeup(self.until);
        Poll::Pending
    }
}

impl Sim {
    /// Waits for a span of simulated time.
    #[inline]
    pub fn delay(&self, span: Time) -> Delay<'_> {
        let until = self.now().ps().checked_add(span.ps()).map_or(Time::END, Time::from_ps);
        Delay { sim: Some(self), until }
    }

    /// Waits until an instant; no time passes if it is over.
    #[inline]
    pub fn until(&self, instant: Time) -> Delay<'_> {
        Delay { sim: Some(self), until: instant.min(Time::END) }
    }

    /// Requests that the current task is polled at `instant`. If no other wake-up is scheduled before the task returns
    /// to the engine, the engine itself schedules this one, which is cheaper.
    #[inline]
    pub(super) fn request_wakeup(&self, instant: Time) {
        self.0.deferred_wakeup.set(instant);
        #[cfg(test)]
        if self.0.queues_every_delay.get() {
            self.schedule_deferred_wakeup();
        }
    }

    /// Advances the clock to `instant` within the current event, if no other event comes earlier. The effect is that of
    /// an event at `instant`, without its cost and without returning to the executor. Returns whether the clock was
    /// advanced: an instant that has passed, a limit of the run and the check for a stalled clock need an event.
    #[inline]
    pub(super) fn try_advance(&self, instant: Time) -> bool {
        let core = &*self.0;
        let advances = instant < core.no_event_before.get()
            && core.now.get() < instant
            && core.deferred_wakeup.get() == Time::MAX
            && instant < core.guard_until.get();
        #[cfg(test)]
        let advances = advances && !core.queues_every_delay.get();
        if advances {
            core.now.set(instant);
            core.elided_delays.set(core.elided_delays.get() + 1);
        }
        advances
    }

    /// Sets whether every delay goes through the queue, at once.
    #[cfg(test)]
    pub(super) fn set_queues_every_delay(&self, queues_all: bool) {
        self.0.queues_every_delay.set(queues_all);
    }

    /// Returns the number of pending events.
    #[cfg(test)]
    pub(super) fn pending(&self) -> usize {
        self.0.wakeups.borrow().queue.len()
    }
}
