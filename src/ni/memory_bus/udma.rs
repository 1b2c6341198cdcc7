//! `NI64w+Udma`: user-level DMA, Princeton-like.
//!
//! | Table 2 | send | receive |
//! |---|---|---|
//! | size of transfer | block | block |
//! | who manages it | interface | interface |
//! | source, destination | cache or memory | memory |
//! | buffering | in the interface, virtual or main memory, processor involved | |
//!
//! A message is composed in a buffer in memory. One uncached store (address and length) and one
//! uncached load start a transfer (§2.2.1); the interface becomes bus master and moves the blocks
//! by coherent reads, or by block writes to memory; software polls until it is done (§4). The
//! processor sees the first 64 words of the fifo, reads the header there and then has the message
//! moved into the user's buffer in memory, header and all, with no copy of its own (§6.1.1).
//! Payloads up to the threshold go word by word, as in [`ni2w`].
//!
//! Leaves out: address translation and its protection; more than one transfer at a time.
//! Parameters: threshold, time to become bus master, memory time.

use super::message::{HEADER_BYTES, Outgoing, RECEIVING};
use super::ni2w::{self, ReceiveDevice, SendDevice, WordReceiver, WordSender};
use super::words::load_word;
use super::{Arrival, RECEIVE_BASE, ReceiveHalf, Receiver, SEND_BASE, SendHalf, Sender, Site};
use crate::engine::{Ledger, Mailbox, Sim, Time};
use crate::host::memory_bus::block::{Address, BLOCK_BYTES, Block, offset_in_block};
use crate::host::memory_bus::{Agent, AgentId, Bus, Kind, Processor};
use std::cell::Cell;
use std::rc::Rc;

/// Sending transfer (write): address, and length from bit 48.
const SEND_TRANSFER: Address = SEND_BASE + 128;
/// Receiving transfer, likewise.
const RECEIVE_TRANSFER: Address = RECEIVE_BASE + 128;
/// After a transfer's register: its start (read: 1 if started), and whether it goes on (read).
const START: Address = 8;
const BUSY: Address = 16;

const LENGTH_SHIFT: u32 = 48;

/// A DMA engine's registers.
struct Engine {
    transfer: Cell<u64>,
    busy: Cell<bool>,
    started: Mailbox<(Address, usize)>,
    base: Address,
    time: Time,
}

impl Engine {
    fn new(sim: &Sim, name: &str, base: Address, time: Time) -> Rc<Engine> {
        let started = Mailbox::new(sim, format!("{name}: a transfer"));
        Rc::new(Engine { transfer: Cell::new(0), busy: Cell::new(false), started, base, time })
    }

    fn start(&self) -> u64 {
        if self.busy.replace(true) {
            return 0;
        }
        let transfer = self.transfer.get();
        self.started.send((transfer & ((1 << LENGTH_SHIFT) - 1), (transfer >> LENGTH_SHIFT) as usize));
        1
    }
}

impl Agent for Engine {
    fn home_time(&self, _: Address) -> Time {
        self.time
    }

    fn home_read(&self, address: Address, bytes: usize, data: &mut Block) {
        let value = match address - self.base {
            START => self.start(),
            _ => self.busy.get().into(),
        };
        data.write(offset_in_block(address), bytes, value);
    }

    fn home_write(&self, address: Address, bytes: usize, data: &Block) {
        self.transfer.set(data.read(offset_in_block(address), bytes));
    }
}

/// What a DMA engine works with.
struct Mover {
    sim: Sim,
    bus: Rc<Bus>,
    id: AgentId,
    engine: Rc<Engine>,
    start_time: Time,
    switch_time: Time,
    memory_time: Time,
}

impl Mover {
    fn new(site: &Site, engine: Rc<Engine>) -> Mover {
        let id = site.node.attach(engine.clone(), engine.base..engine.base + 64);
        let p = site.parameters;
        Mover {
            sim: site.sim.clone(),
            bus: site.node.bus.clone(),
            id,
            engine,
            start_time: p.udma_start_time,
            switch_time: p.udma_switch_time,
            memory_time: p.memory_time,
        }
    }

    /// Memory to the sending fifo, and off.
    async fn serve_sends(self, device: Rc<SendDevice>) {
        loop {
            let (from, bytes) = self.engine.started.receive().await;
            self.sim.delay(self.start_time).await;
            for block in (0..bytes).step_by(BLOCK_BYTES) {
                self.sim.delay(self.switch_time).await;
                let mut data = Block::ZERO;
                self.bus.transact(self.id, Kind::Read, from + block as u64, BLOCK_BYTES, &mut data).await;
                self.sim.delay(self.memory_time).await;
                device.fifo.write(&data.0);
            }
            device.fifo.launch(bytes);
            self.engine.busy.set(false);
        }
    }

    /// The receiving fifo to memory.
    async fn serve_receives(self, device: Rc<ReceiveDevice>) {
        loop {
            let (to, bytes) = self.engine.started.receive().await;
            self.sim.delay(self.start_time).await;
            for block in (0..bytes).step_by(BLOCK_BYTES) {
                self.sim.delay(self.memory_time + self.switch_time).await;
                let mut data = Block::from_bytes(&device.fifo.read(BLOCK_BYTES));
                let to = to + block as u64;
                let done = self.bus.transact(self.id, Kind::WriteBlock, to, BLOCK_BYTES, &mut data).await;
                self.sim.until(done.settled).await;
            }
            self.engine.busy.set(false);
        }
    }
}

/// The driver's sending half.
pub struct UdmaSender {
    words: WordSender,
    device: Rc<SendDevice>,
    buffer: Address,
    threshold: usize,
    word_cycles: u64,
    poll_cycles: u64,
}

/// The driver's receiving half.
pub struct UdmaReceiver {
    words: WordReceiver,
    device: Rc<ReceiveDevice>,
    threshold: usize,
}

/// Builds the halves.
pub fn halves(site: &Site) -> (Sender, Receiver) {
    let (p, name) = (site.parameters, &site.node.name);
    let (send, receive) = ni2w::attach(site);
    let mover = Mover::new(site, Engine::new(site.sim, name, SEND_TRANSFER, p.memory_time));
    site.sim.spawn_server(format!("{name} sending DMA"), mover.serve_sends(send.clone()));
    let mover = Mover::new(site, Engine::new(site.sim, name, RECEIVE_TRANSFER, p.memory_time));
    site.sim.spawn_server(format!("{name} receiving DMA"), mover.serve_receives(receive.clone()));
    let sender = UdmaSender {
        words: ni2w::sender(site, send.clone(), ni2w::Path::Bus),
        device: send,
        buffer: site.node.allocate(p.message_bytes_max.len()),
        threshold: p.udma_threshold.len(),
        word_cycles: p.word_cycles,
        poll_cycles: p.poll_cycles,
    };
    let words = ni2w::receiver(site, receive.clone(), ni2w::Path::Bus);
    (Sender::Udma(sender), Receiver::Udma(UdmaReceiver { words, device: receive, threshold: p.udma_threshold.len() }))
}

/// Starts a transfer and polls until it is done.
async fn transfer(processor: &Processor, register: Address, memory: Address, bytes: usize, poll_cycles: u64) {
    let (start, busy) = (register + START, register + BUSY);
    processor.write_uncached(register, 8, memory | (bytes as u64) << LENGTH_SHIFT).await;
    let started = processor.read_uncached(start, 8).await;
    assert_eq!(started, 1, "one transfer at a time");
    while processor.read_uncached(busy, 8).await != 0 {
        processor.work(poll_cycles);
    }
}

impl SendHalf for UdmaSender {
    async fn can_send(&self, processor: &Processor) -> bool {
        self.words.can_send(processor).await
    }

    async fn send(&self, processor: &Processor, message: Outgoing) {
        if usize::from(message.header.payload_bytes) <= self.threshold {
            return self.words.send(processor, message).await;
        }
        self.device.fifo.set_ticket(message.ticket.clone());
        for word in 0..message.header.words() {
            let value = load_word(processor, &message, word, self.word_cycles).await;
            let (address, bytes) = (self.buffer + 8 * word as u64, message.header.bytes_of_word(word));
            if !processor.try_store(address, bytes, value) {
                processor.store(address, bytes, value).await;
            }
        }
        processor.fence().await;
        let bytes = message.header.message_bytes();
        transfer(processor, SEND_TRANSFER, self.buffer, bytes, self.poll_cycles).await;
    }
}

impl ReceiveHalf for UdmaReceiver {
    async fn poll(&self, processor: &Processor) -> Option<Arrival> {
        self.words.poll(processor).await
    }

    async fn receive(&self, processor: &Processor, arrival: Arrival, into: Address) -> Option<Box<Ledger>> {
        if usize::from(arrival.header.payload_bytes) <= self.threshold {
            return self.words.receive(processor, arrival, into + HEADER_BYTES as u64).await;
        }
        self.device.fifo.rewind();
        let bytes = arrival.header.message_bytes();
        transfer(processor, RECEIVE_TRANSFER, into, bytes, self.words.poll_cycles()).await;
        arrival.ticket.map(|ticket| ticket.end(&RECEIVING, processor.time()))
    }

    async fn idle(&self, processor: &Processor) {
        self.words.idle(processor).await;
    }
}
