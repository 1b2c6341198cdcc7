//! A direct-mapped cache of 16-byte blocks, and the transaction store, a buffer for blocks that arrived from the
//! network and are not in the cache yet.
//!
//! The module models tags with state bits, and real bytes. An access that misses in the cache may find its block in the
//! transaction store, which on Alewife also holds prefetched blocks. Timing is left out, since the processor models it,
//! and so is the permission to use a block, which the memory's coherence controller determines.

use super::{LINE_BYTES, LineBytes, line_of};
use crate::engine::Bytes;
use crate::host::block::{Address, read_bytes};

/// The address of a block with its state in the low bits; 0 if the frame is empty.
type Tag = u64;

const PRESENT: Tag = 1;
const WRITABLE: Tag = 2;
const DIRTY: Tag = 4;
const STATE_MASK: Tag = LINE_BYTES as u64 - 1;

/// A block with its state.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CachedLine {
    /// Whether the processor may store to the block.
    pub is_writable: bool,
    /// Whether the processor has stored to the block since it was filled or cleaned.
    pub is_dirty: bool,
    /// Bytes of the block.
    pub data: LineBytes,
}

/// The cache and the transaction store.
pub struct LineCache {
    tags: Vec<Tag>,
    bytes: Vec<u8>,
    frame_mask: u64,
    /// Blocks in the transaction store, usually few.
    transaction_store: Vec<(Address, CachedLine)>,
}

impl LineCache {
    /// Creates an empty cache of `size` bytes, which must be a power of two.
    pub fn new(size: Bytes) -> LineCache {
        let frames = size.len() / LINE_BYTES;
        let frame_mask = frames as u64 - 1;
        LineCache { tags: vec![0; frames], bytes: vec![0; size.len()], frame_mask, transaction_store: Vec::new() }
    }

    /// Returns the frame to which the block of `address` maps.
    #[inline]
    fn frame(&self, address: Address) -> usize {
        ((address / LINE_BYTES as u64) & self.frame_mask) as usize
    }

    /// Returns the frame of the block of `address`, if the block is in the cache.
    #[inline]
    fn find(&self, address: Address) -> Option<usize> {
        let frame = self.frame(address);
        let tag = self.tags[frame];
        (tag & !STATE_MASK == line_of(address) && tag & PRESENT != 0).then_some(frame)
    }

    /// Returns the index of the block of `address` in the transaction store, if it is there.
    fn find_in_transaction_store(&self, address: Address) -> Option<usize> {
        self.transaction_store.iter().position(|(at, _)| *at == line_of(address))
    }

    /// Returns whether the block of `address` is in the cache and may be loaded or, if `is_store` is true, stored to.
    #[inline]
    pub fn permits(&self, address: Address, is_store: bool) -> bool {
        self.find(address).is_some_and(|frame| !is_store || self.tags[frame] & WRITABLE != 0)
    }

    /// Returns the word at `address`, if its block is in the cache or the transaction store.
    #[inline]
    pub fn load(&self, address: Address, bytes: usize) -> Option<u64> {
        let offset = (address & STATE_MASK) as usize;
        if let Some(frame) = self.find(address) {
            let start = frame * LINE_BYTES + offset;
            return Some(read_bytes(&self.bytes[start..start + bytes]));
        }
        let (_, line) = self.transaction_store.get(self.find_in_transaction_store(address)?)?;
        Some(read_bytes(&line.data[offset..offset + bytes]))
    }

    /// Writes the word at `address` if its block is in the cache or the transaction store and may be stored to. Returns
    /// whether the word was written.
    #[inline]
    pub fn store(&mut self, address: Address, bytes: usize, value: u64) -> bool {
        let (offset, value) = ((address & STATE_MASK) as usize, value.to_le_bytes());
        if let Some(frame) = self.find(address) {
            if self.tags[frame] & WRITABLE == 0 {
                return false;
            }
            self.tags[frame] |= DIRTY;
            let start = frame * LINE_BYTES + offset;
            self.bytes[start..start + bytes].copy_from_slice(&value[..bytes]);
            return true;
        }
        let Some(index) = self.find_in_transaction_store(address) else { return false };
        let (_, line) = &mut self.transaction_store[index];
        if line.is_writable {
            line.is_dirty = true;
            line.data[offset..offset + bytes].copy_from_slice(&value[..bytes]);
        }
        line.is_writable
    }

    /// Returns the block of `address`, if it is in the cache or the transaction store.
    pub fn line(&self, address: Address) -> Option<CachedLine> {
        match self.find(address) {
            Some(frame) => Some(self.line_in(frame)),
            None => self.find_in_transaction_store(address).map(|index| self.transaction_store[index].1),
        }
    }

    fn line_in(&self, frame: usize) -> CachedLine {
        let (tag, start) = (self.tags[frame], frame * LINE_BYTES);
        let data = self.bytes[start..start + LINE_BYTES].try_into().expect("a block's bytes");
        CachedLine { is_writable: tag & WRITABLE != 0, is_dirty: tag & DIRTY != 0, data }
    }

    /// Returns the block that the block of `address` would replace in the cache, if there is one.
    pub fn victim(&self, address: Address) -> Option<(Address, CachedLine)> {
        let frame = self.frame(address);
        let tag = self.tags[frame];
        (tag & PRESENT != 0 && tag & !STATE_MASK != line_of(address)).then(|| (tag & !STATE_MASK, self.line_in(frame)))
    }

    /// Puts the block of `address` into its frame, and removes it from the transaction store.
    ///
    /// # Panics
    ///
    /// Panics if another block is in the frame.
    pub fn fill(&mut self, address: Address, line: CachedLine) {
        assert!(self.victim(address).is_none(), "a block is put into an empty frame");
        self.transaction_store.retain(|(at, _)| *at != line_of(address));
        let frame = self.frame(address);
        let state = PRESENT | if line.is_writable { WRITABLE } else { 0 } | if line.is_dirty { DIRTY } else { 0 };
        self.tags[frame] = line_of(address) | state;
        self.bytes[frame * LINE_BYTES..][..LINE_BYTES].copy_from_slice(&line.data);
    }

    /// Puts the block of `address` into the transaction store.
    pub fn put_in_transaction_store(&mut self, address: Address, line: CachedLine) {
        debug_assert!(self.find(address).is_none(), "a block is in the cache or the transaction store, not in both");
        self.transaction_store.retain(|(at, _)| *at != line_of(address));
        self.transaction_store.push((line_of(address), line));
    }

    /// Returns whether the block of `address` is in the transaction store.
    pub fn is_in_transaction_store(&self, address: Address) -> bool {
        self.find_in_transaction_store(address).is_some()
    }

    /// Removes the block of `address` from the cache or the transaction store, and returns it.
    pub fn remove(&mut self, address: Address) -> Option<CachedLine> {
        let line = self.line(address)?;
        match self.find(address) {
            Some(frame) => self.tags[frame] = 0,
            None => self.transaction_store.retain(|(at, _)| *at != line_of(address)),
        }
        Some(line)
    }

    /// Sets whether the block of `address`, if it is in the cache or the transaction store, may be stored to, and marks
    /// the block as clean.
    pub fn set_writable(&mut self, address: Address, is_writable: bool) {
        if let Some(frame) = self.find(address) {
            self.tags[frame] = line_of(address) | PRESENT | if is_writable { WRITABLE } else { 0 };
        } else if let Some(index) = self.find_in_transaction_store(address) {
            let (_, line) = &mut self.transaction_store[index];
            (line.is_writable, line.is_dirty) = (is_writable, false);
        }
    }
}
