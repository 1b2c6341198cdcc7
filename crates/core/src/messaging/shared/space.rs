//! The shared address space, which has a part in each endpoint's memory.

use crate::engine::{Bytes, EndpointId, NodeId};
use crate::protocol::directory::{BLOCKS_MAX, BlockId};
use std::cell::RefCell;

/// An address of shared memory.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct SharedAddress {
    /// The endpoint whose memory holds the address.
    pub home: EndpointId,
    /// The offset in that endpoint's part, in bytes.
    pub offset: u32,
}

impl SharedAddress {
    /// Returns the address `bytes` further on, in the same part.
    pub const fn plus(self, bytes: u32) -> SharedAddress {
        SharedAddress { offset: self.offset + bytes, ..self }
    }
}

/// Bytes of a page, the unit in which memory for shared blocks is allocated, as in Tempest's stache.
pub(super) const PAGE_BYTES: u32 = 4096;

/// The shared address space of a machine's endpoints. The space is laid out before any endpoint runs.
pub struct Space {
    block_bytes: u32,
    /// Bytes allocated in each endpoint's part.
    sizes: RefCell<Vec<u32>>,
}

impl Space {
    /// Creates an empty space of `endpoints` endpoints, with blocks of `block`.
    pub fn new(endpoints: usize, block: Bytes) -> Space {
        Space { block_bytes: block.get() as u32, sizes: RefCell::new(vec![0; endpoints]) }
    }

    /// Allocates `bytes` of `home`'s part, starting at the beginning of a block.
    ///
    /// # Panics
    ///
    /// Panics if the part would have more blocks than the protocol can number.
    pub fn allocate(&self, home: EndpointId, bytes: u64) -> SharedAddress {
        let size = &mut self.sizes.borrow_mut()[home.index()];
        let offset = size.next_multiple_of(self.block_bytes);
        let end = u64::from(offset) + bytes;
        let blocks = end.div_ceil(self.block_bytes.into());
        assert!(end <= u32::MAX.into() && blocks <= BLOCKS_MAX.into(), "{home} shares {end} bytes: too many");
        *size = end as u32;
        SharedAddress { home, offset }
    }

    /// Returns the number of endpoints that share the space.
    pub fn endpoint_count(&self) -> usize {
        self.sizes.borrow().len()
    }

    /// Returns the bytes of a block.
    pub(super) fn block_bytes(&self) -> u32 {
        self.block_bytes
    }

    /// Returns the bytes of an endpoint's part, in whole blocks.
    pub(super) fn size(&self, home: usize) -> u32 {
        self.sizes.borrow()[home].next_multiple_of(self.block_bytes)
    }

    /// Returns the block of an address.
    pub(super) fn block(&self, at: SharedAddress) -> BlockId {
        BlockId { home: NodeId(at.home.0), number: at.offset / self.block_bytes }
    }
}
