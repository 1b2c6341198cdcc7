//! The processor's cache, which the bridge snoops.
//!
//! The module models a write-back cache with write allocation, between the processor and main memory. A load or store
//! that hits takes cycles of the processor. A load or store that misses fetches its block of 64 B with several
//! accesses to main memory, one for each part of size `memory.block`. If the fetched block replaces a modified block,
//! that block is first written back, which takes as long as the fetch. DMA is coherent, as on PCs since the first PCI
//! chip sets. For each block of a burst that is modified in the cache, the burst waits for `supply-time` while the
//! cache writes the block to main memory. A DMA write then invalidates the block. After a DMA read the block remains
//! cached, and is no longer modified. Blocks carry their bytes, so a stale read gives a wrong result.
//!
//! Not modelled: a second-level cache, prefetching, a store buffer (a store that misses stalls the processor, like a
//! load), a victim buffer, write-combining, and the time of a snoop that finds no modified block.

use super::memory::MainMemory;
use crate::engine::time_series::TimeSeries;
use crate::engine::{Bytes, Signal, Sim, Time};
use crate::host::block::{Address, BLOCK_BYTES, Block, block_of, offset_in_block};
use crate::host::cache::{BlockFrame, Cache, CacheParameters, MoesiState, SpinModel};
use crate::host::metrics::HostMetric;
use crate::text::Parameters;
use std::cell::{Cell, RefCell};
use std::rc::Rc;

/// The parameters of the processor's cache.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Parameters)]
pub struct SnoopedCacheParameters {
    /// Size, associativity, and the time to supply a modified block.
    #[param(flatten)]
    pub cache: CacheParameters,
    /// Cycles of a cached load or store that hits.
    #[param(min = 1, max = 1_000_000, meaning = Work, resource = "processor")]
    pub hit_cycles: u64,
    /// Simulation method of a loop that polls a cached word; both methods give the same times.
    #[param(skip = SpinModel::SkippedPolls)]
    pub spin: SpinModel,
}

/// The cache of a processor behind an I/O bus.
pub struct SnoopedCache {
    sim: Sim,
    parameters: SnoopedCacheParameters,
    memory: Rc<MainMemory>,
    contents: RefCell<Cache>,
    block_drop_signal: Signal,
    /// Number of completed loads and stores.
    accesses: Cell<u64>,
    misses: Cell<u64>,
    write_backs: Cell<u64>,
    /// Number of modified blocks that were written to memory for DMA.
    supplied_blocks: Cell<u64>,
    /// Fills of frames that had never held a block, by their instants in picoseconds.
    cold_fills: RefCell<TimeSeries>,
}

impl SnoopedCache {
    /// Returns the empty cache of the host `name`, between the processor and `memory`.
    pub fn new(sim: &Sim, name: &str, parameters: SnoopedCacheParameters, memory: &Rc<MainMemory>) -> SnoopedCache {
        SnoopedCache {
            sim: sim.clone(),
            parameters,
            memory: memory.clone(),
            contents: RefCell::new(Cache::new(parameters.cache.size, parameters.cache.ways)),
            block_drop_signal: Signal::new(sim, format!("{name}: a change of the polled block")),
            accesses: Cell::default(),
            misses: Cell::default(),
            write_backs: Cell::default(),
            supplied_blocks: Cell::default(),
            cold_fills: RefCell::default(),
        }
    }

    /// Returns the parameters of the cache.
    pub fn parameters(&self) -> &SnoopedCacheParameters {
        &self.parameters
    }

    /// Loads a word if its block is cached.
    #[inline]
    pub fn load(&self, address: Address, bytes: usize) -> Option<u64> {
        let value = self.contents.borrow_mut().load(address, bytes)?;
        self.count_accesses(1);
        Some(value)
    }

    /// Stores a word if its block is cached. Returns whether the word was stored.
    #[inline]
    pub fn store(&self, address: Address, bytes: usize, value: u64) -> bool {
        let is_stored = self.contents.borrow_mut().store(address, bytes, value);
        self.count_accesses(u64::from(is_stored));
        is_stored
    }

    /// Counts loads and stores that are served.
    pub fn count_accesses(&self, accesses: u64) {
        self.accesses.set(self.accesses.get() + accesses);
    }

    /// Returns whether the block of `address` is cached.
    pub fn holds(&self, address: Address) -> bool {
        self.contents.borrow().find(address).is_some()
    }

    /// Returns the signal that is notified when a block was invalidated or replaced.
    pub fn block_drop_signal(&self) -> &Signal {
        &self.block_drop_signal
    }

    /// Fetches the block of `address`. A modified block that it replaces is first written back.
    pub async fn fetch(&self, address: Address) {
        increment(&self.misses);
        loop {
            let modified_block = self.modified_victim(address);
            self.memory.access_bytes(Bytes(BLOCK_BYTES as u64)).await;
            match modified_block {
                Some(block) => {
                    increment(&self.write_backs);
                    self.write_back(block);
                }
                // Memory is read at the end of the access, so that no DMA write can come between the read and the fill.
                None if self.fill(address) => return,
                None => {}
            }
        }
    }

    /// Copies the block of `from` to that of `to`. Blocks that are not cached are fetched. This counts as a load and a
    /// store.
    pub async fn copy_block(&self, from: Address, to: Address) {
        let (from, to) = (block_of(from), block_of(to));
        self.ensure_cached(from).await;
        let words: [_; BLOCK_BYTES / 8] = std::array::from_fn(|word| {
            let value = self.contents.borrow_mut().load(from + 8 * word as u64, 8);
            value.expect("the block was just obtained")
        });
        // Fetching this block may replace the other.
        self.ensure_cached(to).await;
        for (address, value) in (to..).step_by(8).zip(words) {
            let is_stored = self.contents.borrow_mut().store(address, 8, value);
            assert!(is_stored, "the block was just obtained");
        }
    }

    /// Accesses the block of `address`, which is cached afterwards.
    async fn ensure_cached(&self, address: Address) {
        self.count_accesses(1);
        while !self.holds(address) {
            self.fetch(address).await;
        }
    }

    /// Returns the modified block that a block at `address` would replace.
    fn modified_victim(&self, address: Address) -> Option<Address> {
        let (_, replaced) = self.contents.borrow().victim(address);
        replaced.filter(|(_, state)| state.owns()).map(|(block, _)| block)
    }

    /// Puts the block of `address` into the cache and returns true, unless it would replace a block that has been
    /// modified in the meantime.
    fn fill(&self, address: Address) -> bool {
        if self.holds(address) {
            return true;
        }
        let (frame, replaced) = self.contents.borrow().victim(address);
        match replaced {
            Some((_, MoesiState::Modified)) => return false,
            Some((block, _)) => self.drop_block(frame, block),
            None => {}
        }
        let mut data = Block::ZERO;
        self.memory.read(block_of(address), &mut data.0);
        if self.contents.borrow_mut().fill(frame, address, MoesiState::Exclusive, &data) {
            self.cold_fills.borrow_mut().add(self.sim.now().ps(), 1);
        }
        true
    }

    /// Writes a block to main memory if it is modified. Returns whether the block was modified.
    fn write_back(&self, block: Address) -> bool {
        let mut contents = self.contents.borrow_mut();
        let Some((frame, MoesiState::Modified)) = contents.find(block) else { return false };
        self.memory.write(block, &contents.block(frame).0);
        contents.set_state(frame, MoesiState::Exclusive);
        true
    }

    /// Drops an unmodified block, and notifies loops that poll it.
    fn drop_block(&self, frame: BlockFrame, block: Address) {
        debug_assert!(self.equals_memory(frame, block), "an unmodified block equals its copy in main memory");
        self.contents.borrow_mut().set_state(frame, MoesiState::Invalid);
        self.block_drop_signal.notify();
    }

    fn equals_memory(&self, frame: BlockFrame, block: Address) -> bool {
        let cached = self.contents.borrow().block(frame);
        self.memory.with(block, Bytes(BLOCK_BYTES as u64), |bytes| bytes == cached.0)
    }

    /// Snoops a DMA burst of `bytes` bytes at `address` that is about to begin: writes the modified blocks in its range
    /// to main memory. Returns the time that this takes.
    pub fn snoop(&self, address: Address, bytes: Bytes) -> Time {
        let modified_count = blocks_of(address, bytes).filter(|block| self.write_back(*block)).count() as u64;
        self.supplied_blocks.set(self.supplied_blocks.get() + modified_count);
        self.parameters.cache.supply_time * modified_count
    }

    /// Writes modified blocks among `bytes` bytes at `address` to main memory, because the bus is about to read these
    /// bytes.
    pub fn clean(&self, address: Address, bytes: Bytes) {
        blocks_of(address, bytes).for_each(|block| _ = self.write_back(block));
    }

    /// Drops the blocks that contain `bytes` bytes at `address`, because the bus is about to write these bytes.
    pub fn invalidate(&self, address: Address, bytes: Bytes) {
        for block in blocks_of(address, bytes) {
            // The bus may write only a part of the block.
            self.write_back(block);
            let found = self.contents.borrow().find(block);
            found.into_iter().for_each(|(frame, _)| self.drop_block(frame, block));
        }
    }

    /// Overwrites bytes in `data`, which was read from main memory at `address`, with those that are in the cache.
    pub fn overlay(&self, address: Address, data: &mut [u8]) {
        let contents = self.contents.borrow();
        let end = address + data.len() as u64;
        for block in blocks_of(address, Bytes(data.len() as u64)) {
            let Some((frame, _)) = contents.find(block) else { continue };
            let (from, to) = (block.max(address), (block + BLOCK_BYTES as u64).min(end));
            let cached = &contents.block(frame).0[offset_in_block(from)..][..(to - from) as usize];
            data[(from - address) as usize..(to - address) as usize].copy_from_slice(cached);
        }
    }

    /// Returns the number of blocks that were fetched into frames for the first time, from `from` to `to`.
    pub fn cold_fills(&self, from: Time, to: Time) -> u64 {
        self.cold_fills.borrow().count(from.ps(), to.ps())
    }

    /// Returns the numbers of hits, of misses, of replaced modified blocks, and of modified blocks that DMA bursts
    /// found.
    pub fn metrics(&self) -> Vec<HostMetric> {
        let (accesses, misses) = (self.accesses.get(), self.misses.get());
        let counts = [
            ("hits", accesses.saturating_sub(misses)),
            ("misses", misses),
            ("write-backs", self.write_backs.get()),
            ("supplied", self.supplied_blocks.get()),
        ];
        counts.map(|(quantity, count)| HostMetric::count("cache", quantity, count as f64)).into()
    }
}

fn increment(counter: &Cell<u64>) {
    counter.set(counter.get() + 1);
}

/// Returns the blocks that contain `bytes` bytes at `address`.
fn blocks_of(address: Address, bytes: Bytes) -> impl Iterator<Item = Address> {
    let end = address + bytes.get();
    (block_of(address)..end).step_by(BLOCK_BYTES)
}
