//! The device's side of a descriptor ring: it reads posted descriptors in batches, ahead of their use.
//!
//! The device reads a whole batch when it has space for one and as many descriptors are posted. It reads a smaller
//! batch only if it has no descriptor left, so that a busy ring costs one read for each batch, and an idle ring no
//! waiting.

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
    requested: Cell<u64>,
    /// Number of entries that were used.
    used: Cell<u64>,
    /// Bytes of the entries in the device.
    held: RefCell<VecDeque<u8>>,
    /// End of each batch in the device, and the instant of its request.
    batches: RefCell<VecDeque<(u64, Time)>>,
    /// Whether the device needs more entries than it holds to continue.
    is_starved: Cell<bool>,
    fetches: Mailbox<(DmaCompletion, u64, Time)>,
    /// Notified when more entries may be requested.
    change: Signal,
    /// Notified when entries have arrived.
    filled: Signal,
    /// Number of reads of descriptors.
    pub reads: Cell<u64>,
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
            requested: Cell::default(),
            used: Cell::default(),
            held: RefCell::default(),
            batches: RefCell::default(),
            is_starved: Cell::default(),
            fetches: Mailbox::new(sim, format!("{name}: descriptors")),
            change: Signal::new(sim, format!("{name}: a doorbell")),
            filled: Signal::new(sim, format!("{name}: a descriptor")),
            reads: Cell::default(),
        });
        let (fetching, filling, dma) = (ring.clone(), ring.clone(), dma.clone());
        sim.spawn_server(format!("{name} fetch"), async move { fetching.fetch(&*dma).await });
        sim.spawn_server(format!("{name} descriptors"), async move { filling.fill().await });
        ring
    }

    /// Sets the number of posted entries, of which `tail` has the lower 32 bits.
    pub fn ring(&self, tail: u32) {
        let more = tail.wrapping_sub(self.tail.get() as u32);
        self.tail.set(self.tail.get() + u64::from(more));
        self.change.notify();
    }

    /// Returns the number of entries that were used.
    pub fn used(&self) -> u64 {
        self.used.get()
    }

    /// Returns whether every posted entry was used.
    pub fn is_empty(&self) -> bool {
        self.used.get() == self.tail.get()
    }

    /// Takes the bytes of the next entry, with the instant at which the device requested it, if it is in the device.
    pub fn try_take(&self, into: &mut Vec<u8>) -> Option<Time> {
        let bytes = self.layout.bytes as usize;
        let mut held = self.held.borrow_mut();
        if held.len() < bytes {
            return None;
        }
        let (front, back) = held.as_slices();
        let first = bytes.min(front.len());
        into.extend_from_slice(&front[..first]);
        into.extend_from_slice(&back[..bytes - first]);
        held.drain(..bytes);
        drop(held);
        let position = self.used.get();
        self.used.set(position + 1);
        let mut batches = self.batches.borrow_mut();
        while batches.front().is_some_and(|(end, _)| *end <= position) {
            batches.pop_front();
        }
        let requested = batches.front().map_or(Time::ZERO, |(_, at)| *at);
        if self.next_batch() > 0 {
            self.change.notify();
        }
        Some(requested)
    }

    /// Takes the bytes of the next entry, and waits for it if necessary. Returns the instant of its request.
    pub async fn take(&self, into: &mut Vec<u8>) -> Time {
        loop {
            if let Some(requested) = self.try_take(into) {
                return requested;
            }
            self.is_starved.set(true);
            self.change.notify();
            self.filled.wait().await;
        }
    }

    /// Returns the number of entries to request next, or 0 if none may be requested.
    fn next_batch(&self) -> u64 {
        let (posted, held) = (self.tail.get() - self.requested.get(), self.requested.get() - self.used.get());
        let is_dry = held == 0 || (self.is_starved.get() && self.fetches.is_empty());
        match posted {
            0 => 0,
            _ if posted >= self.batch && held + self.batch <= self.capacity => self.batch,
            _ if is_dry => posted.min(self.batch),
            _ => 0,
        }
    }

    async fn fetch(&self, dma: &dyn DmaPort) {
        loop {
            let mut left = self.next_batch();
            if left == 0 {
                self.change.wait().await;
                continue;
            }
            self.is_starved.set(false);
            while left > 0 {
                let position = self.requested.get();
                let count = self.layout.contiguous(position, left);
                let (address, bytes) = (self.layout.address(position), count * self.layout.bytes);
                let read = submit_read(dma, address, bytes).await;
                self.reads.set(self.reads.get() + 1);
                self.requested.set(position + count);
                self.fetches.send((read, position + count, self.sim.now()));
                left -= count;
            }
        }
    }

    async fn fill(&self) {
        loop {
            let (read, end, requested) = self.fetches.receive().await;
            let bytes = read_bytes(read).await;
            self.held.borrow_mut().extend(bytes);
            self.batches.borrow_mut().push_back((end, requested));
            self.filled.notify();
            if self.next_batch() > 0 {
                self.change.notify();
            }
        }
    }
}
