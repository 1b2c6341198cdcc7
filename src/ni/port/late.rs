//! What a port does later: acknowledgements, which take some cycles each, and timers.

use super::Port;
use crate::engine::{Class, Time};
use crate::fabric::Packet;
use crate::protocol::{Answer, Protocol};
use std::rc::Rc;

/// What happens some cycles later.
pub(super) enum Later {
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
                Later::Arrive(packet) => self.arrive(&packet),
                Later::Accept(class, answer, key) => self.accepted(class, answer, key),
            }
        }
    }

    /// Timers may have been set or have ended.
    pub(super) fn timers_changed(&self) {
        // Who waits for none need not look again at none.
        if self.has_timers && !(self.rests.get() && self.protocol.borrow().next_timer().is_none()) {
            self.sooner.notify();
        }
    }

    /// Has timers go off.
    pub(super) async fn watch(self: Rc<Self>) {
        loop {
            let next = self.protocol.borrow().next_timer().unwrap_or(Time::MAX);
            self.rests.set(next == Time::MAX);
            if self.sim.now() < next {
                self.sooner.wait_until(next).await;
                continue;
            }
            self.protocol.borrow_mut().on_time(self.sim.now());
            self.pump_all();
        }
    }
}
