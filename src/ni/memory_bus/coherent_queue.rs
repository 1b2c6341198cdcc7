//! What the coherent designs share: queues in cacheable memory, and the drivers at their ends.
//!
//! Models (§4, after Mukherjee et al. 1996):
//!
//! * A queue is a ring of slots, each as large as the largest message, blocks apart.
//! * *Message valid bits with sense reverse*: a header says in which lap of the ring it was
//!   written, so the reader sees from the message itself that it is new, and nobody clears it.
//!   The lap is seven bits, not one: a design that drops dead messages without writing them back
//!   leaves older laps in memory, and with one bit the last but one would look new.
//! * *Lazy pointers*: each side goes by the other's pointer as it last saw it, and looks again only
//!   when the queue seems full. The reader's head is a word in cacheable memory of its own block.
//! * One uncached store of the tail tells the interface of a message to send; that a message has
//!   come, the processor learns by polling its header's block in its cache.
//!
//! Leaves out: several processes; interrupts.
//! Parameters: blocks of a queue, the loop's cycles per word and per poll.

use super::fifo::Output;
use super::message::{Header, Outgoing, Parcel, RECEIVING, SENDING, Ticket};
use super::port::Port;
use super::throttle::{Meter, Throttle};
use super::words::{load_word, store_word};
use super::{Arrival, ReceiveHalf, RECEIVE_BASE, SEND_BASE, SendHalf, Site};
use crate::engine::{Ledger, Signal, Sim, Time};
use crate::host::memory_bus::block::{Address, BLOCK_BYTES, Block, offset_in_block};
use crate::host::memory_bus::{AgentId, Bus, Kind, Processor};
use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::rc::Rc;

/// The tail of the send queue (write): how many messages were composed so far.
pub const TAIL: Address = SEND_BASE;
/// The head of the send queue (read): how many messages were fetched so far.
pub const HEAD: Address = SEND_BASE + 8;
/// Where a send queue begins that is at home in the interface: in another part of a direct-mapped
/// cache of 1 MB than the receive queue, and than what is allocated first in main memory.
pub const SEND_QUEUE: Address = SEND_BASE + (1 << 19);
/// Where a receive queue begins that is at home in the interface.
pub const RECEIVE_QUEUE: Address = RECEIVE_BASE + (3 << 18);

/// Senses count the laps from 1 to this, so that zeroed memory holds no message.
const SENSES: u64 = 127;

/// The layout of a queue.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Queue {
    base: Address,
    slots: u64,
    slot_blocks: u64,
}

impl Queue {
    /// A queue of `blocks` blocks at `base` for messages of up to `message_blocks`.
    pub fn new(base: Address, blocks: u64, message_blocks: u64) -> Queue {
        let slot_blocks = message_blocks.next_power_of_two();
        Queue { base, slots: blocks / slot_blocks, slot_blocks }
    }

    /// How many messages it holds.
    pub fn slots(&self) -> u64 {
        self.slots
    }

    /// The slot of message number `position`.
    pub fn slot(&self, position: u64) -> usize {
        (position % self.slots) as usize
    }

    /// The address of a block of message number `position`.
    pub fn block(&self, position: u64, block: usize) -> Address {
        let index = (position % self.slots) * self.slot_blocks + block as u64;
        self.base + index * BLOCK_BYTES as u64
    }

    /// The number of the block at `address`, from the queue's start.
    pub fn index(&self, address: Address) -> Option<usize> {
        let index = address.checked_sub(self.base)? / BLOCK_BYTES as u64;
        (index < self.slots * self.slot_blocks).then_some(index as usize)
    }

    /// Whether block number `index` is the first of a slot.
    pub fn is_first(&self, index: usize) -> bool {
        (index as u64).is_multiple_of(self.slot_blocks)
    }

    /// The blocks of the queue.
    pub fn blocks(&self) -> usize {
        (self.slots * self.slot_blocks) as usize
    }

    /// The sense of message number `position`.
    pub fn sense(&self, position: u64) -> u8 {
        (1 + position / self.slots % SENSES) as u8
    }
}

/// The order in which a message's blocks are written: the header's last, since it says that the
/// message is there.
pub fn header_last(blocks: usize) -> impl Iterator<Item = usize> {
    (1..blocks).chain([0])
}

/// The registers of a sending device.
pub struct SendRegisters {
    sim: Sim,
    told: Cell<u64>,
    fetched: Cell<u64>,
    rung: Signal,
    composing: RefCell<Option<Ticket>>,
    ledgers: RefCell<VecDeque<Option<Box<Ledger>>>>,
}

impl SendRegisters {
    /// Registers at rest.
    pub fn new(site: &Site) -> SendRegisters {
        SendRegisters {
            sim: site.sim.clone(),
            told: Cell::new(0),
            fetched: Cell::new(0),
            rung: Signal::new(site.sim, format!("{}: a message in the send queue", site.node.name)),
            composing: RefCell::default(),
            ledgers: RefCell::default(),
        }
    }

    /// A register is read.
    pub fn read(&self, address: Address, bytes: usize, data: &mut Block) {
        assert_eq!(address, HEAD, "only the head is read");
        data.write(offset_in_block(address), bytes, self.fetched.get());
    }

    /// A register is written.
    pub fn write(&self, address: Address, bytes: usize, data: &Block) {
        assert_eq!(address, TAIL, "only the tail is written");
        self.told.set(data.read(offset_in_block(address), bytes));
        let ticket = self.composing.borrow_mut().take();
        let ledger = ticket.map(|ticket| ticket.end(&SENDING, self.sim.now()));
        self.ledgers.borrow_mut().push_back(ledger);
        self.rung.notify();
    }
}

/// How a sending device gets the blocks of the queue.
pub trait Fetch {
    /// The block as the processor wrote it.
    async fn fetch(&self, block: Address) -> Block;
}

/// Fetches messages as they are told of, and sends them.
pub async fn serve_sends(
    registers: Rc<SendRegisters>,
    queue: Queue,
    port: Rc<Port>,
    output: Rc<Output>,
    source: impl Fetch,
) {
    loop {
        let position = registers.fetched.get();
        if position == registers.told.get() {
            registers.rung.wait().await;
            continue;
        }
        let buffer = port.reserve().await;
        let start = registers.sim.now();
        let bytes = fetch_message(&queue, position, &source).await;
        registers.fetched.set(position + 1);
        let ledger = registers.ledgers.borrow_mut().pop_front().flatten();
        let mut parcel = Parcel { bytes, ledger };
        parcel.served(start, registers.sim.now());
        output.send(buffer, parcel);
    }
}

async fn fetch_message(queue: &Queue, position: u64, source: &impl Fetch) -> Vec<u8> {
    let mut bytes = source.fetch(queue.block(position, 0)).await.0.to_vec();
    let mut header = Header::decode(crate::host::memory_bus::block::read_bytes(&bytes[..8]));
    assert_eq!(header.sense, queue.sense(position), "the tail tells only of messages that were composed");
    for block in 1..header.blocks() {
        bytes.extend_from_slice(&source.fetch(queue.block(position, block)).await.0);
    }
    bytes.truncate(header.message_bytes());
    header.sense = 0;
    bytes[..8].copy_from_slice(&header.encode().to_le_bytes());
    bytes
}

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

/// What a receiving device and its driver share beside the queue.
pub struct ReceiveShared {
    /// The word in main memory that holds the driver's head.
    head_address: Address,
    head_known: Cell<u64>,
    ledgers: RefCell<VecDeque<Option<Box<Ledger>>>>,
    visible: Signal,
}

impl ReceiveShared {
    /// An empty queue's.
    pub fn new(site: &Site) -> Rc<ReceiveShared> {
        Rc::new(ReceiveShared {
            head_address: site.node.allocate(BLOCK_BYTES),
            head_known: Cell::new(0),
            ledgers: RefCell::default(),
            visible: Signal::new(site.sim, format!("{}: a message", site.node.name)),
        })
    }

    /// The head as the device last saw it.
    pub fn head_known(&self) -> u64 {
        self.head_known.get()
    }

    /// The device reads the head from memory.
    pub async fn update_head(&self, bus: &Bus, by: AgentId) {
        let mut data = Block::ZERO;
        bus.transact(by, Kind::Read, self.head_address, BLOCK_BYTES, &mut data).await;
        self.head_known.set(data.read(0, 8));
    }
}

/// How a receiving device puts a message into the queue.
pub trait Deposit {
    /// Writes the blocks of message number `position`, the header's last.
    async fn deposit(&self, position: u64, blocks: &[Block]);
    /// The device on the bus.
    fn agent(&self) -> (&Bus, AgentId);
}

/// Puts messages into the queue as they come.
pub async fn serve_receives(
    sim: Sim,
    shared: Rc<ReceiveShared>,
    queue: Queue,
    port: Rc<Port>,
    times: ReceiveTimes,
    target: impl Deposit,
) {
    for position in 0.. {
        let mut taken = port.take().await;
        let start = sim.now();
        sim.delay(times.processing).await;
        wait_for_room(&sim, &shared, &queue, position, times.head_poll, &target).await;
        let mut header = taken.payload.header();
        header.sense = queue.sense(position);
        taken.payload.bytes[..8].copy_from_slice(&header.encode().to_le_bytes());
        let blocks: Vec<Block> = (0..header.blocks()).map(|block| taken.payload.block(block)).collect();
        target.deposit(position, &blocks).await;
        let mut parcel = port.release(taken);
        parcel.close("receive: interface", Some(start), sim.now());
        shared.ledgers.borrow_mut().push_back(parcel.ledger);
        shared.visible.notify();
    }
}

/// The times of a receiving device beside its memory's.
#[derive(Clone, Copy)]
pub struct ReceiveTimes {
    /// Its logic's time for a message.
    pub processing: Time,
    /// How long it waits before it looks at the head of a full queue again.
    pub head_poll: Time,
}

async fn wait_for_room(
    sim: &Sim,
    shared: &ReceiveShared,
    queue: &Queue,
    position: u64,
    head_poll: Time,
    target: &impl Deposit,
) {
    let full = || position - shared.head_known.get() >= queue.slots();
    while full() {
        let (bus, id) = target.agent();
        shared.update_head(bus, id).await;
        if full() {
            sim.delay(head_poll).await;
        }
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
