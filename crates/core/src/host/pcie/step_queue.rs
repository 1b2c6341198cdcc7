//! Steps that are carried out at given instants, by one task.
//!
//! Steps of the same instant are carried out in the order of their ranks, and those of one rank in the order in which
//! they were scheduled.

use crate::engine::{Signal, Sim, Time};
use std::cell::{Cell, RefCell};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// The queue of the scheduled steps.
pub struct StepQueue<S> {
    sim: Sim,
    steps: RefCell<BinaryHeap<Reverse<Scheduled<S>>>>,
    next: Cell<u64>,
    /// Instant for which the task waits.
    awaited: Cell<Time>,
    earlier: Signal,
}

/// The place of a step among those of the same instant.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Rank {
    /// Before all accesses.
    First,
    /// An access, in the order of the requests' numbers.
    Access(u64),
    /// After all accesses.
    Last,
}

struct Scheduled<S> {
    at: Time,
    rank: Rank,
    number: u64,
    step: S,
}

impl<S> PartialEq for Scheduled<S> {
    fn eq(&self, other: &Self) -> bool {
        self.number == other.number
    }
}

impl<S> Eq for Scheduled<S> {}

impl<S> PartialOrd for Scheduled<S> {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl<S> Ord for Scheduled<S> {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        (self.at, self.rank, self.number).cmp(&(other.at, other.rank, other.number))
    }
}

impl<S> StepQueue<S> {
    /// Creates a queue without steps. Deadlock reports name the wait for a step by `name`.
    pub fn new(sim: &Sim, name: impl Into<String>) -> StepQueue<S> {
        let (steps, next, awaited) = (RefCell::default(), Cell::new(0), Cell::new(Time::ZERO));
        StepQueue { sim: sim.clone(), steps, next, awaited, earlier: Signal::new(sim, name) }
    }

    /// Schedules a step for the instant `at`, or for the present if `at` is over.
    pub fn schedule(&self, at: Time, step: S) {
        self.schedule_ranked(at, Rank::Last, step);
    }

    /// Schedules a step of the rank `rank` for the instant `at`, or for the present if `at` is over.
    pub fn schedule_ranked(&self, at: Time, rank: Rank, step: S) {
        let number = self.next.replace(self.next.get() + 1);
        self.steps.borrow_mut().push(Reverse(Scheduled { at, rank, number, step }));
        if at < self.awaited.get() {
            self.awaited.set(Time::ZERO);
            self.earlier.notify();
        }
    }

    /// Carries out the steps, each at its instant.
    pub async fn carry_out(&self, run: impl Fn(S)) {
        loop {
            let next = self.steps.borrow().peek().map_or(Time::MAX, |Reverse(first)| first.at);
            if next <= self.sim.now() {
                let Reverse(first) = self.steps.borrow_mut().pop().expect("a step is scheduled");
                run(first.step);
                continue;
            }
            self.awaited.set(next);
            self.earlier.wait_until(next).await;
            self.awaited.set(Time::ZERO);
        }
    }
}
