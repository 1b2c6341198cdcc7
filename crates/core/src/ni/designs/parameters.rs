//! The designs of Mukherjee and Hill (1998), §4 and Table 2, their parameters with their sources, and the checks of the
//! parameters.
//!
//! A design consists of a sending and a receiving half, and the device and driver of a half are in one file; the
//! Memory-Channel-like design combines halves of two other designs. The driver's loop is in
//! [`queue_driver`](super::queue_driver).
//!
//! *Calibrated* values were fitted on one column of Table 5, the round trip at 64 bytes (7 of 53 cells), with one value
//! for all designs. *Chosen* values are not in the paper.

use crate::engine::{Bytes, Time};
use crate::host::{BLOCK_BYTES, HostCapabilities};
use crate::part::ParameterError;
use crate::text::{Meaning, ParameterSink, ParameterType, Table};

/// Key of the largest network message.
pub const MESSAGE_MAX: &str = "message-max";

/// Maximum number of blocks of a queue that is at home in the interface. The queues of the two directions have separate
/// address ranges of this size.
const INTERFACE_QUEUE_MAX: u64 = 1 << 17;
/// The names of the resources that several parameters belong to.
const MEMORY: &str = "interface memory";
const UDMA: &str = "user-level DMA";

/// The designs.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Design {
    /// `NI2w`, CM-5-like.
    Ni2w,
    /// `NI64w+Udma`, Princeton-like.
    Udma,
    /// `NI16w+Blkbuf`, AP3000-like.
    Ap3000,
    /// `CNI0Qm`, StarT-JR-like.
    StartJr,
    /// `(NI16w+Blkbuf)S(CNI0Qm)R`, Memory-Channel-like.
    MemoryChannel,
    /// `CNI512Q`.
    Cni512q,
    /// `CNI32Qm`.
    Cni32qm,
    /// `CNI32Qm` with a throttled sender.
    Cni32qmThrottle,
    /// `NI2w` accessed in one processor cycle.
    SingleCycle,
}

impl Design {
    /// All designs, in the order of Table 5; the single-cycle one is last.
    pub const ALL: [Design; 9] = [
        Design::Ni2w,
        Design::Udma,
        Design::Ap3000,
        Design::StartJr,
        Design::MemoryChannel,
        Design::Cni512q,
        Design::Cni32qm,
        Design::Cni32qmThrottle,
        Design::SingleCycle,
    ];

    /// Returns the design's name in descriptions.
    pub const fn key(self) -> &'static str {
        match self {
            Design::Ni2w => "ni2w",
            Design::Udma => "udma",
            Design::Ap3000 => "ap3000",
            Design::StartJr => "startjr",
            Design::MemoryChannel => "memory-channel",
            Design::Cni512q => "cni512q",
            Design::Cni32qm => "cni32qm",
            Design::Cni32qmThrottle => "cni32qm-throttle",
            Design::SingleCycle => "single-cycle",
        }
    }

    /// Returns the paper's name of the design.
    pub const fn name(self) -> &'static str {
        match self {
            Design::Ni2w => "NI2w",
            Design::Udma => "NI64w+Udma",
            Design::Ap3000 => "NI16w+Blkbuf",
            Design::StartJr => "CNI0Qm",
            Design::MemoryChannel => "(NI16w+Blkbuf)S(CNI0Qm)R",
            Design::Cni512q => "CNI512Q",
            Design::Cni32qm => "CNI32Qm",
            Design::Cni32qmThrottle => "CNI32Qm+Throttle",
            Design::SingleCycle => "single-cycle NI2w",
        }
    }

    /// Returns the host capabilities that the design needs. A queue in main memory is polled in the cache if the cache
    /// snoops, and otherwise in memory.
    pub fn needs(self) -> HostCapabilities {
        use HostCapabilities as Has;
        match self {
            Design::SingleCycle => Has::NONE,
            Design::Ni2w => Has::of([Has::REGISTERS]),
            Design::Udma => Has::of([Has::REGISTERS, Has::DMA]),
            Design::Ap3000 => Has::of([Has::REGISTERS, Has::BLOCKS]),
            Design::StartJr => Has::of([Has::REGISTERS, Has::DMA]),
            Design::MemoryChannel => Has::of([Has::REGISTERS, Has::BLOCKS, Has::DMA]),
            Design::Cni512q | Design::Cni32qm | Design::Cni32qmThrottle => Has::of([Has::COHERENT]),
        }
    }

    /// Returns whether a half of the design is read or written through a fifo.
    pub const fn is_fifo(self) -> bool {
        use Design::{Ap3000, MemoryChannel, Ni2w, SingleCycle, Udma};
        matches!(self, Ni2w | Udma | Ap3000 | MemoryChannel | SingleCycle)
    }

    /// Returns whether a half of the design is a queue in memory.
    pub const fn has_queue(self) -> bool {
        !matches!(self, Design::Ni2w | Design::Udma | Design::Ap3000 | Design::SingleCycle)
    }

    /// Returns whether messages for which the interface's memory has no space are buffered in the user's virtual
    /// memory, to which the processor moves them (Table 2: buffering in "NI / VM", "processor involved"). The other
    /// designs buffer messages in main memory without the processor.
    pub const fn overflows_to_user_memory(self) -> bool {
        use Design::{Ap3000, Cni512q, Ni2w, SingleCycle, Udma};
        matches!(self, Ni2w | Udma | Ap3000 | Cni512q | SingleCycle)
    }

    /// Returns whether the interface caches its queues.
    pub const fn caches(self) -> bool {
        matches!(self, Design::Cni32qm | Design::Cni32qmThrottle)
    }
}

/// The parameters of a fifo or queue.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct InterfaceParameters {
    /// Design (Table 2).
    pub design: Design,
    /// Access time of the interface's memory: 60 ns, `CNI512Q` 120 ns (Table 3, note a).
    pub memory_time: Time,
    /// Time of the interface's logic for a message, on each side (calibrated, one value for all designs).
    pub processing_time: Time,
    /// Largest network message, header included: 256 bytes (Table 3).
    pub message_bytes_max: Bytes,
    /// Fifo designs: number of accesses to the fifo's memory from a message's arrival until the processor sees it: 5
    /// (calibrated). They are into the flow-control buffer, out of it, into the fifo, its status and its count.
    pub fifo_receive_accesses: u64,
    /// Fifo designs: width of an uncached access to the fifo: 8 bytes, the two words of `NI2w` (§4).
    pub access_bytes: usize,
    /// Fifo designs: bytes of the fifo that the processor sees: 8 (`NI2w`), 256 (`Udma`) (§4).
    pub window_bytes: usize,
    /// `Blkbuf`: processor cycles to flush or load the block buffer: 12 (§6.1.1).
    pub block_buffer_cycles: u64,
    /// `Udma`: payloads above this size are moved by user-level DMA: 0 in Table 5, 96 bytes in the applications
    /// (§6.1.1).
    pub udma_threshold: Bytes,
    /// `Udma`: time from the initiating load until the engine works (calibrated).
    pub udma_start_time: Time,
    /// `Udma`: time to switch the bus master from processor to interface, for each block (calibrated).
    pub udma_switch_time: Time,
    /// Queues: blocks in each direction's queue: 512 (`CNI512Q`, §4; chosen for the other designs).
    pub queue_blocks: u64,
    /// `CNI32Qm`: blocks of the interface's cache in each direction: 32 (§4).
    pub cache_blocks: usize,
    /// Queues: time that a full receive queue waits before it reads the head again (chosen).
    pub head_poll_time: Time,
    /// Cycles of the driver's loop around the access that moves 8 bytes: two 4-byte words (chosen).
    pub word_cycles: u64,
}

impl InterfaceParameters {
    /// Returns the interface `design` as in Table 5.
    pub fn paper(design: Design) -> InterfaceParameters {
        InterfaceParameters {
            design,
            memory_time: match design {
                Design::Cni512q => Time::from_ns(120),
                Design::SingleCycle => Time::from_ns(1),
                _ => Time::from_ns(60),
            },
            processing_time: Time::from_ns(40),
            message_bytes_max: Bytes(256),
            fifo_receive_accesses: 5,
            access_bytes: 8,
            window_bytes: if design == Design::Udma { 256 } else { 8 },
            block_buffer_cycles: 12,
            udma_threshold: Bytes(0),
            udma_start_time: Time::from_ns(180),
            udma_switch_time: Time::from_ns(110),
            queue_blocks: 512,
            cache_blocks: 32,
            head_poll_time: Time::from_ns(500),
            word_cycles: 4,
        }
    }

    /// Reads the parameters of a design; parameters that the design does not have keep the paper's value.
    pub fn read(t: &mut Table<'_>, design: Design) -> InterfaceParameters {
        let mut read = InterfaceParameters {
            memory_time: t.time("memory-time", "Access time of the interface's memory").resource(MEMORY).required(),
            processing_time: t
                .time(
                    "processing-time",
                    "Time of the interface's logic for each message, at the sender and again at the receiver",
                )
                .resource("interface logic")
                .required(),
            message_bytes_max: t
                .bytes("message-max", "Largest network message, including its header")
                .meaning(Meaning::Granularity)
                .required(),
            word_cycles: t
                .count("word-cycles", "Processor cycles of the loop that moves 8 bytes")
                .max(1_000_000)
                .meaning(Meaning::Work)
                .resource("copy loop")
                .required(),
            ..InterfaceParameters::paper(design)
        };
        if design.is_fifo() {
            read.read_fifo(t, design != Design::MemoryChannel);
        }
        if matches!(design, Design::Ap3000 | Design::MemoryChannel) {
            let cycles =
                t.count("block-buffer-cycles", "Processor cycles to flush or load the block buffer").max(1_000_000);
            read.block_buffer_cycles = cycles.meaning(Meaning::Work).resource("block buffer").required();
        }
        if design == Design::Udma {
            let threshold = t.bytes("udma-threshold", "Payloads larger than this use user-level DMA");
            read.udma_threshold = threshold.meaning(Meaning::Policy).required();
            let start = t
                .time("udma-start", "Time from the load instruction that starts a transfer until the DMA engine works");
            read.udma_start_time = start.resource(UDMA).required();
            let switch = t.time("udma-switch", "Time to switch the bus initiator, for each block");
            read.udma_switch_time = switch.resource(UDMA).required();
        }
        if design.has_queue() {
            let blocks = t.count("queue-blocks", "Blocks of each message queue; a power of two").min(1);
            read.queue_blocks = blocks.meaning(Meaning::Capacity).resource("message queues").required();
            let poll = t
                .time("head-poll", "Time that the writer of a full queue waits before it reads the queue's head again");
            read.head_poll_time = poll.meaning(Meaning::Policy).required();
        }
        if design.caches() {
            let blocks = t.count("cache-blocks", "Blocks of each of the interface's two caches, one for sending and one for receiving; a power of two").min(1);
            read.cache_blocks = blocks.meaning(Meaning::Capacity).resource("interface cache").required() as usize;
        }
        read
    }

    fn read_fifo(&mut self, t: &mut Table<'_>, receives: bool) {
        if receives {
            self.fifo_receive_accesses = t
                .count(
                    "receive-accesses",
                    "Accesses to the interface's memory from a message's arrival until the processor sees it",
                )
                .meaning(Meaning::Work)
                .resource(MEMORY)
                .required();
        }
        let access = t.bytes("access", "Width of an uncached access to the fifo").meaning(Meaning::Width);
        self.access_bytes = access.resource(MEMORY).required().len();
        let window = t.bytes("window", "Bytes of the fifo that the processor can address").meaning(Meaning::Capacity);
        self.window_bytes = window.required().len();
    }

    /// Writes the parameters of the design, in the form in which they are read.
    pub fn write(&self, to: &mut dyn ParameterSink) {
        let design = self.design;
        to.value("memory-time", self.memory_time.to_value());
        to.value("processing-time", self.processing_time.to_value());
        to.value(MESSAGE_MAX, self.message_bytes_max.to_value());
        to.value("word-cycles", self.word_cycles.to_value());
        if design.is_fifo() {
            if design != Design::MemoryChannel {
                to.value("receive-accesses", self.fifo_receive_accesses.to_value());
            }
            to.value("access", Bytes(self.access_bytes as u64).to_value());
            to.value("window", Bytes(self.window_bytes as u64).to_value());
        }
        if matches!(design, Design::Ap3000 | Design::MemoryChannel) {
            to.value("block-buffer-cycles", self.block_buffer_cycles.to_value());
        }
        if design == Design::Udma {
            to.value("udma-threshold", self.udma_threshold.to_value());
            to.value("udma-start", self.udma_start_time.to_value());
            to.value("udma-switch", self.udma_switch_time.to_value());
        }
        if design.has_queue() {
            to.value("queue-blocks", self.queue_blocks.to_value());
            to.value("head-poll", self.head_poll_time.to_value());
        }
        if design.caches() {
            to.value("cache-blocks", (self.cache_blocks as u64).to_value());
        }
    }

    /// Returns the number of blocks of the largest message.
    pub fn message_blocks_max(&self) -> u64 {
        self.message_bytes_max.get().div_ceil(BLOCK_BYTES as u64)
    }

    /// Returns the errors in these parameters.
    pub fn check(&self) -> Vec<ParameterError> {
        let mut problems = Vec::new();
        self.check_message(&mut problems);
        if self.design.is_fifo() {
            self.check_access(&mut problems);
        }
        if self.design.has_queue() {
            self.check_queue(&mut problems);
        }
        let (blocks, message) = (self.cache_blocks, self.message_blocks_max());
        if self.design.caches() && (!blocks.is_power_of_two() || (blocks as u64) < message) {
            let reason = format!(
                "{blocks} blocks are not allowed: choose a power of two of at least {message}, the blocks of the largest message"
            );
            problems.push(ParameterError::new("cache-blocks", reason));
        }
        if problems.is_empty() && self.design == Design::Cni512q && self.queue_blocks > INTERFACE_QUEUE_MAX {
            let reason = format!("{} blocks are more than the interface can hold", self.queue_blocks);
            problems.push(ParameterError::new("queue-blocks", reason).help(format!("at most {INTERFACE_QUEUE_MAX}")));
        }
        problems
    }

    fn check_message(&self, problems: &mut Vec<ParameterError>) {
        let bytes = self.message_bytes_max.get();
        if !(16..=256).contains(&bytes) || !bytes.is_multiple_of(8) {
            let reason = format!("{bytes} B is not a multiple of 8 B from 16 B (a header and a word) to 256 B");
            problems.push(ParameterError::new(MESSAGE_MAX, reason));
        }
    }

    fn check_access(&self, problems: &mut Vec<ParameterError>) {
        let (access, window) = (self.access_bytes, self.window_bytes);
        if ![1, 2, 4, 8].contains(&access) {
            let reason = format!("{access} B is not a width of an uncached access");
            problems.push(ParameterError::new("access", reason).help("choose 1 B, 2 B, 4 B or 8 B"));
        } else if access > window {
            let reason = format!("{access} B is wider than the {window} B of the fifo that the processor sees");
            problems.push(ParameterError::new("access", reason).help("choose a smaller access or a larger window"));
        }
    }

    fn check_queue(&self, problems: &mut Vec<ParameterError>) {
        let (blocks, message) = (self.queue_blocks, self.message_blocks_max());
        if !blocks.is_power_of_two() {
            let above = blocks.next_power_of_two();
            let error = ParameterError::new("queue-blocks", format!("{blocks} is not a power of two"));
            problems.push(error.help(format!("the nearest are {} and {above}", (above / 2).max(1))));
        }
        if message > blocks {
            let reason =
                format!("a message of {} needs {message} blocks, but the queue has {blocks}", self.message_bytes_max);
            let help = format!("choose at least {}, or a smaller message-max", message.next_power_of_two());
            problems.push(ParameterError::new("queue-blocks", reason).help(help));
        }
    }
}
