//! Which acknowledgements are due: each source has one at most, and what it tells is looked up when
//! it leaves. So they take a few bytes for each source, however many packets come.

use super::LinkParameters;
use super::peer::Peer;
use super::timers::Timers;
use crate::engine::Time;
use std::collections::{BTreeMap, VecDeque};

/// Those that are due, and those that wait for more packets.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) struct Acknowledgements {
    every: u32,
    delay: Time,
    /// Sources to be told, first come first.
    due: VecDeque<Peer>,
    /// Packets accepted since their source was told; fewer than `every`.
    untold: BTreeMap<Peer, u32>,
    timers: Timers,
}

impl Acknowledgements {
    pub(super) fn new(parameters: &LinkParameters) -> Acknowledgements {
        Acknowledgements {
            every: parameters.acknowledge_every,
            delay: parameters.acknowledge_delay,
            due: VecDeque::new(),
            untold: BTreeMap::new(),
            timers: Timers::default(),
        }
    }

    /// `source` is to be told of so many packets more: now if they are enough, else in a while.
    pub(super) fn accepted(&mut self, source: Peer, packets: u32, now: Time) {
        let untold = self.untold.get(&source).copied().unwrap_or(0) + packets;
        if untold >= self.every || self.due.contains(&source) {
            return self.at_once(source);
        }
        self.untold.insert(source, untold);
        if !self.timers.runs(source) {
            self.timers.set(source, now.saturating_add(self.delay));
        }
    }

    /// `source` is to be told how far it is.
    pub(super) fn at_once(&mut self, source: Peer) {
        self.untold.remove(&source);
        self.timers.stop(source);
        if !self.due.contains(&source) {
            self.due.push_back(source);
        }
    }

    /// The source to be told now, if any.
    pub(super) fn next(&mut self) -> Option<Peer> {
        self.due.pop_front()
    }

    pub(super) fn has_next(&self) -> bool {
        !self.due.is_empty()
    }

    /// True if no source is to be told anything, now or later.
    pub(super) fn is_idle(&self) -> bool {
        self.due.is_empty() && self.untold.is_empty()
    }

    pub(super) fn next_timer(&self) -> Option<Time> {
        self.timers.next()
    }

    pub(super) fn on_time(&mut self, now: Time) {
        while let Some(source) = self.timers.go_off(now) {
            self.at_once(source);
        }
    }

    /// Everything that must hold, looked up anew.
    pub(super) fn check(&self) {
        for (source, &untold) in &self.untold {
            assert!(0 < untold && untold < self.every, "enough packets are acknowledged at once");
            assert!(self.timers.runs(*source), "the rest waits for its timer");
            assert!(!self.due.contains(source), "a source is told once");
        }
    }
}
