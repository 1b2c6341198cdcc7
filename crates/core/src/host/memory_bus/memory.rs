//! Main memory: the home of ordinary addresses.
//!
//! The module models one access time for all accesses, during which an access holds the bus (120 ns in Mukherjee and
//! Hill 1998, Table 3). Memory is zero at first. The simulator allocates only the pages that are written, so that a
//! large, mostly unused memory takes little space. The module leaves out banks, pages and refresh.

use super::agent::Agent;
use crate::engine::{Bytes, Time};
use crate::host::PagedBytes;
use crate::host::block::{Address, Block, block_of, offset_in_block};
use std::cell::RefCell;

/// Main memory.
pub struct Memory {
    access_time: Time,
    bytes: RefCell<PagedBytes>,
}

impl Memory {
    /// Creates a memory of zeros.
    pub fn new(size: Bytes, access_time: Time) -> Memory {
        Memory { access_time, bytes: RefCell::new(PagedBytes::new(size.len())) }
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
        self.access_time
    }

    fn home_read(&self, address: Address, _: usize, data: &mut Block) {
        self.bytes.borrow().read(block_of(address) as usize, &mut data.0);
    }

    fn home_write(&self, address: Address, bytes: usize, data: &Block) {
        let offset = offset_in_block(address);
        self.bytes.borrow_mut().write(address as usize, &data.0[offset..offset + bytes]);
    }
}
