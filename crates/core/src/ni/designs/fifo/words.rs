//! `NI2w`, CM-5-like, and the single-cycle `NI2w`, which is accessed like a register of the processor.
//!
//! | Table 2 | send | receive |
//! |---|---|---|
//! | size of transfer | uncached | uncached |
//! | who manages it | processor | processor |
//! | source, destination | processor registers | processor registers |
//! | buffering | in the interface or virtual memory, processor involved | |
//!
//! The processor sees the first two words (8 bytes) of each fifo. To send, it reads the send status, stores the words,
//! and stores the length, which launches the packet. To receive, it reads the receive status and loads the words;
//! loading the last word frees the packet. In the single-cycle design each access takes one processor cycle and no bus
//! (Mukherjee and Hill 1998, §4, §6.3), and the interface's memory is equally fast. In all other respects, in
//! particular in its buffering, it is the same as `NI2w`. The single-cycle design needs no capability of the host.
//!
//! The module leaves out message tags and interrupts of the CM-5. Parameters: width of an access, memory time, the
//! loop's cycles per word.

use super::device::{
    DATA_OFFSET, LAUNCH_OFFSET, REGISTER_SPACE_BYTES, ReceiveFifo, STATUS_OFFSET, SendFifo, launch_word,
};
use super::polls::StatusPolls;
use crate::engine::Time;
use crate::engine::sim::WaitReasonId;
use crate::host::{AnyProcessor, Device, Processor, Window};
use crate::ni::designs::half::{HalfContext, ReceiveHalf, RxHit, SendHalf};
use crate::ni::designs::parameters::InterfaceParameters;
use crate::ni::driver::{SendRequest, Wake};
use crate::ni::parcel::{Header, ProcessorStage};
use crate::ni::word_copy::{PayloadSink, load_word, loaded, store_word, stored};
use std::rc::Rc;

/// Cycles of an access to a register of the processor (Mukherjee and Hill 1998, §4).
const ACCESS_CYCLES: u64 = 1;

/// The path by which the processor accesses a device.
pub enum AccessPath {
    /// Uncached accesses over the bus.
    Bus(Window),
    /// Accesses of one processor cycle, without the bus.
    Register(Rc<dyn Device>),
}

impl AccessPath {
    /// Reads a register.
    pub async fn read(&self, cpu: &AnyProcessor, at: u64, bytes: usize) -> u64 {
        match self {
            AccessPath::Bus(window) => match cpu.try_read(window.at(at), bytes) {
                Some(value) => value,
                None => cpu.read(window.at(at), bytes).await,
            },
            AccessPath::Register(device) => {
                cpu.work(ACCESS_CYCLES);
                cpu.sync().await;
                let mut word = [0; 8];
                device.read(at, &mut word[..bytes]);
                u64::from_le_bytes(word)
            }
        }
    }

    /// Writes a register.
    pub async fn write(&self, cpu: &AnyProcessor, at: u64, bytes: usize, value: u64) {
        match self {
            AccessPath::Bus(window) => {
                if !cpu.try_write(window.at(at), bytes, value) {
                    cpu.write(window.at(at), bytes, value).await;
                }
            }
            AccessPath::Register(device) => {
                cpu.work(ACCESS_CYCLES);
                cpu.sync().await;
                device.write(at, &value.to_le_bytes()[..bytes]);
            }
        }
    }
}

/// Bytes of the status and launch registers.
pub const REGISTER_BYTES: usize = 4;

/// The driver's sending half.
pub struct WordSender {
    /// The device.
    pub fifo: Rc<SendFifo>,
    path: AccessPath,
    access_bytes: usize,
    word_cycles: u64,
}

/// The driver's receiving half.
pub struct WordReceiver {
    /// The device.
    pub fifo: Rc<ReceiveFifo>,
    path: AccessPath,
    access_bytes: usize,
    word_cycles: u64,
    polls: StatusPolls,
}

/// Creates the sending device.
pub fn send_fifo(context: &HalfContext<'_>) -> Rc<SendFifo> {
    let InterfaceParameters { memory_time, processing_time, .. } = *context.parameters;
    Rc::new(SendFifo::new(context.sim(), context.name(), context.port, memory_time, processing_time))
}

/// Creates the receiving device.
pub fn receive_fifo(context: &HalfContext<'_>) -> Rc<ReceiveFifo> {
    let parameters = context.parameters;
    let fill_time: Time = parameters.processing_time + parameters.memory_time * parameters.fifo_receive_accesses;
    ReceiveFifo::new(context.sim(), context.name(), context.port, parameters.memory_time, fill_time)
}

/// Builds the sending half, accessed over the bus or like registers of the processor.
pub fn sender(context: &HalfContext<'_>, is_on_bus: bool) -> WordSender {
    let fifo = send_fifo(context);
    let path = match is_on_bus {
        true => AccessPath::Bus(context.host().attach(fifo.clone(), REGISTER_SPACE_BYTES)),
        false => AccessPath::Register(fifo.clone()),
    };
    WordSender {
        fifo,
        path,
        access_bytes: context.parameters.access_bytes,
        word_cycles: context.parameters.word_cycles,
    }
}

/// Builds the receiving half, accessed over the bus or like registers of the processor.
pub fn receiver(context: &HalfContext<'_>, is_on_bus: bool) -> WordReceiver {
    let (parameters, fifo) = (context.parameters, receive_fifo(context));
    let path = match is_on_bus {
        true => AccessPath::Bus(context.host().attach(fifo.clone(), REGISTER_SPACE_BYTES)),
        false => AccessPath::Register(fifo.clone()),
    };
    let bus_location = match &path {
        AccessPath::Bus(window) => Some((window.at(STATUS_OFFSET), REGISTER_BYTES)),
        AccessPath::Register(_) => None,
    };
    let polls = StatusPolls::new(&fifo, bus_location, ACCESS_CYCLES, context.poll_cycles());
    WordReceiver { fifo, path, access_bytes: parameters.access_bytes, word_cycles: parameters.word_cycles, polls }
}

impl WordSender {
    async fn write_word(&self, cpu: &AnyProcessor, word: u64) {
        for offset in (0..8).step_by(self.access_bytes) {
            self.path.write(cpu, DATA_OFFSET + offset as u64, self.access_bytes, word >> (8 * offset)).await;
        }
    }
}

impl SendHalf for WordSender {
    async fn can_send(&self, cpu: &AnyProcessor) -> bool {
        self.path.read(cpu, STATUS_OFFSET, REGISTER_BYTES).await > 0
    }

    async fn send(
        &self,
        cpu: &AnyProcessor,
        header: Header,
        packet: &SendRequest<'_>,
        processor_stage: Option<ProcessorStage>,
    ) {
        self.fifo.record_journey(&packet.journey, processor_stage);
        for word in 0..header.words() {
            let value = loaded!(cpu, load_word(cpu, header, packet.source, word, self.word_cycles));
            self.write_word(cpu, value).await;
        }
        let launch_value = launch_word(header.packet_bytes(), packet.marks);
        self.path.write(cpu, LAUNCH_OFFSET, REGISTER_BYTES, launch_value).await;
    }
}

impl WordReceiver {
    async fn read_word(&self, cpu: &AnyProcessor) -> u64 {
        let mut word = 0;
        for offset in (0..8).step_by(self.access_bytes) {
            word |= self.path.read(cpu, DATA_OFFSET + offset as u64, self.access_bytes).await << (8 * offset);
        }
        word
    }
}

impl ReceiveHalf for WordReceiver {
    async fn poll(&self, cpu: &AnyProcessor) -> Option<RxHit> {
        if !self.polls.resumes(cpu) && self.path.read(cpu, STATUS_OFFSET, REGISTER_BYTES).await == 0 {
            return None;
        }
        let journey = self.fifo.journey();
        let processor_stage = ProcessorStage::start(&journey, cpu, "receive: poll");
        cpu.work(self.word_cycles);
        let header = Header::decode(self.read_word(cpu).await);
        Some(RxHit { header, journey, processor_stage })
    }

    async fn take(&self, cpu: &AnyProcessor, header: Header, sink: &mut PayloadSink<'_>) {
        for word in 1..header.words() {
            let value = self.read_word(cpu).await;
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
