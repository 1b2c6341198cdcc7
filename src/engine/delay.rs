//! Delays: how a task lets simulated time pass.
//!
//! A delay sets an event for its end, as all waits do. Where nothing else is to happen before, and few events are
//! pending, it passes within the event that began it instead: no event, no way back through those who wait. What
//! is seen of a run is the same, the number of events too; a twin that queues every delay shows it.

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
        if let Some(sim) = self.sim
            && !sim.passes(self.until)
        {
            sim.waits_until(self.until);
            self.sim = None;
            return Poll::Pending;
        }
        Poll::Ready(())
    }
}

impl Sim {
    /// Waits for a span of simulated time.
    #[inline]
    pub fn delay(&self, span: Time) -> Delay<'_> {
        Delay { sim: Some(self), until: self.now().saturating_add(span) }
    }

    /// Waits until an instant; no time passes if it is over.
    #[inline]
    pub fn until(&self, instant: Time) -> Delay<'_> {
        Delay { sim: Some(self), until: instant }
    }

    /// Has the current task polled at `instant`; it does nothing before.
    #[inline]
    fn waits_until(&self, instant: Time) {
        let core = &*self.0;
        core.clear.set(Time::ZERO);
        core.agenda.borrow_mut().set(core.current.get(), instant, core.now.get());
    }

    /// Lets time pass to `instant`, where nothing is to happen before, within the event that fires now: just as an
    /// event for it would, but without one, and without the way back to who waits. Time that is over, a limit, and
    /// what looks for a clock that stands still have an event of their own.
    #[inline]
    fn passes(&self, instant: Time) -> bool {
        let core = &*self.0;
        let left = core.left.get() - 1;
        let passes = instant < core.clear.get() && core.now.get() < instant && left > 0;
        #[cfg(test)]
        let passes = passes && !core.queues_all.get();
        if passes {
            core.now.set(instant);
            core.left.set(left);
        }
        passes
    }

    /// Whether every delay goes through the queue.
    #[cfg(test)]
    pub(super) fn set_queues_all(&self, all: bool) {
        self.0.queues_all.set(all);
    }

    /// How many events are pending.
    #[cfg(test)]
    pub(super) fn pending(&self) -> usize {
        self.0.agenda.borrow().queue.len()
    }
}
