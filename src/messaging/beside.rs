//! From one endpoint to another of the same node: a queue in main memory for each that receives.
//!
//! Models: a place for each of [`SLOTS`] packets; the sender copies a packet into one and the receiver out of it,
//! by loads and stores, a block of each at a time, and what messaging costs on top; a sender that finds no place
//! takes in what has come, as where an interface is full. A tag that is mapped steers as it does where the
//! interface does.
//!
//! Leaves out: protection; a copy in place of two, as of pages that are handed over.

use super::Endpoint;
use super::near::{Came, Run};
use crate::engine::{EndId, Journey, Time};
use crate::host::{Address, BLOCK_BYTES, Processor, aligned};
use crate::ni::{Compose, Driver, Envelope, Landed, PayloadSink, PayloadSource};
use std::cell::{Cell, RefCell};
use std::collections::VecDeque;

/// Packets that an endpoint's queue in main memory has room for (chosen: few, as in interfaces).
pub const SLOTS: usize = 16;

/// An endpoint's queue of packets from others of its node.
#[derive(Default)]
pub(super) struct Queue {
    packets: RefCell<VecDeque<Left>>,
    /// Places that are free.
    slots: RefCell<Vec<Address>>,
    /// How many places there are so far.
    made: Cell<usize>,
}

impl Queue {
    /// The next packet.
    pub fn next(&self) -> Option<Left> {
        self.packets.borrow_mut().pop_front()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.packets.borrow().is_empty()
    }
}

/// A packet in a queue in main memory.
pub(super) struct Left {
    pub from: EndId,
    pub envelope: Envelope,
    slot: Address,
    pub bytes: usize,
    beside: Vec<u8>,
    pub journey: Journey,
}

impl Endpoint {
    /// Where a payload with `tag` from an endpoint of the same node is steered to, if it is.
    pub(super) fn steered(&self, came: &Came, tag: u16) -> Option<Address> {
        let Came::Beside(_) = came else { return None };
        self.near.as_ref().and_then(|near| near.tags.borrow().get(&tag).copied())
    }

    /// A place in the queue in main memory, if there is one.
    fn slot(&self) -> Option<Address> {
        let near = self.near.as_ref().expect("a node that programs share");
        let beside = &near.beside;
        if let Some(slot) = beside.slots.borrow_mut().pop() {
            return Some(slot);
        }
        (beside.made.get() < SLOTS).then(|| {
            beside.made.set(beside.made.get() + 1);
            let limits = self.driver.limits();
            self.host.allocate(limits.payload.max(4 * limits.words))
        })
    }

    /// Copies a packet into the queue of `to`, an endpoint of the same node; when that began.
    pub(super) async fn put_beside(
        &self,
        to: &Endpoint,
        packet: &Compose<'_>,
        run: &mut Run,
        takes_in: impl AsyncFn() -> bool,
    ) -> Time {
        let slot = loop {
            if let Some(slot) = to.slot() {
                break slot;
            }
            if !takes_in().await {
                self.wait_for_room(run).await;
            }
        };
        let turn = self.cpu.hold("send").await;
        let begun = self.cpu.now();
        self.cpu.work(self.parameters.costs.send);
        match packet.source {
            PayloadSource::Words(words) => {
                for (at, word) in words.iter().enumerate() {
                    self.cpu.store_word(slot + 4 * at as u64, 4, (*word).into()).await;
                }
            }
            PayloadSource::Memory(address, bytes) => self.copy(address, slot, bytes).await,
        }
        self.cpu.sync().await;
        let (journey, bytes, now) = (&packet.journey, packet.source.bytes(), self.cpu.now());
        journey.served(begun, now);
        journey.close("send", now);
        turn.did("send", journey.id(), bytes);
        let near = to.near.as_ref().expect("a node that programs share");
        near.beside.packets.borrow_mut().push_back(Left {
            from: packet.from,
            envelope: packet.envelope,
            slot,
            bytes,
            beside: packet.beside.to_vec(),
            journey: journey.clone(),
        });
        to.attention().notify();
        begun
    }

    /// Copies a packet out of the queue.
    pub(super) async fn take_beside(&self, left: Left, extra_cycles: u64, sink: PayloadSink<'_>) -> Landed {
        let Left { slot, bytes, beside, journey, .. } = left;
        let turn = self.cpu.hold("receive").await;
        let begun = self.cpu.now();
        journey.close("queue in memory", begun);
        self.cpu.work(self.parameters.costs.receive + extra_cycles);
        let address = match sink {
            PayloadSink::Words(words) => {
                for at in 0..bytes as u64 / 4 {
                    words.push(self.cpu.load_word(slot + 4 * at, 4).await as u32);
                }
                0
            }
            PayloadSink::Memory(into) => {
                self.copy(slot, self.driver.payload_at(into), bytes).await;
                into
            }
        };
        self.cpu.sync().await;
        journey.served(begun, self.cpu.now());
        journey.close("receive", self.cpu.now());
        turn.did("receive", journey.id(), bytes);
        let near = self.near.as_ref().expect("a node that programs share");
        near.beside.slots.borrow_mut().push(slot);
        // A sender may wait for the place.
        self.attention().notify();
        Landed { address, beside, entry: None }
    }

    /// Copies within memory by loads and stores, a block of each at a time.
    async fn copy(&self, from: Address, to: Address, bytes: usize) {
        let mut words: Vec<(usize, usize, u64)> = Vec::new();
        let mut moved = 0;
        while moved < bytes {
            let end = bytes.min(moved + BLOCK_BYTES);
            while moved < end {
                let part = aligned(from + moved as u64, end - moved).min(aligned(to + moved as u64, end - moved));
                words.push((moved, part, self.cpu.load_word(from + moved as u64, part).await));
                moved += part;
            }
            for (at, part, word) in words.drain(..) {
                self.cpu.store_word(to + at as u64, part, word).await;
            }
        }
    }
}
