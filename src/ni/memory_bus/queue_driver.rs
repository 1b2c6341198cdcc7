//! The driver halves that the coherent designs share: they compose in one queue and read from
//! another, by cached stores and loads.

use super::coherent_queue::{HEAD, Queue, TAIL};
use super::message::{Header, Outgoing, RECEIVING, Ticket};
use super::port::Port;
use super::queue_device::{ReceiveShared, SendRegisters};
use super::throttle::{Meter, Throttle};
use super::words::{load_word, store_word};
use super::{Arrival, ReceiveHalf, SendHalf, Site};
use crate::engine::Ledger;
use crate::host::memory_bus::{Address, Processor};
use std::cell::Cell;
use std::rc::Rc;

/// The driver's sending half.
pub struct QueueSender {
    registers: Rc<SendRegisters>,
    port: Rc<Port>,
    queue: Queue,
    word_cycles: u64,
    tail: Cell<u64>,
    head_seen: Cell<u64>,
    throttle: Option<Throttle>,
}

impl QueueSender {
    /// A driver that composes in `queue`.
    pub fn new(site: &Site, registers: Rc<SendRegisters>, queue: Queue, throttle: Option<Throttle>) -> QueueSender {
        let (port, word_cycles) = (site.port.clone(), site.parameters.word_cycles);
        QueueSender { registers, port, queue, word_cycles, tail: Cell::new(0), head_seen: Cell::new(0), throttle }
    }

    fn has_room(&self) -> bool {
        self.tail.get() - self.head_seen.get() < self.queue.slots()
    }
}

impl SendHalf for QueueSender {
    async fn can_send(&self, processor: &Processor) -> bool {
        if !self.has_room() {
            self.head_seen.set(processor.read_uncached(HEAD, 8).await);
        }
        self.has_room()
    }

    async fn send(&self, processor: &Processor, mut message: Outgoing) {
        if let Some(throttle) = &self.throttle {
            throttle.wait(processor, &self.port, &message.header).await;
        }
        let position = self.tail.get();
        message.header.sense = self.queue.sense(position);
        *self.registers.composing.borrow_mut() = message.ticket.take();
        for word in 0..message.header.words() {
            let value = load_word(processor, &message, word, self.word_cycles).await;
            let address = self.queue.block(position, word / 8) + 8 * (word as u64 % 8);
            if !processor.try_store(address, 8, value) {
                processor.store(address, 8, value).await;
            }
        }
        self.tail.set(position + 1);
        processor.write_uncached(TAIL, 8, position + 1).await;
    }
}

/// The driver's receiving half.
pub struct QueueReceiver {
    shared: Rc<ReceiveShared>,
    port: Rc<Port>,
    queue: Queue,
    word_cycles: u64,
    poll_cycles: u64,
    head: Cell<u64>,
    meter: Meter,
}

impl QueueReceiver {
    /// A driver that reads from `queue`.
    pub fn new(site: &Site, shared: Rc<ReceiveShared>, queue: Queue) -> QueueReceiver {
        let (word_cycles, poll_cycles) = (site.parameters.word_cycles, site.parameters.poll_cycles);
        let (port, meter) = (site.port.clone(), Meter::default());
        QueueReceiver { shared, port, queue, word_cycles, poll_cycles, head: Cell::new(0), meter }
    }
}

async fn load(processor: &Processor, address: Address) -> u64 {
    match processor.try_load(address, 8) {
        Some(value) => value,
        None => processor.load(address, 8).await,
    }
}

impl ReceiveHalf for QueueReceiver {
    async fn poll(&self, processor: &Processor) -> Option<Arrival> {
        let position = self.head.get();
        let began = processor.time();
        let header = Header::decode(load(processor, self.queue.block(position, 0)).await);
        if header.sense != self.queue.sense(position) {
            return None;
        }
        self.meter.begin(began);
        let ledger = self.shared.ledgers.borrow_mut().pop_front().flatten();
        let ticket = ledger.map(|ledger| Ticket::start(ledger, processor, "receive: poll"));
        Some(Arrival { header, ticket })
    }

    async fn receive(&self, processor: &Processor, arrival: Arrival, into: Address) -> Option<Box<Ledger>> {
        let position = self.head.get();
        for word in 1..arrival.header.words() {
            let value = load(processor, self.queue.block(position, word / 8) + 8 * (word as u64 % 8)).await;
            store_word(processor, arrival.header, into, word, value, self.word_cycles).await;
        }
        self.head.set(position + 1);
        processor.store(self.shared.head_address, 8, position + 1).await;
        self.port.service_period.set(self.meter.end(processor.time(), arrival.header.blocks()));
        arrival.ticket.map(|ticket| ticket.end(&RECEIVING, processor.time()))
    }

    async fn idle(&self, processor: &Processor) {
        self.meter.idle();
        let block = self.queue.block(self.head.get(), 0);
        processor.spin(block, self.poll_cycles, self.shared.visible.point()).await;
    }
}
