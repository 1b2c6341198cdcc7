//! The loops of a sending device: it fetches composed packets from the queue, and sends them.
//!
//! The processor notifies the device by the tail register or, with [`SendNotice::Line`], by the header alone. The
//! device holds a copy of the header's block until the processor takes the block to write it. A device with several
//! transactions outstanding fetches several packets at the same time, and several blocks of each: first as many as the
//! previous packet had. Packets are sent in order.

use super::device::{Fetch, SendRegisters};
use super::layout::QueueLayout;
use super::work_pool::WorkPool;
use crate::engine::{Class, Journey, Pool, Time};
use crate::fabric::{Label, Packet};
use crate::host::BLOCK_BYTES;
use crate::ni::designs::fifo::device::{Output, marks_of};
use crate::ni::designs::half::HalfContext;
use crate::ni::designs::parameters::SendNotice;
use crate::ni::parcel::{Header, HeaderFormat, SENDING};
use crate::ni::port::Port;
use crate::protocol::{Marks, Slot};
use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::rc::Rc;

/// A packet that was fetched.
struct Fetched {
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
    blocks: Cell<usize>,
    /// The packets from the head on that are fetched, or are being fetched.
    fetched: RefCell<VecDeque<Option<Fetched>>>,
}

/// Starts the task of a sending device.
pub fn start(
    context: &HalfContext<'_>,
    registers: &Rc<SendRegisters>,
    queue: QueueLayout,
    source: impl Fetch + 'static,
) {
    let (p, sim, name) = (context.parameters, context.sim(), context.name());
    let format = p.header_format();
    let output = Output::new(sim, name, context.port, p.processing_time, format);
    let sender = Rc::new(Sender {
        registers: registers.clone(),
        queue,
        format,
        port: context.port.clone(),
        output,
        source,
        blocks: Cell::new(1),
        fetched: RefCell::default(),
    });
    let pool = (p.outstanding > 1).then(|| {
        let free = Pool::new(sim, format!("{name}: a free fetch"), p.outstanding as u64);
        (WorkPool::start(sim, &format!("{name} packet"), p.outstanding), Rc::new(free))
    });
    let task = format!("{name} send queue");
    match (p.notice, pool) {
        (SendNotice::Tail, None) => sim.spawn_server(task, sender.serve_up_to_tail()),
        (SendNotice::Tail, Some(pool)) => sim.spawn_server(task, sender.serve_up_to_tail_overlapped(pool)),
        (SendNotice::Line, pool) => sim.spawn_server(task, sender.serve_lines(pool, p.outstanding as u64)),
    };
}

impl<F: Fetch + 'static> Sender<F> {
    /// Fetches packets up to the tail one after another, and sends them.
    async fn serve_up_to_tail(self: Rc<Self>) {
        loop {
            let position = self.registers.head.get();
            if position == self.registers.tail.get() {
                self.registers.rung.wait().await;
                continue;
            }
            let slot = self.port.reserve(Class::REQUESTS).await;
            let start = self.registers.sim.now();
            let bytes = self.fetch_packet(position).await;
            self.send(Fetched { slot, start, bytes });
        }
    }

    /// Fetches packets up to the tail at the same time, and sends them in order.
    async fn serve_up_to_tail_overlapped(self: Rc<Self>, (workers, free): (Rc<WorkPool>, Rc<Pool>)) {
        let mut position = 0;
        loop {
            if position == self.registers.tail.get() {
                self.registers.rung.wait().await;
                continue;
            }
            let slot = self.port.reserve(Class::REQUESTS).await;
            free.acquire(1).await;
            self.submit(&workers, &free, position, slot);
            position += 1;
        }
    }

    /// Fetches headers in order and waits for each to become new; fetches and sends the packets.
    async fn serve_lines(self: Rc<Self>, pool: Option<(Rc<WorkPool>, Rc<Pool>)>, outstanding: u64) {
        let (mut position, mut ahead) = (0, 0);
        loop {
            let block = self.queue.block(position, 0);
            for later in 1..=ahead {
                self.source.announce(self.queue.block(position + later, 0));
            }
            let mut is_late = true;
            loop {
                let first = self.source.fetch(block).await;
                let header = Header::from_words(self.format, [first.read(0, 8), first.read(8, 8)]);
                if header.sense == self.queue.sense(position) {
                    self.accept(header);
                    break;
                }
                is_late = false;
                self.source.header_changed(block).await;
            }
            // If the header was new at once, the device is behind and expects more packets.
            ahead = if is_late { (2 * ahead + 1).min(outstanding - 1).min(self.queue.slots() - 1) } else { 0 };
            let slot = self.port.reserve(Class::REQUESTS).await;
            match &pool {
                Some((workers, free)) => {
                    free.acquire(1).await;
                    self.submit(workers, free, position, slot);
                }
                None => {
                    let start = self.registers.sim.now();
                    let bytes = self.fetch_packet(position).await;
                    self.send(Fetched { slot, start, bytes });
                }
            }
            position += 1;
        }
    }

    /// Records a packet whose header is new. The header is the processor's notice of the packet.
    fn accept(&self, header: Header) {
        let registers = &self.registers;
        let (journey, ticket) =
            registers.composing.borrow_mut().pop_front().expect("a new header is of a composed packet");
        if let Some(ticket) = ticket {
            ticket.end(&SENDING, registers.sim.now());
        }
        registers.packets.borrow_mut().push_back((journey, marks_of(header.marks.into())));
        registers.tail.set(registers.tail.get() + 1);
    }

    /// Begins to fetch packet number `position`.
    fn submit(self: &Rc<Self>, workers: &WorkPool, free: &Rc<Pool>, position: u64, slot: Slot) {
        self.fetched.borrow_mut().push_back(None);
        let (sender, free) = (self.clone(), free.clone());
        let start = self.registers.sim.now();
        workers.submit(async move {
            let bytes = sender.fetch_packet(position).await;
            let index = (position - sender.registers.head.get()) as usize;
            sender.fetched.borrow_mut()[index] = Some(Fetched { slot, start, bytes });
            loop {
                let next = sender.fetched.borrow_mut().pop_front_if(|first| first.is_some());
                let Some(Some(first)) = next else { break };
                sender.send(first);
            }
            free.release(1);
        });
    }

    async fn fetch_packet(&self, position: u64) -> Vec<u8> {
        for block in 1..self.blocks.get() {
            self.source.announce(self.queue.block(position, block));
        }
        let first = self.source.fetch(self.queue.block(position, 0)).await;
        let mut header = Header::from_words(self.format, [first.read(0, 8), first.read(8, 8)]);
        let blocks = header.blocks();
        for block in self.blocks.get()..blocks {
            self.source.announce(self.queue.block(position, block));
        }
        self.blocks.set(blocks);
        let mut bytes = Vec::with_capacity(blocks * BLOCK_BYTES);
        bytes.extend_from_slice(&first.0);
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
    fn send(&self, Fetched { slot, start, bytes }: Fetched) {
        let registers = &self.registers;
        registers.head.set(registers.head.get() + 1);
        let next: Option<(Journey, Marks)> = registers.packets.borrow_mut().pop_front();
        let (journey, marks) = next.expect("a packet before the tail has a journey");
        journey.add_service(start, registers.sim.now());
        self.output.send(slot, Packet::from_owned_bytes(Label::default(), journey, bytes), marks);
    }
}
