//! The device's side of a descriptor ring: it reads posted descriptors in batches, ahead of their use.
//!
//! The device reads a whole batch when the driver has posted a whole batch and the device has space for it. It reads a
//! smaller batch only if it has no descriptor left. A busy ring therefore costs one read for each batch, and a
//! descriptor in an idle ring is read without waiting for a batch.

use super::context::{read_bytes, submit_read};
use super::descriptor::RingLayout;
use crate::engine::{Mailbox, Signal, Sim, Time};
use crate::host::{DmaCompletion, DmaPort};
use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::rc::Rc;

/// A ring whose descriptors the device fetches.
pub struct FetchedRing {
    sim: Sim,
    /// The ring in memory.
    pub layout: RingLayout,
    batch: u64,
    capacity: u64,
    /// Number of posted entries that the device knows of.
    tail: Cell<u64>,
    /// Number of entries that were requested.
    requested_entries: Cell<u64>,
    /// Number of entries that were used.
    used_entries: Cell<u64>,
    /// Bytes of the entries in the device.
    fetched_bytes: RefCell<VecDeque<u8>>,
    /// Position after the last entry of each batch in the device, and the instant at which the batch was requested.
    batches: RefCell<VecDeque<(u64, Time)>>,
    /// Whether the device needs more entries than it holds to continue.
    is_starved: Cell<bool>,
    /// Reads under way, each with the position after its last entry and the instant of the request.
    reads_under_way: Mailbox<(DmaCompletion, u64, Time)>,
    /// Notified when more entries may be requested.
    request_allowed: Signal,
    /// Notified when entries have arrived.
    entries_arrived: Signal,
    /// Number of reads of descriptors.
    pub read_count: Cell<u64>,
}

impl FetchedRing {
    /// Creates an empty ring, and starts the tasks that fetch its descriptors.
    pub fn start(
        sim: &Sim,
        name: &str,
        dma: &Rc<dyn DmaPort>,
        layout: RingLayout,
        (batch, fetches): (u64, u64),
    ) -> Rc<FetchedRing> {
        let ring = Rc::new(FetchedRing {
            sim: sim.clone(),
            layout,
            batch,
            capacity: batch * fetches,
            tail: Cell::default(),
            requested_entries: Cell::default(),
            used_entries: Cell::default(),
            fetched_bytes: RefCell::default(),
            batches: RefCell::default(),
            is_starved: Cell::default(),
            reads_under_way: Mailbox::new(sim, format!("{name}: descriptors")),
            request_allowed: Signal::new(sim, format!("{name}: a doorbell")),
            entries_arrived: Signal::new(sim, format!("{name}: a descriptor")),
            read_count: Cell::default(),
        });
        let (fetch_ring, fill_ring, dma) = (ring.clone(), ring.clone(), dma.clone());
        sim.spawn_server(format!("{name} fetch"), async move { fetch_ring.fetch(&*dma).await });
        sim.spawn_server(format!("{name} descriptors"), async move { fill_ring.fill().await });
        ring
    }

    /// Sets the number of posted entries, given its lower 32 bits, `tail`.
    pub fn set_tail(&self, tail: u32) {
        let new_entries = tail.wrapping_sub(self.tail.get() as u32);
        self.tail.set(self.tail.get() + u64::from(new_entries));
        self.request_allowed.notify();
    }

    /// Returns the number of entries that were used.
    pub fn used_entries(&self) -> u64 {
        self.used_entries.get()
    }

    /// Returns whether every posted entry was used.
    pub fn is_empty(&self) -> bool {
        self.used_entries.get() == self.tail.get()
    }

    /// If the next entry is in the device, appends its bytes to `into` and returns the instant at which the device
    /// requested it.
    pub fn try_take(&self, into: &mut Vec<u8>) -> Option<Time> {
        let bytes = self.layout.entry_bytes as usize;
        let mut fetched_bytes = self.fetched_bytes.borrow_mut();
        if fetched_bytes.len() < bytes {
            return None;
        }
        let (front, back) = fetched_bytes.as_slices();
        let front_bytes = bytes.min(front.len());
        into.extend_from_slice(&front[..front_bytes]);
        into.extend_from_slice(&back[..bytes - front_bytes]);
        fetched_bytes.drain(..bytes);
        drop(fetched_bytes);
        let position = self.used_entries.get();
        self.used_entries.set(position + 1);
        let mut batches = self.batches.borrow_mut();
        while batches.front().is_some_and(|(end, _)| *end <= position) {
            batches.pop_front();
        }
        let request_time = batches.front().map_or(Time::ZERO, |(_, at)| *at);
        if self.next_batch() > 0 {
            self.request_allowed.notify();
        }
        Some(request_time)
    }

    /// Appends the bytes of the next entry to `into`, after a wait if it is not in the device yet. Returns the instant
    /// at which the device requested it.
    pub async fn take(&self, into: &mut Vec<u8>) -> Time {
        loop {
            if let Some(request_time) = self.try_take(into) {
                return request_time;
            }
            self.is_starved.set(true);
            self.request_allowed.notify();
            self.entries_arrived.wait().await;
        }
    }

    /// Returns the number of entries to request next, or 0 if none may be requested.
    fn next_batch(&self) -> u64 {
        let (posted_entries, held_entries) =
            (self.tail.get() - self.requested_entries.get(), self.requested_entries.get() - self.used_entries.get());
        let needs_smaller_batch = held_entries == 0 || (self.is_starved.get() && self.reads_under_way.is_empty());
        match posted_entries {
            0 => 0,
            _ if posted_entries >= self.batch && held_entries + self.batch <= self.capacity => self.batch,
            _ if needs_smaller_batch => posted_entries.min(self.batch),
            _ => 0,
        }
    }

    async fn fetch(&self, dma: &dyn DmaPort) {
        loop {
            let mut remaining_entries = self.next_batch();
            if remaining_entries == 0 {
                self.request_allowed.wait().await;
                continue;
            }
            self.is_starved.set(false);
            while remaining_entries > 0 {
                let position = self.requested_entries.get();
                let count = self.layout.contiguous(position, remaining_entries);
                let (address, bytes) = (self.layout.address(position), count * self.layout.entry_bytes);
                let read = submit_read(dma, address, bytes).await;
                self.read_count.set(self.read_count.get() + 1);
                self.requested_entries.set(position + count);
                self.reads_under_way.send((read, position + count, self.sim.now()));
                remaining_entries -= count;
            }
        }
    }

    async fn fill(&self) {
        loop {
            let (read, end, request_time) = self.reads_under_way.receive().await;
            let bytes = read_bytes(read).await;
            self.fetched_bytes.borrow_mut().extend(bytes);
            self.batches.borrow_mut().push_back((end, request_time));
            self.entries_arrived.notify();
            if self.next_batch() > 0 {
                self.request_allowed.notify();
            }
        }
    }
}
