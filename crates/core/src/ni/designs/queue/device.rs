//! The device halves of the queues: their registers, the loop that fetches composed packets from the send queue, and
//! the loop that writes arriving packets to the receive queue. Each design defines the access to the blocks of the
//! queues: [`Fetch`], [`Deposit`].

use super::layout::{HEAD_OFFSET, QueueLayout, TAIL_OFFSET};
use crate::engine::{Class, Journey, Signal, Sim, Time};
use crate::fabric::{Label, Packet};
use crate::host::block::read_bytes;
use crate::host::{Address, BLOCK_BYTES, Block, Device};
use crate::ni::designs::fifo::device::{Output, marks_of};
use crate::ni::designs::half::HalfContext;
use crate::ni::parcel::{Header, SENDING, Ticket, block_of};
use crate::ni::port::Port;
use crate::protocol::Marks;
use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::rc::Rc;

/// Bits of a count in a register.
const COUNT_BITS: u32 = 28;

/// Returns the word that is written to the tail register: the tail, and the marks of the new packets.
pub fn tail_word(tail: u64, marks: u64) -> u64 {
    assert!(tail < 1 << COUNT_BITS, "a run has fewer than 2²⁸ packets a node");
    tail | marks << COUNT_BITS
}

/// The registers of a sending device.
pub struct SendRegisters {
    sim: Sim,
    time: Time,
    /// The tail as last written by the processor: number of composed packets.
    tail: Cell<u64>,
    /// The head: number of fetched packets.
    head: Cell<u64>,
    /// Notified when the processor writes the tail.
    rung: Signal,
    /// Journeys of the packet that is being composed and of composed packets whose tail has not arrived yet, because a
    /// bus may post that write.
    pub(super) composing: RefCell<VecDeque<(Journey, Option<Ticket>)>>,
    /// Journeys and marks of the packets up to the tail that have not been fetched.
    packets: RefCell<VecDeque<(Journey, Marks)>>,
}

impl SendRegisters {
    /// Creates the registers of an empty queue.
    pub fn new(context: &HalfContext<'_>) -> Rc<SendRegisters> {
        Rc::new(SendRegisters {
            sim: context.sim().clone(),
            time: context.parameters.memory_time,
            tail: Cell::new(0),
            head: Cell::new(0),
            rung: Signal::new(context.sim(), format!("{}: a packet in the send queue", context.name())),
            composing: RefCell::default(),
            packets: RefCell::default(),
        })
    }
}

impl Device for SendRegisters {
    fn time(&self, _at: u64) -> Time {
        self.time
    }

    fn read(&self, at: u64, into: &mut [u8]) {
        assert_eq!(at, HEAD_OFFSET, "only the head is read");
        into.copy_from_slice(&self.head.get().to_le_bytes()[..into.len()]);
    }

    fn write(&self, at: u64, bytes: &[u8]) {
        assert_eq!(at, TAIL_OFFSET, "only the tail is written");
        let word = read_bytes(bytes);
        let tail = word & ((1 << COUNT_BITS) - 1);
        for _ in self.tail.replace(tail)..tail {
            let (journey, ticket) = self.composing.borrow_mut().pop_front().expect("the tail counts composed packets");
            if let Some(ticket) = ticket {
                ticket.end(&SENDING, self.sim.now());
            }
            self.packets.borrow_mut().push_back((journey, marks_of(word >> COUNT_BITS)));
        }
        self.rung.notify();
    }
}

/// The access of a sending device to the blocks of the queue.
pub trait Fetch {
    /// Returns the block as last written by the processor.
    async fn fetch(&self, block: Address) -> Block;
}

/// Fetches packets up to the tail, and sends them.
pub async fn serve_sends(
    registers: Rc<SendRegisters>,
    queue: QueueLayout,
    port: Rc<Port>,
    output: Rc<Output>,
    source: impl Fetch,
) {
    loop {
        let position = registers.head.get();
        if position == registers.tail.get() {
            registers.rung.wait().await;
            continue;
        }
        let slot = port.reserve(Class::REQUESTS).await;
        let start = registers.sim.now();
        let bytes = fetch_packet(&queue, position, &source).await;
        registers.head.set(position + 1);
        let (journey, marks) =
            registers.packets.borrow_mut().pop_front().expect("a packet before the tail has a journey");
        journey.add_service(start, registers.sim.now());
        output.send(slot, Packet::of_row(Label::default(), journey, bytes), marks);
    }
}

async fn fetch_packet(queue: &QueueLayout, position: u64, source: &impl Fetch) -> Vec<u8> {
    let first = source.fetch(queue.block(position, 0)).await;
    let mut header = Header::decode(first.read(0, 8));
    let mut bytes = Vec::with_capacity(header.blocks() * BLOCK_BYTES);
    bytes.extend_from_slice(&first.0);
    assert_eq!(header.sense, queue.sense(position), "the tail counts composed packets");
    for block in 1..header.blocks() {
        bytes.extend_from_slice(&source.fetch(queue.block(position, block)).await.0);
    }
    bytes.truncate(header.packet_bytes());
    header.sense = 0;
    bytes[..8].copy_from_slice(&header.encode().to_le_bytes());
    bytes
}

/// The state that a receiving device and its driver share in addition to the queue.
pub struct ReceiveShared {
    /// Address of the word in main memory that holds the driver's head.
    pub(super) head_address: Address,
    head_known: Cell<u64>,
    pub(super) journeys: RefCell<VecDeque<Journey>>,
    pub(super) visible: Signal,
}

impl ReceiveShared {
    /// Creates the state of an empty queue.
    pub fn new(context: &HalfContext<'_>) -> Rc<ReceiveShared> {
        Rc::new(ReceiveShared {
            head_address: context.host().allocate(BLOCK_BYTES),
            head_known: Cell::new(0),
            journeys: RefCell::default(),
            visible: Signal::new(context.sim(), format!("{}: a packet", context.name())),
        })
    }

    /// Returns the head that the device last read.
    pub fn head_known(&self) -> u64 {
        self.head_known.get()
    }

    /// Reads the head from memory.
    pub async fn update_head(&self, device: &impl Deposit) {
        self.head_known.set(device.read(self.head_address).await.read(0, 8));
    }
}

/// The access of a receiving device to the blocks of the queue.
pub trait Deposit {
    /// Writes the blocks of packet number `position`, the block with the header last.
    async fn deposit(&self, position: u64, blocks: &[Block]);
    /// Reads a block of memory.
    async fn read(&self, block: Address) -> Block;
    /// Consumes a packet that is not for a program. Returns whether the packet was consumed.
    async fn consume(&self, _packet: &Packet) -> bool {
        false
    }
}

/// Writes packets to the queue as they arrive.
pub async fn serve_receives(
    sim: Sim,
    shared: Rc<ReceiveShared>,
    queue: QueueLayout,
    port: Rc<Port>,
    times: ReceiveTimes,
    target: impl Deposit,
) {
    let mut blocks = Vec::new();
    let mut position = 0;
    loop {
        let taken = port.take(Class::REQUESTS).await;
        let start = sim.now();
        sim.delay(times.processing).await;
        let packet = taken.packet.clone();
        if target.consume(&packet).await {
            port.release(taken);
            continue;
        }
        wait_for_capacity(&sim, &shared, &queue, position, times.head_poll, &target).await;
        let mut header = Header::of(&packet);
        header.sense = queue.sense(position);
        packet.write(0, &header.encode().to_le_bytes());
        blocks.clear();
        blocks.extend((0..header.blocks()).map(|block| block_of(&packet, block)));
        target.deposit(position, &blocks).await;
        port.release(taken);
        packet.journey.add_service(start, sim.now());
        packet.journey.close("receive: interface", sim.now());
        shared.journeys.borrow_mut().push_back(packet.journey.clone());
        shared.visible.notify();
        position += 1;
    }
}

/// The times of a receiving device, apart from its memory.
#[derive(Clone, Copy)]
pub struct ReceiveTimes {
    /// Time of the device's logic for a packet.
    pub processing: Time,
    /// Time that the device waits before it reads the head of a full queue again.
    pub head_poll: Time,
}

/// Waits until the queue has a free slot for packet number `position`.
async fn wait_for_capacity(
    sim: &Sim,
    shared: &ReceiveShared,
    queue: &QueueLayout,
    position: u64,
    head_poll: Time,
    target: &impl Deposit,
) {
    let full = || position - shared.head_known.get() >= queue.slots();
    while full() {
        shared.update_head(target).await;
        if full() {
            sim.delay(head_poll).await;
        }
    }
}

/// Starts the task of a receiving device.
pub fn start_receiving(
    context: &HalfContext<'_>,
    shared: &Rc<ReceiveShared>,
    queue: QueueLayout,
    target: impl Deposit + 'static,
) {
    let times =
        ReceiveTimes { processing: context.parameters.processing_time, head_poll: context.parameters.head_poll_time };
    let work = serve_receives(context.sim().clone(), shared.clone(), queue, context.port.clone(), times, target);
    context.sim().spawn_server(format!("{} receive queue", context.name()), work);
}

/// Starts the task of a sending device.
pub fn start_sending(
    context: &HalfContext<'_>,
    registers: &Rc<SendRegisters>,
    queue: QueueLayout,
    source: impl Fetch + 'static,
) {
    let output = Output::new(context.sim(), context.name(), context.port, context.parameters.processing_time);
    let work = serve_sends(registers.clone(), queue, context.port.clone(), output, source);
    context.sim().spawn_server(format!("{} send queue", context.name()), work);
}
