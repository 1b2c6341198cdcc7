//! Main memory: the home of ordinary addresses.
//!
//! Models: one access time for every access, during which it holds the bus (Table 3: 120 ns).
//! Leaves out: banks, pages and refresh.

use super::agent::Agent;
use super::block::{Address, BLOCK_BYTES, Block, block_of, offset_in_block};
use crate::engine::{Bytes, Time};
use std::cell::RefCell;

/// Main memory.
pub struct Memory {
    time: Time,
    bytes: RefCell<Vec<u8>>,
}

impl Memory {
    /// A memory of zeros.
    pub fn new(size: Bytes, time: Time) -> Memory {
        Memory { time, bytes: RefCell::new(vec![0; size.len()]) }
    }
}

impl Agent for Memory {
    fn snoops(&self) -> bool {
        false
    }

    fn asks(&self) -> bool {
        false
    }

    fn home_time(&self, _: Address) -> Time {
        self.time
    }

    fn home_read(&self, address: Address, _: usize, data: &mut Block) {
        let from = block_of(address) as usize;
        data.0.copy_from_slice(&self.bytes.borrow()[from..from + BLOCK_BYTES]);
    }

    fn home_write(&self, address: Address, bytes: usize, data: &Block) {
        let (from, offset) = (address as usize, offset_in_block(address));
        self.bytes.borrow_mut()[from..from + bytes].copy_from_slice(&data.0[offset..offset + bytes]);
    }
}
