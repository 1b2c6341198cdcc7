//! The driver halves that the designs share: they compose in one queue and read from another, by
//! cached stores and loads.

use super::device::{ReceiveShared, SendRegisters, tail_word};
use super::layout::{HEAD, QueueLayout, REGISTER_BYTES, REGISTERS, TAIL};
use super::throttle::{Meter, Throttle};
use crate::engine::sim::PointId;
use crate::host::{AnyProcessor, Processor, Window};
use crate::ni::designs::fifo::device::marks_word;
use crate::ni::designs::half::{HalfContext, ReceiveHalf, RxHit, SendHalf};
use crate::ni::driver::{DriverState, SendRequest, Wake};
use crate::ni::parcel::{Header, Ticket};
use crate::ni::port::Port;
use crate::ni::word_copy::{PayloadSink, load, load_word, loaded, store, store_word, stored};
use std::cell::Cell;
use std::rc::Rc;

/// The driver's sending half.
pub struct QueueSender {
    registers: Rc<SendRegisters>,
    window: Window,
    port: Rc<Port>,
    queue: QueueLayout,
    word_cycles: u64,
    tail: Cell<u64>,
    head_seen: Cell<u64>,
    throttle: Option<Throttle>,
}

impl QueueSender {
    /// A driver that composes in `queue`, and tells `registers`.
    pub fn new(
        context: &HalfContext<'_>,
        registers: Rc<SendRegisters>,
        queue: QueueLayout,
        throttle: Option<Throttle>,
    ) -> QueueSender {
        QueueSender {
            window: context.host().attach(registers.clone(), REGISTERS),
            registers,
            port: context.port.clone(),
            queue,
            word_cycles: context.parameters.word_cycles,
            tail: Cell::new(0),
            head_seen: Cell::new(0),
            throttle,
        }
    }

    fn has_room(&self) -> bool {
        self.tail.get() - self.head_seen.get() < self.queue.slots()
    }
}

impl SendHalf for QueueSender {
    async fn can_send(&self, cpu: &AnyProcessor) -> bool {
        if !self.has_room() {
            self.head_seen.set(cpu.read(self.window.at(HEAD), REGISTER_BYTES).await);
        }
        self.has_room()
    }

    async fn send(&self, cpu: &AnyProcessor, mut header: Header, packet: &SendRequest<'_>, ticket: Option<Ticket>) {
        if let Some(throttle) = &self.throttle {
            throttle.wait(cpu, &self.port, &header).await;
        }
        let position = self.tail.get();
        header.sense = self.queue.sense(position);
        self.registers.composing.borrow_mut().push_back((packet.journey.clone(), ticket));
        let slot = self.queue.block(position, 0);
        for word in 0..header.words() {
            let value = loaded!(cpu, load_word(cpu, header, packet.source, word, self.word_cycles));
            stored!(cpu, value, store(cpu, slot + 8 * word as u64, 8, value));
        }
        self.tail.set(position + 1);
        let tail = tail_word(position + 1, marks_word(packet.marks));
        cpu.write(self.window.at(TAIL), REGISTER_BYTES, tail).await;
    }
}

/// The driver's receiving half.
pub struct QueueReceiver {
    shared: Rc<ReceiveShared>,
    port: Rc<Port>,
    queue: QueueLayout,
    word_cycles: u64,
    poll_cycles: u64,
    head: Cell<u64>,
    meter: Meter,
}

impl QueueReceiver {
    /// A driver that reads from `queue`.
    pub fn new(context: &HalfContext<'_>, shared: Rc<ReceiveShared>, queue: QueueLayout) -> QueueReceiver {
        QueueReceiver {
            shared,
            port: context.port.clone(),
            queue,
            word_cycles: context.parameters.word_cycles,
            poll_cycles: context.poll_cycles(),
            head: Cell::new(0),
            meter: Meter::default(),
        }
    }
}

impl ReceiveHalf for QueueReceiver {
    async fn poll(&self, cpu: &AnyProcessor) -> Option<RxHit> {
        let position = self.head.get();
        let began = cpu.now();
        let first = loaded!(cpu, load(cpu, self.queue.block(position, 0), 8));
        let mut header = Header::decode(first);
        if header.sense != self.queue.sense(position) {
            return None;
        }
        header.sense = 0;
        self.meter.begin(began);
        let journey = self.shared.journeys.borrow_mut().pop_front().expect("a packet that is seen was put there");
        let ticket = Ticket::start(&journey, cpu, "receive: poll");
        Some(RxHit { header, journey, state: DriverState { ticket, ..DriverState::default() } })
    }

    async fn take(&self, cpu: &AnyProcessor, header: Header, sink: &mut PayloadSink<'_>) {
        let position = self.head.get();
        let slot = self.queue.block(position, 0);
        for word in 1..header.words() {
            let value = loaded!(cpu, load(cpu, slot + 8 * word as u64, 8));
            stored!(cpu, value, store_word(cpu, header, sink, word, value, self.word_cycles));
        }
        self.head.set(position + 1);
        cpu.store_word(self.shared.head_address, 8, position + 1).await;
        self.port.tell(self.meter.end(cpu.now(), header.blocks()).ps());
    }

    async fn idle(&self, cpu: &AnyProcessor, wake: Wake<'_>) -> bool {
        self.meter.idle();
        let block = self.queue.block(self.head.get(), 0);
        match cpu.coherent() {
            Some(processor) => {
                processor.spin(block, self.poll_cycles, self.shared.visible.point(), wake.next).await;
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

    fn polled(&self, cpu: &AnyProcessor) -> Option<PointId> {
        match cpu.coherent() {
            Some(_) => None,
            None => Some(self.shared.visible.point()),
        }
    }
}
