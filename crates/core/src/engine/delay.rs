//! Delays: how a task lets simulated time pass.
//!
//! A delay says when it ends, and the engine, when the task has come back to it, sets the event for that. Where
//! nothing else is to happen before, and few events are pending, it passes within the event that began it instead:
//! no event, no way back through those who wait. What is seen of a run is the same, the number of events too; a twin
//! that queues every delay, and at once, shows it.

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
        if sim.passes(self.until) {
            return Poll::Ready(());
        }
        sim.asks_for(self.until);
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

    /// Has the current task polled at `instant`. Where nothing is set before it comes back to the engine, the engine
    /// itself puts it on the agenda, which it has at hand.
    #[inline]
    fn asks_for(&self, instant: Time) {
        self.0.deferred_wakeup.set(instant);
        #[cfg(test)]
        if self.0.queues_all.get() {
            self.settle();
        }
    }

    /// Advances the clock to `instant` within the event that fires now, if nothing happens before: as an event for it
    /// would, but without the cost of one and without returning to the executor. An instant that has passed, a limit
    /// and the check for a stalled clock get an event of their own.
    #[inline]
    fn passes(&self, instant: Time) -> bool {
        let core = &*self.0;
        let passes = instant < core.no_event_before.get()
            && core.now.get() < instant
            && core.deferred_wakeup.get() == Time::MAX
            && instant < core.guard_until.get();
        #[cfg(test)]
        let passes = passes && !core.queues_all.get();
        if passes {
            core.now.set(instant);
            core.elided_delays.set(core.elided_delays.get() + 1);
        }
        passes
    }

    /// Whether every delay goes through the queue, and is there at once.
    #[cfg(test)]
    pub(super) fn set_queues_all(&self, all: bool) {
        self.0.queues_all.set(all);
    }

    /// Returns the number of pending events.
    #[cfg(test)]
    pub(super) fn pending(&self) -> usize {
        self.0.wakeups.borrow().queue.len()
    }
}
