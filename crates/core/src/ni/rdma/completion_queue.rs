//! A completion queue: a ring of entries in host memory, which the device writes and the processor polls, and a record
//! of the number of entries that the processor has taken. The device reads the record if the ring seems full.

use super::completion_entry::CompletionEntry;
use crate::engine::{Journey, Signal, Sim};
use crate::host::{Address, AnyProcessor, Host};
use std::cell::{Cell, RefCell};
use std::collections::VecDeque;

/// A completion queue.
pub struct CompletionQueue {
    base: Address,
    entries: u32,
    entry_bytes: u64,
    /// Address of the record of the number of taken entries.
    taken_record_address: Address,
    /// Number of entries that the device has reserved.
    reserved_entries: Cell<u64>,
    /// Number of entries that the device knows to have been taken.
    known_taken_entries: Cell<u64>,
    /// Number of entries that are visible in memory.
    visible_entries: Cell<u64>,
    /// Number of entries that the processor has taken.
    taken_entries: Cell<u64>,
    is_overrun: Cell<bool>,
    /// Records of the messages of visible entries.
    journeys: RefCell<VecDeque<Journey>>,
    /// Notified when an entry becomes visible.
    pub entry_written: Signal,
}

/// Distance of an entry's last word from the entry's end.
const LAST_WORD: u64 = 8;

impl CompletionQueue {
    /// Creates an empty queue of `entries` entries of `entry_bytes` bytes.
    pub fn new(sim: &Sim, host: &Host, entries: u32, entry_bytes: u64) -> CompletionQueue {
        CompletionQueue {
            base: host.allocate(entries as usize * entry_bytes as usize),
            entries,
            entry_bytes,
            taken_record_address: host.allocate(8),
            reserved_entries: Cell::new(0),
            known_taken_entries: Cell::new(0),
            visible_entries: Cell::new(0),
            taken_entries: Cell::new(0),
            is_overrun: Cell::new(false),
            journeys: RefCell::default(),
            entry_written: Signal::new(sim, format!("{}: a completion", host.name)),
        }
    }

    /// Returns the number of entries.
    pub fn entries(&self) -> u32 {
        self.entries
    }

    /// Returns the address of entry `position`.
    pub fn address(&self, position: u64) -> Address {
        self.base + position % u64::from(self.entries) * self.entry_bytes
    }

    /// Returns the address of the block that shows whether the next entry is valid.
    pub fn polled_block(&self) -> Address {
        (self.address(self.taken_entries.get()) + self.entry_bytes - LAST_WORD) / 64 * 64
    }

    /// Returns the address of the record of taken entries if the queue seems full, so that the device reads the record
    /// before it reserves an entry.
    pub fn record_to_read(&self) -> Option<Address> {
        self.seems_full().then_some(self.taken_record_address)
    }

    /// Sets the number of entries that the device knows to have been taken. `taken` is the value that the device has
    /// read from the record.
    pub fn set_known_taken_entries(&self, taken: u64) {
        self.known_taken_entries.set(taken);
    }

    fn seems_full(&self) -> bool {
        self.reserved_entries.get() - self.known_taken_entries.get() == u64::from(self.entries)
    }

    /// Reserves the next entry for the device. Returns `None` if the queue has overrun: the completion is lost, and
    /// the queue cannot be used again.
    pub fn reserve(&self) -> Option<u64> {
        let position = self.reserved_entries.get();
        if self.is_overrun.get() || self.seems_full() {
            self.is_overrun.set(true);
            self.entry_written.notify();
            return None;
        }
        self.reserved_entries.set(position + 1);
        Some(position)
    }

    /// Records that the next entry is visible in memory.
    pub fn publish(&self, journey: Journey) {
        self.visible_entries.set(self.visible_entries.get() + 1);
        self.journeys.borrow_mut().push_back(journey);
        self.entry_written.notify();
    }

    /// Returns whether a poll would find an entry or the queue has overrun.
    pub fn needs_poll(&self) -> bool {
        self.visible_entries.get() > self.taken_entries.get() || self.is_overrun.get()
    }

    /// Returns whether the queue has overrun.
    pub fn is_overrun(&self) -> bool {
        self.is_overrun.get()
    }

    /// Polls once: loads the next entry, and takes it if it is valid.
    pub async fn poll(&self, cpu: &AnyProcessor) -> Option<(CompletionEntry, Journey)> {
        let position = self.taken_entries.get();
        let entry_end = self.address(position) + self.entry_bytes;
        let last_word = cpu.load_word(entry_end - LAST_WORD, 8).await;
        if CompletionEntry::owner_bit_of(last_word) != CompletionEntry::owner_bit(position, self.entries) {
            return None;
        }
        let length_word = cpu.load_word(entry_end - 3 * LAST_WORD, 8).await;
        let syndrome_word = cpu.load_word(entry_end - 2 * LAST_WORD, 8).await;
        self.taken_entries.set(position + 1);
        cpu.store_word(self.taken_record_address, 8, position + 1).await;
        let journey = self.journeys.borrow_mut().pop_front().unwrap_or_default();
        Some((CompletionEntry::decode([length_word, syndrome_word, last_word]), journey))
    }
}
