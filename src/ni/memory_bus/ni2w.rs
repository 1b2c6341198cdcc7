//! `NI2w`: CM-5-like.
//!
//! | Table 2 | send | receive |
//! |---|---|---|
//! | size of transfer | uncached | uncached |
//! | who manages it | processor | processor |
//! | source, destination | processor registers | processor registers |
//! | buffering | in the interface or virtual memory, processor involved | |
//!
//! The processor sees the first two words (8 bytes) of each fifo. To send: read the send status,
//! store the words, store the length, which launches the message. To receive: read the receive
//! status, load the words; the last one frees the message.
//!
//! Leaves out: message tags and interrupts of the CM-5.
//! Parameters: width of an access, memory time, the loop's cycles per word.

use super::fifo::{ReceiveFifo, SendFifo};
use super::message::{Outgoing, RECEIVING, Ticket};
use super::words::{load_word, store_word};
use super::{Arrival, RECEIVE_BASE, ReceiveHalf, Receiver, SEND_BASE, SendHalf, Sender, Site};
use crate::engine::{Ledger, Time};
use crate::host::memory_bus::block::{Address, Block, offset_in_block};
use crate::host::memory_bus::{Agent, Processor};
use std::rc::Rc;

/// Send status (read): how many messages may be launched.
pub const SEND_STATUS: Address = SEND_BASE;
/// Launch (write): the message's length.
pub const LAUNCH: Address = SEND_BASE + 8;
/// The sending fifo's window.
pub const SEND_DATA: Address = SEND_BASE + 64;
/// Receive status (read): whether a message is there.
pub const RECEIVE_STATUS: Address = RECEIVE_BASE;
/// The receiving fifo's window.
pub const RECEIVE_DATA: Address = RECEIVE_BASE + 64;

/// How the processor reaches the registers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Path {
    /// Uncached accesses over the bus.
    Bus,
    /// An access of so many processor cycles, without the bus.
    Register {
        /// The cycles.
        cycles: u64,
    },
}

impl Path {
    async fn read(self, processor: &Processor, device: &dyn Agent, address: Address, bytes: usize) -> u64 {
        let Path::Register { cycles } = self else { return processor.read_uncached(address, bytes).await };
        processor.work(cycles);
        processor.sync().await;
        let mut data = Block::ZERO;
        device.home_read(address, bytes, &mut data);
        data.read(offset_in_block(address), bytes)
    }

    async fn write(self, processor: &Processor, device: &dyn Agent, address: Address, bytes: usize, value: u64) {
        let Path::Register { cycles } = self else { return processor.write_uncached(address, bytes, value).await };
        processor.work(cycles);
        processor.sync().await;
        let mut data = Block::ZERO;
        data.write(offset_in_block(address), bytes, value);
        device.home_write(address, bytes, &data);
    }
}

/// The device's sending half.
pub struct SendDevice {
    /// The fifo.
    pub fifo: SendFifo,
    time: Time,
}

impl Agent for SendDevice {
    fn home_time(&self, _: Address) -> Time {
        self.time
    }

    fn home_posts(&self) -> bool {
        true
    }

    fn home_read(&self, address: Address, bytes: usize, data: &mut Block) {
        assert_eq!(address, SEND_STATUS, "only the status is read");
        data.write(offset_in_block(address), bytes, self.fifo.room());
    }

    fn home_write(&self, address: Address, bytes: usize, data: &Block) {
        let offset = offset_in_block(address);
        match address {
            LAUNCH => self.fifo.launch(data.read(offset, bytes) as usize),
            _ => self.fifo.write(&data.0[offset..offset + bytes]),
        }
    }
}

/// The device's receiving half.
pub struct ReceiveDevice {
    /// The fifo.
    pub fifo: Rc<ReceiveFifo>,
    time: Time,
}

impl Agent for ReceiveDevice {
    fn home_time(&self, _: Address) -> Time {
        self.time
    }

    fn home_read(&self, address: Address, bytes: usize, data: &mut Block) {
        let offset = offset_in_block(address);
        match address {
            RECEIVE_STATUS => data.write(offset, bytes, self.fifo.header().is_some().into()),
            _ => data.0[offset..offset + bytes].copy_from_slice(&self.fifo.read(bytes)),
        }
    }
}

/// The driver's sending half.
pub struct WordSender {
    device: Rc<SendDevice>,
    path: Path,
    access_bytes: usize,
    word_cycles: u64,
}

/// The driver's receiving half.
pub struct WordReceiver {
    device: Rc<ReceiveDevice>,
    path: Path,
    access_bytes: usize,
    word_cycles: u64,
    poll_cycles: u64,
}

/// Builds the halves.
pub fn halves(site: &Site) -> (Sender, Receiver) {
    let (send, receive) = attach(site);
    (Sender::Words(sender(site, send, Path::Bus)), Receiver::Words(receiver(site, receive, Path::Bus)))
}

/// Attaches the devices to the bus.
pub fn attach(site: &Site) -> (Rc<SendDevice>, Rc<ReceiveDevice>) {
    (attach_sender(site), attach_receiver(site))
}

/// Attaches the sending device.
pub fn attach_sender(site: &Site) -> Rc<SendDevice> {
    let (p, name) = (site.parameters, &site.node.name);
    let fifo = SendFifo::new(site.sim, name, site.port, p.processing_time);
    let device = Rc::new(SendDevice { fifo, time: p.memory_time });
    site.node.attach(device.clone(), SEND_BASE..SEND_BASE + 128);
    device
}

/// Attaches the receiving device.
pub fn attach_receiver(site: &Site) -> Rc<ReceiveDevice> {
    let (p, name) = (site.parameters, &site.node.name);
    let time = p.processing_time + p.memory_time * p.fifo_receive_accesses;
    let fifo = ReceiveFifo::new(site.sim, name, site.port, time);
    let device = Rc::new(ReceiveDevice { fifo, time: p.memory_time });
    site.node.attach(device.clone(), RECEIVE_BASE..RECEIVE_BASE + 128);
    device
}

/// A driver that sends words to `device`.
pub fn sender(site: &Site, device: Rc<SendDevice>, path: Path) -> WordSender {
    let p = site.parameters;
    WordSender { device, path, access_bytes: p.access_bytes, word_cycles: p.word_cycles }
}

/// A driver that reads words from `device`.
pub fn receiver(site: &Site, device: Rc<ReceiveDevice>, path: Path) -> WordReceiver {
    let p = site.parameters;
    let (access_bytes, word_cycles, poll_cycles) = (p.access_bytes, p.word_cycles, p.poll_cycles);
    WordReceiver { device, path, access_bytes, word_cycles, poll_cycles }
}

impl WordSender {
    async fn write_word(&self, processor: &Processor, word: u64) {
        for part in (0..8).step_by(self.access_bytes) {
            let (address, bytes) = (SEND_DATA + part as u64, self.access_bytes);
            self.path.write(processor, &*self.device, address, bytes, word >> (8 * part)).await;
        }
    }
}

impl SendHalf for WordSender {
    async fn can_send(&self, processor: &Processor) -> bool {
        self.path.read(processor, &*self.device, SEND_STATUS, 8).await > 0
    }

    async fn send(&self, processor: &Processor, message: Outgoing) {
        self.device.fifo.set_ticket(message.ticket.clone());
        for word in 0..message.header.words() {
            let value = load_word(processor, &message, word, self.word_cycles).await;
            self.write_word(processor, value).await;
        }
        let bytes = message.header.message_bytes() as u64;
        self.path.write(processor, &*self.device, LAUNCH, 8, bytes).await;
    }
}

impl WordReceiver {
    async fn read_word(&self, processor: &Processor) -> u64 {
        let mut word = 0;
        for part in (0..8).step_by(self.access_bytes) {
            let (address, bytes) = (RECEIVE_DATA + part as u64, self.access_bytes);
            word |= self.path.read(processor, &*self.device, address, bytes).await << (8 * part);
        }
        word
    }

    /// Reads the rest of the message into the user's buffer.
    pub async fn read_payload(&self, processor: &Processor, arrival: &Arrival, into: Address) {
        for word in 1..arrival.header.words() {
            let value = self.read_word(processor).await;
            store_word(processor, arrival.header, into, word, value, self.word_cycles).await;
        }
    }

    /// The cycles of a polling round.
    pub fn poll_cycles(&self) -> u64 {
        self.poll_cycles
    }
}

impl ReceiveHalf for WordReceiver {
    async fn poll(&self, processor: &Processor) -> Option<Arrival> {
        if self.path.read(processor, &*self.device, RECEIVE_STATUS, 8).await == 0 {
            return None;
        }
        let ledger = self.device.fifo.take_ledger();
        let ticket = ledger.map(|ledger| Ticket::start(ledger, processor, "receive: poll"));
        processor.work(self.word_cycles);
        let header = super::Header::decode(self.read_word(processor).await);
        Some(Arrival { header, ticket })
    }

    async fn receive(&self, processor: &Processor, arrival: Arrival, into: Address) -> Option<Box<Ledger>> {
        self.read_payload(processor, &arrival, into).await;
        arrival.ticket.map(|ticket| ticket.end(&RECEIVING, processor.time()))
    }

    async fn idle(&self, processor: &Processor) {
        processor.sim().waits_for(Some(self.device.fifo.visible.point()));
        processor.work(self.poll_cycles);
    }
}
