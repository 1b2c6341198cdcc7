//! The outstanding-packet table holds the destinations of scalar packets that are not acknowledged yet: at most O
//! destinations, each at most once (Callahan and Goldstein 1995, §2.1).

use crate::engine::NodeId;

/// An entry of the table.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct OutstandingEntry {
    pub(super) destination: NodeId,
    /// Duplicate bit of the packet.
    pub(super) duplicate_bit: bool,
}

/// The outstanding-packet table. The table stores one entry for each destination without credits, instead of a number
/// of credits for each destination (Callahan and Goldstein 1995, §7).
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) struct Outstanding {
    entries_max: usize,
    entries: Vec<OutstandingEntry>,
}

impl Outstanding {
    pub(super) fn new(entries_max: u16) -> Outstanding {
        let entries_max = usize::from(entries_max);
        Outstanding { entries_max, entries: Vec::with_capacity(entries_max) }
    }

    pub(super) fn has_capacity(&self) -> bool {
        self.entries.len() < self.entries_max
    }

    pub(super) fn len(&self) -> usize {
        self.entries.len()
    }

    pub(super) fn contains(&self, destination: NodeId) -> bool {
        self.entries.iter().any(|entry| entry.destination == destination)
    }

    pub(super) fn insert(&mut self, entry: OutstandingEntry) {
        assert!(self.has_capacity(), "at most O scalar packets are outstanding");
        assert!(!self.contains(entry.destination), "at most one scalar packet is outstanding per destination");
        self.entries.push(entry);
    }

    /// Clears the entry that an acknowledgement is for, and returns whether there was one.
    pub(super) fn clear(&mut self, destination: NodeId, duplicate_bit: bool) -> bool {
        let index = self.entries.iter().position(|&entry| entry == OutstandingEntry { destination, duplicate_bit });
        index.map(|index| self.entries.remove(index)).is_some()
    }
}
