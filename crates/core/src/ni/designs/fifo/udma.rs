//! `NI64w+Udma`: user-level DMA, Princeton-like.
//!
//! | Table 2 | send | receive |
//! |---|---|---|
//! | size of transfer | block | block |
//! | who manages it | interface | interface |
//! | source, destination | cache or memory | memory |
//! | buffering | in the interface, virtual or main memory, processor involved | |
//!
//! A packet is composed in a buffer in memory. One uncached store (address and length) and one uncached load start a
//! transfer (Mukherjee and Hill 1998, §2.2.1). The interface becomes bus master and moves the blocks: by coherent reads
//! to send, and by block writes to memory to receive. Software polls until the transfer is done (Mukherjee and Hill
//! 1998, §4). To receive, the processor reads the header in the first 64 words of the fifo, which it sees. It then has
//! the engine move the packet, including the header, into the user's buffer in memory (Mukherjee and Hill 1998,
//! §6.1.1). A payload for registers is moved into a buffer of the driver and loaded from there. Payloads up to the
//! threshold are moved word by word, as in [`words`](super::words).
//!
//! The module leaves out address translation and its protection, and more than one transfer at a time. Parameters:
//! threshold, time to become bus master, memory time.

use super::device::{ReceiveFifo, SendFifo, marks_of, marks_word};
use super::words::{self, WordReceiver, WordSender};
use crate::engine::sim::WaitReasonId;
use crate::engine::{Mailbox, Sim, Time};
use crate::host::{Address, AnyProcessor, BLOCK_BYTES, Block, Device, DmaInitiator, Processor, Window};
use crate::ni::designs::half::{HalfContext, ReceiveHalf, RxHit, SendHalf};
use crate::ni::driver::{SendRequest, Wake};
use crate::ni::parcel::{Header, ProcessorStage};
use crate::ni::word_copy::{PayloadSink, load, load_word, loaded, payload_after_header, store, store_word, stored};
use std::cell::Cell;
use std::rc::Rc;

/// The transfer register (write): the address (44 bits), the marks, and from bit 48 the length.
const TRANSFER_OFFSET: u64 = 0;
/// The start register (read): starts the transfer, and returns 1 if it was started.
const START_OFFSET: u64 = 8;
/// The busy register (read): returns whether the transfer is still running.
const BUSY_OFFSET: u64 = 16;
const REGISTER_SPACE_BYTES: u64 = 64;

const MARKS_SHIFT: u32 = 44;
const LENGTH_SHIFT: u32 = 48;

/// A DMA engine's registers.
struct Registers {
    transfer: Cell<[u8; 8]>,
    is_busy: Cell<bool>,
    started_transfers: Mailbox<u64>,
    memory_time: Time,
}

impl Registers {
    fn new(sim: &Sim, name: &str, memory_time: Time) -> Rc<Registers> {
        let started_transfers = Mailbox::new(sim, format!("{name}: a transfer"));
        Rc::new(Registers { transfer: Cell::default(), is_busy: Cell::new(false), started_transfers, memory_time })
    }

    fn start(&self) -> u64 {
        if self.is_busy.replace(true) {
            return 0;
        }
        self.started_transfers.send(u64::from_le_bytes(self.transfer.get()));
        1
    }
}

impl Device for Registers {
    fn time(&self, _at: u64) -> Time {
        self.memory_time
    }

    fn read(&self, at: u64, into: &mut [u8]) {
        let value = match at {
            START_OFFSET => self.start(),
            _ => self.is_busy.get().into(),
        };
        into.copy_from_slice(&value.to_le_bytes()[..into.len()]);
    }

    fn write(&self, at: u64, bytes: &[u8]) {
        let (mut transfer, at) = (self.transfer.get(), (at - TRANSFER_OFFSET) as usize);
        transfer[at..at + bytes.len()].copy_from_slice(bytes);
        self.transfer.set(transfer);
    }
}

/// A DMA engine: its registers, its bus port and its times.
struct UdmaEngine {
    sim: Sim,
    initiator: DmaInitiator,
    registers: Rc<Registers>,
    start_time: Time,
    switch_time: Time,
    memory_time: Time,
}

impl UdmaEngine {
    /// Creates an engine and the window through which the processor accesses its registers.
    fn attach(context: &HalfContext<'_>) -> (Window, UdmaEngine) {
        let parameters = context.parameters;
        let registers = Registers::new(context.sim(), context.name(), parameters.memory_time);
        let window = context.host().attach(registers.clone(), REGISTER_SPACE_BYTES);
        let engine = UdmaEngine {
            sim: context.sim().clone(),
            initiator: context.host().dma(),
            registers,
            start_time: parameters.udma_start_time,
            switch_time: parameters.udma_switch_time,
            memory_time: parameters.memory_time,
        };
        (window, engine)
    }

    /// Moves packets from memory to the sending fifo and launches them.
    async fn serve_sends(self, fifo: Rc<SendFifo>) {
        loop {
            let (from, bytes, marks) = decode_transfer(self.registers.started_transfers.receive().await);
            self.sim.delay(self.start_time).await;
            for block in (0..bytes).step_by(BLOCK_BYTES) {
                self.sim.delay(self.switch_time).await;
                let data = self.initiator.read_block(from + block as u64).await;
                self.sim.delay(self.memory_time).await;
                fifo.append(&data.0);
            }
            fifo.launch(bytes, marks_of(marks));
            self.registers.is_busy.set(false);
        }
    }

    /// Moves packets from the receiving fifo to memory.
    async fn serve_receives(self, fifo: Rc<ReceiveFifo>) {
        loop {
            let (to, bytes, _) = decode_transfer(self.registers.started_transfers.receive().await);
            self.sim.delay(self.start_time).await;
            for block in (0..bytes).step_by(BLOCK_BYTES) {
                self.sim.delay(self.memory_time + self.switch_time).await;
                let mut data = Block::ZERO;
                fifo.read_next(&mut data.0);
                self.initiator.write_block(to + block as u64, data).await;
            }
            self.registers.is_busy.set(false);
        }
    }
}

/// Returns address, length and marks of the transfer in a word.
fn decode_transfer(word: u64) -> (Address, usize, u64) {
    let marks = word >> MARKS_SHIFT & ((1 << (LENGTH_SHIFT - MARKS_SHIFT)) - 1);
    (word & ((1 << MARKS_SHIFT) - 1), (word >> LENGTH_SHIFT) as usize, marks)
}

/// The driver's sending half.
pub struct UdmaSender {
    words: WordSender,
    window: Window,
    buffer: Address,
    threshold: usize,
    word_cycles: u64,
    poll_cycles: u64,
}

/// The driver's receiving half.
pub struct UdmaReceiver {
    /// The half that reads small packets, and polls for all packets.
    pub words: WordReceiver,
    window: Window,
    buffer: Address,
    threshold: usize,
    word_cycles: u64,
    poll_cycles: u64,
}

/// Builds the sending half.
pub fn sender(context: &HalfContext<'_>) -> UdmaSender {
    let (parameters, words) = (context.parameters, words::sender(context, true));
    let (window, engine) = UdmaEngine::attach(context);
    context.sim().spawn_server(format!("{} sending DMA", context.name()), engine.serve_sends(words.fifo.clone()));
    UdmaSender {
        words,
        window,
        buffer: context.host().allocate(parameters.message_bytes_max.len()),
        threshold: parameters.udma_threshold.len(),
        word_cycles: parameters.word_cycles,
        poll_cycles: context.poll_cycles(),
    }
}

/// Builds the receiving half.
pub fn receiver(context: &HalfContext<'_>) -> UdmaReceiver {
    let (parameters, words) = (context.parameters, words::receiver(context, true));
    let (window, engine) = UdmaEngine::attach(context);
    context.sim().spawn_server(format!("{} receiving DMA", context.name()), engine.serve_receives(words.fifo.clone()));
    UdmaReceiver {
        words,
        window,
        buffer: context.host().allocate(parameters.message_bytes_max.len()),
        threshold: parameters.udma_threshold.len(),
        word_cycles: parameters.word_cycles,
        poll_cycles: context.poll_cycles(),
    }
}

/// Starts a transfer and polls until it is done.
async fn transfer(cpu: &AnyProcessor, window: Window, memory: Address, bytes: usize, marks: u64, poll_cycles: u64) {
    assert!(memory < 1 << MARKS_SHIFT, "an address has {MARKS_SHIFT} bits");
    let word = memory | marks << MARKS_SHIFT | (bytes as u64) << LENGTH_SHIFT;
    cpu.write(window.at(TRANSFER_OFFSET), 8, word).await;
    let start_value = cpu.read(window.at(START_OFFSET), words::REGISTER_BYTES).await;
    assert_eq!(start_value, 1, "the engine was idle");
    while cpu.read(window.at(BUSY_OFFSET), words::REGISTER_BYTES).await != 0 {
        cpu.work(poll_cycles);
    }
}

impl SendHalf for UdmaSender {
    async fn can_send(&self, cpu: &AnyProcessor) -> bool {
        self.words.can_send(cpu).await
    }

    async fn send(
        &self,
        cpu: &AnyProcessor,
        header: Header,
        packet: &SendRequest<'_>,
        processor_stage: Option<ProcessorStage>,
    ) {
        if usize::from(header.payload_bytes) <= self.threshold {
            return self.words.send(cpu, header, packet, processor_stage).await;
        }
        self.words.fifo.record_journey(&packet.journey, processor_stage);
        for word in 0..header.words() {
            let value = loaded!(cpu, load_word(cpu, header, packet.source, word, self.word_cycles));
            let (address, bytes) = (self.buffer + 8 * word as u64, header.bytes_of_word(word));
            stored!(cpu, value, store(cpu, address, bytes, value));
        }
        cpu.fence().await;
        let (bytes, marks) = (header.packet_bytes(), marks_word(packet.marks));
        transfer(cpu, self.window, self.buffer, bytes, marks, self.poll_cycles).await;
    }
}

impl UdmaReceiver {
    /// Has the engine move the packet that the poll found, including its header, to memory.
    async fn move_packet(&self, cpu: &AnyProcessor, header: Header, to: Address) {
        self.words.fifo.rewind();
        transfer(cpu, self.window, to, header.packet_bytes(), 0, self.poll_cycles).await;
    }
}

impl ReceiveHalf for UdmaReceiver {
    async fn poll(&self, cpu: &AnyProcessor) -> Option<RxHit> {
        self.words.poll(cpu).await
    }

    async fn take(&self, cpu: &AnyProcessor, header: Header, sink: &mut PayloadSink<'_>) {
        let is_moved_by_words = usize::from(header.payload_bytes) <= self.threshold;
        match sink {
            PayloadSink::Memory(into) if is_moved_by_words => {
                let mut sink = PayloadSink::Memory(payload_after_header(*into));
                self.words.take(cpu, header, &mut sink).await;
            }
            PayloadSink::Words(_) if is_moved_by_words => self.words.take(cpu, header, sink).await,
            PayloadSink::Memory(into) => self.move_packet(cpu, header, *into).await,
            PayloadSink::Words(_) => {
                self.move_packet(cpu, header, self.buffer).await;
                for word in 1..header.words() {
                    let address = self.buffer + 8 * word as u64;
                    let value = loaded!(cpu, load(cpu, address, header.bytes_of_word(word)));
                    stored!(cpu, value, store_word(cpu, header, sink, word, value, self.word_cycles));
                }
            }
        }
    }

    async fn idle(&self, cpu: &AnyProcessor, wake: Wake<'_>) -> bool {
        self.words.idle(cpu, wake).await
    }

    fn charge_poll(&self, cpu: &AnyProcessor) {
        self.words.charge_poll(cpu);
    }

    fn poll_wait_reason(&self, cpu: &AnyProcessor) -> Option<WaitReasonId> {
        self.words.poll_wait_reason(cpu)
    }
}
