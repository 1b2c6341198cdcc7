//! Runs of loads and stores whose misses overlap, as a processor of today executes a copy.
//!
//! The module models a number of outstanding block misses ([`MemoryBusProcessorParameters::misses`]) and accesses wider
//! than a word ([`MemoryBusProcessorParameters::run_access`]). A run is announced before its first access. Tasks then
//! fetch the blocks of the run in order, and the program waits only for a block that has not arrived. There is one task
//! for each outstanding miss except one, which is the miss of the program itself. On a circuit-switched bus the misses
//! are queued for the bus, so that only the cycles to and from the bus overlap.
//!
//! A stream prefetcher ([`MemoryBusProcessorParameters::stream_prefetches`]) fetches further blocks of sequential runs
//! at the same time. As in the optimization manual of Intel's processors (IA-32 Intel Architecture Optimization, order
//! number 248966-013, chapter 6), it detects a stream after two blocks, does not prefetch across a boundary of 4 KiB,
//! follows streams of loads and of stores, and requests the ownership of the blocks of the latter.
//!
//! The module leaves out prefetches of blocks that no run has announced, that is, those beyond the end of a run, and
//! misses of single loads, which do not overlap: the program executes in order.
//!
//! [`MemoryBusProcessorParameters::misses`]: super::MemoryBusProcessorParameters::misses
//! [`MemoryBusProcessorParameters::run_access`]: super::MemoryBusProcessorParameters::run_access
//! [`MemoryBusProcessorParameters::stream_prefetches`]: super::MemoryBusProcessorParameters::stream_prefetches

use super::prefetches::{Prefetch, PrefetchOrigin, PrefetchSource};
use super::processor::MemoryBusProcessor;
use crate::host::block::{Address, BLOCK_BYTES, block_of, read_bytes};
use crate::host::processor::{aligned_access_bytes, read_words, write_words};

/// Size of the pages whose boundaries a stream prefetcher does not cross.
const PAGE_BYTES: Address = 4096;

/// Number of blocks of a run in a page after which a stream prefetcher has detected the stream.
const STREAM_DETECTION_BLOCKS: Address = 2;

impl MemoryBusProcessor {
    /// Starts the tasks that fetch the blocks of runs and of waiting stores.
    pub(super) fn start_prefetches(&self, name: &str) {
        let (sim, parameters) = (&self.0.sim, &self.0.parameters);
        for number in 1..parameters.misses {
            let task = self.clone().fetch_announced_blocks(PrefetchSource::Announced);
            sim.spawn_server(format!("{name} miss {number}"), task);
        }
        for number in 1..=parameters.stream_prefetches {
            let task = self.clone().fetch_announced_blocks(PrefetchSource::Streams);
            sim.spawn_server(format!("{name} stream prefetch {number}"), task);
        }
    }

    /// Returns whether runs differ from a sequence of single accesses.
    #[inline]
    pub(super) fn has_runs(&self) -> bool {
        let parameters = &self.0.parameters;
        parameters.misses > 1 || parameters.run_access.len() > 8
    }

    /// Announces a run, whose blocks are then fetched in order.
    pub(super) fn announce_run(&self, from: Address, bytes: usize, is_write: bool) {
        let core = &*self.0;
        if core.parameters.misses == 1 || bytes == 0 {
            return;
        }
        let (mut block, end, announced_at) = (block_of(from), from + bytes as u64, self.time());
        let (mut added_count, mut streamed_count) = (0, 0);
        // The blocks of this run differ from each other, so they are compared only with those of earlier runs.
        let earlier_count = core.prefetches.run_block_count();
        while block < end {
            if !self.permits_access(block, is_write) && !core.prefetches.contains(block, is_write, earlier_count) {
                let page_start = block_of(from).max(block - block % PAGE_BYTES);
                let is_streamed = block - page_start >= STREAM_DETECTION_BLOCKS * BLOCK_BYTES as u64;
                let origin = PrefetchOrigin::Run { is_streamed };
                core.prefetches.add(Prefetch { block, is_write, announced_at, origin });
                added_count += 1;
                streamed_count += usize::from(is_streamed);
            }
            block += BLOCK_BYTES as u64;
        }
        // A task that is fetching a block continues with the next announced block without a notification.
        if added_count > 0 {
            core.prefetches.announced(PrefetchSource::Announced).notify_first(added_count);
            core.prefetches.announced(PrefetchSource::Streams).notify_first(streamed_count);
        }
    }

    /// Returns whether the cache has `block`, and may write it if `is_write` is true.
    pub(super) fn permits_access(&self, block: Address, is_write: bool) -> bool {
        let state = self.0.cache.contents().borrow().state(block);
        if is_write { state.writable() } else { state.readable() }
    }

    async fn fetch_announced_blocks(self, source: PrefetchSource) {
        let core = &*self.0;
        loop {
            let Some(Prefetch { block, is_write, announced_at, origin }) = core.prefetches.pop(source) else {
                core.prefetches.announced(source).wait().await;
                continue;
            };
            let is_for_store = origin == PrefetchOrigin::Store;
            if is_for_store {
                core.prefetches.begin_store_fetch();
            }
            if announced_at > core.sim.now() {
                core.sim.until(announced_at).await;
            }
            if is_for_store {
                self.request_for_store(block).await;
                core.prefetches.end_store_fetch();
            } else if !self.permits_access(block, is_write) {
                self.fetch_announced_block(block, is_write).await;
            }
        }
    }

    /// Fetches a block, and writes the stores that waited for it.
    pub(super) async fn fetch_announced_block(&self, block: Address, is_write: bool) {
        let (core, clock) = (&*self.0, self.0.parameters.clock);
        core.prefetches.begin(block, is_write);
        core.sim.delay(clock.cycles(core.parameters.request_cycles)).await;
        core.cache.obtain(block, is_write).await;
        core.prefetches.end(block, is_write);
        if is_write && self.write_stores_after_arrival() {
            self.finish_reply().await;
        }
    }

    /// Loads consecutive bytes.
    pub(super) async fn load_run(&self, from: Address, into: &mut [u8]) {
        if !self.has_runs() {
            return read_words(from, into, async |at, part_bytes| self.load(at, part_bytes).await).await;
        }
        self.announce_run(from, into.len(), false);
        let mut moved_bytes = 0;
        while moved_bytes < into.len() {
            let (at, is_access_start) =
                (from + moved_bytes as u64, self.begins_access(from, from + moved_bytes as u64));
            let access_bytes = self.access_length(at, into.len() - moved_bytes);
            if self.lookup_bytes(at, &mut into[moved_bytes..moved_bytes + access_bytes]) {
                self.work(if is_access_start { self.0.parameters.hit_cycles } else { 0 });
                moved_bytes += access_bytes;
                continue;
            }
            let part_bytes = aligned_access_bytes(at, into.len() - moved_bytes);
            let value = match self.lookup(at, part_bytes).filter(|_| !is_access_start) {
                Some(value) => value,
                None => self.load(at, part_bytes).await,
            };
            into[moved_bytes..moved_bytes + part_bytes].copy_from_slice(&value.to_le_bytes()[..part_bytes]);
            moved_bytes += part_bytes;
        }
    }

    /// Stores consecutive bytes.
    pub(super) async fn store_run(&self, to: Address, bytes: &[u8]) {
        if !self.has_runs() {
            return write_words(to, bytes, async |at, part_bytes, value| self.store(at, part_bytes, value).await).await;
        }
        self.announce_run(to, bytes.len(), true);
        let mut moved_bytes = 0;
        while moved_bytes < bytes.len() {
            let (at, is_access_start) = (to + moved_bytes as u64, self.begins_access(to, to + moved_bytes as u64));
            let access_bytes = self.access_length(at, bytes.len() - moved_bytes);
            if self.store_bytes_uncounted(at, &bytes[moved_bytes..moved_bytes + access_bytes]) {
                self.work(if is_access_start { self.0.parameters.hit_cycles } else { 0 });
                moved_bytes += access_bytes;
                continue;
            }
            let part_bytes = aligned_access_bytes(at, bytes.len() - moved_bytes);
            let value = read_bytes(&bytes[moved_bytes..moved_bytes + part_bytes]);
            let is_stored = if is_access_start {
                self.try_store(at, part_bytes, value)
            } else {
                self.store_uncounted(at, part_bytes, value)
            };
            if !is_stored {
                self.store(at, part_bytes, value).await;
            }
            moved_bytes += part_bytes;
        }
    }

    /// Returns the number of bytes that one access at `at` moves: at most `remaining_bytes`, and at most those up to
    /// the next multiple of the width of an access.
    fn access_length(&self, at: Address, remaining_bytes: usize) -> usize {
        let access_bytes = self.0.parameters.run_access.get().min(BLOCK_BYTES as u64);
        remaining_bytes.min((access_bytes - at % access_bytes) as usize)
    }

    /// Copies bytes of one access, as a [`lookup`](Self::lookup) of each word does, if no store to their block waits
    /// and the block is in the cache. Returns whether they were copied.
    fn lookup_bytes(&self, at: Address, into: &mut [u8]) -> bool {
        let core = &*self.0;
        !core.stores.may_have_block(at) && core.cache.contents().borrow_mut().load_bytes(at, into)
    }

    /// Writes bytes of one access, as a [`store_uncounted`](Self::store_uncounted) of each word does, if no store waits
    /// and their block is writable. Returns whether they were written.
    fn store_bytes_uncounted(&self, at: Address, bytes: &[u8]) -> bool {
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
