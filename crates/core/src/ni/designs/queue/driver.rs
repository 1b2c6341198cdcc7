//! The driver halves of the queues: they compose packets in the send queue and read packets from the receive queue, by
//! cached stores and loads.

use super::device::{ReceiveShared, SendRegisters, tail_word};
use super::layout::{HEAD_OFFSET, QueueLayout, REGISTER_BYTES, REGISTER_SPACE_BYTES, TAIL_OFFSET};
use super::remote_memory::{RemoteMemory, RemoteOperations};
use super::remote_wire::{RemotePacket, WORDS_BYTES};
use super::throttle::{Meter, Throttle};
use crate::engine::Journey;
use crate::engine::sim::WaitReasonId;
use crate::host::{Address, AnyProcessor, BLOCK_BYTES, Processor, Window};
use crate::ni::designs::fifo::device::marks_word;
use crate::ni::designs::half::{HalfContext, ReceiveHalf, RxHit, SendHalf};
use crate::ni::designs::parameters::SendNotice;
use crate::ni::driver::{SendRequest, Wake};
use crate::ni::parcel::{HEADER_BYTES, Header, HeaderFormat, ProcessorStage};
use crate::ni::port::Port;
use crate::ni::word_copy::{PayloadSink, load, load_word, loaded, store, store_word, stored};
use crate::protocol::Marks;
use std::cell::Cell;
use std::rc::Rc;

/// Maximum number of packets that a driver prefetches. A processor cannot have as many misses outstanding.
const PREFETCHED_PACKETS_MAX: u64 = 8;

/// The driver's sending half.
pub struct QueueSender {
    registers: Rc<SendRegisters>,
    window: Window,
    port: Rc<Port>,
    queue: QueueLayout,
    word_cycles: u64,
    notice: SendNotice,
    /// Whether the processor fetches the blocks of a packet at the same time.
    overlaps_fetches: bool,
    tail: Cell<u64>,
    known_head: Cell<u64>,
    throttle: Option<Throttle>,
    /// Number of packets that the device has been notified of.
    notified_packets: Cell<u64>,
}

/// Data of a one-sided operation.
#[derive(Clone, Copy)]
pub enum RemoteData {
    /// No data.
    None,
    /// A value.
    Word(u64),
    /// Bytes in memory.
    Memory(Address, usize),
}

impl RemoteData {
    /// Returns the number of bytes.
    pub fn bytes(self) -> usize {
        match self {
            RemoteData::None => 0,
            RemoteData::Word(_) => 8,
            RemoteData::Memory(_, bytes) => bytes,
        }
    }
}

impl QueueSender {
    /// Creates a driver that composes in `queue` and writes the tail to `registers`.
    pub fn new(
        context: &HalfContext<'_>,
        registers: Rc<SendRegisters>,
        queue: QueueLayout,
        throttle: Option<Throttle>,
    ) -> QueueSender {
        QueueSender {
            window: context.host().attach(registers.clone(), REGISTER_SPACE_BYTES),
            registers,
            port: context.port.clone(),
            queue,
            word_cycles: context.parameters.word_cycles,
            notice: context.parameters.notice,
            overlaps_fetches: context.parameters.outstanding > 1,
            tail: Cell::new(0),
            known_head: Cell::new(0),
            throttle,
            notified_packets: Cell::new(0),
        }
    }

    fn has_free_slot(&self) -> bool {
        self.tail.get() - self.known_head.get() < self.queue.slots()
    }

    /// Returns whether the queue has a slot for a packet.
    pub async fn has_slot(&self, cpu: &AnyProcessor) -> bool {
        if !self.has_free_slot() {
            self.known_head.set(cpu.read(self.window.at(HEAD_OFFSET), REGISTER_BYTES).await);
        }
        self.has_free_slot()
    }

    /// Composes a packet of a one-sided operation in a free slot; the device fetches it after the next
    /// [`ring_doorbell`](Self::ring_doorbell).
    pub async fn compose_operation(&self, cpu: &AnyProcessor, packet: &RemotePacket, data: RemoteData) {
        let position = self.tail.get();
        let header = Header { sense: self.queue.sense(position), ..packet.header(data.bytes()) };
        self.registers.composed_journeys.borrow_mut().push_back((Journey::NONE, None));
        let slot = self.queue.block(position, 0);
        // The data follows the header, whose sense makes the packet valid, and the words.
        let data_address = slot + (HEADER_BYTES + WORDS_BYTES) as u64;
        match data {
            RemoteData::None => {}
            RemoteData::Word(value) => cpu.store_word(data_address, 8, value).await,
            RemoteData::Memory(from, bytes) => {
                let mut data = vec![0; bytes];
                cpu.load_run(from, &mut data).await;
                cpu.store_run(data_address, &data).await;
            }
        }
        for (word, value) in packet.words().into_iter().enumerate() {
            cpu.store_word(slot + 8 * (word as u64 + 1), 8, value).await;
        }
        cpu.store_word(slot, 8, header.encode()).await;
        assert_eq!(self.tail.replace(position + 1), position, "one core composes at a time");
    }

    /// Notifies the device of the packets that were composed since the last notification, if there are any.
    pub async fn ring_doorbell(&self, cpu: &AnyProcessor) {
        if self.notified_packets.get() < self.tail.get() {
            self.notify(cpu, Marks::SINGLE_PACKET).await;
        }
    }

    /// Writes the tail, with the marks of the packets that were composed since the last write.
    async fn notify(&self, cpu: &AnyProcessor, marks: Marks) {
        self.notified_packets.set(self.tail.get());
        let tail = tail_word(self.tail.get(), marks_word(marks));
        cpu.write(self.window.at(TAIL_OFFSET), REGISTER_BYTES, tail).await;
    }
}

impl SendHalf for QueueSender {
    async fn can_send(&self, cpu: &AnyProcessor) -> bool {
        self.has_slot(cpu).await
    }

    async fn send(
        &self,
        cpu: &AnyProcessor,
        mut header: Header,
        packet: &SendRequest<'_>,
        processor_stage: Option<ProcessorStage>,
    ) {
        self.ring_doorbell(cpu).await;
        if let Some(throttle) = &self.throttle {
            throttle.wait(cpu, &self.port, &header).await;
        }
        let position = self.tail.get();
        header.sense = self.queue.sense(position);
        self.registers.composed_journeys.borrow_mut().push_back((packet.journey.clone(), processor_stage));
        let slot = self.queue.block(position, 0);
        if self.notice == SendNotice::Line {
            header.marks = marks_word(packet.marks) as u8;
            self.compose_header_last(cpu, header, packet, slot).await;
            self.tail.set(position + 1);
            self.notified_packets.set(position + 1);
            return;
        }
        if self.overlaps_fetches {
            cpu.announce_run(slot, header.packet_bytes(), true);
        }
        for word in 0..header.words() {
            let value = loaded!(cpu, load_word(cpu, header, packet.source, word, self.word_cycles));
            stored!(cpu, value, store(cpu, slot + 8 * word as u64, 8, value));
        }
        self.tail.set(position + 1);
        self.notify(cpu, packet.marks).await;
    }
}

impl QueueSender {
    /// Composes a packet whose first word makes it valid. The first block is written after the other blocks, and its
    /// first word after its other words, so the processor takes that block from the device only once.
    async fn compose_header_last(&self, cpu: &AnyProcessor, header: Header, packet: &SendRequest<'_>, slot: Address) {
        let (words, first_block_words) = (header.words(), header.words().min(BLOCK_BYTES / 8));
        if self.overlaps_fetches {
            cpu.announce_run(slot + BLOCK_BYTES as u64, header.packet_bytes().saturating_sub(BLOCK_BYTES), true);
        }
        for word in (first_block_words..words).chain((0..first_block_words).rev()) {
            let value = loaded!(cpu, load_word(cpu, header, packet.source, word, self.word_cycles));
            stored!(cpu, value, store(cpu, slot + 8 * word as u64, 8, value));
        }
    }
}

/// The driver's receiving half.
pub struct QueueReceiver {
    shared: Rc<ReceiveShared>,
    port: Rc<Port>,
    queue: QueueLayout,
    word_cycles: u64,
    poll_cycles: u64,
    format: HeaderFormat,
    /// Whether the processor fetches the blocks of a packet at the same time. With the header, it fetches as many
    /// blocks as the previous packet had.
    overlaps_fetches: bool,
    /// Length of the previous packet.
    packet_bytes: Cell<usize>,
    /// Number of packets that are prefetched before they are polled.
    prefetched_packets: Cell<u64>,
    head: Cell<u64>,
    meter: Meter,
    /// One-sided operations, if the device executes them.
    operations: Option<RemoteOperations>,
}

impl QueueReceiver {
    /// Creates a driver that reads from `queue`.
    pub fn new(context: &HalfContext<'_>, shared: Rc<ReceiveShared>, queue: QueueLayout) -> QueueReceiver {
        QueueReceiver {
            shared,
            port: context.port.clone(),
            queue,
            word_cycles: context.parameters.word_cycles,
            poll_cycles: context.poll_cycles(),
            format: context.parameters.header_format(),
            overlaps_fetches: context.parameters.outstanding > 1,
            packet_bytes: Cell::new(0),
            prefetched_packets: Cell::new(0),
            head: Cell::new(0),
            meter: Meter::default(),
            operations: None,
        }
    }

    /// Replaces the meter of the service time.
    #[must_use]
    pub fn with_meter(self, meter: Meter) -> QueueReceiver {
        QueueReceiver { meter, ..self }
    }

    /// Adds the operations of a device that executes them.
    #[must_use]
    pub fn with_operations(self, memory: Option<Rc<RemoteMemory>>) -> QueueReceiver {
        QueueReceiver { operations: memory.map(RemoteOperations::new), ..self }
    }

    /// Prefetches the blocks that the driver expects to read: the blocks of packet number `position` and, while every
    /// poll finds a packet, the blocks of the next packets. The poll itself loads the header of `position`.
    fn prefetch(&self, cpu: &AnyProcessor, position: u64) {
        let bytes = self.packet_bytes.get();
        let slot = self.queue.block(position, 0);
        cpu.announce_run(slot + BLOCK_BYTES as u64, bytes.saturating_sub(BLOCK_BYTES), false);
        for next in position + 1..=position + self.prefetched_packets.get() {
            cpu.announce_run(self.queue.block(next, 0), bytes, false);
        }
    }

    /// Returns the operations, if the device executes them.
    pub fn operations(&self) -> Option<&RemoteOperations> {
        self.operations.as_ref()
    }
}

impl ReceiveHalf for QueueReceiver {
    async fn poll(&self, cpu: &AnyProcessor) -> Option<RxHit> {
        let position = self.head.get();
        let poll_start = cpu.now();
        let slot = self.queue.block(position, 0);
        if self.overlaps_fetches {
            self.prefetch(cpu, position);
        }
        let first = loaded!(cpu, load(cpu, slot, 8));
        let mut header = Header::from_words(self.format, [first, 0]);
        if header.sense != self.queue.sense(position) {
            self.prefetched_packets.set(0);
            return None;
        }
        if header.header_words() > 1 {
            let second = loaded!(cpu, load(cpu, slot + 8, 8));
            header = Header::from_words(self.format, [first, second]);
        }
        if self.overlaps_fetches {
            cpu.announce_run(slot, header.packet_bytes(), false);
            self.packet_bytes.set(header.packet_bytes());
            self.prefetched_packets
                .set((2 * self.prefetched_packets.get() + 1).min(PREFETCHED_PACKETS_MAX).min(self.queue.slots() - 1));
        }
        header.sense = 0;
        self.meter.begin(poll_start);
        let journey = self.shared.take_journey(position);
        let processor_stage = ProcessorStage::start(&journey, cpu, "receive: poll");
        Some(RxHit { header, journey, processor_stage })
    }

    async fn take(&self, cpu: &AnyProcessor, header: Header, sink: &mut PayloadSink<'_>) {
        let position = self.head.get();
        let slot = self.queue.block(position, 0);
        for word in header.header_words()..header.words() {
            let value = loaded!(cpu, load(cpu, slot + 8 * word as u64, 8));
            stored!(cpu, value, store_word(cpu, header, sink, word, value, self.word_cycles));
        }
        self.head.set(position + 1);
        cpu.store_word(self.shared.head_address, 8, position + 1).await;
        self.port.set_feedback(self.meter.end(cpu.now(), header.blocks()).ps());
    }

    async fn idle(&self, cpu: &AnyProcessor, wake: Wake<'_>) -> bool {
        self.meter.idle();
        let block = self.queue.block(self.head.get(), 0);
        match cpu.snooping() {
            Some(processor) => {
                processor.spin(block, self.poll_cycles, self.shared.visible.wait_reason(), wake.next).await;
            }
            None => {
                self.charge_poll(cpu);
                cpu.sync().await;
            }
        }
        false
    }

    fn charge_poll(&self, cpu: &AnyProcessor) {
        self.meter.idle();
        cpu.work(self.poll_cycles);
    }

    fn poll_wait_reason(&self, cpu: &AnyProcessor) -> Option<WaitReasonId> {
        match cpu.snooping() {
            Some(_) => None,
            None => Some(self.shared.visible.wait_reason()),
        }
    }
}
