//! Timers, at most one for each peer.

use super::peer::Peer;
use crate::engine::Time;
use std::collections::{BTreeMap, BTreeSet};

/// The running timers.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub(super) struct Timers {
    expiry_times: BTreeMap<Peer, Time>,
    by_expiry: BTreeSet<(Time, Peer)>,
}

impl Timers {
    /// Sets a peer's timer, or restarts it if it runs.
    pub(super) fn set_timer(&mut self, peer: Peer, expires_at: Time) {
        self.stop(peer);
        self.expiry_times.insert(peer, expires_at);
        self.by_expiry.insert((expires_at, peer));
    }

    /// Stops a peer's timer, if it runs.
    pub(super) fn stop(&mut self, peer: Peer) {
        if let Some(expires_at) = self.expiry_times.remove(&peer) {
            let was_present = self.by_expiry.remove(&(expires_at, peer));
            assert!(was_present, "a timer that runs is in the order of expiry");
        }
    }

    pub(super) fn is_running(&self, peer: Peer) -> bool {
        self.expiry_times.contains_key(&peer)
    }

    /// Returns the time at which the next timer expires.
    pub(super) fn first_expiry(&self) -> Option<Time> {
        self.by_expiry.first().map(|&(expires_at, _)| expires_at)
    }

    /// Stops the earliest timer if it is due by `now`, and returns its peer.
    pub(super) fn pop_expired(&mut self, now: Time) -> Option<Peer> {
        let &(expires_at, peer) = self.by_expiry.first()?;
        (expires_at <= now).then(|| {
            self.stop(peer);
            peer
        })
    }
}
