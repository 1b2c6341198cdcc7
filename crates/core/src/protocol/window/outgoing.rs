//! One destination's window: its packets sent and not acknowledged, oldest first, and its time-out.
//!
//! ```text
//!   acknowledged │ 0 1 2 3 …   sent, kept   … │   may be sent   │ not yet
//!  ──────────────┴────────────────────────────┴─────────────────┴────────►
//!               base              base + sent.len()       base + window
//! ```

use super::LinkParameters;
use super::space::Space;
use crate::engine::Time;
use std::collections::VecDeque;

/// The window of one destination.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) struct Outgoing<P> {
    space: Space,
    window: usize,
    /// The position of the oldest packet not acknowledged.
    base: u64,
    sent: VecDeque<P>,
    /// The next timer is set to this.
    timeout: Time,
    /// Where the packets end that were outstanding at the last time-out.
    recovers: u64,
}

impl<P: Clone> Outgoing<P> {
    pub(super) fn new(parameters: &LinkParameters) -> Outgoing<P> {
        Outgoing {
            space: Space::new(parameters.sequence_bits),
            window: parameters.window as usize,
            base: 0,
            sent: VecDeque::new(),
            timeout: parameters.timeout,
            recovers: 0,
        }
    }

    /// True if a packet more may be sent.
    pub(super) fn is_open(&self) -> bool {
        self.sent.len() < self.window
    }

    /// Packets sent and not acknowledged.
    pub(super) fn len(&self) -> usize {
        self.sent.len()
    }

    pub(super) const fn timeout(&self) -> Time {
        self.timeout
    }

    /// The position of the next new packet.
    pub(super) fn next(&self) -> u64 {
        self.base + self.sent.len() as u64
    }

    /// A new packet leaves: its number.
    pub(super) fn send(&mut self, body: P) -> u32 {
        assert!(self.is_open(), "packets leave while the window is open");
        let number = self.space.number(self.next());
        self.sent.push_back(body);
        number
    }

    /// The oldest packet, and its number.
    pub(super) fn oldest(&self) -> (u32, P) {
        let body = self.sent.front().expect("a copy is of a packet that is not acknowledged");
        (self.space.number(self.base), body.clone())
    }

    /// The timer went off.
    pub(super) fn timed_out(&mut self, timeout_max: Time) {
        assert!(!self.sent.is_empty(), "a timer runs while something is not acknowledged");
        self.recovers = self.next();
        self.timeout = self.timeout.saturating_add(self.timeout).min(timeout_max);
    }

    /// All before the packet `next` are accepted: how many are newly so. A number that is none of
    /// those outstanding is of an old acknowledgement.
    pub(super) fn acknowledge(&mut self, next: u32, timeout: Time) -> usize {
        let newly = self.space.distance(self.base, next) as usize;
        if newly == 0 || newly > self.sent.len() {
            return 0;
        }
        self.sent.drain(..newly);
        self.base += newly as u64;
        self.timeout = timeout;
        newly
    }

    /// True if the oldest packet was outstanding at the last time-out: those behind it may have
    /// come, it has not.
    pub(super) fn is_recovering(&self) -> bool {
        !self.sent.is_empty() && self.base < self.recovers
    }

    /// The position of the oldest packet.
    #[cfg(test)]
    pub(super) const fn base(&self) -> u64 {
        self.base
    }
}
