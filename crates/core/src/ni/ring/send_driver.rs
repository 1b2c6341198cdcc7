//! The driver's side of a send ring: free entries and buffers, descriptors, doorbells.

use super::context::DeviceContext;
use super::descriptor::{RingDescriptor, RingLayout, STATUS_OFFSET, completed_length};
use super::device::{SEND_HEAD, SEND_TAIL};
use super::parameters::{CompletionLocation, RingParameters};
use super::send::SendQueue;
use crate::engine::Journey;
use crate::host::{Address, AnyProcessor, Processor, Window};
use crate::protocol::Marks;
use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::rc::Rc;

/// A frame whose descriptor is posted and not reclaimed.
#[derive(Clone, Copy)]
struct PostedFrame {
    /// Number of the frame.
    number: u64,
    /// Position of the frame's descriptor.
    position: u64,
    entries: u64,
    buffer: Option<Address>,
}

/// The driver's side of a send ring.
pub struct SendDriver {
    device_queue: Rc<SendQueue>,
    context: Rc<DeviceContext>,
    registers: Window,
    layout: RingLayout,
    completion_layout: RingLayout,
    tail: Cell<u64>,
    doorbell_tail: Cell<u64>,
    /// Number of frames posted since the last doorbell.
    posted_since_doorbell: Cell<u64>,
    frame_count: Cell<u64>,
    /// Number of frames whose buffers were reclaimed.
    pub reclaimed_frames: Cell<u64>,
    posted_frames: RefCell<VecDeque<PostedFrame>>,
    free_entries: Cell<u64>,
    free_buffers: RefCell<Vec<Address>>,
    /// Number of notifications by the device before the read of the head that found the ring full.
    notifications_at_full: Cell<Option<u64>>,
    pub doorbell_count: Cell<u64>,
    pub head_read_count: Cell<u64>,
}

impl SendDriver {
    /// Creates the driver of an empty ring, with `buffers`.
    pub fn new(
        context: &Rc<DeviceContext>,
        device_queue: &Rc<SendQueue>,
        registers: Window,
        completion_layout: RingLayout,
        buffers: Vec<Address>,
    ) -> SendDriver {
        let layout = device_queue.descriptors.layout;
        SendDriver {
            device_queue: device_queue.clone(),
            context: context.clone(),
            registers,
            layout,
            completion_layout,
            tail: Cell::default(),
            doorbell_tail: Cell::default(),
            posted_since_doorbell: Cell::default(),
            frame_count: Cell::default(),
            reclaimed_frames: Cell::default(),
            posted_frames: RefCell::default(),
            free_entries: Cell::new(layout.entries),
            free_buffers: RefCell::new(buffers),
            notifications_at_full: Cell::default(),
            doorbell_count: Cell::default(),
            head_read_count: Cell::default(),
        }
    }

    fn parameters(&self) -> &RingParameters {
        &self.context.parameters
    }

    /// Returns whether a frame of `entries` entries can be posted, and reclaims completed entries first if few are
    /// free.
    pub async fn has_entries(&self, cpu: &AnyProcessor, entries: u64) -> bool {
        let can_post = || self.free_entries.get() >= entries && !self.free_buffers.borrow().is_empty();
        if self.parameters().send.reads_head {
            if !can_post() && self.notifications_at_full.get() == Some(self.context.send_notification_count.get()) {
                return false;
            }
            let notifications = self.context.send_notification_count.get();
            let head = self.read_head(cpu).await;
            self.reclaim_while(|frame| frame.position + frame.entries <= head);
            self.notifications_at_full.set((!can_post()).then_some(notifications));
        } else if !can_post() || self.posted_since_doorbell.get() == 0 {
            self.reclaim(cpu).await;
        }
        can_post()
    }

    async fn read_head(&self, cpu: &AnyProcessor) -> u64 {
        self.head_read_count.set(self.head_read_count.get() + 1);
        let head = cpu.read(self.registers.at(SEND_HEAD), 4).await as u32;
        let reclaimed_entries = self.tail.get() - (self.layout.entries - self.free_entries.get());
        reclaimed_entries + u64::from(head.wrapping_sub(reclaimed_entries as u32))
    }

    /// Reclaims the entries whose completions are in memory.
    pub async fn reclaim(&self, cpu: &AnyProcessor) {
        if self.parameters().send.write_back_batch == 0 {
            let head = self.read_head(cpu).await;
            return self.reclaim_while(|frame| frame.position + frame.entries <= head);
        }
        loop {
            let Some(first) = self.posted_frames.borrow().front().copied() else { return };
            let completion_position = match self.parameters().completion {
                CompletionLocation::WriteBack => first.position,
                CompletionLocation::Queue => first.number,
            };
            let status = cpu.load_word(self.completion_layout.address(completion_position) + STATUS_OFFSET, 8).await;
            if completed_length(status, self.completion_layout.lap(completion_position)).is_none() {
                return;
            }
            // Another task may have reclaimed the frame during the load.
            if self.posted_frames.borrow().front().is_some_and(|front| front.number == first.number) {
                self.reclaim_first();
            }
        }
    }

    fn reclaim_while(&self, is_reclaimable: impl Fn(&PostedFrame) -> bool) {
        while self.posted_frames.borrow().front().is_some_and(&is_reclaimable) {
            self.reclaim_first();
        }
    }

    fn reclaim_first(&self) {
        let first = self.posted_frames.borrow_mut().pop_front().expect("a frame is posted");
        self.free_entries.set(self.free_entries.get() + first.entries);
        self.free_buffers.borrow_mut().extend(first.buffer);
        self.reclaimed_frames.set(self.reclaimed_frames.get() + 1);
    }

    /// Posts a frame in free entries. The device learns of it with the next doorbell.
    pub async fn post(&self, cpu: &AnyProcessor, frame: &[u8], journey: &Journey, marks: Marks) {
        let entries = self.parameters().entries_of(frame.len());
        let position = self.tail.get();
        let buffer = match entries {
            1 => {
                let buffer = self.free_buffers.borrow_mut().pop().expect("a buffer is free");
                cpu.store_run(buffer, frame).await;
                Some(buffer)
            }
            _ => {
                self.store_inline(cpu, position + 1, frame).await;
                None
            }
        };
        let (address, length) = (buffer.unwrap_or_default(), frame.len() as u32);
        let descriptor = RingDescriptor { address, length, is_inline: buffer.is_none() };
        cpu.store_run(self.layout.address(position), &descriptor.encode()).await;
        self.device_queue.post(journey, marks);
        let number = self.frame_count.replace(self.frame_count.get() + 1);
        self.posted_frames.borrow_mut().push_back(PostedFrame { number, position, entries, buffer });
        self.free_entries.set(self.free_entries.get() - entries);
        self.tail.set(position + entries);
        self.posted_since_doorbell.set(self.posted_since_doorbell.get() + 1);
    }

    /// Stores a frame in the entries from `position` on.
    async fn store_inline(&self, cpu: &AnyProcessor, mut position: u64, frame: &[u8]) {
        let mut remaining = frame;
        while !remaining.is_empty() {
            let entries = self.layout.contiguous(position, (remaining.len() as u64).div_ceil(self.layout.entry_bytes));
            let bytes = remaining.len().min((entries * self.layout.entry_bytes) as usize);
            cpu.store_run(self.layout.address(position), &remaining[..bytes]).await;
            position += entries;
            remaining = &remaining[bytes..];
        }
    }

    /// Returns whether a whole batch of frames was posted since the last doorbell.
    pub fn is_batch_posted(&self) -> bool {
        self.posted_since_doorbell.get() >= self.parameters().send.doorbell_batch
    }

    /// Returns whether the device does not know of all posted frames.
    pub fn has_unannounced_frames(&self) -> bool {
        self.posted_since_doorbell.get() > 0
    }

    /// Returns whether the device knows of frames that are not reclaimed.
    pub fn is_device_busy(&self) -> bool {
        self.posted_frames.borrow().front().is_some_and(|first| first.position < self.doorbell_tail.get())
    }

    /// Rings the doorbell.
    pub async fn ring_doorbell(&self, cpu: &AnyProcessor) {
        self.posted_since_doorbell.set(0);
        let tail = self.tail.get();
        self.doorbell_tail.set(tail);
        self.doorbell_count.set(self.doorbell_count.get() + 1);
        self.device_queue.begin_doorbell(cpu.now());
        cpu.write(self.registers.at(SEND_TAIL), 4, u64::from(tail as u32)).await;
    }
}
