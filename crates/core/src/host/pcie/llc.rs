//! The last-level cache, which the processor and devices share.
//!
//! The module models tags and states by set; bytes are in memory and in the processor's private cache. A block is
//! absent, host-warm (a core fetched or wrote it) or device-written. A device's write that hits changes the block in
//! place; one that misses allocates in the I/O ways alone (DDIO), and evicts the least recently used block there. A
//! device's read allocates nothing. Accesses of the processor allocate in any way. The module leaves out slices,
//! inclusion of the private cache, and prefetchers.

use crate::engine::{Bytes, Rate, Time};
use crate::host::block::{Address, BLOCK_BYTES};
use crate::host::cache::TagBytes;
use crate::host::cache_warmth::CacheWarmth;
use crate::text::Parameters;
use std::cell::{Cell, RefCell};
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

/// The lines of the sets that have ever held a block, set by set in the order of their first use; the I/O ways are the
/// last ones of a set. Most runs use few sets.
struct Lines {
    /// For each set, its index among the used sets plus one; 0 if the set was never used.
    set_indices: Vec<u32>,
    /// For each line, the number of its block plus one, and [`DEVICE`] and [`DIRTY`]; 0 if the line is empty.
    tags: Vec<u64>,
    /// Last use of each line.
    used: Vec<u32>,
    uses: u32,
    /// For blocks by their number modulo [`RECENT`], the line in which one was found last.
    recent: [Cell<u32>; RECENT],
    tag_bytes: TagBytes,
    ways: usize,
}

const DEVICE: u64 = 1;
const DIRTY: u64 = 2;
/// Number of lines that are remembered; a power of two.
const RECENT: usize = 256;
const TAG_SHIFT: u32 = 2;

fn tag_of(block: u64) -> u64 {
    (block + 1) << TAG_SHIFT
}

impl Llc {
    /// Creates an empty cache.
    pub fn new(parameters: &LlcParameters) -> Llc {
        let LlcParameters { size, ways, io_ways, .. } = *parameters;
        let sets = size.get() / (BLOCK_BYTES * ways) as u64;
        let lines = Lines {
            set_indices: vec![0; sets as usize],
            tags: Vec::new(),
            used: Vec::new(),
            uses: 0,
            recent: [const { Cell::new(0) }; RECENT],
            tag_bytes: TagBytes::new(0, ways),
            ways,
        };
        Llc { sets, ways, io_ways, lines: RefCell::new(lines) }
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

    /// Writes the block of `address` for a device. Returns whether the block was in the cache, and the block that was
    /// evicted, if any. If there is no way in which the write may allocate, the written block is the evicted one.
    pub fn device_write(&self, address: Address) -> (bool, Option<EvictedBlock>) {
        let block = address / BLOCK_BYTES as u64;
        let lines = &mut *self.lines.borrow_mut();
        if let Some(line) = self.find(lines, block) {
            lines.put(line, block, DEVICE | DIRTY);
            return (true, None);
        }
        let evicted = match self.io_ways {
            0 => Some(EvictedBlock { is_dirty: true }),
            ways => {
                let set = self.set(lines, block);
                lines.replace(set.end - ways..set.end, block, DEVICE | DIRTY)
            }
        };
        (false, evicted)
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
        let set = self.set(lines, block);
        (false, lines.replace(set, block, if writes { DIRTY } else { 0 }))
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
        if blocks.end - blocks.start <= self.sets * self.ways as u64 / 16 {
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
                let line = self.set(lines, block).end - ways + way as usize;
                lines.put_new(line, block, bits);
            }
            return;
        }
        for block in blocks {
            match self.find(lines, block) {
                Some(line) => lines.put(line, block, bits),
                None => {
                    let set = self.set(lines, block);
                    lines.replace(set.end - ways..set.end, block, bits);
                }
            }
        }
    }

    /// Returns the lines of the set of `block`, which is used from now on.
    fn set(&self, lines: &mut Lines, block: u64) -> Range<usize> {
        let number = (block % self.sets) as usize;
        if lines.set_indices[number] == 0 {
            lines.add_set(number);
        }
        let first = (lines.set_indices[number] as usize - 1) * self.ways;
        first..first + self.ways
    }

    /// Returns the line that holds `block`. A line that holds it is the only one that does, so the one in which a block
    /// was found last is tried before the set is searched.
    #[inline]
    fn find(&self, lines: &Lines, block: u64) -> Option<usize> {
        let recent = &lines.recent[block as usize % RECENT];
        let tag = lines.tags.get(recent.get() as usize);
        if tag.is_some_and(|tag| tag & !(DEVICE | DIRTY) == tag_of(block)) {
            return Some(recent.get() as usize);
        }
        let found = self.search(lines, block);
        if let Some(line) = found {
            recent.set(line as u32);
        }
        found
    }

    fn search(&self, lines: &Lines, block: u64) -> Option<usize> {
        let (number, tag) = ((block % self.sets) as usize, tag_of(block));
        let index = (lines.set_indices[number] as usize).checked_sub(1)?;
        let tags = &lines.tags[index * self.ways..(index + 1) * self.ways];
        let holds = |way: usize| tags.get(way).is_some_and(|found| found & !(DEVICE | DIRTY) == tag);
        lines.tag_bytes.find(index, block, holds).map(|way| index * self.ways + way)
    }
}

impl Lines {
    /// Adds the lines of the set `number`.
    #[cold]
    fn add_set(&mut self, number: usize) {
        let (lines, all) = (self.tags.len() + self.ways, self.set_indices.len() * self.ways);
        if lines > all / 4 {
            self.tags.reserve_exact(all - self.tags.len());
            self.used.reserve_exact(all - self.used.len());
        }
        self.set_indices[number] = (lines / self.ways) as u32;
        self.tags.resize(lines, 0);
        self.used.resize(lines, 0);
        self.tag_bytes.add_set();
    }

    fn touch(&mut self, line: usize) {
        self.uses += 1;
        self.used[line] = self.uses;
    }

    fn put(&mut self, line: usize, block: u64, bits: u64) {
        self.tags[line] = tag_of(block) | bits;
        self.touch(line);
    }

    /// Puts a block into a line that held another one, or none.
    fn put_new(&mut self, line: usize, block: u64, bits: u64) {
        self.tag_bytes.put(line / self.ways, line % self.ways, block);
        self.put(line, block, bits);
    }

    /// Puts a block into an empty line of `among`, or into the least recently used one. Returns the evicted block, if
    /// any.
    fn replace(&mut self, among: Range<usize>, block: u64, bits: u64) -> Option<EvictedBlock> {
        let age = |line: &usize| if self.tags[*line] == 0 { 0 } else { self.used[*line] };
        let line = among.min_by_key(age).expect("the cache has ways");
        let old = self.tags[line];
        self.put_new(line, block, bits);
        (old != 0).then_some(EvictedBlock { is_dirty: old & DIRTY != 0 })
    }
}
