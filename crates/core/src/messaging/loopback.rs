//! Loopback: messages from one endpoint to another of the same node, by a queue in main memory for each receiver.
//!
//! A queue has slots for [`LOOPBACK_SLOTS`] packets. The sender copies a packet into a slot and the receiver copies it
//! out through their cache, a block at a time. The copies are charged in addition to the messaging layer's costs. A
//! sender that finds no free slot receives packets meanwhile, as it does while the interface is full. A payload whose
//! tag is mapped is copied to the mapped address, as by an interface that steers by tags.
//!
//! Protection, and a single copy by means of remapped pages, are not modelled.

use super::node_context::NodeContext;
use crate::engine::{EndpointId, Journey, Time};
use crate::host::{Address, AnyProcessor, BLOCK_BYTES, Processor, aligned_access_bytes};
use crate::ni::{Driver, Envelope, PayloadSink, PayloadSource, RxCompletion, SendRequest};
use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, VecDeque};

/// Number of slots of an endpoint's loopback queue (chosen to be few, as in interfaces).
pub const LOOPBACK_SLOTS: usize = 16;

/// The queue of packets to one endpoint from others of its node.
#[derive(Default)]
pub(super) struct LoopbackQueue {
    packets: RefCell<VecDeque<LoopbackPacket>>,
    free_slots: RefCell<Vec<Address>>,
    /// Number of slots allocated so far.
    allocated_slots: Cell<usize>,
    /// Addresses to which payloads are steered, by tag.
    mapped_tags: RefCell<BTreeMap<u16, Address>>,
}

/// A packet in a slot of a loopback queue.
pub(super) struct LoopbackPacket {
    pub from: EndpointId,
    pub envelope: Envelope,
    slot: Address,
    /// Length of the payload in bytes.
    pub bytes: usize,
    /// Inline data that the packet carries in addition to the payload.
    inline_bytes: Vec<u8>,
    pub journey: Journey,
}

impl LoopbackQueue {
    /// Removes and returns the oldest packet.
    pub fn pop(&self) -> Option<LoopbackPacket> {
        self.packets.borrow_mut().pop_front()
    }

    /// Returns whether no packet is queued.
    pub fn is_empty(&self) -> bool {
        self.packets.borrow().is_empty()
    }

    /// Maps `tag` to `address`, to which payloads with the tag are steered.
    pub fn map_tag(&self, tag: u16, address: Address) {
        self.mapped_tags.borrow_mut().insert(tag, address);
    }

    /// Returns the address to which `tag` is mapped.
    pub fn mapped_address(&self, tag: u16) -> Option<Address> {
        self.mapped_tags.borrow().get(&tag).copied()
    }

    /// Reserves a slot, if one is free.
    pub fn reserve_slot(&self, context: &NodeContext) -> Option<Address> {
        if let Some(slot) = self.free_slots.borrow_mut().pop() {
            return Some(slot);
        }
        (self.allocated_slots.get() < LOOPBACK_SLOTS).then(|| {
            self.allocated_slots.set(self.allocated_slots.get() + 1);
            let limits = context.driver.limits();
            context.host.allocate(limits.payload.max(4 * limits.words))
        })
    }

    /// Copies a packet into a reserved slot of this queue, which is the receiver's, and returns the time at which the
    /// copy began.
    pub async fn send_loopback(&self, context: &NodeContext, slot: Address, packet: &SendRequest<'_>) -> Time {
        let cpu = &context.cpu;
        let lease = cpu.acquire("send").await;
        let start = cpu.now();
        cpu.work(context.parameters.costs.send);
        match packet.source {
            PayloadSource::Words(words) => {
                for (index, word) in words.iter().enumerate() {
                    cpu.store_word(slot + 4 * index as u64, 4, (*word).into()).await;
                }
            }
            PayloadSource::Memory(address, bytes) => copy(cpu, address, slot, bytes).await,
        }
        cpu.sync().await;
        let (journey, bytes, now) = (&packet.journey, packet.source.bytes(), cpu.now());
        journey.add_service(start, now);
        journey.close("send", now);
        lease.record_span("send", journey.id(), bytes);
        self.packets.borrow_mut().push_back(LoopbackPacket {
            from: packet.from,
            envelope: packet.envelope,
            slot,
            bytes,
            inline_bytes: packet.inline_bytes.to_vec(),
            journey: journey.clone(),
        });
        context.driver.wakeup().notify();
        start
    }

    /// Copies a packet out of its slot, and frees the slot.
    pub async fn recv_loopback(
        &self,
        context: &NodeContext,
        packet: &mut LoopbackPacket,
        extra_cycles: u64,
        sink: PayloadSink<'_>,
    ) -> RxCompletion {
        let (slot, bytes, journey) = (packet.slot, packet.bytes, &packet.journey);
        let cpu = &context.cpu;
        let lease = cpu.acquire("receive").await;
        let start = cpu.now();
        journey.close("loopback queue", start);
        cpu.work(context.parameters.costs.receive + extra_cycles);
        let address = match sink {
            PayloadSink::Words(words) => {
                for index in 0..bytes as u64 / 4 {
                    words.push(cpu.load_word(slot + 4 * index, 4).await as u32);
                }
                0
            }
            PayloadSink::Memory(buffer) => {
                copy(cpu, slot, context.driver.payload_address(buffer), bytes).await;
                buffer
            }
        };
        cpu.sync().await;
        journey.add_service(start, cpu.now());
        journey.close("receive", cpu.now());
        lease.record_span("receive", journey.id(), bytes);
        self.free_slots.borrow_mut().push(slot);
        // A sender may wait for a free slot.
        context.driver.wakeup().notify();
        RxCompletion { address, inline_bytes: std::mem::take(&mut packet.inline_bytes), entry: None }
    }
}

/// Copies bytes within memory by loads and stores, a cache block at a time.
async fn copy(cpu: &AnyProcessor, from: Address, to: Address, bytes: usize) {
    // Each word is kept with its offset and its length in bytes.
    let mut words: Vec<(usize, usize, u64)> = Vec::new();
    let mut loaded_bytes = 0;
    while loaded_bytes < bytes {
        let end = bytes.min(loaded_bytes + BLOCK_BYTES);
        while loaded_bytes < end {
            let length = aligned_access_bytes(from + loaded_bytes as u64, end - loaded_bytes)
                .min(aligned_access_bytes(to + loaded_bytes as u64, end - loaded_bytes));
            words.push((loaded_bytes, length, cpu.load_word(from + loaded_bytes as u64, length).await));
            loaded_bytes += length;
        }
        for (offset, length, word) in words.drain(..) {
            cpu.store_word(to + offset as u64, length, word).await;
        }
    }
}
