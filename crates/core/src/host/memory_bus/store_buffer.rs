//! The store buffer: stores that wait for their block while the program continues.
//!
//! Stores leave in order; stores that wait for the same block leave together when the block arrives. The ownership of
//! the blocks of several waiting stores may be requested at the same time (`outstanding_stores.rs`). A load with the
//! address and width of a waiting store takes the value of that store; a load that overlaps a waiting store in another
//! way waits until the buffer is empty; other loads do not wait. Uncached accesses wait until the buffer is empty. The
//! module leaves out merging of stores to one word.

use crate::engine::{Signal, Sim, Time};
use crate::host::block::{Address, BLOCK_BYTES, block_of};
use std::cell::{Cell, RefCell};
use std::collections::VecDeque;

/// A store that waits for its block.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BufferedStore {
    /// Address of the store.
    pub address: Address,
    /// Width of the store, 1 to 8 bytes.
    pub bytes: usize,
    /// Value of the store.
    pub value: u64,
    /// Local time at which the program stored the value.
    pub stored_at: Time,
}

impl BufferedStore {
    fn overlaps(&self, address: Address, bytes: usize) -> bool {
        self.address < address + bytes as u64 && address < self.address + self.bytes as u64
    }
}

/// Returns the bit for the block of `address` in a set of blocks. Blocks whose numbers are equal modulo 64 share a bit.
#[inline]
const fn block_bit(address: Address) -> u64 {
    1 << (address / BLOCK_BYTES as u64 % 64)
}

/// The result of looking up a load in the store buffer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum StoreForwarding {
    /// No waiting store overlaps the load.
    NoMatch,
    /// The newest store that overlaps the load is to the same word, and has this value.
    Value(u64),
    /// The newest store that overlaps the load has another address or width.
    PartialMatch,
}

/// The store buffer of a processor.
pub struct StoreBuffer {
    entries: RefCell<VecDeque<BufferedStore>>,
    /// The blocks of the entries as a set of bits, by [`block_bit`]; 0 if the buffer is empty. The set is a separate
    /// field because every cache hit checks it. A bit may stay set after its entry has left, until the buffer is empty.
    block_bits: Cell<u64>,
    entries_max: usize,
    /// Number of blocks that have arrived for stores, and whose reply cycles have not ended.
    replies: Cell<usize>,
    /// Notified, at the local time of the store, when a store enters an empty buffer.
    pub became_nonempty: Signal,
    /// Notified when stores have left.
    pub entry_freed: Signal,
    /// Notified when all stores have left.
    pub became_empty: Signal,
}

impl StoreBuffer {
    /// Creates an empty buffer.
    pub fn new(sim: &Sim, name: &str, entries_max: usize) -> StoreBuffer {
        StoreBuffer {
            entries: RefCell::default(),
            block_bits: Cell::new(0),
            entries_max,
            replies: Cell::new(0),
            became_nonempty: Signal::new(sim, format!("{name}: a store")),
            became_empty: Signal::new(sim, format!("{name}: an empty store buffer")),
            entry_freed: Signal::new(sim, format!("{name}: a free entry of the store buffer")),
        }
    }

    /// Records the arrival of a block whose stores have left.
    pub fn begin_reply(&self) {
        self.replies.set(self.replies.get() + 1);
    }

    /// Records the end of the reply cycles of a block.
    pub fn end_reply(&self) {
        self.replies.set(self.replies.get() - 1);
    }

    /// Notifies the tasks that wait for a free entry and, if no store waits and all reply cycles have ended, those that
    /// wait for an empty buffer.
    pub fn notify_freed_entries(&self) {
        self.entry_freed.notify();
        if self.is_empty() && self.replies.get() == 0 {
            self.became_empty.notify();
        }
    }

    /// Returns whether no store waits.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.block_bits.get() == 0
    }

    /// Adds a store. Returns `false` if the buffer is full.
    pub fn push(&self, entry: BufferedStore) -> bool {
        let mut entries = self.entries.borrow_mut();
        if entries.len() == self.entries_max {
            return false;
        }
        entries.push_back(entry);
        self.block_bits.set(self.block_bits.get() | block_bit(entry.address));
        if entries.len() == 1 {
            self.became_nonempty.notify_at(entry.stored_at);
        }
        true
    }

    /// Returns the oldest store.
    pub fn first(&self) -> Option<BufferedStore> {
        self.entries.borrow().front().copied()
    }

    /// Removes and returns the oldest store, if it is to `block`.
    pub fn pop_for(&self, block: Address) -> Option<BufferedStore> {
        let mut entries = self.entries.borrow_mut();
        let entry = entries.pop_front_if(|entry| block_of(entry.address) == block);
        if entries.is_empty() {
            self.block_bits.set(0);
        }
        entry
    }

    /// Returns `false` only if no store to the block of `address` waits.
    #[inline]
    pub fn may_have_block(&self, address: Address) -> bool {
        self.block_bits.get() & block_bit(address) != 0
    }

    /// Returns whether a store to `block` waits.
    pub fn has_block(&self, block: Address) -> bool {
        self.may_have_block(block) && self.entries.borrow().iter().any(|entry| block_of(entry.address) == block)
    }

    /// Looks up the newest waiting store that overlaps a load. Neither the load nor a store crosses a block.
    #[inline]
    pub fn forward(&self, address: Address, bytes: usize) -> StoreForwarding {
        match self.block_bits.get() & block_bit(address) {
            0 => StoreForwarding::NoMatch,
            _ => self.search(address, bytes),
        }
    }

    fn search(&self, address: Address, bytes: usize) -> StoreForwarding {
        let entries = self.entries.borrow();
        match entries.iter().rev().find(|entry| entry.overlaps(address, bytes)) {
            None => StoreForwarding::NoMatch,
            Some(entry) if (entry.address, entry.bytes) == (address, bytes) => StoreForwarding::Value(entry.value),
            Some(_) => StoreForwarding::PartialMatch,
        }
    }

    /// Overwrites bytes of `data`, which was read at `address`, with the waiting stores.
    pub fn overlay(&self, address: Address, data: &mut [u8]) {
        for entry in &*self.entries.borrow() {
            for (at, byte) in (entry.address..).zip(&entry.value.to_le_bytes()[..entry.bytes]) {
                let target = at.checked_sub(address).and_then(|offset| data.get_mut(offset as usize));
                target.into_iter().for_each(|target| *target = *byte);
            }
        }
    }
}
