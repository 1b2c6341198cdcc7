//! Pending events in the total order `(time, sequence)`.
//!
//! An event is sixteen bytes: its time, and its sequence number packed with the task that it wakes. Events without
//! delay pass through a plain queue. The rest wait in a 4-ary heap while they are few, and in a time wheel when they
//! are many. Tests compare the queue with a plain binary heap (`Plain`).

mod heap;
#[cfg(test)]
mod tests;
mod wheel;

use super::time::Time;
use std::cmp::Ordering;
use wheel::Wheel;

/// Bits of an event's identity that hold the task's number.
pub const TASK_BITS: u32 = 24;

/// The key that represents no event: later than the keys of all events.
const NO_EVENT_KEY: u128 = u128::MAX;

/// The number of taken events whose memory is freed together.
const TAKEN_MAX: usize = if cfg!(test) { 4 } else { 1 << 12 };

/// An event: its instant, and `sequence << TASK_BITS | task`. Sequence numbers are unique, so the order by instant and
/// then identity is total.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Event {
    /// Instant of the event.
    pub time: Time,
    /// Sequence number and task.
    pub id: u64,
}

impl Event {
    /// The value returned if no event is pending; it is later than any event.
    pub(super) const NONE: Event = Event::from_key(NO_EVENT_KEY);

    /// Returns the task that the event wakes.
    #[inline]
    pub const fn task(self) -> u32 {
        (self.id & ((1 << TASK_BITS) - 1)) as u32
    }

    /// Returns a number that orders events, so that two events are compared without a branch.
    #[inline]
    const fn key(self) -> u128 {
        (self.time.ps() as u128) << 64 | self.id as u128
    }

    #[inline]
    const fn from_key(key: u128) -> Event {
        Event { time: Time::from_ps((key >> 64) as u64), id: key as u64 }
    }
}

impl Ord for Event {
    #[inline]
    fn cmp(&self, other: &Event) -> Ordering {
        self.key().cmp(&other.key())
    }
}

impl PartialOrd for Event {
    #[inline]
    fn partial_cmp(&self, other: &Event) -> Option<Ordering> {
        Some(self.cmp(other))
    }

    #[inline]
    fn lt(&self, other: &Event) -> bool {
        self.key() < other.key()
    }

    #[inline]
    fn le(&self, other: &Event) -> bool {
        self.key() <= other.key()
    }
}

/// The pending events.
#[derive(Default)]
pub struct EventQueue {
    /// The events at the present instant, and the number of those that were taken.
    now: Vec<Event>,
    taken: usize,
    later: Wheel,
}

impl EventQueue {
    /// Adds an event at the present instant, that of the event taken last. The event must have the largest sequence
    /// number.
    #[inline]
    pub fn push_now(&mut self, event: Event) {
        self.now.push(event);
    }

    /// Adds an event at the present instant or later.
    #[inline]
    pub fn push(&mut self, event: Event) {
        self.later.push(event);
    }

    /// Adds an event at its instant, or at `now`, the present instant, if its instant has passed.
    #[inline(always)]
    pub(super) fn push_from(&mut self, event: Event, now: Time) {
        // Events of a later bucket are in the future. If there are buckets, most events are in later ones.
        if self.later.is_of_later_bucket(event) {
            self.later.list(event);
        } else if event.time > now {
            self.later.push_current(event);
        } else {
            self.push_now_apart(Event { time: now, ..event });
        }
    }

    /// Adds an event at the present instant. This is a separate function because growing a list needs registers, which
    /// its inlining callers would have to save.
    #[inline(never)]
    fn push_now_apart(&mut self, event: Event) {
        self.push_now(event);
    }

    /// Takes the earliest event.
    #[inline]
    pub fn pop(&mut self) -> Option<Event> {
        let (event, _) = self.pop_and_look();
        (event != Event::NONE).then_some(event)
    }

    /// Takes the earliest event, or [`Event::NONE`], which the caller recognises by its time. Also returns an instant
    /// before which no other event happens, if the queue can find one at little cost; time zero otherwise.
    #[inline]
    pub(super) fn pop_and_look(&mut self) -> (Event, Time) {
        if self.now.is_empty() {
            let (key, clear) = self.later.pop();
            return (Event::from_key(key), clear);
        }
        let first = self.now[self.taken];
        // An event that was scheduled earlier for the present instant precedes those without delay.
        match self.later.comes_before(first) {
            true => (Event::from_key(self.later.pop_key()), Time::ZERO),
            false => self.take(first),
        }
    }

    /// Takes `first`, the first event at the present instant.
    #[inline]
    fn take(&mut self, first: Event) -> (Event, Time) {
        self.taken += 1;
        if self.taken == self.now.len() {
            self.now.clear();
            self.taken = 0;
        } else if self.taken == TAKEN_MAX {
            self.now.drain(..self.taken);
            self.taken = 0;
        }
        (first, if self.now.is_empty() { self.later.clear_until() } else { Time::ZERO })
    }

    /// Calls `show` with every event that was added for an instant later than the present, in no order.
    pub fn each_later(&self, mut show: impl FnMut(Event)) {
        self.later.for_each_event(&mut show);
    }

    /// Returns the number of pending events.
    pub fn len(&self) -> usize {
        self.now.len() - self.taken + self.later.len()
    }

    /// Returns whether no event is pending.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}
