//! The blocks of a cache: tags with states, and bytes.
//!
//! The module models sets of one or more ways with least-recently-used replacement, and real data. The tag check of a
//! hit is inlined. The bytes of a frame are allocated when it is first filled, so a large cache costs what a run uses.
//! Timing is left out, since the processor and the bus model it.

use super::state::MoesiState;
use crate::engine::Bytes;
use crate::host::block::{Address, BLOCK_BYTES, Block, block_of, offset_in_block, read_bytes};
use std::cell::Cell;

/// The address of a block with its state in the low bits; 0 if the frame is empty.
type Tag = u64;

const STATE_MASK: u64 = 7;

/// The contents of a cache.
pub struct Cache {
    /// The tag of each frame.
    tags: Vec<Tag>,
    /// The index of each frame's bytes; 0 if the frame has never held a block.
    block_indices: Vec<u32>,
    /// The bytes of the frames that have ever held a block, in the order of their first fills. All other frames refer
    /// to the first entry.
    blocks: Vec<Block>,
    /// Number of the last access to each frame; empty in a direct-mapped cache.
    last_accesses: Vec<u64>,
    access_count: u64,
    ways: usize,
    set_mask: u64,
    /// For each block number modulo [`RECENT_FRAMES`], the frame in which such a block was found last. A repeated
    /// access to a block then needs no search of its set.
    recent_frames: [Cell<u32>; RECENT_FRAMES],
}

/// Number of frames that are remembered; a power of two.
const RECENT_FRAMES: usize = 64;

/// Returns whether a tag is that of `block`: the block's address plus its state, 1 to 4.
#[inline]
const fn tag_matches(tag: Tag, block: Address) -> bool {
    tag.wrapping_sub(block + 1) < STATE_MASK
}

/// A frame of the cache, which holds one block.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BlockFrame(usize);

impl Cache {
    /// Creates an empty cache of `size` bytes in sets of `ways` blocks; both must be powers of two.
    pub fn new(size: Bytes, ways: usize) -> Cache {
        let frames = size.len() / BLOCK_BYTES;
        Cache {
            tags: vec![0; frames],
            block_indices: vec![0; frames],
            blocks: vec![Block::ZERO],
            last_accesses: vec![0; if ways > 1 { frames } else { 0 }],
            access_count: 0,
            ways,
            set_mask: (frames / ways) as u64 - 1,
            recent_frames: [const { Cell::new(0) }; RECENT_FRAMES],
        }
    }

    #[inline]
    fn first_frame(&self, address: Address) -> usize {
        ((address / BLOCK_BYTES as u64) & self.set_mask) as usize * self.ways
    }

    /// Returns the frame and the state of the block of `address`, if it is in the cache.
    #[inline(always)]
    pub fn find(&self, address: Address) -> Option<(BlockFrame, MoesiState)> {
        let (frame, tag) = self.find_tag(address)?;
        Some((frame, MoesiState::ALL[(tag & STATE_MASK) as usize]))
    }

    #[inline(always)]
    fn find_tag(&self, address: Address) -> Option<(BlockFrame, Tag)> {
        let first = self.first_frame(address);
        if self.ways > 1 {
            return self.find_among_ways(first, block_of(address));
        }
        let tag = self.tags[first];
        tag_matches(tag, block_of(address)).then_some((BlockFrame(first), tag))
    }

    /// Finds a block among several ways. At most one frame holds the block.
    #[inline(never)]
    fn find_among_ways(&self, first: usize, block: Address) -> Option<(BlockFrame, Tag)> {
        let recent_frame = &self.recent_frames[(block / BLOCK_BYTES as u64) as usize % RECENT_FRAMES];
        let tag = self.tags[recent_frame.get() as usize];
        if tag_matches(tag, block) {
            return Some((BlockFrame(recent_frame.get() as usize), tag));
        }
        let found = self.search(first, block);
        if let Some((frame, _)) = found {
            recent_frame.set(frame.0 as u32);
        }
        found
    }

    /// Returns the frame and the tag of a block, if it is in the set that begins at frame `first`.
    fn search(&self, first: usize, block: Address) -> Option<(BlockFrame, Tag)> {
        let tags = &self.tags[first..first + self.ways];
        let way = tags.iter().position(|tag| tag_matches(*tag, block))?;
        Some((BlockFrame(first + way), tags[way]))
    }

    /// Returns the state of the block of `address`.
    pub fn state(&self, address: Address) -> MoesiState {
        self.find(address).map_or(MoesiState::Invalid, |(_, state)| state)
    }

    /// Returns the word at `address`, if its block is in the cache.
    #[inline]
    pub fn load(&mut self, address: Address, bytes: usize) -> Option<u64> {
        let (frame, _) = self.find_tag(address)?;
        self.touch(frame);
        let (block, from) = (&self.blocks[self.block_indices[frame.0] as usize].0, offset_in_block(address));
        match bytes {
            8 => block[from..].first_chunk().map(|word| u64::from_le_bytes(*word)),
            _ => Some(read_bytes(&block[from..from + bytes])),
        }
    }

    /// Writes the word at `address` if its block is in the cache and writable. Returns whether the word was written.
    #[inline]
    pub fn store(&mut self, address: Address, bytes: usize, value: u64) -> bool {
        let Some((frame, tag)) = self.find_tag(address) else { return false };
        if tag & STATE_MASK != MoesiState::Modified as u64 {
            if !MoesiState::ALL[(tag & STATE_MASK) as usize].writable() {
                return false;
            }
            self.tags[frame.0] = block_of(address) | MoesiState::Modified as u64;
        }
        self.touch(frame);
        let (block, from) = (&mut self.blocks[self.block_indices[frame.0] as usize].0, offset_in_block(address));
        if bytes == 8
            && let Some(word) = block[from..].first_chunk_mut()
        {
            *word = value.to_le_bytes();
        } else {
            block[from..from + bytes].copy_from_slice(&value.to_le_bytes()[..bytes]);
        }
        true
    }

    /// Copies consecutive bytes of one block, if the block is in the cache. Returns whether they were copied.
    pub fn load_bytes(&mut self, address: Address, into: &mut [u8]) -> bool {
        let Some((frame, _)) = self.find_tag(address) else { return false };
        self.touch(frame);
        let from = offset_in_block(address);
        into.copy_from_slice(&self.blocks[self.block_indices[frame.0] as usize].0[from..from + into.len()]);
        true
    }

    /// Writes consecutive bytes of one block, if the block is in the cache and writable. Returns whether they were
    /// written.
    pub fn store_bytes(&mut self, address: Address, bytes: &[u8]) -> bool {
        let Some((frame, tag)) = self.find_tag(address) else { return false };
        if !MoesiState::ALL[(tag & STATE_MASK) as usize].writable() {
            return false;
        }
        self.tags[frame.0] = block_of(address) | MoesiState::Modified as u64;
        self.touch(frame);
        let from = offset_in_block(address);
        self.blocks[self.block_indices[frame.0] as usize].0[from..from + bytes.len()].copy_from_slice(bytes);
        true
    }

    #[inline]
    fn touch(&mut self, frame: BlockFrame) {
        if self.ways > 1 {
            self.access_count += 1;
            self.last_accesses[frame.0] = self.access_count;
        }
    }

    /// Sets the state of the block in a frame.
    pub fn set_state(&mut self, frame: BlockFrame, state: MoesiState) {
        let tag = &mut self.tags[frame.0];
        *tag = if state == MoesiState::Invalid { 0 } else { *tag & !STATE_MASK | state as u64 };
    }

    /// Returns the frame for the block of `address`, and the block that it would replace there.
    pub fn victim(&self, address: Address) -> (BlockFrame, Option<(Address, MoesiState)>) {
        let first = self.first_frame(address);
        let frame = if self.ways > 1 { self.least_recently_used(first) } else { first };
        let tag = self.tags[frame];
        let replaced = (tag != 0).then(|| (tag & !STATE_MASK, MoesiState::ALL[(tag & STATE_MASK) as usize]));
        (BlockFrame(frame), replaced)
    }

    /// Returns a frame of the set that begins at frame `first`: an empty frame, or the least recently used one.
    fn least_recently_used(&self, first: usize) -> usize {
        if self.ways == 1 {
            return first;
        }
        let set = first..first + self.ways;
        let (tags, last_accesses) = (&self.tags[set.clone()], &self.last_accesses[set]);
        let (mut victim, mut lowest_rank) = (0, u64::MAX);
        for (way, (tag, last_access)) in tags.iter().zip(last_accesses).enumerate() {
            let rank = u64::from(*tag != 0) << 63 | last_access;
            if rank < lowest_rank {
                (victim, lowest_rank) = (way, rank);
            }
        }
        first + victim
    }

    /// Returns the addresses of the blocks in the cache.
    pub fn addresses(&self) -> Vec<Address> {
        self.tags.iter().filter(|tag| **tag & STATE_MASK != 0).map(|tag| tag & !STATE_MASK).collect()
    }

    /// Puts a block into a frame. Returns whether the frame had never held a block.
    pub fn fill(&mut self, frame: BlockFrame, address: Address, state: MoesiState, data: &Block) -> bool {
        self.tags[frame.0] = block_of(address) | state as u64;
        let index = &mut self.block_indices[frame.0];
        let is_first = *index == 0;
        if is_first {
            *index = self.blocks.len() as u32;
            self.blocks.push(*data);
        } else {
            self.blocks[*index as usize] = *data;
        }
        self.touch(frame);
        is_first
    }

    /// Returns the bytes of the block in a frame.
    pub fn block(&self, frame: BlockFrame) -> Block {
        self.blocks[self.block_indices[frame.0] as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_lookup_among_ways_equals_a_search_of_the_set(
            accesses in prop::collection::vec((0..64u64, 1..5usize, any::<bool>()), 1..120), ways in 1u32..4,
        ) {
            let mut cache = Cache::new(Bytes(32 * BLOCK_BYTES as u64), 1 << ways);
            for (block, state, is_filled) in accesses {
                let address = block * BLOCK_BYTES as u64;
                match cache.find(address) {
                    Some((frame, _)) if !is_filled => cache.set_state(frame, MoesiState::Invalid),
                    Some(_) => {}
                    None => {
                        let (frame, _) = cache.victim(address);
                        cache.fill(frame, address, MoesiState::ALL[state], &Block::ZERO);
                    }
                }
                for address in (0..64).map(|block| block * BLOCK_BYTES as u64) {
                    prop_assert_eq!(cache.find_tag(address), cache.search(cache.first_frame(address), address));
                }
            }
        }

        #[test]
        fn a_direct_mapped_lookup_equals_a_search_of_the_set(
            accesses in prop::collection::vec((0..32u64, 1..5usize, any::<bool>()), 1..60),
        ) {
            let mut cache = Cache::new(Bytes(8 * BLOCK_BYTES as u64), 1);
            for (block, state, is_filled) in accesses {
                let address = block * BLOCK_BYTES as u64;
                let first = cache.first_frame(address);
                prop_assert_eq!(cache.find_tag(address), cache.search(first, address));
                prop_assert_eq!(cache.victim(address).0.0, cache.least_recently_used(first));
                match cache.find(address) {
                    Some((frame, _)) if !is_filled => cache.set_state(frame, MoesiState::Invalid),
                    _ => {
                        cache.fill(BlockFrame(first), address, MoesiState::ALL[state], &Block::ZERO);
                    }
                }
                prop_assert_eq!(cache.find(address).is_some(), cache.search(first, address).is_some());
            }
        }
    }
}
