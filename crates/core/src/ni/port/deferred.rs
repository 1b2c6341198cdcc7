//! Deferred work of a port: acknowledgements, each of which takes some cycles to process, and timers.

use super::Port;
use crate::engine::{Class, Time};
use crate::fabric::Packet;
use crate::protocol::Answer;
use std::rc::Rc;

/// Work that takes effect some cycles later.
pub(super) enum DeferredWork {
    /// Delivers an acknowledgement to the protocol, when the cycles of its processing have passed.
    DeliverAcknowledgement(Rc<Packet>),
    /// Completes the taking of a packet, when the cycles of composing its acknowledgement have passed.
    CompleteTake {
        /// Class of the packet.
        class: Class,
        /// Whether an answer to the packet follows.
        answer: Answer,
        /// The protocol's key of the packet.
        key: usize,
    },
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
                DeferredWork::DeliverAcknowledgement(packet) => self.deliver_to_protocol(&packet),
                DeferredWork::CompleteTake { class, answer, key } => self.complete_take(class, answer, key),
            }
        }
    }

    /// Wakes the timer task if the next timer has changed.
    pub(super) fn wake_timer_task(&self) {
        if !self.has_timers {
            return;
        }
        // The task is woken if the next timer is earlier than the one that it waits for, or if no timer is left, so
        // that it does not keep waiting for a cancelled timer.
        let (next, watched_timer) = (self.next_timer(), self.watched_timer.get());
        if next < watched_timer || (next == Time::MAX && watched_timer < next) {
            self.next_timer_changed.notify();
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
                self.next_timer_changed.wait_until(next).await;
                continue;
            }
            self.protocol.borrow_mut().on_time(self.sim.now());
            self.send_ready_frames();
        }
    }
}
