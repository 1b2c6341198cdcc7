//! The driver's half of a send queue: it composes requests in memory, and rings the doorbell.
//!
//! A request that is posted alone is written to BlueFlame as well, if the interface has it. Otherwise the doorbell
//! record in memory is updated, and the first 8 bytes of the last request are written to the doorbell register.

use crate::engine::Bytes;
use crate::host::{Address, AnyProcessor, Host, Processor, Window};
use crate::ni::rdma::device::doorbell::BLUE_FLAME_BYTES;
use crate::ni::rdma::device::queue_pair::QueuePair;
use crate::ni::rdma::work_request::{BLOCK_BYTES, LocalData, WorkEntry};
use crate::ni::verbs::WorkId;
use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::rc::Rc;

/// The windows of the device.
pub struct DeviceRegisters {
    /// The doorbell register.
    pub doorbell: Window,
    /// The BlueFlame buffers, if the driver uses them.
    pub blue_flame: Option<Window>,
    /// Whether only requests that carry their data are written to BlueFlame.
    pub inline_only: bool,
    /// BlueFlame buffers that no core is writing, the least recently written one first.
    pub free_blue_flames: RefCell<VecDeque<u64>>,
}

/// A request that was posted and has not been reported.
#[derive(Clone, Copy)]
pub struct PostedRequest {
    /// The request.
    pub work: WorkId,
    /// Index of the first block of the request.
    pub index: u16,
    /// Bytes that the request moves.
    pub bytes: Bytes,
    /// Buffer of the driver that the request sends, if it sends one.
    pub buffer: Option<Address>,
}

/// A send queue.
pub struct SendQueue {
    /// Queue pair.
    pub pair: Rc<QueuePair>,
    entries: usize,
    doorbell_record: Address,
    /// Requests whose completions have not been taken, the oldest first.
    pub posted_requests: RefCell<VecDeque<PostedRequest>>,
    producer: Cell<u16>,
    /// Number of requests that were posted since the last doorbell.
    unannounced_requests: Cell<u32>,
    /// Bytes of the last request that was posted.
    last_request: RefCell<Vec<u8>>,
    /// Whether that request carries its data.
    is_last_inline: Cell<bool>,
}

impl SendQueue {
    /// Creates the send queue of `pair` for `entries` requests.
    pub fn new(host: &Host, pair: Rc<QueuePair>, entries: u32) -> SendQueue {
        SendQueue {
            pair,
            entries: entries as usize,
            doorbell_record: host.allocate(8),
            posted_requests: RefCell::default(),
            producer: Cell::new(0),
            unannounced_requests: Cell::new(0),
            last_request: RefCell::default(),
            is_last_inline: Cell::new(false),
        }
    }

    /// Returns whether all entries are in use.
    pub fn is_full(&self) -> bool {
        self.posted_requests.borrow().len() >= self.entries
    }

    /// Returns the index of the next request.
    pub fn next_index(&self) -> u16 {
        self.producer.get()
    }

    /// Composes a request in the queue, which is not full.
    pub async fn post(&self, cpu: &AnyProcessor, entry: &WorkEntry, work: WorkId, buffer: Option<Address>) {
        let bytes = entry.encode();
        let index = self.producer.get();
        self.producer.set(index.wrapping_add((bytes.len() / BLOCK_BYTES) as u16));
        self.unannounced_requests.set(self.unannounced_requests.get() + 1);
        let posted_request = PostedRequest { work, index, bytes: Bytes(entry.bytes()), buffer };
        self.posted_requests.borrow_mut().push_back(posted_request);
        let used_bytes = entry.used_bytes();
        for (number, block) in bytes.chunks(BLOCK_BYTES).enumerate() {
            let block_bytes = (used_bytes - number * BLOCK_BYTES).min(BLOCK_BYTES);
            cpu.store_run(self.pair.block(index.wrapping_add(number as u16)), &block[..block_bytes]).await;
        }
        *self.last_request.borrow_mut() = bytes;
        self.is_last_inline.set(matches!(entry.data, LocalData::Inline(_)));
    }

    /// Rings the doorbell for the requests that were posted since the last call.
    pub async fn ring_doorbell(&self, cpu: &AnyProcessor, registers: &DeviceRegisters) {
        let unannounced_requests = self.unannounced_requests.take();
        if unannounced_requests == 0 {
            return;
        }
        cpu.store_word(self.doorbell_record, 4, self.producer.get().into()).await;
        cpu.fence().await;
        let request = std::mem::take(&mut *self.last_request.borrow_mut());
        match registers.blue_flame {
            Some(window)
                if unannounced_requests == 1
                    && request.len() <= BLUE_FLAME_BYTES as usize
                    && (self.is_last_inline.get() || !registers.inline_only) =>
            {
                // Only one core writes a buffer at a time, since the blocks of a request must arrive one after another.
                let buffer = registers.free_blue_flames.borrow_mut().pop_front().expect("each core writes one buffer");
                cpu.write_run(window.at(buffer * BLUE_FLAME_BYTES), &request).await;
                cpu.fence().await;
                registers.free_blue_flames.borrow_mut().push_back(buffer);
            }
            _ => {
                let control = u64::from_le_bytes(request[..8].try_into().expect("a request has 64 bytes"));
                cpu.write(registers.doorbell.at(0), 8, control).await;
            }
        }
    }

    /// Removes and returns the requests up to and including the one with `index`, which has ended.
    pub fn take_ended(&self, index: u16) -> Vec<PostedRequest> {
        let mut posted_requests = self.posted_requests.borrow_mut();
        let count =
            posted_requests.iter().position(|request| request.index == index).map_or(0, |position| position + 1);
        posted_requests.drain(..count).collect()
    }
}
