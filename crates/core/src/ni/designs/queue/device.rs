//! The device halves of the queues: the registers of a sending device, and the loop that writes arriving packets to the
//! receive queue. Each design defines the access to the blocks of the queues ([`Fetch`], [`Deposit`]). The loops that
//! fetch composed packets are in [`sending`](super::sending).
//!
//! A device with several transactions outstanding deposits several packets at the same time. A packet may become valid
//! before an earlier one. The reader reads packets in order, so it sees the earlier packet first.

use super::layout::{HEAD_OFFSET, QueueLayout, TAIL_OFFSET};
use super::work_pool::WorkPool;
use crate::engine::{Class, Journey, Pool, Signal, Sim, Time};
use crate::fabric::Packet;
use crate::host::block::read_bytes;
use crate::host::{Address, BLOCK_BYTES, Block, Device};
use crate::ni::designs::fifo::device::marks_of;
use crate::ni::designs::half::HalfContext;
use crate::ni::parcel::{HEADER_BYTES, Header, HeaderFormat, ProcessorStage, SENDING_STAGES, block_of};
use crate::ni::port::{Port, TakenPacket};
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
    pub(super) sim: Sim,
    memory_time: Time,
    /// The tail as last written by the processor: number of composed packets.
    pub(super) tail: Cell<u64>,
    /// The head: number of fetched packets.
    pub(super) head: Cell<u64>,
    /// Notified when the processor writes the tail.
    pub(super) tail_written: Signal,
    /// Journeys of the packet that is being composed, and of composed packets for which the write of the tail has not
    /// arrived yet, because a bus may post it.
    pub(super) composed_journeys: RefCell<VecDeque<(Journey, Option<ProcessorStage>)>>,
    /// Journeys and marks of the packets up to the tail that have not been fetched.
    pub(super) unfetched_packets: RefCell<VecDeque<(Journey, Marks)>>,
}

impl SendRegisters {
    /// Creates the registers of an empty queue.
    pub fn new(context: &HalfContext<'_>) -> Rc<SendRegisters> {
        Rc::new(SendRegisters {
            sim: context.sim().clone(),
            memory_time: context.parameters.memory_time,
            tail: Cell::new(0),
            head: Cell::new(0),
            tail_written: Signal::new(context.sim(), format!("{}: a packet in the send queue", context.name())),
            composed_journeys: RefCell::default(),
            unfetched_packets: RefCell::default(),
        })
    }
}

impl Device for SendRegisters {
    fn time(&self, _at: u64) -> Time {
        self.memory_time
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
            let (journey, processor_stage) =
                self.composed_journeys.borrow_mut().pop_front().expect("the tail counts composed packets");
            if let Some(processor_stage) = processor_stage {
                processor_stage.end(&SENDING_STAGES, self.sim.now());
            }
            self.unfetched_packets.borrow_mut().push_back((journey, marks_of(word >> COUNT_BITS)));
        }
        self.tail_written.notify();
    }
}

/// The access of a sending device to the blocks of the queue.
pub trait Fetch {
    /// Returns the block as last written by the processor.
    async fn fetch(&self, block: Address) -> Block;
    /// Announces that a block will be fetched soon.
    fn announce(&self, _block: Address) {}
    /// Waits until the device has lost its copy of the first block of a slot.
    async fn header_changed(&self, _block: Address) {}
}

/// The state that a receiving device and its driver share in addition to the queue.
pub struct ReceiveShared {
    /// Address of the word in main memory that holds the driver's head.
    pub(super) head_address: Address,
    known_head: Cell<u64>,
    /// Journeys of the packets in the queue, by position.
    journeys: RefCell<VecDeque<(u64, Journey)>>,
    /// Notified when a packet has become visible to the driver.
    pub(super) visible: Signal,
}

impl ReceiveShared {
    /// Creates the state of an empty queue.
    pub fn new(context: &HalfContext<'_>) -> Rc<ReceiveShared> {
        Rc::new(ReceiveShared {
            head_address: context.host().allocate(BLOCK_BYTES),
            known_head: Cell::new(0),
            journeys: RefCell::default(),
            visible: Signal::new(context.sim(), format!("{}: a packet", context.name())),
        })
    }

    /// Returns the head that the device last read.
    pub fn known_head(&self) -> u64 {
        self.known_head.get()
    }

    /// Makes packet number `position` visible to the driver.
    fn publish(&self, position: u64, journey: &Journey) {
        self.journeys.borrow_mut().push_back((position, journey.clone()));
        self.visible.notify();
    }

    /// Takes the journey of packet number `position`, which is valid.
    pub fn take_journey(&self, position: u64) -> Journey {
        let mut journeys = self.journeys.borrow_mut();
        let index =
            journeys.iter().position(|(number, _)| *number == position).expect("a visible packet has a journey");
        journeys.remove(index).expect("the entry exists").1
    }

    /// Reads the head from memory.
    pub async fn update_head(&self, device: &impl Deposit) {
        self.known_head.set(device.read(self.head_address).await.read(0, 8));
    }
}

/// The access of a receiving device to the blocks of the queue.
pub trait Deposit {
    /// Writes the blocks of packet number `position`, the block with the header last. Calls `on_visible` when the
    /// header is visible.
    async fn deposit(&self, position: u64, blocks: &[Block], on_visible: &dyn Fn());
    /// Reads a block of memory.
    async fn read(&self, block: Address) -> Block;
    /// Consumes a packet that is not for a program. Returns whether the packet was consumed.
    async fn consume(&self, _packet: &Packet) -> bool {
        false
    }
}

/// The receiving device.
struct Receiver<D> {
    sim: Sim,
    shared: Rc<ReceiveShared>,
    queue: QueueLayout,
    format: HeaderFormat,
    port: Rc<Port>,
    times: ReceiveTimes,
    target: D,
}

impl<D: Deposit + 'static> Receiver<D> {
    /// Writes packets to the queue as they arrive. With a pool, several are written at the same time.
    async fn serve(self: Rc<Self>, pool: Option<(Rc<WorkPool>, Rc<Pool>)>) {
        let mut position = 0;
        loop {
            let taken_packet = self.port.take(Class::REQUESTS).await;
            let start = self.sim.now();
            self.sim.delay(self.times.processing).await;
            let packet = taken_packet.packet.clone();
            if self.target.consume(&packet).await {
                self.port.release(taken_packet);
                continue;
            }
            if position - self.shared.known_head() >= self.queue.slots() {
                let head_poll = self.times.head_poll;
                wait_for_capacity(&self.sim, &self.shared, &self.queue, position, head_poll, &self.target).await;
            }
            match &pool {
                None => self.deposit(position, taken_packet, start).await,
                Some((workers, free_tasks)) => {
                    let (receiver, free_tasks) = (self.clone(), free_tasks.clone());
                    free_tasks.acquire(1).await;
                    workers.submit(async move {
                        receiver.deposit(position, taken_packet, start).await;
                        free_tasks.release(1);
                    });
                }
            }
            position += 1;
        }
    }

    async fn deposit(&self, position: u64, taken_packet: TakenPacket, start: Time) {
        let packet = taken_packet.packet.clone();
        let mut header = Header::from_packet(self.format, &packet);
        header.sense = self.queue.sense(position);
        let mut encoded = [0; 2 * HEADER_BYTES];
        header.write_to(&mut encoded);
        packet.write(0, &encoded[..self.format.bytes()]);
        let blocks: Vec<Block> = (0..header.blocks()).map(|block| block_of(&packet, block)).collect();
        let on_visible = || {
            packet.journey.add_service(start, self.sim.now());
            packet.journey.close("receive: interface", self.sim.now());
            self.shared.publish(position, &packet.journey);
        };
        self.target.deposit(position, &blocks, &on_visible).await;
        self.port.release(taken_packet);
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
    let is_full = || position - shared.known_head.get() >= queue.slots();
    while is_full() {
        shared.update_head(target).await;
        if is_full() {
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
    let parameters = context.parameters;
    let receiver = Rc::new(Receiver {
        sim: context.sim().clone(),
        shared: shared.clone(),
        queue,
        format: parameters.header_format(),
        port: context.port.clone(),
        times: ReceiveTimes { processing: parameters.processing_time, head_poll: parameters.head_poll_time },
        target,
    });
    let name = context.name();
    let pool = (parameters.outstanding > 1).then(|| {
        let free_tasks = Pool::new(context.sim(), format!("{name}: a free deposit"), parameters.outstanding as u64);
        (WorkPool::start(context.sim(), &format!("{name} deposit"), parameters.outstanding), Rc::new(free_tasks))
    });
    context.sim().spawn_server(format!("{name} receive queue"), receiver.serve(pool));
}
