//! Synchronization of the simulation with a processor whose local time runs ahead of the simulation.

use crate::engine::{LocalFuture, Sim, Time};
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

/// The work of a processor that remains to be simulated until the simulation reaches the processor's local time.
pub enum LocalTimeLag<'a> {
    /// There is no work, because the simulation has reached local time.
    Nothing,
    /// The processor works until an instant.
    Until(Time),
    /// The processor works in several intervals, between which code of higher priorities runs.
    Intervals(LocalFuture<'a, ()>),
}

/// A clock whose time runs ahead of the simulation. Every processor has one.
pub trait LocalClock {
    /// Returns the simulation.
    fn sim(&self) -> &Sim;

    /// Begins to synchronize the simulation with local time. Returns the work that is left to simulate.
    fn begin_sync(&self) -> LocalTimeLag<'_>;

    /// Ends the work up to the instant in [`LocalTimeLag::Until`].
    fn end_sync(&self);
}

/// The future of [`Processor::sync`](super::Processor::sync). It is a concrete type that needs no allocation, because
/// it is the most frequent wait of programs.
#[must_use = "the simulation catches up only when awaited"]
pub struct SyncFuture<'a, C> {
    clock: &'a C,
    wait: Option<Wait<'a>>,
}

impl<'a, C> SyncFuture<'a, C> {
    /// Creates a future that completes when the simulation has reached the local time of `clock`.
    pub fn new(clock: &'a C) -> SyncFuture<'a, C> {
        SyncFuture { clock, wait: None }
    }
}

enum Wait<'a> {
    Delay,
    Intervals(LocalFuture<'a, ()>),
}

impl<C: LocalClock> Future for SyncFuture<'_, C> {
    type Output = ();
    #[inline]
    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        let clock = self.clock;
        let wait = match &mut self.wait {
            Some(Wait::Delay) => {
                clock.end_sync();
                return Poll::Ready(());
            }
            Some(Wait::Intervals(work)) => return work.as_mut().poll(context),
            wait => wait,
        };
        match clock.begin_sync() {
            LocalTimeLag::Nothing => Poll::Ready(()),
            LocalTimeLag::Until(instant) => {
                let polled = Pin::new(&mut clock.sim().until(instant)).poll(context);
                match polled {
                    Poll::Ready(()) => clock.end_sync(),
                    Poll::Pending => *wait = Some(Wait::Delay),
                }
                polled
            }
            LocalTimeLag::Intervals(mut work) => {
                let polled = work.as_mut().poll(context);
                *wait = Some(Wait::Intervals(work));
                polled
            }
        }
    }
}
