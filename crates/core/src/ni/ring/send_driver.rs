//! The driver's side of a send ring: free entries and buffers, descriptors, doorbells.

use super::context::DeviceContext;
use super::descriptor::{RingDescriptor, RingLayout, STATUS, completed_length};
use super::device::{SEND_HEAD, SEND_TAIL};
use super::parameters::{CompletionPlace, RingParameters};
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
    /// Position of its descriptor.
    position: u64,
    entries: u64,
    buffer: Option<Address>,
}

/// The driver's side of a send ring.
pub struct SendDriver {
    device: Rc<SendQueue>,
    context: Rc<DeviceContext>,
    registers: Window,
    layout: RingLayout,
    completions: RingLayout,
    tail: Cell<u64>,
    doorbell_tail: Cell<u64>,
    /// Number of frames posted since the last doorbell.
    posted_since_doorbell: Cell<u64>,
    frames: Cell<u64>,
    /// Number of frames whose buffers were reclaimed.
    pub reclaimed: Cell<u64>,
    posted: RefCell<VecDeque<PostedFrame>>,
    free_entries: Cell<u64>,
    free_buffers: RefCell<Vec<Address>>,
    /// Number of notifications by the device before the read of the head that found the ring full.
    full_at: Cell<Option<u64>>,
    pub doorbells: Cell<u64>,
    pub head_reads: Cell<u64>,
}

impl SendDriver {
    /// Creates the driver of an empty ring, with `buffers`.
    pub fn new(
        context: &Rc<DeviceContext>,
        device: &Rc<SendQueue>,
        registers: Window,
        completions: RingLayout,
        buffers: Vec<Address>,
    ) -> SendDriver {
        let layout = device.descriptors.layout;
        SendDriver {
            device: device.clone(),
            context: context.clone(),
            registers,
            layout,
            completions,
            tail: Cell::default(),
            doorbell_tail: Cell::default(),
            posted_since_doorbell: Cell::default(),
            frames: Cell::default(),
            reclaimed: Cell::default(),
            posted: RefCell::default(),
            free_entries: Cell::new(layout.entries),
            free_buffers: RefCell::new(buffers),
            full_at: Cell::default(),
            doorbells: Cell::default(),
            head_reads: Cell::default(),
        }
    }

    fn parameters(&self) -> &RingParameters {
        &self.context.parameters
    }

    /// Returns whether a frame of `entries` entries can be posted, and reclaims completed entries first if few are
    /// free.
    pub async fn has_entries(&self, cpu: &AnyProcessor, entries: u64) -> bool {
        let is_free = || self.free_entries.get() >= entries && !self.free_buffers.borrow().is_empty();
        if self.parameters().send.reads_head {
            if !is_free() && self.full_at.get() == Some(self.context.send_changes.get()) {
                return false;
            }
            let changes = self.context.send_changes.get();
            let head = self.read_head(cpu).await;
            self.reclaim_while(|frame| frame.position + frame.entries <= head);
            self.full_at.set((!is_free()).then_some(changes));
        } else if !is_free() || self.posted_since_doorbell.get() == 0 {
            self.reclaim(cpu).await;
        }
        is_free()
    }

    async fn read_head(&self, cpu: &AnyProcessor) -> u64 {
        self.head_reads.set(self.head_reads.get() + 1);
        let head = cpu.read(self.registers.at(SEND_HEAD), 4).await as u32;
        let reclaimed = self.tail.get() - (self.layout.entries - self.free_entries.get());
        reclaimed + u64::from(head.wrapping_sub(reclaimed as u32))
    }

    /// Reclaims the entries whose completions are in memory.
    pub async fn reclaim(&self, cpu: &AnyProcessor) {
        if self.parameters().send.write_back_batch == 0 {
            let head = self.read_head(cpu).await;
            return self.reclaim_while(|frame| frame.position + frame.entries <= head);
        }
        loop {
            let Some(first) = self.posted.borrow().front().copied() else { return };
            let at = match self.parameters().completion {
                CompletionPlace::WriteBack => first.position,
                CompletionPlace::Queue => first.number,
            };
            let status = cpu.load_word(self.completions.address(at) + STATUS, 8).await;
            if completed_length(status, self.completions.lap(at)).is_none() {
                return;
            }
            // Another task may have reclaimed the frame during the load.
            if self.posted.borrow().front().is_some_and(|front| front.number == first.number) {
                self.reclaim_first();
            }
        }
    }

    fn reclaim_while(&self, is_done: impl Fn(&PostedFrame) -> bool) {
        while self.posted.borrow().front().is_some_and(&is_done) {
            self.reclaim_first();
        }
    }

    fn reclaim_first(&self) {
        let first = self.posted.borrow_mut().pop_front().expect("a frame is posted");
        self.free_entries.set(self.free_entries.get() + first.entries);
        self.free_buffers.borrow_mut().extend(first.buffer);
        self.reclaimed.set(self.reclaimed.get() + 1);
    }

    /// Posts a frame in free entries. The device learns of it with the next doorbell.
    pub async fn post(&self, cpu: &AnyProcessor, frame: &[u8], journey: &Journey, marks: Marks) {
        let entries = self.parameters().entries_of(frame.len());
        let position = self.tail.get();
        let buffer = match entries {
            1 => {
                let buffer = self.free_buffers.borrow_mut().pop().expect("a free buffer was found");
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
        self.device.post(journey, marks);
        let number = self.frames.replace(self.frames.get() + 1);
        self.posted.borrow_mut().push_back(PostedFrame { number, position, entries, buffer });
        self.free_entries.set(self.free_entries.get() - entries);
        self.tail.set(position + entries);
        self.posted_since_doorbell.set(self.posted_since_doorbell.get() + 1);
    }

    /// Stores a frame in the entries from `position` on.
    async fn store_inline(&self, cpu: &AnyProcessor, mut position: u64, frame: &[u8]) {
        let mut left = frame;
        while !left.is_empty() {
            let entries = self.layout.contiguous(position, (left.len() as u64).div_ceil(self.layout.bytes));
            let bytes = left.len().min((entries * self.layout.bytes) as usize);
            cpu.store_run(self.layout.address(position), &left[..bytes]).await;
            position += entries;
            left = &left[bytes..];
        }
    }

    /// Returns whether a whole batch of frames was posted since the last doorbell.
    pub fn is_batch_posted(&self) -> bool {
        self.posted_since_doorbell.get() >= self.parameters().send.doorbell_batch
    }

    /// Returns whether the device does not know of all posted frames.
    pub fn has_unrung(&self) -> bool {
        self.posted_since_doorbell.get() > 0
    }

    /// Returns whether the device knows of frames that are not reclaimed.
    pub fn is_device_busy(&self) -> bool {
        self.posted.borrow().front().is_some_and(|first| first.position < self.doorbell_tail.get())
    }

    /// Rings the doorbell.
    pub async fn ring(&self, cpu: &AnyProcessor) {
        self.posted_since_doorbell.set(0);
        let tail = self.tail.get();
        self.doorbell_tail.set(tail);
        self.doorbells.set(self.doorbells.get() + 1);
        self.device.begin_doorbell(cpu.now());
        cpu.write(self.registers.at(SEND_TAIL), 4, u64::from(tail as u32)).await;
    }
}
