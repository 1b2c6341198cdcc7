//! Runs of loads and stores whose misses overlap, as a processor of today executes a copy.
//!
//! The module models a number of outstanding block misses ([`MemoryBusProcessorParameters::misses`]) and accesses wider
//! than a word ([`MemoryBusProcessorParameters::run_access`]). A run is announced before its first access. Tasks, one for
//! each miss but that of the program itself, then fetch the blocks of the run in order; the program waits only for a
//! block that has not arrived. On a circuit-switched bus the misses are queued for the bus, so that only the cycles to
//! and from the bus overlap.
//!
//! The module leaves out prefetches of blocks that no run has announced, and misses of single loads, which do not
//! overlap: the program executes in order.
//!
//! [`MemoryBusProcessorParameters::misses`]: super::MemoryBusProcessorParameters::misses
//! [`MemoryBusProcessorParameters::run_access`]: super::MemoryBusProcessorParameters::run_access

use super::prefetches::Prefetch;
use super::processor::MemoryBusProcessor;
use crate::host::block::{Address, BLOCK_BYTES, block_of};
use crate::host::processor::{read_words, write_words};

impl MemoryBusProcessor {
    /// Starts the tasks that fetch the blocks of runs.
    pub(super) fn start_prefetches(&self, name: &str) {
        for number in 1..self.0.parameters.misses {
            self.0.sim.spawn_server(format!("{name} miss {number}"), self.clone().fetch_announced());
        }
    }

    /// Returns whether runs differ from a sequence of single accesses.
    #[inline]
    pub(super) fn has_runs(&self) -> bool {
        let p = &self.0.parameters;
        p.misses > 1 || p.run_access.len() > 8
    }

    /// Announces a run, whose blocks are then fetched in order.
    pub(super) fn announce_run(&self, from: Address, bytes: usize, write: bool) {
        let core = &*self.0;
        if core.parameters.misses == 1 || bytes == 0 {
            return;
        }
        let at = self.time();
        let blocks = (block_of(from)..from + bytes as u64).step_by(BLOCK_BYTES);
        let mut missing = 0;
        for block in blocks.filter(|block| !self.holds(*block, write) && !core.prefetches.contains(*block, write)) {
            core.prefetches.add(Prefetch { block, write, at });
            missing += 1;
        }
        // A task that is fetching a block takes the next one when it is done.
        core.prefetches.announced().notify_first(missing);
    }

    fn holds(&self, block: Address, write: bool) -> bool {
        let state = self.0.cache.contents().borrow().state(block);
        if write { state.writable() } else { state.readable() }
    }

    async fn fetch_announced(self) {
        let core = &*self.0;
        loop {
            let Some(Prefetch { block, write, at }) = core.prefetches.next() else {
                core.prefetches.announced().wait().await;
                continue;
            };
            if at > core.sim.now() {
                core.sim.until(at).await;
            }
            if !self.holds(block, write) {
                core.sim.delay(core.parameters.clock.cycles(core.parameters.request_cycles)).await;
                core.cache.obtain(block, write).await;
            }
        }
    }

    /// Loads consecutive bytes.
    pub(super) async fn load_run(&self, from: Address, into: &mut [u8]) {
        if !self.has_runs() {
            return read_words(from, into, async |at, part| self.load(at, part).await).await;
        }
        self.announce_run(from, into.len(), false);
        let load = async |at: Address, part| match self.find(at, part).filter(|_| !self.begins_access(from, at)) {
            Some(value) => value,
            None => self.load(at, part).await,
        };
        read_words(from, into, load).await;
    }

    /// Stores consecutive bytes.
    pub(super) async fn store_run(&self, to: Address, bytes: &[u8]) {
        if !self.has_runs() {
            return write_words(to, bytes, async |at, part, value| self.store(at, part, value).await).await;
        }
        self.announce_run(to, bytes.len(), true);
        let store = async |at: Address, part, value| {
            if self.begins_access(to, at) || !self.put(at, part, value) {
                self.store(at, part, value).await;
            }
        };
        write_words(to, bytes, store).await;
    }

    /// Copies a block.
    pub(super) async fn copy_run(&self, from: Address, to: Address) {
        let mut block = [0; BLOCK_BYTES];
        self.load_run(from, &mut block).await;
        self.store_run(to, &block).await;
    }

    /// Returns whether the word at `at` begins an access of the run from `first` on.
    fn begins_access(&self, first: Address, at: Address) -> bool {
        at == first || at.is_multiple_of(self.0.parameters.run_access.get())
    }
}
