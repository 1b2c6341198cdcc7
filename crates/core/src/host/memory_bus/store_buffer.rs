//! The store buffer: stores that wait for their block while the program goes on.
//!
//! Models: stores leave in order; those that wait for the same block leave together when it
//! comes. A load takes a waiting store's value where it asks for just that word, else it waits
//! until the buffer is empty; loads of other blocks pass. Uncached accesses wait until it is empty.
//! Leaves out: merging of stores to one word.

use crate::engine::{Signal, Sim, Time};
use crate::host::block::{Address, block_of};
use std::cell::{Cell, RefCell};
use std::collections::VecDeque;

/// A store that waits for its block.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BufferedStore {
    /// Where it goes.
    pub address: Address,
    /// Its width, 1 to 8 bytes.
    pub bytes: usize,
    /// What is stored.
    pub value: u64,
    /// When the program stored it.
    pub at: Time,
}

impl BufferedStore {
    fn overlaps(&self, address: Address, bytes: usize) -> bool {
        self.address < address + bytes as u64 && address < self.address + self.bytes as u64
    }
}

/// What the buffer says of a load.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Forward {
    /// No store to that word waits.
    Passes,
    /// The newest store's value.
    Value(u64),
    /// Stores to parts of it wait.
    Conflict,
}

/// The store buffer of a processor.
pub struct StoreBuffer {
    entries: RefCell<VecDeque<BufferedStore>>,
    /// Whether there are entries, for the test that every hit makes.
    waiting: Cell<bool>,
    entries_max: usize,
    /// A store came in: told when the program stores it.
    pub filled: Signal,
    /// Stores went out.
    pub drained: Signal,
    /// All stores went out.
    pub emptied: Signal,
}

impl StoreBuffer {
    /// An empty buffer.
    pub fn new(sim: &Sim, name: &str, entries_max: usize) -> StoreBuffer {
        StoreBuffer {
            entries: RefCell::default(),
            waiting: Cell::new(false),
            entries_max,
            filled: Signal::new(sim, format!("{name}: a store")),
            emptied: Signal::new(sim, format!("{name}: an empty store buffer")),
            drained: Signal::new(sim, format!("{name}: room in the store buffer")),
        }
    }

    /// True if no store waits.
    #[inline]
    pub fn is_empty(&self) -> bool {
        !self.waiting.get()
    }

    /// Takes a store in, if there is room.
    pub fn push(&self, entry: BufferedStore) -> bool {
        let mut entries = self.entries.borrow_mut();
        if entries.len() == self.entries_max {
            return false;
        }
        entries.push_back(entry);
        self.waiting.set(true);
        if entries.len() == 1 {
            self.filled.notify_at(entry.at);
        }
        true
    }

    /// The oldest store.
    pub fn first(&self) -> Option<BufferedStore> {
        self.entries.borrow().front().copied()
    }

    /// Takes the oldest store out, if it goes to `block`.
    pub fn pop_for(&self, block: Address) -> Option<BufferedStore> {
        let mut entries = self.entries.borrow_mut();
        let entry = entries.pop_front_if(|entry| block_of(entry.address) == block);
        self.waiting.set(!entries.is_empty());
        entry
    }

    /// What a load must know of the waiting stores.
    pub fn forward(&self, address: Address, bytes: usize) -> Forward {
        let entries = self.entries.borrow();
        match entries.iter().rev().find(|entry| entry.overlaps(address, bytes)) {
            None => Forward::Passes,
            Some(entry) if (entry.address, entry.bytes) == (address, bytes) => Forward::Value(entry.value),
            Some(_) => Forward::Conflict,
        }
    }

    /// Writes what waits over `data`, which was read at `address`.
    pub fn overlay(&self, address: Address, data: &mut [u8]) {
        for entry in &*self.entries.borrow() {
            for (at, byte) in (entry.address..).zip(&entry.value.to_le_bytes()[..entry.bytes]) {
                let place = at.checked_sub(address).and_then(|offset| data.get_mut(offset as usize));
                place.into_iter().for_each(|place| *place = *byte);
            }
        }
    }
}
