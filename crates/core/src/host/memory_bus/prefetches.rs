//! The blocks of announced runs that no task has begun to fetch.

use crate::engine::{Signal, Sim, Time};
use crate::host::block::Address;
use std::cell::RefCell;
use std::collections::VecDeque;

/// The blocks that are to be fetched, in order.
pub(super) struct Prefetches {
    entries: RefCell<VecDeque<Prefetch>>,
    run_announced: Signal,
}

/// A block of an announced run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Prefetch {
    pub block: Address,
    /// Whether the run will write the block.
    pub is_write: bool,
    /// Local time of the announcement.
    pub announced_at: Time,
}

impl Prefetches {
    pub(super) fn new(sim: &Sim, name: &str) -> Prefetches {
        Prefetches { entries: RefCell::default(), run_announced: Signal::new(sim, format!("{name}: a run")) }
    }

    /// Returns the signal that is notified when a run was announced.
    pub(super) fn run_announced(&self) -> &Signal {
        &self.run_announced
    }

    /// Returns the number of announced blocks.
    pub(super) fn len(&self) -> usize {
        self.entries.borrow().len()
    }

    /// Returns whether `block` is among the first `entry_count` announced blocks, for writing if `is_write` is true and
    /// otherwise for reading.
    pub(super) fn contains(&self, block: Address, is_write: bool, entry_count: usize) -> bool {
        self.entries.borrow().iter().take(entry_count).any(|entry| (entry.block, entry.is_write) == (block, is_write))
    }

    pub(super) fn add(&self, prefetch: Prefetch) {
        self.entries.borrow_mut().push_back(prefetch);
    }

    /// Removes and returns the next block.
    pub(super) fn pop(&self) -> Option<Prefetch> {
        self.entries.borrow_mut().pop_front()
    }
}
