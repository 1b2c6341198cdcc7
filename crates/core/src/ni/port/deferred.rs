//! Deferred work of a port: processing of acknowledgements, which takes some cycles each, and timers.

use super::Port;
use crate::engine::{Class, Time};
use crate::fabric::Packet;
use crate::protocol::Answer;
use std::rc::Rc;

/// Work that takes effect some cycles later.
pub(super) enum Deferred {
    /// An acknowledgement has been processed.
    Arrive(Rc<Packet>),
    /// The acknowledgement of a packet that a reader took has been composed.
    Accept(Class, Answer, usize),
}

impl Port {
    /// Performs the deferred work, in order of its time.
    pub(super) async fn run_deferred(self: Rc<Self>) {
        loop {
            let (at, work) = self.deferred.receive().await;
            if at > self.sim.now() {
                self.sim.until(at).await;
            }
            match work {
                Deferred::Arrive(packet) => self.arrive(&packet),
                Deferred::Accept(class, answer, key) => self.complete_take(class, answer, key),
            }
        }
    }

    /// Wakes the timer task if the next timer has changed.
    pub(super) fn timers_changed(&self) {
        if !self.has_timers {
            return;
        }
        // The task need not be woken if the timer that it waits for is not later than the next one, unless no timer is
        // left.
        let (next, watched_timer) = (self.next_timer(), self.watched_timer.get());
        if next < watched_timer || (next == Time::MAX && watched_timer < next) {
            self.timer_earlier.notify();
        }
    }

    fn next_timer(&self) -> Time {
        self.protocol.borrow().next_timer().unwrap_or(Time::MAX)
    }

    /// Handles the protocol's timers when they expire.
    pub(super) async fn run_timers(self: Rc<Self>) {
        loop {
            let next = self.next_timer();
            self.watched_timer.set(next);
            if self.sim.now() < next {
                self.timer_earlier.wait_until(next).await;
                continue;
            }
            self.protocol.borrow_mut().on_time(self.sim.now());
            self.pump_all();
        }
    }
}
