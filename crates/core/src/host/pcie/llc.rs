//! The last-level cache, which the processor and devices share.
//!
//! The module models tags and states by set; bytes are in memory and in the processor's private cache. A block is
//! absent, host-warm (a core fetched or wrote the block) or device-written. A device's write that hits changes the
//! block in place; a device's write that misses allocates only in the I/O ways (DDIO), and evicts the least recently
//! used block there. A device's read allocates nothing. Accesses of the processor allocate in any way. The module
//! leaves out slices, inclusion of the private cache, and prefetchers.

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
    /// For each line, the number of its block plus one, and [`DEVICE_BIT`] and [`DIRTY_BIT`]; 0 if the line is empty.
    tags: Vec<u64>,
    /// Last use of each line.
    last_uses: Vec<u32>,
    use_count: u32,
    /// For each block number modulo [`RECENT_LINES`], the line in which such a block was found last.
    recent: [Cell<u32>; RECENT_LINES],
    tag_bytes: TagBytes,
    ways: usize,
}

const DEVICE_BIT: u64 = 1;
const DIRTY_BIT: u64 = 2;
/// Number of lines that are remembered; a power of two.
const RECENT_LINES: usize = 256;
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
            last_uses: Vec::new(),
            use_count: 0,
            recent: [const { Cell::new(0) }; RECENT_LINES],
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
        Some(if lines.tags[line] & DEVICE_BIT == 0 { LlcState::HostWarm } else { LlcState::DeviceWritten })
    }

    /// Reads the block of `address` for a device. Returns its state.
    pub fn device_read(&self, address: Address) -> Option<LlcState> {
        let lines = &mut *self.lines.borrow_mut();
        let line = self.find(lines, address / BLOCK_BYTES as u64)?;
        lines.touch(line);
        Some(if lines.tags[line] & DEVICE_BIT == 0 { LlcState::HostWarm } else { LlcState::DeviceWritten })
    }

    /// Writes the block of `address` for a device. Returns whether the block was in the cache, and the block that was
    /// evicted, if any. If the cache has no I/O ways, the written block itself counts as evicted.
    pub fn device_write(&self, address: Address) -> (bool, Option<EvictedBlock>) {
        let block = address / BLOCK_BYTES as u64;
        let lines = &mut *self.lines.borrow_mut();
        if let Some(line) = self.find(lines, block) {
            lines.update(line, block, DEVICE_BIT | DIRTY_BIT);
            return (true, None);
        }
        let evicted = match self.io_ways {
            0 => Some(EvictedBlock { is_dirty: true }),
            ways => {
                let set = self.set(lines, block);
                lines.replace(set.end - ways..set.end, block, DEVICE_BIT | DIRTY_BIT)
            }
        };
        (false, evicted)
    }

    /// Fetches the block of `address` for the processor or, if `is_write` is true, receives the modified block from the
    /// processor's private cache. Returns whether the block was in the cache, and the block that was evicted, if any.
    pub fn host_access(&self, address: Address, is_write: bool) -> (bool, Option<EvictedBlock>) {
        let block = address / BLOCK_BYTES as u64;
        let lines = &mut *self.lines.borrow_mut();
        if let Some(line) = self.find(lines, block) {
            let dirty = if is_write { DIRTY_BIT } else { lines.tags[line] & DIRTY_BIT };
            lines.update(line, block, dirty);
            return (true, None);
        }
        let set = self.set(lines, block);
        (false, lines.replace(set, block, if is_write { DIRTY_BIT } else { 0 }))
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
        let last_blocks =
            |ways: usize| blocks.end.saturating_sub(self.sets * ways as u64).max(blocks.start)..blocks.end;
        match state {
            CacheWarmth::Cold => self.remove_all(&blocks),
            CacheWarmth::HostWarm => {
                let kept_blocks = last_blocks(self.ways);
                self.remove_all(&(blocks.start..kept_blocks.start));
                self.fill(kept_blocks, self.ways, DIRTY_BIT);
            }
            CacheWarmth::DeviceWarm => {
                self.remove_all(&blocks);
                self.fill(last_blocks(self.io_ways), self.io_ways, DEVICE_BIT | DIRTY_BIT);
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
        let (first_tag, end_tag) = (tag_of(blocks.start), tag_of(blocks.end));
        lines.tags.iter_mut().filter(|tag| (first_tag..end_tag).contains(*tag)).for_each(|tag| *tag = 0);
    }

    /// Puts blocks into the last `ways` ways, one after the other.
    fn fill(&self, blocks: Range<u64>, ways: usize, bits: u64) {
        let lines = &mut *self.lines.borrow_mut();
        if blocks.end - blocks.start == self.sets * ways as u64 {
            // Every line of these ways is replaced, and none has to be searched.
            for (index, block) in blocks.enumerate() {
                let way = index as u64 / self.sets;
                let line = self.set(lines, block).end - ways + way as usize;
                lines.insert(line, block, bits);
            }
            return;
        }
        for block in blocks {
            match self.find(lines, block) {
                Some(line) => lines.update(line, block, bits),
                None => {
                    let set = self.set(lines, block);
                    lines.replace(set.end - ways..set.end, block, bits);
                }
            }
        }
    }

    /// Returns the lines of the set of `block`, which is used from now on.
    fn set(&self, lines: &mut Lines, block: u64) -> Range<usize> {
        let set_number = (block % self.sets) as usize;
        if lines.set_indices[set_number] == 0 {
            lines.add_set(set_number);
        }
        let first = (lines.set_indices[set_number] as usize - 1) * self.ways;
        first..first + self.ways
    }

    /// Returns the line that holds `block`. At most one line holds a block, so the line in which such a block was found
    /// last is tried before the set is searched.
    #[inline]
    fn find(&self, lines: &Lines, block: u64) -> Option<usize> {
        let recent = &lines.recent[block as usize % RECENT_LINES];
        let tag = lines.tags.get(recent.get() as usize);
        if tag.is_some_and(|tag| tag & !(DEVICE_BIT | DIRTY_BIT) == tag_of(block)) {
            return Some(recent.get() as usize);
        }
        let found = self.search(lines, block);
        if let Some(line) = found {
            recent.set(line as u32);
        }
        found
    }

    fn search(&self, lines: &Lines, block: u64) -> Option<usize> {
        let (set_number, tag) = ((block % self.sets) as usize, tag_of(block));
        let index = (lines.set_indices[set_number] as usize).checked_sub(1)?;
        let tags = &lines.tags[index * self.ways..(index + 1) * self.ways];
        let holds = |way: usize| tags.get(way).is_some_and(|way_tag| way_tag & !(DEVICE_BIT | DIRTY_BIT) == tag);
        lines.tag_bytes.find(index, block, holds).map(|way| index * self.ways + way)
    }
}

impl Lines {
    /// Adds the lines of the set `set_number`.
    #[cold]
    fn add_set(&mut self, set_number: usize) {
        let (line_count, line_max) = (self.tags.len() + self.ways, self.set_indices.len() * self.ways);
        if line_count > line_max / 4 {
            self.tags.reserve_exact(line_max - self.tags.len());
            self.last_uses.reserve_exact(line_max - self.last_uses.len());
        }
        self.set_indices[set_number] = (line_count / self.ways) as u32;
        self.tags.resize(line_count, 0);
        self.last_uses.resize(line_count, 0);
        self.tag_bytes.add_set();
    }

    fn touch(&mut self, line: usize) {
        self.use_count += 1;
        self.last_uses[line] = self.use_count;
    }

    fn update(&mut self, line: usize, block: u64, bits: u64) {
        self.tags[line] = tag_of(block) | bits;
        self.touch(line);
    }

    /// Puts a block into a line that is empty or holds another block.
    fn insert(&mut self, line: usize, block: u64, bits: u64) {
        self.tag_bytes.set_block(line / self.ways, line % self.ways, block);
        self.update(line, block, bits);
    }

    /// Puts a block into an empty line of `candidates`, or into the least recently used of them. Returns the evicted
    /// block, if there is one.
    fn replace(&mut self, candidates: Range<usize>, block: u64, bits: u64) -> Option<EvictedBlock> {
        let last_use = |line: &usize| if self.tags[*line] == 0 { 0 } else { self.last_uses[*line] };
        let line = candidates.min_by_key(last_use).expect("the cache has ways");
        let old_tag = self.tags[line];
        self.insert(line, block, bits);
        (old_tag != 0).then_some(EvictedBlock { is_dirty: old_tag & DIRTY_BIT != 0 })
    }
}
