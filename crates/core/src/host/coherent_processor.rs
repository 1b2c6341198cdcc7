//! A processor whose cache snoops, as drivers wait on it.
//!
//! A driver polls a cached word that changes only when its block is invalidated, or a register that shows nothing for
//! most of the time. Such a processor passes the polls that show nothing without simulating each, and wakes the driver
//! by the invalidation. Loads and stores are not part of this trait: they are [`Processor`](super::Processor)'s, and are
//! dispatched without virtual calls.

use super::block::Address;
use crate::engine::sim::WaitReasonId;
use crate::engine::{LocalFuture, Signal, Time};

/// A register that is polled.
pub struct PolledRegister<'a> {
    /// Address on the bus, and width; `None` for a register of the processor itself.
    pub on_bus: Option<(Address, usize)>,
    /// Cycles of an access to a register of the processor itself.
    pub access_cycles: u64,
    /// Cycles of a round in addition to the read.
    pub round_cycles: u64,
    /// Signal that the register may show something, or that the program has something else to do.
    pub event: &'a Signal,
    /// Returns when the event was set by which the register shows something, if it does.
    pub shows: &'a dyn Fn() -> Option<Time>,
}

/// A processor whose cache snoops.
pub trait CoherentProcessor {
    /// Returns the signal that the polled block has been invalidated. It also wakes a program for whatever else it waits
    /// for.
    fn attention(&self) -> &Signal;

    /// Ends one round of a loop that polls the cached word at `address`, which takes `round_cycles` in addition to the
    /// load; returns when another load could show something new. `wake` returns when the program has something else to
    /// do, if that is known.
    fn spin<'a>(
        &'a self,
        address: Address,
        round_cycles: u64,
        reason: WaitReasonId,
        wake: &'a dyn Fn() -> Time,
    ) -> LocalFuture<'a>;

    /// Ends a round in which `register` showed nothing, and passes the following rounds in which it shows nothing
    /// either, until `wake`. Returns whether a read has just ended that shows something: the time is that at which its
    /// round began, until [`resume_read`](Self::resume_read).
    fn pass_polls<'a>(&'a self, register: &'a PolledRegister<'a>, wake: &'a dyn Fn() -> Time) -> LocalFuture<'a, bool>;

    /// Continues at the end of the read that showed something, which went over the bus or not.
    fn resume_read(&self, over_bus: bool);
}
