//! Pending events in the total order `(time, sequence)`.
//!
//! An event is sixteen bytes: its time, and its sequence number packed with the task that it wakes. Events without
//! delay pass through a plain queue. The rest wait in a 4-ary heap while they are few, and in a time wheel when they
//! are many. Tests compare the queue with a plain binary heap (`ReferenceQueue`).

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
const TAKEN_EVENTS_MAX: usize = if cfg!(test) { 4 } else { 1 << 12 };

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
    /// The events at the present instant, the first `taken_count` of which were taken.
    present_events: Vec<Event>,
    taken_count: usize,
    wheel: Wheel,
}

impl EventQueue {
    /// Adds an event at the present instant, which is the instant of the event taken last. The event must have the
    /// largest sequence number.
    #[inline]
    pub fn push_now(&mut self, event: Event) {
        self.present_events.push(event);
    }

    /// Adds an event at the present instant or later.
    #[inline]
    pub fn push(&mut self, event: Event) {
        self.wheel.push(event);
    }

    /// Adds an event at its instant, or at `now`, the present instant, if its instant has passed.
    #[inline(always)]
    pub(super) fn push_not_before(&mut self, event: Event, now: Time) {
        // Events of a later bucket are in the future. If there are buckets, most events are in later ones.
        if self.wheel.is_in_later_bucket(event) {
            self.wheel.add_to_bucket(event);
        } else if event.time > now {
            self.wheel.push_current(event);
        } else {
            self.push_now_outlined(Event { time: now, ..event });
        }
    }

    /// Adds an event at the present instant. This is a separate function because growing a list needs registers, which
    /// its inlining callers would have to save.
    #[inline(never)]
    fn push_now_outlined(&mut self, event: Event) {
        self.push_now(event);
    }

    /// Takes the earliest event.
    #[inline]
    pub fn pop(&mut self) -> Option<Event> {
        let (event, _) = self.pop_with_horizon();
        (event != Event::NONE).then_some(event)
    }

    /// Takes the earliest event, or [`Event::NONE`], which the caller recognises by its time. Also returns an instant
    /// before which no other event happens, if the queue can find one at little cost; time zero otherwise.
    #[inline]
    pub(super) fn pop_with_horizon(&mut self) -> (Event, Time) {
        if self.present_events.is_empty() {
            let (key, no_event_before) = self.wheel.pop();
            return (Event::from_key(key), no_event_before);
        }
        let first = self.present_events[self.taken_count];
        // An event that was scheduled earlier for the present instant precedes those without delay.
        match self.wheel.has_event_before(first) {
            true => (Event::from_key(self.wheel.pop_key()), Time::ZERO),
            false => self.take_present(first),
        }
    }

    /// Takes `first`, the first event at the present instant.
    #[inline]
    fn take_present(&mut self, first: Event) -> (Event, Time) {
        self.taken_count += 1;
        if self.taken_count == self.present_events.len() {
            self.present_events.clear();
            self.taken_count = 0;
        } else if self.taken_count == TAKEN_EVENTS_MAX {
            self.present_events.drain(..self.taken_count);
            self.taken_count = 0;
        }
        (first, if self.present_events.is_empty() { self.wheel.no_event_before() } else { Time::ZERO })
    }

    /// Calls `visit` with every event that was added for a later instant, in no particular order.
    pub fn for_each_later(&self, mut visit: impl FnMut(Event)) {
        self.wheel.for_each_event(&mut visit);
    }

    /// Returns the number of pending events.
    pub fn len(&self) -> usize {
        self.present_events.len() - self.taken_count + self.wheel.len()
    }

    /// Returns whether no event is pending.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}
