//! The arrivals: places of packets that wait to be read, or are being read.
//!
//! ```text
//!           insert            take                    release
//!  (free) ──────────► waiting ─────► (a ReadingPlace) ───────► (free)
//! ```

use crate::engine::NodeId;
use std::collections::{BTreeSet, VecDeque};

/// A place whose packet is being read. It is free only after `release`.
#[must_use = "a place that is not released stays taken for ever"]
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ReadingPlace(u32);

impl ReadingPlace {
    /// Its number, below the count of places.
    pub(super) const fn number(self) -> u32 {
        self.0
    }

    /// The place of a number that was asked for.
    pub(super) const fn of_number(number: u32) -> ReadingPlace {
        ReadingPlace(number)
    }
}

/// The places.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) struct Arrivals<P> {
    places: usize,
    waiting: VecDeque<(NodeId, P)>,
    reading: BTreeSet<ReadingPlace>,
}

impl<P> Arrivals<P> {
    pub(super) fn new(places: u32) -> Arrivals<P> {
        Arrivals { places: places as usize, waiting: VecDeque::new(), reading: BTreeSet::new() }
    }

    pub(super) fn used(&self) -> usize {
        self.waiting.len() + self.reading.len()
    }

    pub(super) fn has_room(&self) -> bool {
        assert!(self.used() <= self.places, "no more places are taken than there are");
        self.used() < self.places
    }

    pub(super) fn insert(&mut self, from: NodeId, body: P) {
        assert!(self.has_room(), "a place is taken only where one is free");
        self.waiting.push_back((from, body));
    }

    pub(super) fn front(&self) -> Option<(NodeId, &P)> {
        self.waiting.front().map(|(from, body)| (*from, body))
    }

    pub(super) fn take(&mut self) -> Option<(NodeId, P, ReadingPlace)> {
        let (from, body) = self.waiting.pop_front()?;
        let mut free = (0..).map(ReadingPlace).filter(|place| !self.reading.contains(place));
        let place = free.next().expect("there are more numbers than places");
        self.reading.insert(place);
        Some((from, body, place))
    }

    pub(super) fn release(&mut self, place: ReadingPlace) {
        assert!(self.reading.remove(&place), "a place is released once, by its reader");
    }
}
