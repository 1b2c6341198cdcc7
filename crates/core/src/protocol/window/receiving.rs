//! The receiving half: the next packet expected of each source, the reorder buffers, and the arrivals.
//!
//! ```text
//!  arrive ── is it next? ── yes, and a place is free ───────────────────► arrivals
//!                 │ ahead, or no place: a reorder buffer?                     ▲
//!                 ├── yes: kept ──── its turn comes, and a place is free ─────┘
//!                 └── no: refused
//! ```
//!
//! A source whose next packet is kept waits for a place: it is *ready*, and the ready sources take
//! turns. So while any is, no place is free.

use super::acknowledge::Acknowledgements;
use super::arrivals::{Arrivals, ReadingPlace};
use super::peer::Peer;
use super::space::Space;
use super::{Arrived, LinkParameters};
use crate::engine::Time;
use std::collections::{BTreeMap, VecDeque};

/// The receiving half of a link.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) struct Receiving<P> {
    space: Space,
    window: u64,
    reorder: u64,
    sources: BTreeMap<Peer, Source<P>>,
    ready: VecDeque<Peer>,
    pub(super) arrivals: Arrivals<P>,
    pub(super) acknowledgements: Acknowledgements,
}

/// Receive state of one source.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Source<P> {
    /// The position of the packet expected next.
    next: u64,
    /// The reorder buffers, by position.
    kept: BTreeMap<u64, P>,
}

impl<P> Receiving<P> {
    pub(super) fn new(parameters: &LinkParameters) -> Receiving<P> {
        Receiving {
            space: Space::new(parameters.sequence_bits),
            window: u64::from(parameters.window),
            reorder: u64::from(parameters.reorder),
            sources: BTreeMap::new(),
            ready: VecDeque::new(),
            arrivals: Arrivals::new(parameters.arrivals),
            acknowledgements: Acknowledgements::new(parameters),
        }
    }

    /// Handles a packet that arrived, schedules its acknowledgement, and returns its outcome.
    pub(super) fn arrive(&mut self, from: Peer, number: u32, body: P, now: Time) -> Arrived {
        let arrived = self.place(from, number, body);
        match arrived {
            Arrived::Readable(packets) => self.acknowledgements.accepted(from, packets, now),
            Arrived::Duplicate | Arrived::Refused => self.acknowledgements.at_once(from),
            Arrived::Kept | Arrived::Freed(_) => {}
        }
        arrived
    }

    fn place(&mut self, from: Peer, number: u32, body: P) -> Arrived {
        let has_room = self.arrivals.has_room();
        let source = self.sources.entry(from).or_insert_with(|| Source { next: 0, kept: BTreeMap::new() });
        let ahead = self.space.distance(source.next, number);
        let position = source.next + ahead;
        if ahead >= self.window || source.kept.contains_key(&position) {
            return Arrived::Duplicate;
        }
        if !(ahead == 0 && has_room) {
            if ahead >= self.reorder {
                return Arrived::Refused;
            }
            source.kept.insert(position, body);
            if ahead == 0 {
                self.ready.push_back(from);
            }
            return Arrived::Kept;
        }
        assert!(self.ready.is_empty(), "while a place is free, no source waits for one");
        self.accept(from, body);
        Arrived::Readable(1 + self.fill())
    }

    /// The next packet of a source gets its place; the source is ready if the one after it is kept.
    fn accept(&mut self, from: Peer, body: P) {
        self.arrivals.insert(from.node, body);
        let source = self.sources.get_mut(&from).expect("it sent something");
        source.next += 1;
        if source.kept.contains_key(&source.next) {
            self.ready.push_back(from);
        }
    }

    /// Ready sources take turns for the places that are free: how many packets got one.
    fn fill(&mut self) -> u32 {
        let mut filled = 0;
        while let Some(from) = self.ready.pop_front_if(|_| self.arrivals.has_room()) {
            let source = self.sources.get_mut(&from).expect("it sent something");
            let body = source.kept.remove(&source.next).expect("the next packet of a ready source is kept");
            self.accept(from, body);
            filled += 1;
        }
        filled
    }

    /// A reader is done: how many packets that were kept got a place, each told to its source.
    pub(super) fn release(&mut self, place: ReadingPlace) -> u32 {
        self.arrivals.release(place);
        let told = self.ready.front().copied();
        let filled = self.fill();
        assert_eq!(filled, u32::from(told.is_some()), "a place is for one packet");
        told.into_iter().for_each(|from| self.acknowledgements.at_once(from));
        filled
    }

    /// The number of the packet expected next from `source`.
    pub(super) fn expects(&self, source: Peer) -> u32 {
        self.space.number(self.sources[&source].next)
    }

    pub(super) fn sources(&self) -> usize {
        self.sources.len()
    }

    /// Packets in reorder buffers.
    pub(super) fn kept(&self) -> usize {
        self.sources.values().map(|source| source.kept.len()).sum()
    }

    /// The position of the packet expected next from `source`.
    #[cfg(test)]
    pub(super) fn position(&self, source: Peer) -> u64 {
        self.sources.get(&source).map_or(0, |source| source.next)
    }

    /// The position of the last packet kept for `source`.
    #[cfg(test)]
    pub(super) fn last_kept(&self, source: Peer) -> Option<u64> {
        self.sources.get(&source)?.kept.last_key_value().map(|(position, _)| *position)
    }

    /// Everything that must hold, looked up anew.
    pub(super) fn check(&self) {
        assert!(self.ready.is_empty() || !self.arrivals.has_room(), "while a place is free, no source waits for one");
        for (from, source) in &self.sources {
            let buffers = source.next..source.next + self.reorder;
            assert!(source.kept.keys().all(|position| buffers.contains(position)), "a packet is kept in its buffer");
            let is_ready = self.ready.iter().filter(|other| *other == from).count();
            assert_eq!(is_ready, usize::from(source.kept.contains_key(&source.next)), "a ready source waits once");
        }
        self.acknowledgements.check();
    }
}
