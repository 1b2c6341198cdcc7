//! Time-outs of queue pairs, and acknowledgements that were delayed.

use super::queue_pair::QueuePair;
use super::{RdmaDevice, count};
use crate::engine::Time;
use crate::ni::rdma::wire::aeth::Syndrome;
use crate::ni::verbs::WorkStatus;
use std::rc::Rc;

impl RdmaDevice {
    /// Starts the timer of a queue pair that has sent a packet, if the timer does not run.
    pub(super) fn arm_timer(&self, pair: &QueuePair) {
        let is_idle = pair.state.borrow().deadline.is_none();
        if is_idle {
            self.restart_timer(pair);
        }
    }

    /// Starts the timer of a queue pair anew, or stops it if nothing waits for an acknowledgement.
    pub(super) fn restart_timer(&self, pair: &QueuePair) {
        let mut state = pair.state.borrow_mut();
        let is_waiting = !state.is_failed && state.requester.is_waiting();
        let deadline = is_waiting.then(|| state.next_packet_time.max(self.sim.now()) + self.parameters.timeout);
        let previous_deadline = std::mem::replace(&mut state.deadline, deadline);
        drop(state);
        let mut timers = self.timers.borrow_mut();
        if let Some(previous_deadline) = previous_deadline {
            timers.remove(&(previous_deadline, pair.number));
        }
        if let Some(deadline) = deadline {
            timers.insert((deadline, pair.number));
            if deadline < self.watched_timer.get() {
                self.timer_changed.notify();
            }
        }
    }

    pub(super) async fn run_timers(self: Rc<Self>) {
        loop {
            let next_deadline = self.timers.borrow().first().map_or(Time::MAX, |(deadline, _)| *deadline);
            if next_deadline > self.sim.now() {
                self.watched_timer.set(next_deadline);
                self.timer_changed.wait_until(next_deadline).await;
                continue;
            }
            let Some((_, number)) = self.timers.borrow_mut().pop_first() else { continue };
            let Some(pair) = self.queue_pair(number) else { continue };
            count(&self.counts.time_outs);
            let result = {
                let mut state = pair.state.borrow_mut();
                state.deadline = None;
                state.requester.time_out(&self.limits)
            };
            match result {
                Ok(()) => {
                    self.restart_timer(&pair);
                    self.schedule(&pair, self.sim.now());
                }
                Err(_) => self.fail_later(&pair, WorkStatus::RetryExceeded),
            }
        }
    }

    pub(super) async fn run_late_acks(self: Rc<Self>) {
        loop {
            let pair = self.pairs_with_late_acks.receive().await;
            let state = pair.state.borrow();
            // Messages that were acknowledged together leave a wake-up behind, which is earlier than the deadline of
            // the next message.
            let is_due = state.acks_due > 0 && state.ack_deadline <= self.sim.now();
            drop(state);
            if is_due {
                self.acknowledge(&pair, Syndrome::Acknowledged);
            }
        }
    }
}
