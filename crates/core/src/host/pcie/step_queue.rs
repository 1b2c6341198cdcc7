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
    steps: RefCell<VecDeque<(StepKey, S)>>,
    /// Number of the step that is scheduled next.
    next_number: Cell<u64>,
    /// Instant for which the task waits.
    awaited_instant: Cell<Time>,
    /// Notified when a step is scheduled before the instant for which the task waits.
    earlier_step: Signal,
}

/// The rank of a step, which orders the steps of the same instant.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Rank(u64);

impl Rank {
    /// The rank before all accesses.
    pub const FIRST: Rank = Rank(0);
    /// The rank after all accesses.
    pub const LAST: Rank = Rank(u64::MAX);

    /// Returns the rank of an access of the request `number`. Accesses are ordered by the numbers of their requests.
    pub const fn access(number: u64) -> Rank {
        Rank(number + 1)
    }
}

/// The instant, rank and number of a step.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct StepKey {
    at: Time,
    rank: Rank,
    number: u64,
}

/// Number of steps at the end of the queue that are compared one by one to insert a step.
const COMPARED_STEPS: usize = 8;

impl<S> StepQueue<S> {
    /// Creates a queue without steps. Deadlock reports name the wait for a step by `name`.
    pub fn new(sim: &Sim, name: impl Into<String>) -> StepQueue<S> {
        let (next_number, awaited_instant, earlier_step) =
            (Cell::new(0), Cell::new(Time::ZERO), Signal::new(sim, name));
        StepQueue { sim: sim.clone(), steps: RefCell::default(), next_number, awaited_instant, earlier_step }
    }

    /// Schedules a step for the instant `at`, or for the present instant if `at` has passed.
    pub fn schedule(&self, at: Time, step: S) {
        self.schedule_ranked(at, Rank::LAST, step);
    }

    /// Schedules a step of the rank `rank` for the instant `at`, or for the present instant if `at` has passed.
    pub fn schedule_ranked(&self, at: Time, rank: Rank, step: S) {
        let number = self.next_number.replace(self.next_number.get() + 1);
        let key = StepKey { at, rank, number };
        let mut steps = self.steps.borrow_mut();
        let mut index = steps.len();
        let compared_from = index.saturating_sub(COMPARED_STEPS);
        while index > compared_from && steps[index - 1].0 > key {
            index -= 1;
        }
        if index == compared_from && index > 0 {
            index = steps.partition_point(|(other, _)| *other < key);
        }
        match index == steps.len() {
            true => steps.push_back((key, step)),
            false => steps.insert(index, (key, step)),
        }
        drop(steps);
        if at < self.awaited_instant.get() {
            self.awaited_instant.set(Time::ZERO);
            self.earlier_step.notify();
        }
    }

    /// Carries out the steps, each at its instant.
    pub async fn carry_out(&self, run: impl Fn(S)) {
        loop {
            let next_instant = self.steps.borrow().front().map_or(Time::MAX, |(first, _)| first.at);
            if next_instant <= self.sim.now() {
                let first = self.steps.borrow_mut().pop_front();
                run(first.expect("a step is scheduled").1);
                continue;
            }
            self.awaited_instant.set(next_instant);
            self.earlier_step.wait_until(next_instant).await;
            self.awaited_instant.set(Time::ZERO);
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
            let executed = Rc::new(RefCell::new(Vec::new()));
            let (served_queue, recorded, server_sim) = (queue.clone(), executed.clone(), sim.clone());
            sim.spawn_server("steps", async move {
                served_queue.carry_out(|step: usize| recorded.borrow_mut().push((server_sim.now(), step))).await;
            });
            let end_sim = sim.clone();
            sim.spawn("the end", async move { end_sim.delay(Time::from_ns(100)).await });
            prop_assert_eq!(simulation.run(Limits::default()), Outcome::Done);
            let mut expected: Vec<usize> = (0..steps.len()).collect();
            expected.sort_by_key(|step| steps[*step]);
            let expected: Vec<(Time, usize)> =
                expected.into_iter().map(|step| (Time::from_ns(steps[step].0), step)).collect();
            prop_assert_eq!(&*executed.borrow(), &expected);
        }
    }
}
