//! `NI16w+Blkbuf`: AP3000-like.
//!
//! | Table 2 | send | receive |
//! |---|---|---|
//! | size of transfer | block | block |
//! | who manages it | processor | processor |
//! | source, destination | block buffer | block buffer |
//! | buffering | in the interface or virtual memory, processor involved | |
//!
//! The processor has a 64-byte block buffer. Stores fill it, and a block store flushes it to the head of the sending
//! fifo; a block load fills it from the head of the receiving fifo. A flush or a load costs 12 cycles in addition to
//! the bus transaction (Mukherjee and Hill 1998, §6.1.1). One uncached store, which writes the length, launches a
//! packet ("a low initiation overhead (an uncached store)"). The driver reads the status only when it has used all free
//! buffers that the last status read reported.
//!
//! The module leaves out the AP3000's other mechanism, as the paper does. Parameters: block buffer cycles, memory time,
//! the loop's cycles per word.

use super::device::{
    DATA_OFFSET, LAUNCH_OFFSET, REGISTER_SPACE_BYTES, ReceiveFifo, STATUS_OFFSET, SendFifo, launch_word,
};
use super::polls::StatusPolls;
use super::words::{REGISTER_BYTES, receive_fifo, send_fifo};
use crate::engine::sim::WaitReasonId;
use crate::host::{AnyProcessor, BLOCK_BYTES, Block, Processor, Window};
use crate::ni::designs::half::{HalfContext, ReceiveHalf, RxHit, SendHalf};
use crate::ni::driver::{SendRequest, Wake};
use crate::ni::parcel::{Header, ProcessorStage};
use crate::ni::word_copy::{PayloadSink, load_word, loaded, store_word, stored};
use std::cell::Cell;
use std::rc::Rc;

const WORDS_PER_BLOCK: usize = BLOCK_BYTES / 8;

/// The driver's sending half.
pub struct BlockSender {
    fifo: Rc<SendFifo>,
    window: Window,
    block_buffer_cycles: u64,
    word_cycles: u64,
    free_slots: Cell<u64>,
}

/// The driver's receiving half.
pub struct BlockReceiver {
    /// The receiving fifo of the device.
    pub fifo: Rc<ReceiveFifo>,
    window: Window,
    block_buffer_cycles: u64,
    word_cycles: u64,
    polls: StatusPolls,
    block_buffer: Cell<Block>,
}

/// Builds the sending half.
pub fn sender(context: &HalfContext<'_>) -> BlockSender {
    let (parameters, fifo) = (context.parameters, send_fifo(context));
    let window = context.host().attach(fifo.clone(), REGISTER_SPACE_BYTES);
    let (block_buffer_cycles, word_cycles) = (parameters.block_buffer_cycles, parameters.word_cycles);
    BlockSender { fifo, window, block_buffer_cycles, word_cycles, free_slots: Cell::new(0) }
}

/// Builds the receiving half.
pub fn receiver(context: &HalfContext<'_>) -> BlockReceiver {
    let (parameters, fifo) = (context.parameters, receive_fifo(context));
    let window = context.host().attach(fifo.clone(), REGISTER_SPACE_BYTES);
    BlockReceiver {
        polls: StatusPolls::new(&fifo, Some((window.at(STATUS_OFFSET), REGISTER_BYTES)), 0, context.poll_cycles()),
        window,
        fifo,
        block_buffer_cycles: parameters.block_buffer_cycles,
        word_cycles: parameters.word_cycles,
        block_buffer: Cell::new(Block::ZERO),
    }
}

impl BlockSender {
    async fn send_block(&self, cpu: &AnyProcessor, header: Header, packet: &SendRequest<'_>, first_word: usize) {
        let mut block = Block::ZERO;
        for word in first_word..header.words().min(first_word + WORDS_PER_BLOCK) {
            let value = loaded!(cpu, load_word(cpu, header, packet.source, word, self.word_cycles));
            block.write(8 * (word - first_word), 8, value);
            cpu.work(1);
        }
        cpu.work(self.block_buffer_cycles);
        cpu.write_block(self.window.at(DATA_OFFSET), block).await;
    }
}

impl SendHalf for BlockSender {
    async fn can_send(&self, cpu: &AnyProcessor) -> bool {
        if self.free_slots.get() == 0 {
            self.free_slots.set(cpu.read(self.window.at(STATUS_OFFSET), REGISTER_BYTES).await);
        }
        self.free_slots.get() > 0
    }

    async fn send(
        &self,
        cpu: &AnyProcessor,
        header: Header,
        packet: &SendRequest<'_>,
        processor_stage: Option<ProcessorStage>,
    ) {
        self.free_slots.set(self.free_slots.get() - 1);
        self.fifo.record_journey(&packet.journey, processor_stage);
        for first_word in (0..header.words()).step_by(WORDS_PER_BLOCK) {
            self.send_block(cpu, header, packet, first_word).await;
        }
        let launch_value = launch_word(header.packet_bytes(), packet.marks);
        cpu.write(self.window.at(LAUNCH_OFFSET), REGISTER_BYTES, launch_value).await;
    }
}

impl BlockReceiver {
    async fn load_block(&self, cpu: &AnyProcessor) {
        cpu.work(self.block_buffer_cycles);
        self.block_buffer.set(cpu.read_block(self.window.at(DATA_OFFSET)).await);
    }
}

impl ReceiveHalf for BlockReceiver {
    async fn poll(&self, cpu: &AnyProcessor) -> Option<RxHit> {
        if !self.polls.resumes(cpu) && cpu.read(self.window.at(STATUS_OFFSET), REGISTER_BYTES).await == 0 {
            return None;
        }
        let journey = self.fifo.journey();
        let processor_stage = ProcessorStage::start(&journey, cpu, "receive: poll");
        self.load_block(cpu).await;
        cpu.work(self.word_cycles + 1);
        let header = Header::decode(self.block_buffer.get().read(0, 8));
        Some(RxHit { header, journey, processor_stage })
    }

    async fn take(&self, cpu: &AnyProcessor, header: Header, sink: &mut PayloadSink<'_>) {
        for word in 1..header.words() {
            if word.is_multiple_of(WORDS_PER_BLOCK) {
                self.load_block(cpu).await;
            }
            let value = self.block_buffer.get().read(8 * (word % WORDS_PER_BLOCK), 8);
            cpu.work(1);
            stored!(cpu, value, store_word(cpu, header, sink, word, value, self.word_cycles));
        }
    }

    async fn idle(&self, cpu: &AnyProcessor, wake: Wake<'_>) -> bool {
        self.polls.idle(cpu, wake).await
    }

    fn charge_poll(&self, cpu: &AnyProcessor) {
        self.polls.charge_poll(cpu);
    }

    fn poll_wait_reason(&self, _cpu: &AnyProcessor) -> Option<WaitReasonId> {
        Some(self.fifo.packet_visible.wait_reason())
    }
}
