//! What the time of a program goes into, by cause.
//!
//! Told by the processor's own clock, from a program's first call to the end of its last, or of the part of it that
//! is timed: one cause at a time, so that the times of all causes add up to that of the program. Leaves out: what a processor does between
//! two calls, which takes no time, but for a program that says otherwise ([`Active::spend`](super::Active::spend)).

use crate::engine::Time;
use std::cell::Cell;

/// What a program's time goes into.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Cause {
    /// It computes, handlers among it.
    Compute,
    /// It puts packets into the interface.
    Send,
    /// It takes packets that have come, and looks for them after each send.
    Receive,
    /// It waits for room in the interface, and looks for packets meanwhile.
    Room,
    /// It waits for packets, for a barrier, or for its turn among programs of its node.
    #[default]
    Message,
    /// It waits for a block of shared memory.
    Block,
    /// It waits for others: for a lock, or for what they write.
    Others,
}

impl Cause {
    /// All of them, each with its key.
    pub const ALL: [(Cause, &'static str); 7] = [
        (Cause::Compute, "compute"),
        (Cause::Send, "send"),
        (Cause::Receive, "receive"),
        (Cause::Room, "wait_for_room"),
        (Cause::Message, "wait_for_message"),
        (Cause::Block, "wait_for_block"),
        (Cause::Others, "wait_for_others"),
    ];
}

/// What a program's time went into so far.
#[derive(Default)]
pub(super) struct Spent {
    cause: Cell<Cause>,
    since: Cell<Time>,
    /// The part that is timed is over.
    is_over: Cell<bool>,
    times: [Cell<Time>; Cause::ALL.len()],
}

impl Spent {
    /// From `instant` on time goes into `cause`; what it went into before. What is known only afterwards may
    /// be told for an instant that lies back, but not behind the last change.
    pub fn turn(&self, cause: Cause, instant: Time) -> Cause {
        let before = self.cause.replace(cause);
        if self.is_over.get() {
            return before;
        }
        let time = &self.times[before as usize];
        time.set(time.get() + instant.since(self.since.get()));
        self.since.set(instant.max(self.since.get()));
        before
    }

    /// What is timed begins: what was before does not count.
    pub fn begin(&self, instant: Time) {
        self.times.iter().for_each(|time| time.set(Time::ZERO));
        self.since.set(instant);
    }

    /// It ends: what comes then does not count.
    pub fn end(&self, instant: Time) {
        self.turn(self.cause.get(), instant);
        self.is_over.set(true);
    }

    /// How much went into `cause`, up to the last change.
    pub fn of(&self, cause: Cause) -> Time {
        self.times[cause as usize].get()
    }
}
