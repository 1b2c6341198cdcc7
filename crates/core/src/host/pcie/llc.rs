//! The last-level cache, which the processor and devices share.
//!
//! The module models tags and states by set; bytes are in memory and in the processor's private cache. A block is
//! absent, host-warm (a core fetched or wrote it) or device-written. A device's write that hits changes the block in
//! place; one that misses allocates in the I/O ways alone (DDIO), and evicts the least recently used block there. A
//! device's read allocates nothing. Accesses of the processor allocate in any way. The module leaves out slices,
//! inclusion of the private cache, and prefetchers.

use crate::engine::{Bytes, Rate, Time};
use crate::host::block::{Address, BLOCK_BYTES};
use crate::host::cache_warmth::CacheWarmth;
use crate::text::Parameters;
use std::cell::RefCell;
use std::ops::Range;

/// The parameters of the last-level cache.
#[derive(Clone, Copy, PartialEq, Debug, Parameters)]
#[param(resource = "LLC")]
pub struct LlcParameters {
    /// Size of the cache; a multiple of 64 B times `ways`.
    ///
    /// 15 MiB (data sheet of the Ivy Bridge server).
    #[param(min = "4 KiB", max = "4 GiB", default = "15 MiB", meaning = Capacity)]
    pub size: Bytes,
    /// Associativity.
    ///
    /// 20 (data sheet of the Ivy Bridge server).
    #[param(min = 1, max = 64, default = 20, meaning = Capacity)]
    pub ways: usize,
    /// Number of cache ways in which the writes of devices allocate.
    ///
    /// 2 (measured: blocks that a device wrote go cold in windows between 2 and 4 MiB).
    #[param(min = 0, max = 64, default = 2, meaning = Capacity, resource = "I/O ways")]
    pub io_ways: usize,
    /// Time of a processor's access that hits.
    ///
    /// 15 ns (remembered).
    #[param(default = "15 ns")]
    pub access: Time,
    /// Additional time of a device's read that misses.
    ///
    /// 53 ns (measured: 613 ns against 560 ns).
    #[param(default = "53 ns", resource = "memory")]
    pub hit_to_dram: Time,
    /// Time by which a device's read of a block that a device wrote is shorter than one of a host-warm block.
    ///
    /// 27 ns (measured: 533 ns against 560 ns): no core has to be asked.
    #[param(default = "27 ns", meaning = Structure)]
    pub device_warm: Time,
    /// Additional time until a device's write that misses is visible.
    ///
    /// 90 ns (measured: behind a miss of the IOMMU, a write and its read take 80 to 93 ns more if the block is cold).
    #[param(default = "90 ns", resource = "LLC")]
    pub write_allocate: Time,
    /// Rate at which the cache serves devices.
    ///
    /// 200 GB/s (remembered).
    #[param(default = "200 GB/s")]
    pub rate: Rate,
}

/// The agent that last wrote or fetched a block in the cache.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LlcState {
    /// A core fetched or wrote the block.
    HostWarm,
    /// A device wrote the block.
    DeviceWritten,
}

/// A block that was evicted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct EvictedBlock {
    /// Whether the block has to be written to memory.
    pub is_dirty: bool,
}

/// The tags of a last-level cache.
pub struct Llc {
    sets: u64,
    ways: usize,
    io_ways: usize,
    lines: RefCell<Lines>,
}

/// The lines, set by set; the I/O ways are the last ones of a set.
struct Lines {
    /// For each line, the number of its block plus one, and [`DEVICE`] and [`DIRTY`]; 0 if the line is empty.
    tags: Vec<u64>,
    /// Last use of each line.
    used: Vec<u32>,
    uses: u32,
}

const DEVICE: u64 = 1;
const DIRTY: u64 = 2;
const TAG_SHIFT: u32 = 2;

fn tag_of(block: u64) -> u64 {
    (block + 1) << TAG_SHIFT
}

impl Llc {
    /// Creates an empty cache.
    pub fn new(parameters: &LlcParameters) -> Llc {
        let lines = (parameters.size.get() / BLOCK_BYTES as u64) as usize;
        let lines = Lines { tags: vec![0; lines], used: vec![0; lines], uses: 0 };
        let LlcParameters { size, ways, io_ways, .. } = *parameters;
        Llc { sets: size.get() / (BLOCK_BYTES * ways) as u64, ways, io_ways, lines: RefCell::new(lines) }
    }

    /// Returns the state of the block of `address`, which stays unchanged.
    pub fn state(&self, address: Address) -> Option<LlcState> {
        let block = address / BLOCK_BYTES as u64;
        let lines = self.lines.borrow();
        let line = self.find(&lines, block)?;
        Some(if lines.tags[line] & DEVICE == 0 { LlcState::HostWarm } else { LlcState::DeviceWritten })
    }

    /// Reads the block of `address` for a device. Returns its state.
    pub fn device_read(&self, address: Address) -> Option<LlcState> {
        let lines = &mut *self.lines.borrow_mut();
        let line = self.find(lines, address / BLOCK_BYTES as u64)?;
        lines.touch(line);
        Some(if lines.tags[line] & DEVICE == 0 { LlcState::HostWarm } else { LlcState::DeviceWritten })
    }

    /// Writes the block of `address` for a device. Returns the block that was evicted, if any. If there is no way in
    /// which the write may allocate, the written block is the evicted one.
    pub fn device_write(&self, address: Address) -> Option<EvictedBlock> {
        let block = address / BLOCK_BYTES as u64;
        let lines = &mut *self.lines.borrow_mut();
        if let Some(line) = self.find(lines, block) {
            lines.put(line, block, DEVICE | DIRTY);
            return None;
        }
        let set = self.set(block);
        match self.io_ways {
            0 => Some(EvictedBlock { is_dirty: true }),
            ways => lines.replace(set.end - ways..set.end, block, DEVICE | DIRTY),
        }
    }

    /// Fetches the block of `address` for the processor or, if `writes` is true, receives the modified block from the
    /// processor's private cache. Returns whether the block was in the cache, and the block that was evicted, if any.
    pub fn host_access(&self, address: Address, writes: bool) -> (bool, Option<EvictedBlock>) {
        let block = address / BLOCK_BYTES as u64;
        let lines = &mut *self.lines.borrow_mut();
        if let Some(line) = self.find(lines, block) {
            let dirty = if writes { DIRTY } else { lines.tags[line] & DIRTY };
            lines.put(line, block, dirty);
            return (true, None);
        }
        (false, lines.replace(self.set(block), block, if writes { DIRTY } else { 0 }))
    }

    /// Removes the block of `address`.
    pub fn remove(&self, address: Address) {
        let lines = &mut *self.lines.borrow_mut();
        if let Some(line) = self.find(lines, address / BLOCK_BYTES as u64) {
            lines.tags[line] = 0;
        }
    }

    /// Sets the state of the blocks of `bytes` bytes from `first` on.
    pub fn warm(&self, first: Address, bytes: u64, state: CacheWarmth) {
        let blocks = first / BLOCK_BYTES as u64..(first + bytes).div_ceil(BLOCK_BYTES as u64);
        // Earlier blocks would be evicted by the last ones, which fill all ways of all sets.
        let last = |ways: usize| blocks.end.saturating_sub(self.sets * ways as u64).max(blocks.start)..blocks.end;
        match state {
            CacheWarmth::Cold => self.remove_all(&blocks),
            CacheWarmth::HostWarm => {
                let kept = last(self.ways);
                self.remove_all(&(blocks.start..kept.start));
                self.fill(kept, self.ways, DIRTY);
            }
            CacheWarmth::DeviceWarm => {
                self.remove_all(&blocks);
                self.fill(last(self.io_ways), self.io_ways, DEVICE | DIRTY);
            }
        }
    }

    fn remove_all(&self, blocks: &Range<u64>) {
        let lines = &mut *self.lines.borrow_mut();
        if blocks.end - blocks.start <= lines.tags.len() as u64 / 16 {
            for block in blocks.clone() {
                if let Some(line) = self.find(lines, block) {
                    lines.tags[line] = 0;
                }
            }
            return;
        }
        let (from, to) = (tag_of(blocks.start), tag_of(blocks.end));
        lines.tags.iter_mut().filter(|tag| (from..to).contains(*tag)).for_each(|tag| *tag = 0);
    }

    /// Puts blocks into the last `ways` ways, one after the other.
    fn fill(&self, blocks: Range<u64>, ways: usize, bits: u64) {
        let lines = &mut *self.lines.borrow_mut();
        if blocks.end - blocks.start == self.sets * ways as u64 {
            // Every line of these ways is replaced, and none has to be searched.
            for (number, block) in blocks.enumerate() {
                let way = number as u64 / self.sets;
                let line = self.set(block).end - ways + way as usize;
                lines.put(line, block, bits);
            }
            return;
        }
        for block in blocks {
            match self.find(lines, block) {
                Some(line) => lines.put(line, block, bits),
                None => {
                    let set = self.set(block);
                    lines.replace(set.end - ways..set.end, block, bits);
                }
            }
        }
    }

    /// Returns the lines of the set of `block`.
    fn set(&self, block: u64) -> Range<usize> {
        let first = (block % self.sets) as usize * self.ways;
        first..first + self.ways
    }

    fn find(&self, lines: &Lines, block: u64) -> Option<usize> {
        let tag = tag_of(block);
        self.set(block).find(|line| lines.tags[*line] & !(DEVICE | DIRTY) == tag)
    }
}

impl Lines {
    fn touch(&mut self, line: usize) {
        self.uses += 1;
        self.used[line] = self.uses;
    }

    fn put(&mut self, line: usize, block: u64, bits: u64) {
        self.tags[line] = tag_of(block) | bits;
        self.touch(line);
    }

    /// Puts a block into an empty line of `among`, or into the least recently used one. Returns the evicted block, if
    /// any.
    fn replace(&mut self, among: Range<usize>, block: u64, bits: u64) -> Option<EvictedBlock> {
        let age = |line: &usize| if self.tags[*line] == 0 { 0 } else { self.used[*line] };
        let line = among.min_by_key(age).expect("the cache has ways");
        let old = self.tags[line];
        self.put(line, block, bits);
        (old != 0).then_some(EvictedBlock { is_dirty: old & DIRTY != 0 })
    }
}
