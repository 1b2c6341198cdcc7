//! Accesses to memory by a device whose data does not cross the bus.
//!
//! The device is behind a root complex that has a path of its own to caches and memory. An access is coherent: a read
//! returns the newest bytes, and a write invalidates all copies. An access takes effect at once, and its time is
//! modelled by the caller. An access must not change a block that a transaction is moving.

use super::Bus;
use crate::engine::Time;
use crate::host::block::{Address, BLOCK_BYTES, Block, block_of, offset_in_block};
use crate::host::memory_bus::agent::TransactionKind;
use std::ops::Range;

/// Splits `range` into parts that are each in one block. Calls `visit` for each part, with the address of its block,
/// the offset of the part in `range`, and its offsets in the block.
fn for_each_block(range: Range<Address>, mut visit: impl FnMut(Address, usize, Range<usize>)) {
    let mut at = range.start;
    while at < range.end {
        let offset = offset_in_block(at);
        let length = (BLOCK_BYTES - offset).min((range.end - at) as usize);
        visit(block_of(at), (at - range.start) as usize, offset..offset + length);
        at += length as u64;
    }
}

impl Bus {
    /// Returns the end of the transaction that moves a block of `range`, if there is one.
    pub(in crate::host) fn transaction_end_in(&self, range: &Range<Address>) -> Option<Time> {
        self.in_flight.last_end(block_of(range.start)..range.end)
    }

    /// Reads the bytes at `address` coherently.
    pub(in crate::host) fn read_off_bus(&self, address: Address, into: &mut [u8]) {
        for_each_block(address..address + into.len() as u64, |block, offset, block_range| {
            let length = block_range.len();
            into[offset..offset + length].copy_from_slice(&self.peek(block).0[block_range]);
        });
    }

    /// Writes bytes at `address`, and invalidates all copies. No transaction may be moving one of the blocks.
    pub(in crate::host) fn write_off_bus(&self, address: Address, bytes: &[u8]) {
        for_each_block(address..address + bytes.len() as u64, |block, offset, block_range| {
            let length = block_range.len();
            let mut data = if length == BLOCK_BYTES { Block::ZERO } else { self.peek(block) };
            data.0[block_range].copy_from_slice(&bytes[offset..offset + length]);
            for (_, agent) in self.snoopers.borrow().iter() {
                agent.snoop(TransactionKind::WriteBlock, block, &mut data.clone());
            }
            self.agents.borrow()[self.home(block).0].home_write(block, BLOCK_BYTES, &data);
        });
    }

    /// Writes cached copies of a block back to its home, and removes them. Returns whether there were any.
    pub(in crate::host) fn flush_off_bus(&self, block: Address) -> bool {
        let is_cached = self.is_cached(block);
        if is_cached {
            self.write_off_bus(block, &self.peek(block).0);
        }
        is_cached
    }

    /// Returns whether an agent has a copy of the block.
    pub(in crate::host) fn is_cached(&self, block: Address) -> bool {
        self.snoopers.borrow().iter().any(|(_, agent)| agent.state(block).readable())
    }
}
