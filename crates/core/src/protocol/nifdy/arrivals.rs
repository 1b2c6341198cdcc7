//! The arrivals FIFO: packets that the processor may accept, in the order in which they became ready.
//!
//! A scalar packet occupies a slot of the FIFO. A bulk packet that is next in its dialog stays in its reorder buffer,
//! and the FIFO records only its turn. A turn occupies no slot, so the network's count of free slots needs no
//! correction, and the packet "can be streamed to the processor immediately" (Callahan and Goldstein 1995, §2.1.2). A
//! common queue for both keeps a pair's packets in order when the pair changes between scalar and bulk mode.

use super::Scalar;
use crate::engine::NodeId;
use std::collections::VecDeque;

/// A packet that waits for the processor.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) enum QueuedArrival<T> {
    Scalar {
        source: NodeId,
        header: Scalar,
        body: T,
    },
    /// The next packet of this incoming dialog.
    Bulk {
        dialog: u16,
    },
}

/// The FIFO.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) struct Arrivals<T> {
    slot_count: usize,
    occupied_slots: usize,
    queue: VecDeque<QueuedArrival<T>>,
}

impl<T> Arrivals<T> {
    pub(super) fn new(slots: u16) -> Arrivals<T> {
        let slot_count = usize::from(slots);
        Arrivals { slot_count, occupied_slots: 0, queue: VecDeque::with_capacity(slot_count) }
    }

    pub(super) fn insert(&mut self, source: NodeId, header: Scalar, body: T) {
        assert!(self.occupied_slots < self.slot_count, "a scalar packet waits in the network until a slot is free");
        self.occupied_slots += 1;
        self.queue.push_back(QueuedArrival::Scalar { source, header, body });
    }

    pub(super) fn insert_turn(&mut self, dialog: u16) {
        self.queue.push_back(QueuedArrival::Bulk { dialog });
    }

    pub(super) fn front(&self) -> Option<&QueuedArrival<T>> {
        self.queue.front()
    }

    pub(super) fn take(&mut self) -> Option<QueuedArrival<T>> {
        let front = self.queue.pop_front()?;
        if let QueuedArrival::Scalar { .. } = front {
            self.occupied_slots -= 1;
        }
        Some(front)
    }

    /// Returns whether a packet of `source` waits that requires an acknowledgement.
    pub(super) fn has_unacknowledged_from(&self, source: NodeId) -> bool {
        let is_from = |arrival: &QueuedArrival<T>| match arrival {
            QueuedArrival::Scalar { source: from, header, .. } => *from == source && header.acknowledged,
            QueuedArrival::Bulk { .. } => false,
        };
        self.queue.iter().any(is_from)
    }

    /// Returns the number of occupied slots.
    pub(super) fn occupied_slots(&self) -> usize {
        self.occupied_slots
    }

    pub(super) fn len(&self) -> usize {
        self.queue.len()
    }

    /// Counts the occupied slots and the turns of a dialog.
    pub(super) fn occupied_slots_and_turns(&self, dialog: u16) -> (usize, usize) {
        let turns = self.queue.iter().filter(
            |arrival| matches!(arrival, QueuedArrival::Bulk { dialog: queued_dialog } if *queued_dialog == dialog),
        );
        let scalar = self.queue.iter().filter(|arrival| matches!(arrival, QueuedArrival::Scalar { .. })).count();
        assert_eq!(scalar, self.occupied_slots, "slots of the arrivals FIFO are conserved");
        (scalar, turns.count())
    }
}
