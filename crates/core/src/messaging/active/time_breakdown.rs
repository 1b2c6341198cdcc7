//! The breakdown of a program's time by cause.
//!
//! The breakdown covers the processor's local time from a program's first call to the end of its last call, or the
//! timed part of the program. Each instant counts for one cause, so that the times of all causes add up to the
//! program's time. The processor's work between two calls takes no time, unless the program charges time for it
//! ([`ActiveEndpoint::charge_to`](super::ActiveEndpoint::charge_to)).

use crate::engine::Time;
use std::cell::Cell;

/// A cause to which a program's time is charged.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Cause {
    /// Computation, including that of handlers.
    Compute,
    /// Sending packets to the interface.
    Send,
    /// Receiving packets, and polling after each send.
    Receive,
    /// Dispatching messages to their handlers by a run-time system, in addition to receiving them.
    Dispatch,
    /// Waiting for space in the interface, including the polls in the meantime.
    Capacity,
    /// Waiting for packets, for a barrier, or for the processor that other programs of the node share.
    #[default]
    Message,
    /// Waiting for a block of shared memory.
    Block,
    /// Waiting for other programs: for a lock, or for data that they write.
    Synchronization,
}

impl Cause {
    /// All causes, each with its key.
    pub const ALL: [(Cause, &'static str); 8] = [
        (Cause::Compute, "compute"),
        (Cause::Send, "send"),
        (Cause::Receive, "receive"),
        (Cause::Dispatch, "dispatch"),
        (Cause::Capacity, "wait_for_capacity"),
        (Cause::Message, "wait_for_message"),
        (Cause::Block, "wait_for_block"),
        (Cause::Synchronization, "synchronization"),
    ];
}

/// A program's time so far, by cause.
#[derive(Default)]
pub(super) struct TimeBreakdown {
    cause: Cell<Cause>,
    since: Cell<Time>,
    /// Whether the timed part of the program has ended.
    is_over: Cell<bool>,
    times: [Cell<Time>; Cause::ALL.len()],
}

impl TimeBreakdown {
    /// Charges time to `cause` from `instant` on; returns the previous cause. `instant` may be in the past, for a cause
    /// that becomes known only later, but not before the last switch.
    pub fn switch(&self, cause: Cause, instant: Time) -> Cause {
        let before = self.cause.replace(cause);
        if self.is_over.get() {
            return before;
        }
        let time = &self.times[before as usize];
        time.set(time.get() + instant.since(self.since.get()));
        self.since.set(instant.max(self.since.get()));
        before
    }

    /// Begins the timed part at `instant`: time before it does not count.
    pub fn begin(&self, instant: Time) {
        self.times.iter().for_each(|time| time.set(Time::ZERO));
        self.since.set(instant);
    }

    /// Ends the timed part at `instant`: time after it does not count.
    pub fn end(&self, instant: Time) {
        self.switch(self.cause.get(), instant);
        self.is_over.set(true);
    }

    /// Returns the time charged to `cause`, up to the last switch.
    pub fn time_of(&self, cause: Cause) -> Time {
        self.times[cause as usize].get()
    }
}
