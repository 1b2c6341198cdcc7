//! Main memory: the home of ordinary addresses.
//!
//! Models: one access time for every access, for which the access holds the bus (Table 3: 120 ns). Memory is zero at
//! first; the simulator allocates only the parts that are written, so that a large, mostly unused memory costs little.
//! Leaves out: banks, pages and refresh.

use super::agent::Agent;
use crate::engine::{Bytes, Time};
use crate::host::block::{Address, BLOCK_BYTES, Block, block_of, offset_in_block};
use std::cell::RefCell;

/// Bytes of a part, which is allocated as a unit; a multiple of a block.
const PART: usize = 1 << 16;

/// Main memory.
pub struct Memory {
    time: Time,
    /// Parts of memory; `None` if a part was never written.
    parts: RefCell<Vec<Option<Box<[u8]>>>>,
}

impl Memory {
    /// Creates a memory of zeros.
    pub fn new(size: Bytes, time: Time) -> Memory {
        Memory { time, parts: RefCell::new(vec![None; size.len().div_ceil(PART)]) }
    }
}

impl Agent for Memory {
    fn snoops(&self) -> bool {
        false
    }

    fn requests_bus(&self) -> bool {
        false
    }

    fn home_time(&self, _: Address) -> Time {
        self.time
    }

    fn home_read(&self, address: Address, _: usize, data: &mut Block) {
        let from = block_of(address) as usize;
        match &self.parts.borrow()[from / PART] {
            None => *data = Block::ZERO,
            Some(part) => data.0.copy_from_slice(&part[from % PART..][..BLOCK_BYTES]),
        }
    }

    fn home_write(&self, address: Address, bytes: usize, data: &Block) {
        let (from, offset) = (address as usize, offset_in_block(address));
        let part = &mut self.parts.borrow_mut()[from / PART];
        let part = part.get_or_insert_with(|| vec![0; PART].into());
        part[from % PART..][..bytes].copy_from_slice(&data.0[offset..offset + bytes]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn memory_in_parts_equals_contiguous_memory(
            steps in prop::collection::vec((0..4 * PART as u64 / 64, 0..64usize, 1..64usize, any::<Option<u8>>()), 1..60),
        ) {
            let (memory, mut row) = (Memory::new(Bytes(4 * PART as u64), Time::ZERO), vec![0; 4 * PART]);
            for (block, offset, bytes, written) in steps {
                let (address, bytes) = (block * 64 + offset as u64, bytes.min(64 - offset));
                let mut data = Block([written.unwrap_or(0); BLOCK_BYTES]);
                if written.is_some() {
                    memory.home_write(address, bytes, &data);
                    row[address as usize..][..bytes].copy_from_slice(&data.0[..bytes]);
                }
                memory.home_read(address, bytes, &mut data);
                prop_assert_eq!(&data.0[..], &row[block as usize * 64..][..64]);
            }
        }
    }
}
