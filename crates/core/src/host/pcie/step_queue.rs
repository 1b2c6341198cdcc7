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
    /// The order of the steps, apart from the steps, which are larger.
    order: RefCell<BinaryHeap<Reverse<Scheduled>>>,
    /// The steps, by slot.
    steps: RefCell<Vec<Option<S>>>,
    free: RefCell<Vec<u32>>,
    next: Cell<u64>,
    /// Instant for which the task waits.
    awaited: Cell<Time>,
    earlier: Signal,
}

/// The place of a step among those of the same instant.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Rank(u64);

impl Rank {
    /// Before all accesses.
    pub const FIRST: Rank = Rank(0);
    /// After all accesses.
    pub const LAST: Rank = Rank(u64::MAX);

    /// Returns the rank of an access, in the order of the requests' numbers.
    pub const fn access(number: u64) -> Rank {
        Rank(number + 1)
    }
}

/// The instant, rank and number of a step, and its slot. Numbers differ, so that slots decide nothing.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Scheduled {
    at: Time,
    rank: Rank,
    number: u64,
    slot: u32,
}

impl<S> StepQueue<S> {
    /// Creates a queue without steps. Deadlock reports name the wait for a step by `name`.
    pub fn new(sim: &Sim, name: impl Into<String>) -> StepQueue<S> {
        let (next, awaited, earlier) = (Cell::new(0), Cell::new(Time::ZERO), Signal::new(sim, name));
        let (order, steps, free) = Default::default();
        StepQueue { sim: sim.clone(), order, steps, free, next, awaited, earlier }
    }

    /// Schedules a step for the instant `at`, or for the present if `at` is over.
    pub fn schedule(&self, at: Time, step: S) {
        self.schedule_ranked(at, Rank::LAST, step);
    }

    /// Schedules a step of the rank `rank` for the instant `at`, or for the present if `at` is over.
    pub fn schedule_ranked(&self, at: Time, rank: Rank, step: S) {
        let number = self.next.replace(self.next.get() + 1);
        let mut steps = self.steps.borrow_mut();
        let slot = self.free.borrow_mut().pop().unwrap_or(steps.len() as u32);
        match steps.get_mut(slot as usize) {
            Some(free) => *free = Some(step),
            None => steps.push(Some(step)),
        }
        drop(steps);
        self.order.borrow_mut().push(Reverse(Scheduled { at, rank, number, slot }));
        if at < self.awaited.get() {
            self.awaited.set(Time::ZERO);
            self.earlier.notify();
        }
    }

    /// Carries out the steps, each at its instant.
    pub async fn carry_out(&self, run: impl Fn(S)) {
        loop {
            let next = self.order.borrow().peek().map_or(Time::MAX, |Reverse(first)| first.at);
            if next <= self.sim.now() {
                run(self.take_first());
                continue;
            }
            self.awaited.set(next);
            self.earlier.wait_until(next).await;
            self.awaited.set(Time::ZERO);
        }
    }

    fn take_first(&self) -> S {
        let Reverse(Scheduled { slot, .. }) = self.order.borrow_mut().pop().expect("a step is scheduled");
        self.free.borrow_mut().push(slot);
        self.steps.borrow_mut()[slot as usize].take().expect("a scheduled step has its slot")
    }
}
