//! The window of one destination: its unacknowledged packets, oldest first, and its time-out.
//!
//! ```text
//!   acknowledged │ 0 1 2 3 …   sent, kept   … │   may be sent   │ not yet
//!  ──────────────┴────────────────────────────┴─────────────────┴────────►
//!               base              base + len()            base + window
//! ```

use super::LinkParameters;
use super::space::SequenceSpace;
use crate::engine::Time;
use std::collections::VecDeque;

/// The window of one destination.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) struct Outgoing<P> {
    space: SequenceSpace,
    window: usize,
    /// Position of the oldest unacknowledged packet.
    base: u64,
    unacknowledged: VecDeque<P>,
    /// Duration of the next timer.
    timeout: Time,
    /// Position after the last packet that was outstanding at the last time-out.
    recovery_end: u64,
}

impl<P: Clone> Outgoing<P> {
    pub(super) fn new(parameters: &LinkParameters) -> Outgoing<P> {
        Outgoing {
            space: SequenceSpace::new(parameters.sequence_bits),
            window: parameters.window as usize,
            base: 0,
            unacknowledged: VecDeque::new(),
            timeout: parameters.timeout,
            recovery_end: 0,
        }
    }

    /// Returns whether another packet may be sent.
    pub(super) fn can_send(&self) -> bool {
        self.unacknowledged.len() < self.window
    }

    /// Returns the number of unacknowledged packets.
    pub(super) fn len(&self) -> usize {
        self.unacknowledged.len()
    }

    pub(super) const fn timeout(&self) -> Time {
        self.timeout
    }

    /// Returns the position of the next new packet.
    pub(super) fn next_position(&self) -> u64 {
        self.base + self.unacknowledged.len() as u64
    }

    /// Records that a new packet leaves, and returns its sequence number.
    pub(super) fn send(&mut self, body: P) -> u32 {
        assert!(self.can_send(), "packets leave while the window is open");
        let number = self.space.number(self.next_position());
        self.unacknowledged.push_back(body);
        number
    }

    /// Returns the oldest unacknowledged packet, with its sequence number.
    pub(super) fn oldest(&self) -> (u32, P) {
        let body = self.unacknowledged.front().expect("only an unacknowledged packet is copied");
        (self.space.number(self.base), body.clone())
    }

    /// Handles the expiry of the timer: doubles the time-out, up to `timeout_max`.
    pub(super) fn handle_timeout(&mut self, timeout_max: Time) {
        assert!(!self.unacknowledged.is_empty(), "a timer runs only while a packet is unacknowledged");
        self.recovery_end = self.next_position();
        self.timeout = self.timeout.saturating_add(self.timeout).min(timeout_max);
    }

    /// Handles an acknowledgement of all packets before `next`, and returns the number of newly acknowledged packets.
    /// An acknowledgement outside the window is old, and has no effect.
    pub(super) fn acknowledge(&mut self, next: u32, timeout: Time) -> usize {
        let newly_acknowledged = self.space.distance(self.base, next) as usize;
        if newly_acknowledged == 0 || newly_acknowledged > self.unacknowledged.len() {
            return 0;
        }
        self.unacknowledged.drain(..newly_acknowledged);
        self.base += newly_acknowledged as u64;
        self.timeout = timeout;
        newly_acknowledged
    }

    /// Returns whether the oldest packet was outstanding at the last time-out. If so, it has not arrived, although
    /// later packets may have.
    pub(super) fn is_recovering(&self) -> bool {
        !self.unacknowledged.is_empty() && self.base < self.recovery_end
    }

    /// Returns the position of the oldest packet.
    #[cfg(test)]
    pub(super) const fn base(&self) -> u64 {
        self.base
    }
}
