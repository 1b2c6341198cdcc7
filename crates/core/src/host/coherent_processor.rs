//! Waits of drivers on a processor whose cache snoops.
//!
//! A driver polls a cached word, which changes only when its block is invalidated, or a register, which shows no event
//! for most of the time. A processor of this kind accounts for the polls that show no event without simulating each of
//! them; the invalidation wakes the driver. Loads and stores are part of [`Processor`](super::Processor) and not of
//! this trait, and are dispatched without virtual calls.

use super::block::Address;
use crate::engine::sim::WaitReasonId;
use crate::engine::{LocalFuture, Signal, Time};

/// A register that is polled.
pub struct PolledRegister<'a> {
    /// Address on the bus, and width in bytes; `None` for a register of the processor itself.
    pub bus_location: Option<(Address, usize)>,
    /// Cycles of an access to a register of the processor itself.
    pub access_cycles: u64,
    /// Cycles of a round in addition to the read.
    pub round_cycles: u64,
    /// Signal that is notified when the register may show an event, or when the program has other work.
    pub event: &'a Signal,
    /// Returns the time at which the event that the register shows was set, or `None` if it shows no event.
    pub event_time: &'a dyn Fn() -> Option<Time>,
}

/// A processor whose cache snoops.
pub trait CoherentProcessor {
    /// Returns the signal that is notified when the polled block has been invalidated. Other events that a waiting
    /// program must see notify the same signal.
    fn wakeup(&self) -> &Signal;

    /// Ends one round of a loop that polls the cached word at `address` and takes `round_cycles` in addition to the
    /// load. Returns when another load could return a new value. `wake_time` returns the time at which the program has
    /// other work, if it is known.
    fn spin<'a>(
        &'a self,
        address: Address,
        round_cycles: u64,
        reason: WaitReasonId,
        wake_time: &'a dyn Fn() -> Time,
    ) -> LocalFuture<'a>;

    /// Ends a round in which `register` showed no event, and skips the following rounds without an event, until
    /// `wake_time`. Returns whether a read that shows an event has just ended. In that case local time is the start of
    /// its round until [`resume_read`](Self::resume_read) is called.
    fn skip_polls<'a>(
        &'a self,
        register: &'a PolledRegister<'a>,
        wake_time: &'a dyn Fn() -> Time,
    ) -> LocalFuture<'a, bool>;

    /// Waits until every earlier cached store is visible to others. Unlike a fence, the wait is not an instruction: on
    /// hardware, a core that is notified by a later store of this processor also sees its earlier stores.
    fn drain_stores(&self) -> LocalFuture<'_> {
        Box::pin(async {})
    }

    /// Continues at the end of the read that showed an event; `over_bus` states whether the read used the bus.
    fn resume_read(&self, over_bus: bool);
}
