//! The loops of a sending device: it fetches composed packets from the queue, and sends them.
//!
//! The processor notifies the device by the tail register or, with [`SendNotice::Line`], by the header alone. The
//! device holds a copy of the header's block until the processor takes the block to write it. A device with several
//! transactions outstanding fetches several packets at the same time, and several blocks of each packet. Before it
//! knows a packet's length, it assumes the length of the previous packet. Packets are sent in order.

use super::device::{Fetch, SendRegisters};
use super::layout::QueueLayout;
use super::work_pool::WorkPool;
use crate::engine::{Class, Journey, Pool, Time};
use crate::fabric::{Label, Packet};
use crate::host::BLOCK_BYTES;
use crate::ni::designs::fifo::device::{Output, marks_of};
use crate::ni::designs::half::HalfContext;
use crate::ni::designs::parameters::SendNotice;
use crate::ni::parcel::{Header, HeaderFormat, SENDING_STAGES};
use crate::ni::port::Port;
use crate::protocol::{Marks, Slot};
use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::rc::Rc;

/// A packet that was fetched.
struct FetchedPacket {
    slot: Slot,
    start: Time,
    bytes: Vec<u8>,
}

/// The sending device.
struct Sender<F> {
    registers: Rc<SendRegisters>,
    queue: QueueLayout,
    format: HeaderFormat,
    port: Rc<Port>,
    output: Rc<Output>,
    source: F,
    /// Number of blocks of the last packet.
    last_packet_blocks: Cell<usize>,
    /// The packets from the head on; `None` for a packet that is still being fetched.
    fetched_packets: RefCell<VecDeque<Option<FetchedPacket>>>,
}

/// Starts the task of a sending device.
pub fn start(
    context: &HalfContext<'_>,
    registers: &Rc<SendRegisters>,
    queue: QueueLayout,
    source: impl Fetch + 'static,
) {
    let (parameters, sim, name) = (context.parameters, context.sim(), context.name());
    let format = parameters.header_format();
    let output = Output::new(sim, name, context.port, parameters.processing_time, format);
    let sender = Rc::new(Sender {
        registers: registers.clone(),
        queue,
        format,
        port: context.port.clone(),
        output,
        source,
        last_packet_blocks: Cell::new(1),
        fetched_packets: RefCell::default(),
    });
    let pool = (parameters.outstanding > 1).then(|| {
        let free_tasks = Pool::new(sim, format!("{name}: a free fetch"), parameters.outstanding as u64);
        (WorkPool::start(sim, &format!("{name} packet"), parameters.outstanding), Rc::new(free_tasks))
    });
    let task = format!("{name} send queue");
    match (parameters.notice, pool) {
        (SendNotice::Tail, None) => sim.spawn_server(task, sender.serve_up_to_tail()),
        (SendNotice::Tail, Some(pool)) => sim.spawn_server(task, sender.serve_up_to_tail_overlapped(pool)),
        (SendNotice::Line, pool) => sim.spawn_server(task, sender.serve_lines(pool, parameters.outstanding as u64)),
    };
}

impl<F: Fetch + 'static> Sender<F> {
    /// Fetches packets up to the tail one after another, and sends them.
    async fn serve_up_to_tail(self: Rc<Self>) {
        loop {
            let position = self.registers.head.get();
            if position == self.registers.tail.get() {
                self.registers.tail_written.wait().await;
                continue;
            }
            let slot = self.port.reserve(Class::REQUESTS).await;
            let start = self.registers.sim.now();
            let bytes = self.fetch_packet(position).await;
            self.send(FetchedPacket { slot, start, bytes });
        }
    }

    /// Fetches packets up to the tail at the same time, and sends them in order.
    async fn serve_up_to_tail_overlapped(self: Rc<Self>, (workers, free_tasks): (Rc<WorkPool>, Rc<Pool>)) {
        let mut position = 0;
        loop {
            if position == self.registers.tail.get() {
                self.registers.tail_written.wait().await;
                continue;
            }
            let slot = self.port.reserve(Class::REQUESTS).await;
            free_tasks.acquire(1).await;
            self.submit(&workers, &free_tasks, position, slot);
            position += 1;
        }
    }

    /// Fetches headers in order and waits for each to become new; fetches and sends the packets.
    async fn serve_lines(self: Rc<Self>, pool: Option<(Rc<WorkPool>, Rc<Pool>)>, outstanding: u64) {
        let (mut position, mut announced_packets) = (0, 0);
        loop {
            let block = self.queue.block(position, 0);
            for offset in 1..=announced_packets {
                self.source.announce(self.queue.block(position + offset, 0));
            }
            let mut is_behind = true;
            loop {
                let first_block = self.source.fetch(block).await;
                let header = Header::from_words(self.format, [first_block.read(0, 8), first_block.read(8, 8)]);
                if header.sense == self.queue.sense(position) {
                    self.accept(header);
                    break;
                }
                is_behind = false;
                self.source.header_changed(block).await;
            }
            // If the header was new at once, the device is behind and expects more packets.
            announced_packets = if is_behind {
                (2 * announced_packets + 1).min(outstanding - 1).min(self.queue.slots() - 1)
            } else {
                0
            };
            let slot = self.port.reserve(Class::REQUESTS).await;
            match &pool {
                Some((workers, free_tasks)) => {
                    free_tasks.acquire(1).await;
                    self.submit(workers, free_tasks, position, slot);
                }
                None => {
                    let start = self.registers.sim.now();
                    let bytes = self.fetch_packet(position).await;
                    self.send(FetchedPacket { slot, start, bytes });
                }
            }
            position += 1;
        }
    }

    /// Records a packet whose header is new. The header is the processor's notice of the packet.
    fn accept(&self, header: Header) {
        let registers = &self.registers;
        let (journey, processor_stage) =
            registers.composed_journeys.borrow_mut().pop_front().expect("a new header belongs to a composed packet");
        if let Some(processor_stage) = processor_stage {
            processor_stage.end(&SENDING_STAGES, registers.sim.now());
        }
        registers.unfetched_packets.borrow_mut().push_back((journey, marks_of(header.marks.into())));
        registers.tail.set(registers.tail.get() + 1);
    }

    /// Begins to fetch packet number `position`.
    fn submit(self: &Rc<Self>, workers: &WorkPool, free_tasks: &Rc<Pool>, position: u64, slot: Slot) {
        self.fetched_packets.borrow_mut().push_back(None);
        let (sender, free_tasks) = (self.clone(), free_tasks.clone());
        let start = self.registers.sim.now();
        workers.submit(async move {
            let bytes = sender.fetch_packet(position).await;
            let index = (position - sender.registers.head.get()) as usize;
            sender.fetched_packets.borrow_mut()[index] = Some(FetchedPacket { slot, start, bytes });
            loop {
                let next = sender.fetched_packets.borrow_mut().pop_front_if(|first| first.is_some());
                let Some(Some(first)) = next else { break };
                sender.send(first);
            }
            free_tasks.release(1);
        });
    }

    async fn fetch_packet(&self, position: u64) -> Vec<u8> {
        for block in 1..self.last_packet_blocks.get() {
            self.source.announce(self.queue.block(position, block));
        }
        let first_block = self.source.fetch(self.queue.block(position, 0)).await;
        let mut header = Header::from_words(self.format, [first_block.read(0, 8), first_block.read(8, 8)]);
        let blocks = header.blocks();
        for block in self.last_packet_blocks.get()..blocks {
            self.source.announce(self.queue.block(position, block));
        }
        self.last_packet_blocks.set(blocks);
        let mut bytes = Vec::with_capacity(blocks * BLOCK_BYTES);
        bytes.extend_from_slice(&first_block.0);
        assert_eq!(header.sense, self.queue.sense(position), "only composed packets are fetched");
        for block in 1..blocks {
            bytes.extend_from_slice(&self.source.fetch(self.queue.block(position, block)).await.0);
        }
        bytes.truncate(header.packet_bytes());
        (header.sense, header.marks) = (0, 0);
        header.write_to(&mut bytes);
        bytes
    }

    /// Sends the packet at the head.
    fn send(&self, FetchedPacket { slot, start, bytes }: FetchedPacket) {
        let registers = &self.registers;
        registers.head.set(registers.head.get() + 1);
        let next: Option<(Journey, Marks)> = registers.unfetched_packets.borrow_mut().pop_front();
        let (journey, marks) = next.expect("a packet before the tail has a journey");
        journey.add_service(start, registers.sim.now());
        self.output.send(slot, Packet::from_owned_bytes(Label::default(), journey, bytes), marks);
    }
}
