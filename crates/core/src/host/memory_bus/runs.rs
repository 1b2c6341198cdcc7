//! Runs of loads and stores whose misses overlap, as a processor of today executes a copy.
//!
//! The module models a number of outstanding block misses ([`MemoryBusProcessorParameters::misses`]) and accesses wider
//! than a word ([`MemoryBusProcessorParameters::run_access`]). A run is announced before its first access. Tasks, one
//! for each miss but that of the program itself, then fetch the blocks of the run in order; the program waits only for
//! a block that has not arrived. On a circuit-switched bus the misses are queued for the bus, so that only the cycles
//! to and from the bus overlap.
//!
//! The module leaves out prefetches of blocks that no run has announced, and misses of single loads, which do not
//! overlap: the program executes in order.
//!
//! [`MemoryBusProcessorParameters::misses`]: super::MemoryBusProcessorParameters::misses
//! [`MemoryBusProcessorParameters::run_access`]: super::MemoryBusProcessorParameters::run_access

use super::prefetches::Prefetch;
use super::processor::MemoryBusProcessor;
use crate::host::block::{Address, BLOCK_BYTES, block_of, read_bytes};
use crate::host::processor::{aligned, read_words, write_words};

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
        let (mut block, end, mut missing) = (block_of(from), from + bytes as u64, 0);
        // The blocks of one run differ, so only those of earlier runs are compared.
        let announced = core.prefetches.len();
        while block < end {
            if !self.holds(block, write) && !core.prefetches.contains(block, write, announced) {
                core.prefetches.add(Prefetch { block, write, at: self.time() });
                missing += 1;
            }
            block += BLOCK_BYTES as u64;
        }
        // A task that is fetching a block takes the next one when it is done.
        if missing > 0 {
            core.prefetches.announced().notify_first(missing);
        }
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
        let mut moved = 0;
        while moved < into.len() {
            let (at, begins) = (from + moved as u64, self.begins_access(from, from + moved as u64));
            let access = self.rest_of_access(at, into.len() - moved);
            if self.find_bytes(at, &mut into[moved..moved + access]) {
                self.work(if begins { self.0.parameters.hit_cycles } else { 0 });
                moved += access;
                continue;
            }
            let part = aligned(at, into.len() - moved);
            let value = match self.find(at, part).filter(|_| !begins) {
                Some(value) => value,
                None => self.load(at, part).await,
            };
            into[moved..moved + part].copy_from_slice(&value.to_le_bytes()[..part]);
            moved += part;
        }
    }

    /// Stores consecutive bytes.
    pub(super) async fn store_run(&self, to: Address, bytes: &[u8]) {
        if !self.has_runs() {
            return write_words(to, bytes, async |at, part, value| self.store(at, part, value).await).await;
        }
        self.announce_run(to, bytes.len(), true);
        let mut moved = 0;
        while moved < bytes.len() {
            let (at, begins) = (to + moved as u64, self.begins_access(to, to + moved as u64));
            let access = self.rest_of_access(at, bytes.len() - moved);
            if self.put_bytes(at, &bytes[moved..moved + access]) {
                self.work(if begins { self.0.parameters.hit_cycles } else { 0 });
                moved += access;
                continue;
            }
            let part = aligned(at, bytes.len() - moved);
            let value = read_bytes(&bytes[moved..moved + part]);
            let is_stored = if begins { self.try_store(at, part, value) } else { self.put(at, part, value) };
            if !is_stored {
                self.store(at, part, value).await;
            }
            moved += part;
        }
    }

    /// Returns the number of bytes from `at` on, of `remaining_bytes`, that one access and one block contain.
    fn rest_of_access(&self, at: Address, remaining_bytes: usize) -> usize {
        let access = self.0.parameters.run_access.get().min(BLOCK_BYTES as u64);
        remaining_bytes.min((access - at % access) as usize)
    }

    /// Copies bytes of one access, as a [`find`](Self::find) of each word does, if no store to their block waits and
    /// the block is in the cache. Returns whether they were copied.
    fn find_bytes(&self, at: Address, into: &mut [u8]) -> bool {
        let core = &*self.0;
        !core.stores.may_have_block(at) && core.cache.contents().borrow_mut().load_bytes(at, into)
    }

    /// Writes bytes of one access, as a [`put`](Self::put) of each word does, if no store waits and their block is
    /// writable. Returns whether they were written.
    fn put_bytes(&self, at: Address, bytes: &[u8]) -> bool {
        self.0.stores.is_empty() && self.0.cache.contents().borrow_mut().store_bytes(at, bytes)
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
