//! The breakdown of a program's time by cause.
//!
//! The breakdown covers the timed part of the program. Without a timed part, it covers the processor's local time from
//! the program's first call of the endpoint to the end of the last call. Each instant counts for one cause, so that the
//! times of all causes add up to the program's time. The processor's work between two calls takes no time, unless the
//! program charges time for it ([`ActiveEndpoint::charge_to`](super::ActiveEndpoint::charge_to)).

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
    last_switch: Cell<Time>,
    /// Whether the timed part of the program has ended.
    is_over: Cell<bool>,
    times: [Cell<Time>; Cause::ALL.len()],
}

impl TimeBreakdown {
    /// Charges time to `cause` from `instant` on; returns the previous cause. `instant` may be in the past, for a cause
    /// that becomes known only later, but not before the last switch.
    pub fn switch(&self, cause: Cause, instant: Time) -> Cause {
        let previous_cause = self.cause.replace(cause);
        if self.is_over.get() {
            return previous_cause;
        }
        let time = &self.times[previous_cause as usize];
        time.set(time.get() + instant.since(self.last_switch.get()));
        self.last_switch.set(instant.max(self.last_switch.get()));
        previous_cause
    }

    /// Begins the timed part at `instant`: time before it does not count.
    pub fn begin(&self, instant: Time) {
        self.times.iter().for_each(|time| time.set(Time::ZERO));
        self.last_switch.set(instant);
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
