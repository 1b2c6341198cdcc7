//! Delays: how a task lets simulated time pass.
//!
//! A delay sets an event for its end, as all waits do. Where nothing else is to happen before, and few events are
//! pending, it passes within the event that began it instead: no event, no way back through those who wait. What
//! is seen of a run is the same, the number of events too; a twin that queues every delay shows it.

use super::limits::AT_ONCE;
use super::sim::{Core, Sim};
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
        match self.sim.take() {
            None => Poll::Ready(()),
            Some(sim) if sim.waits_until(self.until) => Poll::Pending,
            Some(_) => Poll::Ready(()),
        }
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

    /// The current task does nothing until `instant`: whether it has to wait for that.
    #[inline]
    fn waits_until(&self, instant: Time) -> bool {
        let mut agenda = self.0.agenda.borrow_mut();
        if agenda.queue.is_clear_until(instant) && self.0.passes(instant) {
            return false;
        }
        agenda.set(self.0.current.get(), instant, self.now());
        true
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

impl Core {
    /// Lets time pass to `instant`, before which nothing is to happen, within the event that fires now: just as an
    /// event for it would, but without one, and without the way back to who waits. Time that is over, a limit, and
    /// what looks for a clock that stands still have an event of their own.
    fn passes(&self, instant: Time) -> bool {
        let events = self.events.get() + 1;
        let passes = self.now.get() < instant
            && instant <= self.unlimited.get()
            && self.unfinished.get() > 0
            && !events.is_multiple_of(AT_ONCE);
        #[cfg(test)]
        let passes = passes && !self.queues_all.get();
        if passes {
            self.now.set(instant);
            self.events.set(events);
        }
        passes
    }
}
