//! Steps that are carried out at given instants, by one task.
//!
//! Steps of the same instant are carried out in the order of their ranks, and those of one rank in the order in which
//! they were scheduled.

use crate::engine::{Signal, Sim, Time};
use std::cell::{Cell, RefCell};
use std::collections::VecDeque;

/// The queue of the scheduled steps.
pub struct StepQueue<S> {
    sim: Sim,
    /// The steps in their order. Most steps are scheduled for an instant after most others.
    steps: RefCell<VecDeque<(Scheduled, S)>>,
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

/// The instant, rank and number of a step.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Scheduled {
    at: Time,
    rank: Rank,
    number: u64,
}

/// Number of steps from the last one on that are compared one by one to insert a step.
const COMPARED: usize = 8;

impl<S> StepQueue<S> {
    /// Creates a queue without steps. Deadlock reports name the wait for a step by `name`.
    pub fn new(sim: &Sim, name: impl Into<String>) -> StepQueue<S> {
        let (next, awaited, earlier) = (Cell::new(0), Cell::new(Time::ZERO), Signal::new(sim, name));
        StepQueue { sim: sim.clone(), steps: RefCell::default(), next, awaited, earlier }
    }

    /// Schedules a step for the instant `at`, or for the present if `at` is over.
    pub fn schedule(&self, at: Time, step: S) {
        self.schedule_ranked(at, Rank::LAST, step);
    }

    /// Schedules a step of the rank `rank` for the instant `at`, or for the present instant if `at` has passed.
    pub fn schedule_ranked(&self, at: Time, rank: Rank, step: S) {
        let number = self.next.replace(self.next.get() + 1);
        let scheduled = Scheduled { at, rank, number };
        let mut steps = self.steps.borrow_mut();
        let mut index = steps.len();
        let compared_from = index.saturating_sub(COMPARED);
        while index > compared_from && steps[index - 1].0 > scheduled {
            index -= 1;
        }
        if index == compared_from && index > 0 {
            index = steps.partition_point(|(other, _)| *other < scheduled);
        }
        match index == steps.len() {
            true => steps.push_back((scheduled, step)),
            false => steps.insert(index, (scheduled, step)),
        }
        drop(steps);
        if at < self.awaited.get() {
            self.awaited.set(Time::ZERO);
            self.earlier.notify();
        }
    }

    /// Carries out the steps, each at its instant.
    pub async fn carry_out(&self, run: impl Fn(S)) {
        loop {
            let next = self.steps.borrow().front().map_or(Time::MAX, |(first, _)| first.at);
            if next <= self.sim.now() {
                let first = self.steps.borrow_mut().pop_front();
                run(first.expect("a step is scheduled").1);
                continue;
            }
            self.awaited.set(next);
            self.earlier.wait_until(next).await;
            self.awaited.set(Time::ZERO);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::{Limits, Outcome, Recorder, Simulation};
    use proptest::prelude::*;
    use std::rc::Rc;

    proptest! {
        #[test]
        fn steps_are_carried_out_in_the_order_of_instants_ranks_and_scheduling(
            steps in prop::collection::vec((0..60u64, 0..4u64), 1..120),
        ) {
            let simulation = Simulation::new(Recorder::off());
            let sim = simulation.sim();
            let queue = Rc::new(StepQueue::new(&sim, "a step"));
            for (number, (ns, rank)) in steps.iter().enumerate() {
                queue.schedule_ranked(Time::from_ns(*ns), Rank::access(*rank), number);
            }
            let done = Rc::new(RefCell::new(Vec::new()));
            let (serving, finished, clock) = (queue.clone(), done.clone(), sim.clone());
            sim.spawn_server("steps", async move {
                serving.carry_out(|step: usize| finished.borrow_mut().push((clock.now(), step))).await;
            });
            let waiting = sim.clone();
            sim.spawn("the end", async move { waiting.delay(Time::from_ns(100)).await });
            prop_assert_eq!(simulation.run(Limits::default()), Outcome::Done);
            let mut expected: Vec<usize> = (0..steps.len()).collect();
            expected.sort_by_key(|step| steps[*step]);
            let expected: Vec<(Time, usize)> =
                expected.into_iter().map(|step| (Time::from_ns(steps[step].0), step)).collect();
            prop_assert_eq!(&*done.borrow(), &expected);
        }
    }
}
