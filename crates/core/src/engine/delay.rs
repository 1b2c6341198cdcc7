//! Delays, which a task awaits to let simulated time pass.
//!
//! A task that awaits a delay names the instant at which the delay ends. The engine schedules an event for that instant
//! when the task has returned to the engine. If no other event comes before that instant, and few events are pending,
//! the delay passes within the current event instead: the clock advances, and the task continues without a new event
//! and without returning through the callers that await it. Waits for a signal with a deadline, and for a value in
//! transit in a mailbox, end in the same way (`signal.rs`). The results of a run are the same, including its number of
//! events; tests compare it with a reference run in which every delay is queued at once.

use super::sim::Sim;
use super::time::Time;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

/// The wait of [`Sim::delay`] and [`Sim::until`].
#[must_use = "a delay passes only when awaited"]
pub struct Delay<'a> {
    /// The simulation; `None` once the wake-up is requested or the delay has passed.
    sim: Option<&'a Sim>,
    end: Time,
}

impl Future for Delay<'_> {
    type Output = ();
    #[inline]
    fn poll(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<()> {
        let Some(sim) = self.sim else { return Poll::Ready(()) };
        self.sim = None;
        if sim.try_advance(self.end) {
            return Poll::Ready(());
        }
        sim.request_wakeup(self.end);
        Poll::Pending
    }
}

impl Sim {
    /// Waits for a span of simulated time.
    #[inline]
    pub fn delay(&self, span: Time) -> Delay<'_> {
        let end = self.now().ps().checked_add(span.ps()).map_or(Time::END, Time::from_ps);
        Delay { sim: Some(self), end }
    }

    /// Waits until `instant`; no time passes if it is in the past.
    #[inline]
    pub fn until(&self, instant: Time) -> Delay<'_> {
        Delay { sim: Some(self), end: instant.min(Time::END) }
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
    /// advanced. It is not advanced if the instant has passed, or if a limit of the run or the check for a stalled
    /// clock needs an event.
    #[inline]
    pub(crate) fn try_advance(&self, instant: Time) -> bool {
        let core = &*self.0;
        let can_advance = instant < core.no_event_before.get()
            && core.now.get() < instant
            && core.deferred_wakeup.get() == Time::MAX
            && instant < core.check_limits_from.get();
        #[cfg(test)]
        let can_advance = can_advance && !core.queues_every_delay.get();
        if can_advance {
            core.now.set(instant);
            core.elided_delays.set(core.elided_delays.get() + 1);
        }
        can_advance
    }

    /// Sets whether every delay is queued as an event as soon as it is awaited.
    #[cfg(test)]
    pub(crate) fn set_queues_every_delay(&self, queues_every_delay: bool) {
        self.0.queues_every_delay.set(queues_every_delay);
    }

    /// Returns the number of pending events.
    #[cfg(test)]
    pub(super) fn pending_event_count(&self) -> usize {
        self.0.wakeups.borrow().queue.len()
    }
}
