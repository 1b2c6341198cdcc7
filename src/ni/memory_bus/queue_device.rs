//! The device halves that the coherent designs share: registers, and the loops that fetch composed
//! messages from a queue and deposit arriving ones in one. How blocks are fetched and deposited is
//! each design's own: [`Fetch`], [`Deposit`].

use super::Site;
use super::coherent_queue::{HEAD, Queue, TAIL};
use super::fifo::Output;
use super::message::{Header, Parcel, SENDING, Ticket};
use super::port::Port;
use crate::engine::{Ledger, Signal, Sim, Time};
use crate::host::memory_bus::block::{offset_in_block, read_bytes};
use crate::host::memory_bus::{Address, AgentId, BLOCK_BYTES, Block, Bus, Kind};
use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::rc::Rc;

/// The registers of a sending device.
pub struct SendRegisters {
    sim: Sim,
    told: Cell<u64>,
    fetched: Cell<u64>,
    rung: Signal,
    pub(super) composing: RefCell<Option<Ticket>>,
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
    let mut header = Header::decode(read_bytes(&bytes[..8]));
    assert_eq!(header.sense, queue.sense(position), "the tail tells only of messages that were composed");
    for block in 1..header.blocks() {
        bytes.extend_from_slice(&source.fetch(queue.block(position, block)).await.0);
    }
    bytes.truncate(header.message_bytes());
    header.sense = 0;
    bytes[..8].copy_from_slice(&header.encode().to_le_bytes());
    bytes
}

/// What a receiving device and its driver share beside the queue.
pub struct ReceiveShared {
    /// The word in main memory that holds the driver's head.
    pub(super) head_address: Address,
    head_known: Cell<u64>,
    pub(super) ledgers: RefCell<VecDeque<Option<Box<Ledger>>>>,
    pub(super) visible: Signal,
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
