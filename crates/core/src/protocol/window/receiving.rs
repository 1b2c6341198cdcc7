//! The receiving half: the next packet expected of each source, the reorder buffers, and the arrivals.
//!
//! ```text
//!  arrive ── is it next? ── yes, and a slot is free ────────────────────► arrivals
//!                 │ ahead, or no slot: a reorder buffer?                      ▲
//!                 ├── yes: kept ──── it is next, and a slot is free ──────────┘
//!                 └── no: refused
//! ```
//!
//! A source whose next packet is stored waits for a slot: it is *ready*. Ready sources are served in turn, so no slot
//! is free while any source is ready.

use super::acknowledge::Acknowledgements;
use super::arrivals::{Arrivals, ReadingSlot};
use super::peer::Peer;
use super::space::SequenceSpace;
use super::{ArrivalOutcome, LinkParameters};
use crate::engine::Time;
use std::collections::{BTreeMap, VecDeque};

/// The receiving half of a link.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) struct WindowReceiver<P> {
    space: SequenceSpace,
    window: u64,
    reorder_buffers: u64,
    sources: BTreeMap<Peer, Source<P>>,
    ready_sources: VecDeque<Peer>,
    pub(super) arrivals: Arrivals<P>,
    pub(super) acknowledgements: Acknowledgements,
}

/// Receive state of one source.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Source<P> {
    /// Position of the next expected packet.
    next: u64,
    /// Packets in reorder buffers, by position.
    reordered: BTreeMap<u64, P>,
}

impl<P> WindowReceiver<P> {
    pub(super) fn new(parameters: &LinkParameters) -> WindowReceiver<P> {
        WindowReceiver {
            space: SequenceSpace::new(parameters.sequence_bits),
            window: u64::from(parameters.window),
            reorder_buffers: u64::from(parameters.reorder),
            sources: BTreeMap::new(),
            ready_sources: VecDeque::new(),
            arrivals: Arrivals::new(parameters.arrivals),
            acknowledgements: Acknowledgements::new(parameters),
        }
    }

    /// Handles a packet that arrived, schedules its acknowledgement, and returns its outcome.
    pub(super) fn arrive(&mut self, from: Peer, number: u32, body: P, now: Time) -> ArrivalOutcome {
        let outcome = self.store(from, number, body);
        match outcome {
            ArrivalOutcome::Readable(packets) => self.acknowledgements.record_accepted(from, packets, now),
            ArrivalOutcome::Duplicate | ArrivalOutcome::Refused => self.acknowledgements.make_due(from),
            ArrivalOutcome::Kept | ArrivalOutcome::Freed(_) => {}
        }
        outcome
    }

    fn store(&mut self, from: Peer, number: u32, body: P) -> ArrivalOutcome {
        let has_slot = self.arrivals.has_capacity();
        let source = self.sources.entry(from).or_insert_with(|| Source { next: 0, reordered: BTreeMap::new() });
        let distance = self.space.distance(source.next, number);
        let position = source.next + distance;
        if distance >= self.window || source.reordered.contains_key(&position) {
            return ArrivalOutcome::Duplicate;
        }
        if !(distance == 0 && has_slot) {
            if distance >= self.reorder_buffers {
                return ArrivalOutcome::Refused;
            }
            source.reordered.insert(position, body);
            if distance == 0 {
                self.ready_sources.push_back(from);
            }
            return ArrivalOutcome::Kept;
        }
        assert!(self.ready_sources.is_empty(), "while a slot is free, no source waits for one");
        self.accept(from, body);
        ArrivalOutcome::Readable(1 + self.fill_slots())
    }

    /// Gives the next packet of a source its slot. The source is ready if the packet after it is stored.
    fn accept(&mut self, from: Peer, body: P) {
        self.arrivals.insert(from.node, body);
        let source = self.sources.get_mut(&from).expect("a source has sent a packet");
        source.next += 1;
        if source.reordered.contains_key(&source.next) {
            self.ready_sources.push_back(from);
        }
    }

    /// Gives free slots to the ready sources in turn, and returns the number of packets that obtained a slot.
    fn fill_slots(&mut self) -> u32 {
        let mut packets = 0;
        while let Some(from) = self.ready_sources.pop_front_if(|_| self.arrivals.has_capacity()) {
            let source = self.sources.get_mut(&from).expect("a source has sent a packet");
            let body = source.reordered.remove(&source.next).expect("the next packet of a ready source is kept");
            self.accept(from, body);
            packets += 1;
        }
        packets
    }

    /// Frees the slot of a packet that was read, and gives the slot to a stored packet, which is acknowledged at once.
    /// Returns the number of stored packets that obtained a slot.
    pub(super) fn release(&mut self, slot: ReadingSlot) -> u32 {
        self.arrivals.release(slot);
        let source_with_slot = self.ready_sources.front().copied();
        let packets = self.fill_slots();
        assert_eq!(packets, u32::from(source_with_slot.is_some()), "a slot is for one packet");
        source_with_slot.into_iter().for_each(|from| self.acknowledgements.make_due(from));
        packets
    }

    /// Returns the sequence number of the next packet expected from `source`.
    pub(super) fn next_expected(&self, source: Peer) -> u32 {
        self.space.number(self.sources[&source].next)
    }

    pub(super) fn sources(&self) -> usize {
        self.sources.len()
    }

    /// Returns the number of packets in reorder buffers.
    pub(super) fn reorder_buffers_used(&self) -> usize {
        self.sources.values().map(|source| source.reordered.len()).sum()
    }

    /// Returns the position of the next packet expected from `source`.
    #[cfg(test)]
    pub(super) fn next_position(&self, source: Peer) -> u64 {
        self.sources.get(&source).map_or(0, |source| source.next)
    }

    /// Returns the position of the last packet stored for `source`.
    #[cfg(test)]
    pub(super) fn last_stored_position(&self, source: Peer) -> Option<u64> {
        self.sources.get(&source)?.reordered.last_key_value().map(|(position, _)| *position)
    }

    /// Asserts the invariants.
    pub(super) fn check(&self) {
        assert!(
            self.ready_sources.is_empty() || !self.arrivals.has_capacity(),
            "while a slot is free, no source waits for one"
        );
        for (from, source) in &self.sources {
            let buffers = source.next..source.next + self.reorder_buffers;
            assert!(
                source.reordered.keys().all(|position| buffers.contains(position)),
                "a packet is kept in its buffer"
            );
            let times_ready = self.ready_sources.iter().filter(|other| *other == from).count();
            assert_eq!(
                times_ready,
                usize::from(source.reordered.contains_key(&source.next)),
                "a ready source waits once"
            );
        }
        self.acknowledgements.check();
    }
}
