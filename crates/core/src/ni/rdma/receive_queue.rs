//! A receive queue, which may be shared by queue pairs: a ring of buffers in host memory, and a record of the number of
//! posted buffers. The device reads the record and the ring by DMA, and keeps some buffers in advance.

use super::work_request::{RECEIVE_BYTES, decode_receive, encode_receive};
use crate::engine::{Bytes, Signal, Sim};
use crate::host::{Address, AnyProcessor, Host, Processor};
use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::rc::Rc;

/// Largest number of buffers that the device reads at once.
const PREFETCHED_BUFFERS: u32 = 16;

/// A buffer for a message.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PostedBuffer {
    /// Index in the queue, modulo 2¹⁶.
    pub index: u16,
    /// First address.
    pub address: Address,
    /// Size.
    pub bytes: Bytes,
}

/// A receive queue.
pub struct ReceiveQueue {
    base: Address,
    entries: u32,
    record_address: Address,
    is_shared: bool,
    /// Number of buffers that the processor has posted, and number of those that it has announced in the record.
    posted_buffers: Cell<u64>,
    announced_buffers: Cell<u64>,
    /// Number of posted buffers that the device has read, and number of those that it knows of.
    fetched_buffers: Cell<u64>,
    known_buffers: Cell<u64>,
    /// Buffers that the device has read in advance.
    prefetched_buffers: RefCell<VecDeque<PostedBuffer>>,
    is_refilling: Cell<bool>,
    refilled: Signal,
}

impl ReceiveQueue {
    /// Creates an empty queue of `entries` entries.
    pub fn new(sim: &Sim, host: &Host, entries: u32, is_shared: bool) -> Rc<ReceiveQueue> {
        Rc::new(ReceiveQueue {
            base: host.allocate(entries as usize * RECEIVE_BYTES),
            entries,
            record_address: host.allocate(8),
            is_shared,
            posted_buffers: Cell::new(0),
            announced_buffers: Cell::new(0),
            fetched_buffers: Cell::new(0),
            known_buffers: Cell::new(0),
            prefetched_buffers: RefCell::default(),
            is_refilling: Cell::new(false),
            refilled: Signal::new(sim, format!("{}: posted receives", host.name)),
        })
    }

    /// Returns whether queue pairs share the queue.
    pub fn is_shared(&self) -> bool {
        self.is_shared
    }

    /// Returns the number of buffers that were posted.
    pub fn posted_count(&self) -> u64 {
        self.posted_buffers.get()
    }

    /// Gives the device buffers for all entries, before the run begins and without taking time.
    pub fn preload(&self, buffers: &[Address], bytes: Bytes) {
        let posted_buffers = buffers.iter().enumerate();
        let posted_buffers =
            posted_buffers.map(|(index, &address)| PostedBuffer { index: index as u16, address, bytes });
        self.prefetched_buffers.borrow_mut().extend(posted_buffers);
        for counter in [&self.posted_buffers, &self.announced_buffers, &self.fetched_buffers, &self.known_buffers] {
            counter.set(buffers.len() as u64);
        }
    }

    /// Posts a buffer in a free entry; the device learns of it by [`announce`](Self::announce).
    pub async fn post(&self, cpu: &AnyProcessor, address: Address, bytes: Bytes) {
        let position = self.posted_buffers.get();
        self.posted_buffers.set(position + 1);
        cpu.store_run(self.entry(position), &encode_receive(address, bytes)).await;
    }

    /// Writes the number of posted buffers to the record.
    pub async fn announce(&self, cpu: &AnyProcessor) {
        if self.announced_buffers.replace(self.posted_buffers.get()) != self.posted_buffers.get() {
            cpu.fence().await;
            cpu.store_word(self.record_address, 8, self.posted_buffers.get()).await;
        }
    }

    fn entry(&self, position: u64) -> Address {
        self.base + position % u64::from(self.entries) * RECEIVE_BYTES as u64
    }

    /// Removes the next buffer that the device has read.
    pub fn pop(&self) -> Option<PostedBuffer> {
        self.prefetched_buffers.borrow_mut().pop_front()
    }

    /// Returns whether the device has read no buffer in advance.
    pub fn is_empty(&self) -> bool {
        self.prefetched_buffers.borrow().is_empty()
    }

    /// Returns whether the device should read further buffers.
    pub fn needs_refill(&self) -> bool {
        self.prefetched_buffers.borrow().len() < PREFETCHED_BUFFERS as usize / 2
    }

    /// Records that a refill is requested. Returns `false` if one was requested already.
    pub fn begin_refill(&self) -> bool {
        !self.is_refilling.replace(true)
    }

    /// Waits until no refill is requested.
    pub async fn wait_refilled(&self) {
        while self.is_refilling.get() {
            self.refilled.wait().await;
        }
    }

    /// Returns the address of the record if all buffers that the device knows of have been read, so that the device
    /// reads the record first.
    pub fn record_to_read(&self) -> Option<Address> {
        (self.known_buffers.get() == self.fetched_buffers.get()).then_some(self.record_address)
    }

    /// Updates the number of buffers that the device knows of; `posted` is the value that it has read from the record.
    pub fn set_known_buffers(&self, posted: u64) {
        // Buffers that were preloaded are not in the record until the first one is posted again.
        self.known_buffers.set(posted.max(self.known_buffers.get()));
    }

    /// Returns the address and the size of the entries that a refill reads, if there are any.
    pub fn entries_to_read(&self) -> Option<(Address, u64)> {
        let (from, entries) = (self.fetched_buffers.get(), u64::from(self.entries));
        let count = (self.known_buffers.get() - from).min(PREFETCHED_BUFFERS.into()).min(entries - from % entries);
        (count > 0).then(|| (self.entry(from), count * RECEIVE_BYTES as u64))
    }

    /// Adds the buffers of entries that were read.
    pub fn add_entries(&self, bytes: &[u8]) {
        let from = self.fetched_buffers.get();
        let (encoded_entries, _) = bytes.as_chunks::<RECEIVE_BYTES>();
        let buffers = encoded_entries.iter().zip(from..).map(|(encoded, position)| {
            let (address, bytes) = decode_receive(encoded);
            PostedBuffer { index: position as u16, address, bytes }
        });
        self.prefetched_buffers.borrow_mut().extend(buffers);
        self.fetched_buffers.set(from + encoded_entries.len() as u64);
    }

    /// Ends a refill.
    pub fn end_refill(&self) {
        self.is_refilling.set(false);
        self.refilled.notify();
    }
}
