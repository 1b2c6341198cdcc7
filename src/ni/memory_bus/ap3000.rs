//! `NI16w+Blkbuf`: AP3000-like.
//!
//! | Table 2 | send | receive |
//! |---|---|---|
//! | size of transfer | block | block |
//! | who manages it | processor | processor |
//! | source, destination | block buffer | block buffer |
//! | buffering | in the interface or virtual memory, processor involved | |
//!
//! A 64-byte block buffer beside the processor is filled by stores and flushed to the head of the
//! sending fifo by a block store; a block load fills it from the head of the receiving fifo. A
//! flush or a load costs 12 cycles beside the bus (§6.1.1). One uncached store, of the length,
//! launches a message ("a low initiation overhead (an uncached store)"). The driver reads the
//! status only when it has used up the room it last saw.
//!
//! Leaves out: the AP3000's other mechanism, as the paper does.
//! Parameters: block buffer cycles, memory time, the loop's cycles per word.

use super::message::{Header, Outgoing, RECEIVING, Ticket};
use super::ni2w::{self, LAUNCH, RECEIVE_DATA, RECEIVE_STATUS, ReceiveDevice, SEND_DATA, SEND_STATUS, SendDevice};
use super::words::{load_word, store_word};
use super::{Arrival, ReceiveHalf, Receiver, SendHalf, Sender, Site};
use crate::engine::Ledger;
use crate::host::memory_bus::Processor;
use crate::host::memory_bus::block::{Address, BLOCK_BYTES, Block};
use std::cell::Cell;
use std::rc::Rc;

const WORDS_PER_BLOCK: usize = BLOCK_BYTES / 8;

/// The driver's sending half.
pub struct BlockSender {
    device: Rc<SendDevice>,
    block_buffer_cycles: u64,
    word_cycles: u64,
    room: Cell<u64>,
}

/// The driver's receiving half.
pub struct BlockReceiver {
    device: Rc<ReceiveDevice>,
    block_buffer_cycles: u64,
    word_cycles: u64,
    poll_cycles: u64,
    buffer: Cell<Block>,
}

/// Builds the halves.
pub fn halves(site: &Site) -> (Sender, Receiver) {
    (Sender::Blocks(sender(site)), Receiver::Blocks(receiver(site)))
}

/// Builds the sending half.
pub fn sender(site: &Site) -> BlockSender {
    let p = site.parameters;
    let (block_buffer_cycles, word_cycles) = (p.block_buffer_cycles, p.word_cycles);
    BlockSender { device: ni2w::attach_sender(site), block_buffer_cycles, word_cycles, room: Cell::new(0) }
}

fn receiver(site: &Site) -> BlockReceiver {
    let p = site.parameters;
    BlockReceiver {
        device: ni2w::attach_receiver(site),
        block_buffer_cycles: p.block_buffer_cycles,
        word_cycles: p.word_cycles,
        poll_cycles: p.poll_cycles,
        buffer: Cell::new(Block::ZERO),
    }
}

impl BlockSender {
    async fn send_block(&self, processor: &Processor, message: &Outgoing, first_word: usize) {
        let mut block = Block::ZERO;
        for word in first_word..message.header.words().min(first_word + WORDS_PER_BLOCK) {
            let value = load_word(processor, message, word, self.word_cycles).await;
            block.write(8 * (word - first_word), 8, value);
            processor.work(1);
        }
        processor.work(self.block_buffer_cycles);
        processor.write_block(SEND_DATA, block).await;
    }
}

impl SendHalf for BlockSender {
    async fn can_send(&self, processor: &Processor) -> bool {
        if self.room.get() == 0 {
            self.room.set(processor.read_uncached(SEND_STATUS, 8).await);
        }
        self.room.get() > 0
    }

    async fn send(&self, processor: &Processor, message: Outgoing) {
        self.room.set(self.room.get() - 1);
        self.device.fifo.set_ticket(message.ticket.clone());
        for first_word in (0..message.header.words()).step_by(WORDS_PER_BLOCK) {
            self.send_block(processor, &message, first_word).await;
        }
        processor.write_uncached(LAUNCH, 8, message.header.message_bytes() as u64).await;
    }
}

impl BlockReceiver {
    async fn load_block(&self, processor: &Processor) {
        processor.work(self.block_buffer_cycles);
        self.buffer.set(processor.read_block(RECEIVE_DATA).await);
    }
}

impl ReceiveHalf for BlockReceiver {
    async fn poll(&self, processor: &Processor) -> Option<Arrival> {
        if processor.read_uncached(RECEIVE_STATUS, 8).await == 0 {
            return None;
        }
        let ledger = self.device.fifo.take_ledger();
        let ticket = ledger.map(|ledger| Ticket::start(ledger, processor, "receive: poll"));
        self.load_block(processor).await;
        processor.work(self.word_cycles + 1);
        Some(Arrival { header: Header::decode(self.buffer.get().read(0, 8)), ticket })
    }

    async fn receive(&self, processor: &Processor, arrival: Arrival, into: Address) -> Option<Box<Ledger>> {
        for word in 1..arrival.header.words() {
            if word.is_multiple_of(WORDS_PER_BLOCK) {
                self.load_block(processor).await;
            }
            let value = self.buffer.get().read(8 * (word % WORDS_PER_BLOCK), 8);
            processor.work(1);
            store_word(processor, arrival.header, into, word, value, self.word_cycles).await;
        }
        arrival.ticket.map(|ticket| ticket.end(&RECEIVING, processor.time()))
    }

    async fn idle(&self, processor: &Processor) {
        processor.sim().waits_for(Some(self.device.fifo.visible.point()));
        processor.work(self.poll_cycles);
    }
}
