//! Timers, at most one for each peer.

use super::peer::Peer;
use crate::engine::Time;
use std::collections::{BTreeMap, BTreeSet};

/// The running timers.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub(super) struct Timers {
    of: BTreeMap<Peer, Time>,
    in_order: BTreeSet<(Time, Peer)>,
}

impl Timers {
    /// Sets a peer's timer, or restarts it if it runs.
    pub(super) fn set(&mut self, peer: Peer, goes_off: Time) {
        self.stop(peer);
        self.of.insert(peer, goes_off);
        self.in_order.insert((goes_off, peer));
    }

    /// Stops a peer's timer, if it runs.
    pub(super) fn stop(&mut self, peer: Peer) {
        if let Some(goes_off) = self.of.remove(&peer) {
            let had = self.in_order.remove(&(goes_off, peer));
            assert!(had, "a timer that runs has its place in the order");
        }
    }

    pub(super) fn runs(&self, peer: Peer) -> bool {
        self.of.contains_key(&peer)
    }

    /// Returns the time at which the next timer expires.
    pub(super) fn next(&self) -> Option<Time> {
        self.in_order.first().map(|&(goes_off, _)| goes_off)
    }

    /// Stops the earliest timer if it is due by `now`, and returns its peer.
    pub(super) fn go_off(&mut self, now: Time) -> Option<Peer> {
        let &(goes_off, peer) = self.in_order.first()?;
        (goes_off <= now).then(|| {
            self.stop(peer);
            peer
        })
    }
}
