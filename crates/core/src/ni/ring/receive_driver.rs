//! The driver's side of a receive ring: it finds completed descriptors and posts buffers.

use super::context::DeviceContext;
use super::descriptor::{RingDescriptor, RingLayout, STATUS_OFFSET, completed_length};
use super::device::{RECEIVE_HEAD, RECEIVE_TAIL};
use super::frame::{FRAME_HEADER_BYTES, FrameHeader};
use super::receive::ReceiveQueue;
use crate::engine::{Journey, Resource};
use crate::host::{Address, AnyProcessor, Processor, Window};
use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::rc::Rc;

/// A frame in its buffer.
pub struct ReceivedFrame {
    /// Index of the queue.
    pub queue: usize,
    /// Address of the buffer.
    pub buffer: Address,
    /// Headers of the frame.
    pub header: FrameHeader,
    /// Bytes of payload.
    pub payload_bytes: usize,
    /// Record of the frame's latency.
    pub journey: Journey,
}

/// The driver's side of a receive ring.
pub struct ReceiveDriver {
    device_queue: Rc<ReceiveQueue>,
    context: Rc<DeviceContext>,
    registers: Window,
    queue_index: usize,
    descriptor_layout: RingLayout,
    completion_layout: RingLayout,
    /// Number of completions that were found.
    pub found_completions: Cell<u64>,
    tail: Cell<u64>,
    /// Number of buffers posted since the last doorbell.
    posted_since_doorbell: Cell<u64>,
    /// Posted buffers, in the order of the ring.
    posted_buffers: RefCell<VecDeque<Address>>,
    /// Completions that were found at once and not returned yet, as buffers and lengths.
    unreturned_frames: RefCell<VecDeque<(Address, u32)>>,
    posting_right: Resource,
    pub doorbell_count: Cell<u64>,
    pub head_read_count: Cell<u64>,
}

impl ReceiveDriver {
    /// Creates the driver of the ring of queue `queue_index`, in which all `buffers` will be posted.
    pub fn new(
        context: &Rc<DeviceContext>,
        device_queue: &Rc<ReceiveQueue>,
        (registers, queue_index): (Window, usize),
        completion_layout: RingLayout,
        buffers: Vec<Address>,
    ) -> ReceiveDriver {
        ReceiveDriver {
            device_queue: device_queue.clone(),
            context: context.clone(),
            registers,
            queue_index,
            descriptor_layout: device_queue.descriptors.layout,
            completion_layout,
            found_completions: Cell::default(),
            tail: Cell::new(buffers.len() as u64),
            posted_since_doorbell: Cell::default(),
            posted_buffers: RefCell::new(buffers.into()),
            unreturned_frames: RefCell::default(),
            posting_right: Resource::new(&context.sim, format!("{}: a core that posts a receive buffer", context.name)),
            doorbell_count: Cell::default(),
            head_read_count: Cell::default(),
        }
    }

    /// Posts all buffers before the first frame.
    pub async fn post_all(&self, cpu: &AnyProcessor) {
        let mut ring = Vec::new();
        for address in &*self.posted_buffers.borrow() {
            ring.extend(self.descriptor(*address));
        }
        cpu.store_run(self.descriptor_layout.base, &ring).await;
        self.ring_doorbell(cpu).await;
    }

    fn descriptor(&self, address: Address) -> Vec<u8> {
        let length = self.context.parameters.buffers.get() as u32;
        let mut entry = RingDescriptor { address, length, is_inline: false }.encode().to_vec();
        entry.resize(self.descriptor_layout.entry_bytes as usize, 0);
        entry
    }

    /// Returns whether the ring is known to hold no completion that the driver has not found.
    pub fn is_known_empty(&self) -> bool {
        self.unreturned_frames.borrow().is_empty() && self.found_completions.get() == self.device_queue.visible_frames()
    }

    /// Loads the next completion; returns the length of its frame.
    async fn load_completion(&self, cpu: &AnyProcessor) -> Option<u32> {
        let position = self.found_completions.get();
        let status = cpu.load_word(self.completion_layout.address(position) + STATUS_OFFSET, 8).await;
        let length = completed_length(status, self.completion_layout.lap(position))?;
        // A completion becomes visible and is announced at the same instant.
        (self.device_queue.visible_frames() > position).then_some(length)
    }

    /// Returns the next received frame. The driver removes up to `burst` completions from the ring at once.
    pub async fn poll(&self, cpu: &AnyProcessor, burst: u64) -> Option<ReceivedFrame> {
        let next = self.unreturned_frames.borrow_mut().pop_front();
        let (buffer, length) = match next {
            Some(next) => next,
            None => self.take_batch(cpu, burst).await?,
        };
        let journey = self.device_queue.journeys.borrow_mut().pop_front().expect("a visible frame has a journey");
        let mut header = [0; FRAME_HEADER_BYTES];
        cpu.load_run(buffer, &mut header).await;
        if self.context.parameters.receive.reads_head {
            self.head_read_count.set(self.head_read_count.get() + 1);
            cpu.read(self.registers.at(RECEIVE_HEAD), 4).await;
        }
        let (header, payload_bytes) = (FrameHeader::decode(&header), length as usize - FRAME_HEADER_BYTES);
        Some(ReceivedFrame { queue: self.queue_index, buffer, header, payload_bytes, journey })
    }

    /// Takes completions from the ring; returns the first, and keeps the others.
    async fn take_batch(&self, cpu: &AnyProcessor, burst: u64) -> Option<(Address, u32)> {
        let mut first = None;
        for _ in 0..burst {
            let Some(length) = self.load_completion(cpu).await else { break };
            self.found_completions.set(self.found_completions.get() + 1);
            let buffer = self.posted_buffers.borrow_mut().pop_front().expect("a completion belongs to a posted buffer");
            match first {
                None => first = Some((buffer, length)),
                Some(_) => {
                    cpu.announce_run(buffer, FRAME_HEADER_BYTES, false);
                    self.unreturned_frames.borrow_mut().push_back((buffer, length));
                }
            }
        }
        first
    }

    /// Posts a buffer again, and rings the doorbell after a batch.
    pub async fn post(&self, cpu: &AnyProcessor, buffer: Address) {
        // Several cores may post buffers of one ring.
        let _hold = self.posting_right.acquire().await;
        let position = self.tail.get();
        let entry =
            RingDescriptor { address: buffer, length: self.context.parameters.buffers.get() as u32, is_inline: false };
        cpu.store_run(self.descriptor_layout.address(position), &entry.encode()).await;
        self.posted_buffers.borrow_mut().push_back(buffer);
        self.tail.set(position + 1);
        self.posted_since_doorbell.set(self.posted_since_doorbell.get() + 1);
        if self.posted_since_doorbell.get() >= self.context.parameters.receive.doorbell_batch {
            self.ring_doorbell(cpu).await;
        }
    }

    async fn ring_doorbell(&self, cpu: &AnyProcessor) {
        self.posted_since_doorbell.set(0);
        self.doorbell_count.set(self.doorbell_count.get() + 1);
        cpu.write(self.registers.at(RECEIVE_TAIL), 4, u64::from(self.tail.get() as u32)).await;
    }
}
