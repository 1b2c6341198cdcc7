//! The blocks of announced runs that no task has begun to fetch.

use crate::engine::{Signal, Sim, Time};
use crate::host::block::Address;
use std::cell::RefCell;
use std::collections::VecDeque;

/// The blocks that are to be fetched, in order.
pub(super) struct Prefetches {
    blocks: RefCell<VecDeque<Prefetch>>,
    announced: Signal,
}

/// A block of an announced run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Prefetch {
    pub block: Address,
    /// Whether the run will write the block.
    pub write: bool,
    /// Local time of the announcement.
    pub at: Time,
}

impl Prefetches {
    pub(super) fn new(sim: &Sim, name: &str) -> Prefetches {
        Prefetches { blocks: RefCell::default(), announced: Signal::new(sim, format!("{name}: a run")) }
    }

    /// Returns the signal that is notified when a run was announced.
    pub(super) fn announced(&self) -> &Signal {
        &self.announced
    }

    /// Returns the number of announced blocks.
    pub(super) fn len(&self) -> usize {
        self.blocks.borrow().len()
    }

    /// Returns whether the first `among` announced blocks have `block`.
    pub(super) fn contains(&self, block: Address, write: bool, among: usize) -> bool {
        self.blocks.borrow().iter().take(among).any(|known| (known.block, known.write) == (block, write))
    }

    pub(super) fn add(&self, prefetch: Prefetch) {
        self.blocks.borrow_mut().push_back(prefetch);
    }

    /// Takes the next block.
    pub(super) fn next(&self) -> Option<Prefetch> {
        self.blocks.borrow_mut().pop_front()
    }
}
