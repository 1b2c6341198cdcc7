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
    packets_per_acknowledgement: u32,
    delay: Time,
    /// Sources whose acknowledgement is due, in the order in which it became due.
    due_peers: VecDeque<Peer>,
    /// Number of packets accepted since the last acknowledgement to their source; it is less than
    /// `packets_per_acknowledgement`.
    unacknowledged_counts: BTreeMap<Peer, u32>,
    timers: Timers,
}

impl Acknowledgements {
    pub(super) fn new(parameters: &LinkParameters) -> Acknowledgements {
        Acknowledgements {
            packets_per_acknowledgement: parameters.acknowledge_every,
            delay: parameters.acknowledge_delay,
            due_peers: VecDeque::new(),
            unacknowledged_counts: BTreeMap::new(),
            timers: Timers::default(),
        }
    }

    /// Records that `packets` more packets from `source` were accepted. The acknowledgement is due now if their number
    /// reaches `packets_per_acknowledgement`, otherwise after the delay.
    pub(super) fn record_accepted(&mut self, source: Peer, packets: u32, now: Time) {
        let unacknowledged = self.unacknowledged_counts.get(&source).copied().unwrap_or(0) + packets;
        if unacknowledged >= self.packets_per_acknowledgement || self.due_peers.contains(&source) {
            return self.make_due(source);
        }
        self.unacknowledged_counts.insert(source, unacknowledged);
        if !self.timers.is_running(source) {
            self.timers.set_timer(source, now.saturating_add(self.delay));
        }
    }

    /// Makes the acknowledgement to `source` due now.
    pub(super) fn make_due(&mut self, source: Peer) {
        self.unacknowledged_counts.remove(&source);
        self.timers.stop(source);
        if !self.due_peers.contains(&source) {
            self.due_peers.push_back(source);
        }
    }

    /// Takes the source of the next acknowledgement that is due, if any.
    pub(super) fn next_due(&mut self) -> Option<Peer> {
        self.due_peers.pop_front()
    }

    pub(super) fn has_next(&self) -> bool {
        !self.due_peers.is_empty()
    }

    /// Returns whether no acknowledgement is due or waits.
    pub(super) fn is_idle(&self) -> bool {
        self.due_peers.is_empty() && self.unacknowledged_counts.is_empty()
    }

    pub(super) fn next_timer(&self) -> Option<Time> {
        self.timers.first_expiry()
    }

    pub(super) fn on_time(&mut self, now: Time) {
        while let Some(source) = self.timers.pop_expired(now) {
            self.make_due(source);
        }
    }

    /// Asserts the invariants.
    pub(super) fn check(&self) {
        for (source, &unacknowledged) in &self.unacknowledged_counts {
            assert!(
                0 < unacknowledged && unacknowledged < self.packets_per_acknowledgement,
                "an acknowledgement is due when it covers enough packets"
            );
            assert!(self.timers.is_running(*source), "an acknowledgement that waits has a timer");
            assert!(!self.due_peers.contains(source), "an acknowledgement is due or waits, not both");
        }
    }
}
