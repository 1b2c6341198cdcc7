//! What a port does later: acknowledgements, which take some cycles each, and timers.

use super::Port;
use crate::engine::{Class, Time};
use crate::fabric::Packet;
use crate::protocol::Answer;
use std::rc::Rc;

/// What happens some cycles later.
pub(super) enum Deferred {
    /// An acknowledgement has been taken in.
    Arrive(Rc<Packet>),
    /// A packet that was taken is acknowledged.
    Accept(Class, Answer, usize),
}

impl Port {
    /// Does what takes some cycles.
    pub(super) async fn work(self: Rc<Self>) {
        loop {
            let (at, later) = self.later.receive().await;
            if at > self.sim.now() {
                self.sim.until(at).await;
            }
            match later {
                Deferred::Arrive(packet) => self.arrive(&packet),
                Deferred::Accept(class, answer, key) => self.accepted(class, answer, key),
            }
        }
    }

    /// Timers may have been set or have ended.
    pub(super) fn timers_changed(&self) {
        if !self.has_timers {
            return;
        }
        // Who waits for one need not look again while that is the first, or none is earlier.
        let (next, watched) = (self.next_timer(), self.watched.get());
        if next < watched || (next == Time::MAX && watched < next) {
            self.sooner.notify();
        }
    }

    fn next_timer(&self) -> Time {
        self.protocol.borrow().next_timer().unwrap_or(Time::MAX)
    }

    /// Has timers go off.
    pub(super) async fn watch(self: Rc<Self>) {
        loop {
            let next = self.next_timer();
            self.watched.set(next);
            if self.sim.now() < next {
                self.sooner.wait_until(next).await;
                continue;
            }
            self.protocol.borrow_mut().on_time(self.sim.now());
            self.pump_all();
        }
    }
}
