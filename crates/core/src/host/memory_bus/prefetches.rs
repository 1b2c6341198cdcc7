//! The blocks of announced runs and of waiting stores that no task has begun to fetch, and the fetches under way.

use crate::engine::{Signal, Sim, Time};
use crate::host::block::Address;
use std::cell::{Cell, RefCell};
use std::collections::VecDeque;

/// The blocks that are to be fetched, in order.
pub(super) struct Prefetches {
    runs: RefCell<VecDeque<Prefetch>>,
    /// The blocks of waiting stores behind the oldest one.
    stores: RefCell<VecDeque<Prefetch>>,
    /// Maximum number of fetches for `stores` at the same time.
    store_fetches_max: usize,
    /// Number of fetches for `stores` under way.
    store_fetches: Cell<usize>,
    /// The blocks that are being fetched, for writing if the second field is true.
    fetches: RefCell<Vec<(Address, bool)>>,
    block_announced: Signal,
    stream_announced: Signal,
    block_arrived: Signal,
}

/// A block to be fetched.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Prefetch {
    pub block: Address,
    /// Whether the block will be written.
    pub is_write: bool,
    /// Local time of the announcement.
    pub announced_at: Time,
    pub origin: PrefetchOrigin,
}

/// The reason for a prefetch.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum PrefetchOrigin {
    /// An announced run.
    Run {
        /// Whether a stream prefetcher has detected the stream of the block.
        is_streamed: bool,
    },
    /// A waiting store.
    Store,
}

/// The blocks that a task fetches.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum PrefetchSource {
    /// Blocks of runs and of waiting stores.
    Announced,
    /// Blocks of detected streams.
    Streams,
}

impl Prefetches {
    /// Creates an empty queue. The processor requests the blocks of `outstanding_stores` stores at the same time.
    pub(super) fn new(sim: &Sim, name: &str, outstanding_stores: usize) -> Prefetches {
        Prefetches {
            runs: RefCell::default(),
            stores: RefCell::default(),
            // The oldest store requests its block itself.
            store_fetches_max: outstanding_stores - 1,
            store_fetches: Cell::new(0),
            fetches: RefCell::default(),
            block_announced: Signal::new(sim, format!("{name}: a run")),
            stream_announced: Signal::new(sim, format!("{name}: a stream")),
            block_arrived: Signal::new(sim, format!("{name}: a block of a waiting store")),
        }
    }

    /// Returns the signal that is notified when a block was announced for tasks that fetch from `source`.
    pub(super) fn announced(&self, source: PrefetchSource) -> &Signal {
        match source {
            PrefetchSource::Announced => &self.block_announced,
            PrefetchSource::Streams => &self.stream_announced,
        }
    }

    /// Returns the signal that is notified when a block has arrived.
    pub(super) fn block_arrived(&self) -> &Signal {
        &self.block_arrived
    }

    /// Returns the number of announced blocks of runs.
    pub(super) fn run_block_count(&self) -> usize {
        self.runs.borrow().len()
    }

    /// Returns whether `block` is among the first `entry_count` announced blocks of runs, for writing if `is_write` is
    /// true and otherwise for reading.
    pub(super) fn contains(&self, block: Address, is_write: bool, entry_count: usize) -> bool {
        self.runs.borrow().iter().take(entry_count).any(|entry| (entry.block, entry.is_write) == (block, is_write))
    }

    /// Adds a block of a run, without a notification.
    pub(super) fn add(&self, prefetch: Prefetch) {
        self.runs.borrow_mut().push_back(prefetch);
    }

    /// Adds the block of a store that the program executed at `stored_at`.
    pub(super) fn add_store(&self, block: Address, stored_at: Time) {
        let origin = PrefetchOrigin::Store;
        self.stores.borrow_mut().push_back(Prefetch { block, is_write: true, announced_at: stored_at, origin });
        self.block_announced.notify_first(1);
    }

    /// Removes and returns the next block of `source`: of runs and stores, the one that was announced first.
    pub(super) fn pop(&self, source: PrefetchSource) -> Option<Prefetch> {
        let mut runs = self.runs.borrow_mut();
        if source == PrefetchSource::Streams {
            let is_streamed = |entry: &Prefetch| entry.origin == PrefetchOrigin::Run { is_streamed: true };
            let index = runs.iter().position(is_streamed)?;
            return runs.remove(index);
        }
        let mut stores = self.stores.borrow_mut();
        let announced_at = runs.front().map_or(Time::MAX, |run| run.announced_at);
        let may_fetch_store = self.store_fetches.get() < self.store_fetches_max;
        stores.pop_front_if(|store| may_fetch_store && store.announced_at < announced_at).or_else(|| runs.pop_front())
    }

    /// Counts a fetch for a store, until [`end_store_fetch`](Self::end_store_fetch).
    pub(super) fn begin_store_fetch(&self) {
        self.store_fetches.set(self.store_fetches.get() + 1);
    }

    /// Ends a fetch for a store.
    pub(super) fn end_store_fetch(&self) {
        self.store_fetches.set(self.store_fetches.get() - 1);
    }

    /// Returns whether `block` is being fetched, for writing if `is_write` is true and otherwise for reading.
    pub(super) fn is_being_fetched(&self, block: Address, is_write: bool) -> bool {
        self.fetches.borrow().contains(&(block, is_write))
    }

    /// Records that the fetch of `block` begins.
    pub(super) fn begin(&self, block: Address, is_write: bool) {
        self.fetches.borrow_mut().push((block, is_write));
    }

    /// Records that the fetch of `block` has ended.
    pub(super) fn end(&self, block: Address, is_write: bool) {
        let mut fetches = self.fetches.borrow_mut();
        let index = fetches.iter().position(|fetch| *fetch == (block, is_write)).expect("the fetch has begun");
        fetches.swap_remove(index);
        self.block_arrived.notify();
    }
}
