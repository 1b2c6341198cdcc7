//! Pending events in the total order `(time, sequence)`.
//!
//! An event is sixteen bytes: its time, and its sequence number with the task it wakes packed
//! beside it. Events without delay pass through a plain queue; the rest wait in a 4-ary heap.

use super::time::Time;
use std::collections::VecDeque;

/// Bits of an event's identity that hold the task's number.
pub const TASK_BITS: u32 = 24;

/// An event: when, and `sequence << TASK_BITS | task`. Sequence numbers are unique, so the
/// derived order is total.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Event {
    /// When it happens.
    pub time: Time,
    /// Sequence number and task.
    pub id: u64,
}

impl Event {
    /// The task it wakes.
    pub const fn task(self) -> u32 {
        (self.id & ((1 << TASK_BITS) - 1)) as u32
    }
}

/// The pending events.
#[derive(Default)]
pub struct Queue {
    now: VecDeque<Event>,
    later: Heap,
}

impl Queue {
    /// Adds an event at the present instant; its identity must be the newest.
    pub fn push_now(&mut self, event: Event) {
        self.now.push_back(event);
    }

    /// Adds an event later than the present instant.
    pub fn push(&mut self, event: Event) {
        self.later.push(event);
    }

    /// Takes the earliest event.
    pub fn pop(&mut self) -> Option<Event> {
        match self.now.front() {
            None => self.later.pop(),
            // An event set earlier for this very instant comes before those without delay.
            Some(&first) if self.later.peek().is_some_and(|event| event < first) => self.later.pop(),
            Some(_) => self.now.pop_front(),
        }
    }

    /// How many events are pending.
    pub fn len(&self) -> usize {
        self.now.len() + self.later.events.len()
    }

    /// True if nothing is pending.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// A 4-ary heap: half the depth of a binary one, and siblings share a cache block.
#[derive(Default)]
struct Heap {
    events: Vec<Event>,
}

impl Heap {
    fn peek(&self) -> Option<Event> {
        self.events.first().copied()
    }

    fn push(&mut self, event: Event) {
        let mut hole = self.events.len();
        self.events.push(event);
        while hole > 0 {
            let parent = (hole - 1) / 4;
            if self.events[parent] <= event {
                break;
            }
            self.events[hole] = self.events[parent];
            hole = parent;
        }
        self.events[hole] = event;
    }

    fn pop(&mut self) -> Option<Event> {
        let last = self.events.pop()?;
        let Some(&first) = self.events.first() else { return Some(last) };
        let mut hole = 0;
        while let Some(child) = self.least_child(hole) {
            if last <= self.events[child] {
                break;
            }
            self.events[hole] = self.events[child];
            hole = child;
        }
        self.events[hole] = last;
        Some(first)
    }

    fn least_child(&self, parent: usize) -> Option<usize> {
        let first = 4 * parent + 1;
        let end = (first + 4).min(self.events.len());
        (first..end).min_by_key(|&child| self.events[child])
    }
}
