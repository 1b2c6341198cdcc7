//! Pending acknowledgements. Each source has at most one pending acknowledgement, whose sequence number is determined
//! when it leaves. The state is therefore a few bytes for each source, however many packets are acknowledged.

use super::LinkParameters;
use super::peer::Peer;
use super::timers::Timers;
use crate::engine::Time;
use std::collections::{BTreeMap, VecDeque};

/// Acknowledgements that are due, and those that wait for more packets or their timer.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) struct Acknowledgements {
    every: u32,
    delay: Time,
    /// Sources whose acknowledgement is due, in the order in which it became due.
    due: VecDeque<Peer>,
    /// Number of packets accepted since the last acknowledgement to their source; it is less than `every`.
    unacknowledged: BTreeMap<Peer, u32>,
    timers: Timers,
}

impl Acknowledgements {
    pub(super) fn new(parameters: &LinkParameters) -> Acknowledgements {
        Acknowledgements {
            every: parameters.acknowledge_every,
            delay: parameters.acknowledge_delay,
            due: VecDeque::new(),
            unacknowledged: BTreeMap::new(),
            timers: Timers::default(),
        }
    }

    /// Records that `packets` more packets from `source` were accepted. The acknowledgement is due now if their number
    /// reaches `every`, otherwise after the delay.
    pub(super) fn accepted(&mut self, source: Peer, packets: u32, now: Time) {
        let unacknowledged = self.unacknowledged.get(&source).copied().unwrap_or(0) + packets;
        if unacknowledged >= self.every || self.due.contains(&source) {
            return self.at_once(source);
        }
        self.unacknowledged.insert(source, unacknowledged);
        if !self.timers.runs(source) {
            self.timers.set(source, now.saturating_add(self.delay));
        }
    }

    /// Makes the acknowledgement to `source` due now.
    pub(super) fn at_once(&mut self, source: Peer) {
        self.unacknowledged.remove(&source);
        self.timers.stop(source);
        if !self.due.contains(&source) {
            self.due.push_back(source);
        }
    }

    /// Takes the source of the next acknowledgement that is due, if any.
    pub(super) fn next(&mut self) -> Option<Peer> {
        self.due.pop_front()
    }

    pub(super) fn has_next(&self) -> bool {
        !self.due.is_empty()
    }

    /// Returns whether no acknowledgement is due or waits.
    pub(super) fn is_idle(&self) -> bool {
        self.due.is_empty() && self.unacknowledged.is_empty()
    }

    pub(super) fn next_timer(&self) -> Option<Time> {
        self.timers.next()
    }

    pub(super) fn on_time(&mut self, now: Time) {
        while let Some(source) = self.timers.pop_expired(now) {
            self.at_once(source);
        }
    }

    /// Asserts the invariants.
    pub(super) fn check(&self) {
        for (source, &unacknowledged) in &self.unacknowledged {
            assert!(0 < unacknowledged && unacknowledged < self.every, "enough packets are acknowledged at once");
            assert!(self.timers.runs(*source), "the rest waits for its timer");
            assert!(!self.due.contains(source), "an acknowledgement is due or waits, not both");
        }
    }
}
