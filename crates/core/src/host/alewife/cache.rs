//! A direct-mapped cache of 16-byte blocks; and beside it the buffer in which blocks wait that came from the
//! network and have no place yet.
//!
//! Models: tags with two bits of state, real bytes; blocks in the buffer are found where the cache has none
//! (Alewife's transaction store, in which prefetched blocks wait, too). Leaves out: timing, which is the
//! processor's, and why a block may be used, which is for memory's keeper.

use super::{LINE_BYTES, LineBytes, line_of};
use crate::engine::Bytes;
use crate::host::block::{Address, read_bytes};

/// A block's address, with its state in the low bits; zero is an empty place.
type Tag = u64;

const PRESENT: Tag = 1;
const WRITABLE: Tag = 2;
const DIRTY: Tag = 4;
const STATE: Tag = LINE_BYTES as u64 - 1;

/// A block with its state.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CachedLine {
    /// Whether it may be stored to.
    pub writable: bool,
    /// Whether it was.
    pub dirty: bool,
    /// Its bytes.
    pub data: LineBytes,
}

/// The cache, and the buffer.
pub struct LineCache {
    tags: Vec<Tag>,
    bytes: Vec<u8>,
    mask: u64,
    /// Few.
    beside: Vec<(Address, CachedLine)>,
}

impl LineCache {
    /// An empty cache of so many bytes, a power of two.
    pub fn new(size: Bytes) -> LineCache {
        let places = size.len() / LINE_BYTES;
        LineCache { tags: vec![0; places], bytes: vec![0; size.len()], mask: places as u64 - 1, beside: Vec::new() }
    }

    #[inline]
    fn place(&self, address: Address) -> usize {
        ((address / LINE_BYTES as u64) & self.mask) as usize
    }

    /// The place of the block of `address`, if it is in the cache.
    #[inline]
    fn find(&self, address: Address) -> Option<usize> {
        let place = self.place(address);
        let tag = self.tags[place];
        (tag & !STATE == line_of(address) && tag & PRESENT != 0).then_some(place)
    }

    fn find_beside(&self, address: Address) -> Option<usize> {
        self.beside.iter().position(|(at, _)| *at == line_of(address))
    }

    /// Whether the block of `address` is in the cache, and may be loaded, or stored to.
    #[inline]
    pub fn has(&self, address: Address, writable: bool) -> bool {
        self.find(address).is_some_and(|place| !writable || self.tags[place] & WRITABLE != 0)
    }

    /// The word at `address`, if its block is here.
    #[inline]
    pub fn load(&self, address: Address, bytes: usize) -> Option<u64> {
        let offset = (address & STATE) as usize;
        if let Some(place) = self.find(address) {
            let from = place * LINE_BYTES + offset;
            return Some(read_bytes(&self.bytes[from..from + bytes]));
        }
        let (_, line) = self.beside.get(self.find_beside(address)?)?;
        Some(read_bytes(&line.data[offset..offset + bytes]))
    }

    /// Writes the word at `address`, if its block is here and may be stored to.
    #[inline]
    pub fn store(&mut self, address: Address, bytes: usize, value: u64) -> bool {
        let (offset, value) = ((address & STATE) as usize, value.to_le_bytes());
        if let Some(place) = self.find(address) {
            if self.tags[place] & WRITABLE == 0 {
                return false;
            }
            self.tags[place] |= DIRTY;
            let from = place * LINE_BYTES + offset;
            self.bytes[from..from + bytes].copy_from_slice(&value[..bytes]);
            return true;
        }
        let Some(found) = self.find_beside(address) else { return false };
        let (_, line) = &mut self.beside[found];
        if line.writable {
            line.dirty = true;
            line.data[offset..offset + bytes].copy_from_slice(&value[..bytes]);
        }
        line.writable
    }

    /// The block of `address`, wherever it is.
    pub fn line(&self, address: Address) -> Option<CachedLine> {
        match self.find(address) {
            Some(place) => Some(self.at(place)),
            None => self.find_beside(address).map(|found| self.beside[found].1),
        }
    }

    fn at(&self, place: usize) -> CachedLine {
        let (tag, from) = (self.tags[place], place * LINE_BYTES);
        let data = self.bytes[from..from + LINE_BYTES].try_into().expect("a block's bytes");
        CachedLine { writable: tag & WRITABLE != 0, dirty: tag & DIRTY != 0, data }
    }

    /// The block that the block of `address` would take the place of.
    pub fn victim(&self, address: Address) -> Option<(Address, CachedLine)> {
        let place = self.place(address);
        let tag = self.tags[place];
        (tag & PRESENT != 0 && tag & !STATE != line_of(address)).then(|| (tag & !STATE, self.at(place)))
    }

    /// Puts the block of `address` into its place, which is empty or its own.
    pub fn fill(&mut self, address: Address, line: CachedLine) {
        assert!(self.victim(address).is_none(), "a block takes an empty place");
        self.beside.retain(|(at, _)| *at != line_of(address));
        let place = self.place(address);
        let state = PRESENT | if line.writable { WRITABLE } else { 0 } | if line.dirty { DIRTY } else { 0 };
        self.tags[place] = line_of(address) | state;
        self.bytes[place * LINE_BYTES..][..LINE_BYTES].copy_from_slice(&line.data);
    }

    /// Puts the block of `address` beside the cache.
    pub fn put_beside(&mut self, address: Address, line: CachedLine) {
        debug_assert!(self.find(address).is_none(), "a block is in one place");
        self.beside.retain(|(at, _)| *at != line_of(address));
        self.beside.push((line_of(address), line));
    }

    /// Whether the block of `address` waits beside the cache.
    pub fn is_beside(&self, address: Address) -> bool {
        self.find_beside(address).is_some()
    }

    /// Takes the block of `address` away.
    pub fn remove(&mut self, address: Address) -> Option<CachedLine> {
        let line = self.line(address)?;
        match self.find(address) {
            Some(place) => self.tags[place] = 0,
            None => self.beside.retain(|(at, _)| *at != line_of(address)),
        }
        Some(line)
    }

    /// States of the block of `address`, if it is here, whether it may be stored to; what was stored is in memory.
    pub fn set_writable(&mut self, address: Address, writable: bool) {
        if let Some(place) = self.find(address) {
            self.tags[place] = line_of(address) | PRESENT | if writable { WRITABLE } else { 0 };
        } else if let Some(found) = self.find_beside(address) {
            let (_, line) = &mut self.beside[found];
            (line.writable, line.dirty) = (writable, false);
        }
    }
}
