//! Write combining: stores of the processor to one block of a device's window are merged into a burst.
//!
//! The module models one buffer of a block. A store to a write-combined window takes the cycles of a cached store, and
//! goes into the buffer. The buffer leaves as one transaction for each contiguous run of stored bytes when the block is
//! full, when another block or any other device register is accessed, and at a fence; the processor waits until the
//! buffer has left. The module leaves out several buffers, a burst that leaves while the program continues, and buffers
//! that leave after a time-out. A driver therefore needs a fence after the stores that the device must see.

use super::agent::TransactionKind;
use super::processor::MemoryBusProcessor;
use crate::host::block::{Address, BLOCK_BYTES, Block, block_of, offset_in_block};
use std::cell::{Cell, RefCell};
use std::ops::Range;

/// The write-combining buffer of a processor.
#[derive(Default)]
pub(super) struct WriteCombining {
    windows: RefCell<Vec<Range<Address>>>,
    /// Block whose stores are combined.
    entry: Cell<Option<CombinedBlock>>,
    /// Whether `entry` holds a block whose stores are combined. Every uncached access checks this flag.
    is_occupied: Cell<bool>,
}

/// The stores to one block.
#[derive(Clone, Copy)]
struct CombinedBlock {
    block: Address,
    data: Block,
    /// A bit for each byte that was stored.
    stored_bytes: u64,
}

impl WriteCombining {
    /// Returns whether stores to `address` are combined.
    pub fn covers(&self, address: Address) -> bool {
        self.windows.borrow().iter().any(|window| window.contains(&address))
    }

    /// Returns whether no stores are combined, whatever their address.
    pub fn is_unused(&self) -> bool {
        self.windows.borrow().is_empty()
    }

    /// Returns whether no store waits in the buffer.
    pub fn is_empty(&self) -> bool {
        !self.is_occupied.get()
    }

    /// Puts a store to `block` into the buffer, which must hold no other block. Returns whether the block is full now.
    fn add(&self, block: Address, offset: usize, bytes: usize, value: u64) -> bool {
        let mut entry = self.entry.get().unwrap_or(CombinedBlock { block, data: Block::ZERO, stored_bytes: 0 });
        entry.data.write(offset, bytes, value);
        entry.stored_bytes |= (u64::MAX >> (BLOCK_BYTES - bytes)) << offset;
        self.entry.set(Some(entry));
        self.is_occupied.set(true);
        entry.stored_bytes == u64::MAX
    }
}

impl CombinedBlock {
    /// Returns the contiguous ranges of stored bytes, as offsets in the block.
    fn stored_ranges(&self) -> Vec<Range<usize>> {
        let is_stored = |offset: &usize| self.stored_bytes >> offset & 1 == 1;
        let starts = (0..BLOCK_BYTES).filter(|offset| is_stored(offset) && (*offset == 0 || !is_stored(&(offset - 1))));
        let end = |start: usize| (start..BLOCK_BYTES).find(|offset| !is_stored(offset)).unwrap_or(BLOCK_BYTES);
        starts.map(|start| start..end(start)).collect()
    }
}

impl MemoryBusProcessor {
    /// Combines stores to `window`.
    pub(in crate::host) fn combine_writes(&self, window: Range<Address>) {
        self.0.combining.windows.borrow_mut().push(window);
    }

    /// Stores up to 8 bytes, which are in one block of a write-combined window.
    pub(super) async fn combine(&self, address: Address, bytes: usize, value: u64) {
        let (block, combining) = (block_of(address), &self.0.combining);
        if combining.entry.get().is_some_and(|entry| entry.block != block) {
            self.flush_combined().await;
        }
        self.work(self.0.parameters.hit_cycles);
        if combining.add(block, offset_in_block(address), bytes, value) {
            self.flush_combined().await;
        }
    }

    /// Writes the combined stores to their device.
    pub(super) async fn flush_combined(&self) {
        let Some(mut entry) = self.0.combining.entry.take() else { return };
        self.0.combining.is_occupied.set(false);
        for run in entry.stored_ranges() {
            let address = entry.block + run.start as u64;
            self.transact(TransactionKind::WriteBlock, address, run.len(), &mut entry.data).await;
        }
    }
}
