//! The arrivals queue: slots of packets that wait to be read, or are being read.
//!
//! ```text
//!           insert            take                    release
//!  (free) ──────────► waiting ─────► (a ReadingSlot) ────────► (free)
//! ```

use crate::engine::NodeId;
use std::collections::{BTreeSet, VecDeque};

/// A slot whose packet is being read. The slot is free only after `release`.
#[must_use = "a slot that is not released stays in use for ever"]
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ReadingSlot(u32);

impl ReadingSlot {
    /// Returns the slot's number, below the number of slots.
    pub(super) const fn number(self) -> u32 {
        self.0
    }

    /// Returns the slot with a number returned by [`ReadingSlot::number`].
    pub(super) const fn from_number(number: u32) -> ReadingSlot {
        ReadingSlot(number)
    }
}

/// The slots.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) struct Arrivals<P> {
    slot_count: usize,
    waiting_packets: VecDeque<(NodeId, P)>,
    slots_in_use: BTreeSet<ReadingSlot>,
}

impl<P> Arrivals<P> {
    pub(super) fn new(slots: u32) -> Arrivals<P> {
        Arrivals { slot_count: slots as usize, waiting_packets: VecDeque::new(), slots_in_use: BTreeSet::new() }
    }

    pub(super) fn used_slots(&self) -> usize {
        self.waiting_packets.len() + self.slots_in_use.len()
    }

    pub(super) fn has_capacity(&self) -> bool {
        assert!(self.used_slots() <= self.slot_count, "no more slots are in use than there are");
        self.used_slots() < self.slot_count
    }

    pub(super) fn insert(&mut self, from: NodeId, body: P) {
        assert!(self.has_capacity(), "a slot is free");
        self.waiting_packets.push_back((from, body));
    }

    pub(super) fn front(&self) -> Option<(NodeId, &P)> {
        self.waiting_packets.front().map(|(from, body)| (*from, body))
    }

    pub(super) fn take(&mut self) -> Option<(NodeId, P, ReadingSlot)> {
        let (from, body) = self.waiting_packets.pop_front()?;
        let mut free = (0..).map(ReadingSlot).filter(|slot| !self.slots_in_use.contains(slot));
        let slot = free.next().expect("there are more numbers than slots");
        self.slots_in_use.insert(slot);
        Some((from, body, slot))
    }

    pub(super) fn release(&mut self, slot: ReadingSlot) {
        assert!(self.slots_in_use.remove(&slot), "a slot is released once, by its reader");
    }
}
