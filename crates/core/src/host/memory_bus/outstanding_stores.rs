//! The store buffer in operation: stores leave it for the cache, in program order.
//!
//! The oldest waiting store requests the ownership of its block. With more than one outstanding store
//! ([`MemoryBusProcessorParameters::outstanding_stores`]), the tasks that fetch the blocks of runs also request the
//! blocks of later stores, each once and in program order, as soon as one of the outstanding misses is free. A block
//! that arrives early waits in the cache. If another agent takes the block before its stores have reached the cache,
//! the block is requested again when its first store is the oldest. When the block of the oldest store arrives, this
//! store and those behind it whose blocks are writable are written at once, so no agent can take the block before.
//! Other agents see stores in program order (TSO) with any number of outstanding stores.
//!
//! The module leaves out the cycle that a store takes in the cache, and requests for speculative stores.
//!
//! [`MemoryBusProcessorParameters::outstanding_stores`]: super::MemoryBusProcessorParameters::outstanding_stores

use super::processor::MemoryBusProcessor;
use super::store_buffer::BufferedStore;
use crate::host::block::{Address, block_of};

impl MemoryBusProcessor {
    /// Adds a store to the store buffer. Returns `false` if the buffer is full.
    pub(super) fn buffer_store(&self, entry: BufferedStore) -> bool {
        let (core, block) = (&*self.0, block_of(entry.address));
        // The oldest store requests its block itself, and stores to one block share a request.
        let requests_block = self.overlaps_stores() && !core.stores.is_empty() && !core.stores.has_block(block);
        let is_buffered = core.stores.push(entry);
        if is_buffered && requests_block && !self.permits_access(block, true) {
            core.prefetches.add_store(block, entry.stored_at);
        }
        is_buffered
    }

    /// Returns whether several stores may request their blocks at the same time.
    fn overlaps_stores(&self) -> bool {
        self.0.parameters.outstanding_stores > 1
    }

    /// Runs the store buffer: fetches the block of the oldest store, and writes the stores that wait for it.
    pub(super) async fn run_store_buffer(self) {
        let core = &*self.0;
        loop {
            let Some(first) = core.stores.first() else {
                core.stores.became_nonempty.wait().await;
                continue;
            };
            if first.stored_at > core.sim.now() {
                core.sim.until(first.stored_at).await;
            }
            let block = block_of(first.address);
            if self.permits_access(block, true) {
                self.write_stores(block);
                core.stores.notify_freed_entries();
            } else if self.overlaps_stores() && core.prefetches.is_being_fetched(block, true) {
                core.prefetches.block_arrived().wait().await;
            } else {
                core.prefetches.begin(block, true);
                core.sim.delay(core.parameters.clock.cycles(core.parameters.request_cycles)).await;
                core.cache.obtain(block, true).await;
                core.prefetches.end(block, true);
                // The stores reach the cache before the reply cycles, so that no other agent can take the block first.
                self.write_stores(block);
                self.write_stores_after_arrival();
                self.finish_reply().await;
            }
        }
    }

    /// Requests the ownership of `block` for a store behind the oldest one, if the store still waits for the block.
    pub(super) async fn request_for_store(&self, block: Address) {
        let core = &*self.0;
        let is_wanted = core.stores.has_block(block) && !self.permits_access(block, true);
        if is_wanted && !core.prefetches.is_being_fetched(block, true) {
            self.fetch_announced_block(block, true).await;
        }
    }

    /// Writes the oldest stores whose blocks are writable, after the arrival of a block. Returns whether there are any.
    pub(super) fn write_stores_after_arrival(&self) -> bool {
        let (core, mut has_written) = (&*self.0, false);
        if !self.overlaps_stores() {
            return false;
        }
        while let Some(first) = core.stores.first() {
            let block = block_of(first.address);
            if first.stored_at > core.sim.now() || !self.permits_access(block, true) {
                break;
            }
            self.write_stores(block);
            has_written = true;
        }
        has_written
    }

    /// Waits for the reply cycles of a block whose stores have left, and notifies the tasks that wait for the stores.
    pub(super) async fn finish_reply(&self) {
        let (core, clock) = (&*self.0, self.0.parameters.clock);
        core.stores.begin_reply();
        core.sim.delay(clock.cycles(core.parameters.reply_cycles)).await;
        core.stores.end_reply();
        core.stores.notify_freed_entries();
    }

    /// Writes the oldest stores to `block`, which is writable.
    fn write_stores(&self, block: Address) {
        let mut cache = self.0.cache.contents().borrow_mut();
        while let Some(entry) = self.0.stores.pop_for(block) {
            let is_stored = cache.store(entry.address, entry.bytes, entry.value);
            assert!(is_stored, "a block just obtained may be written");
        }
    }
}
