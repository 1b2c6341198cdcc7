//! The shared address space: a part of it in each end's memory.

use crate::engine::{Bytes, EndId, NodeId};
use crate::protocol::directory::{BLOCKS_MAX, BlockId};
use std::cell::RefCell;

/// An address of shared memory.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct SharedAddress {
    /// The end in whose memory it is.
    pub home: EndId,
    /// Where in that end's part.
    pub offset: u32,
}

impl SharedAddress {
    /// So many bytes further, in the same part.
    pub const fn plus(self, bytes: u32) -> SharedAddress {
        SharedAddress { offset: self.offset + bytes, ..self }
    }
}

/// What copies of other ends' memory are kept in: they are allocated by pages, as Tempest's stache does.
pub(super) const PAGE: u32 = 4096;

/// The shared address space of a machine's ends. It is laid out before any of them runs.
pub struct Space {
    block: u32,
    /// By end, how much of its memory is shared.
    sizes: RefCell<Vec<u32>>,
}

impl Space {
    /// Of so many ends, with blocks of this size; nothing of it is taken.
    pub fn new(ends: usize, block: Bytes) -> Space {
        Space { block: block.get() as u32, sizes: RefCell::new(vec![0; ends]) }
    }

    /// So many bytes of `home`'s memory, from the beginning of a block.
    pub fn allocate(&self, home: EndId, bytes: u64) -> SharedAddress {
        let size = &mut self.sizes.borrow_mut()[home.index()];
        let offset = size.next_multiple_of(self.block);
        let end = u64::from(offset) + bytes;
        let blocks = end.div_ceil(self.block.into());
        assert!(end <= u32::MAX.into() && blocks <= BLOCKS_MAX.into(), "{home} shares {end} bytes: too many");
        *size = end as u32;
        SharedAddress { home, offset }
    }

    /// How many ends share it.
    pub fn ends(&self) -> usize {
        self.sizes.borrow().len()
    }

    /// Bytes of a block.
    pub(super) fn block_bytes(&self) -> u32 {
        self.block
    }

    /// How much of an end's memory is shared, in whole blocks.
    pub(super) fn size(&self, home: usize) -> u32 {
        self.sizes.borrow()[home].next_multiple_of(self.block)
    }

    /// The block of an address, and where in it that is.
    pub(super) fn block(&self, at: SharedAddress) -> BlockId {
        BlockId { home: NodeId(at.home.0), number: at.offset / self.block }
    }
}
