//! The parameters of the designs of Mukherjee and Hill (1998) with their sources, and the checks of the parameters.
//!
//! *Calibrated* values were fitted on one column of Table 5, the round trip at 64 bytes (7 of 53 cells), with one value
//! for all designs. *Chosen* values are not in the paper.

use super::design::Design;
use crate::engine::{Bytes, Time};
use crate::host::BLOCK_BYTES;
use crate::ni::parcel::{HeaderFormat, LARGE_PACKET_MAX, PAPER_PACKET_MAX};
use crate::part::ParameterError;
use crate::text::{Meaning, ParameterSink, ParameterType, Table};

/// Key of the largest network message.
pub const MESSAGE_MAX: &str = "message-max";

/// Maximum number of blocks of a queue whose home is the interface. The queues of the two directions have separate
/// address ranges of this size.
const INTERFACE_QUEUE_MAX: u64 = 1 << 17;
/// The names of the resources that several parameters belong to.
const MEMORY: &str = "interface memory";
const UDMA: &str = "user-level DMA";

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
    /// (calibrated). The accesses are the write into the flow-control buffer, the read out of it, and the writes of the
    /// fifo, its status and its count.
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
    /// Coherent queues: the notice of a message to send; the tail register in the paper (§4).
    pub notice: SendNotice,
    /// Coherent queues and `CNI0Qm`: number of packets, and for coherent queues of blocks, that the interface moves at
    /// the same time in each direction: 1 (chosen).
    pub outstanding: usize,
}

/// The notice by which the processor notifies a coherent interface of a message to send.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SendNotice {
    /// An uncached store of the tail.
    Tail,
    /// No separate store: the interface holds a copy of the message's first block, and fetches the block again when the
    /// copy is invalidated. The processor writes the header last.
    Line,
}

impl SendNotice {
    /// All notices.
    pub const ALL: [SendNotice; 2] = [SendNotice::Tail, SendNotice::Line];

    /// Returns the notice's name in descriptions.
    pub const fn key(self) -> &'static str {
        match self {
            SendNotice::Tail => "tail",
            SendNotice::Line => "line",
        }
    }
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
            notice: SendNotice::Tail,
            outstanding: 1,
        }
    }

    /// Reads the parameters of a design; parameters that the design does not have keep the paper's value.
    pub fn read(table: &mut Table<'_>, design: Design) -> InterfaceParameters {
        let mut parameters = InterfaceParameters {
            memory_time: table.time("memory-time", "Access time of the interface's memory").resource(MEMORY).required(),
            processing_time: table
                .time(
                    "processing-time",
                    "Time of the interface's logic for each message, at the sender and again at the receiver",
                )
                .resource("interface logic")
                .required(),
            message_bytes_max: table
                .bytes("message-max", "Largest network message, including its header")
                .meaning(Meaning::Granularity)
                .required(),
            word_cycles: table
                .count("word-cycles", "Processor cycles of the loop that moves 8 bytes")
                .max(1_000_000)
                .meaning(Meaning::Work)
                .resource("copy loop")
                .required(),
            ..InterfaceParameters::paper(design)
        };
        if design.is_fifo() {
            parameters.read_fifo(table, design != Design::MemoryChannel);
        }
        if matches!(design, Design::Ap3000 | Design::MemoryChannel) {
            let cycles =
                table.count("block-buffer-cycles", "Processor cycles to flush or load the block buffer").max(1_000_000);
            parameters.block_buffer_cycles = cycles.meaning(Meaning::Work).resource("block buffer").required();
        }
        if design == Design::Udma {
            let threshold = table.bytes("udma-threshold", "Payloads larger than this use user-level DMA");
            parameters.udma_threshold = threshold.meaning(Meaning::Policy).required();
            let start = table
                .time("udma-start", "Time from the load instruction that starts a transfer until the DMA engine works");
            parameters.udma_start_time = start.resource(UDMA).required();
            let switch = table.time("udma-switch", "Time to switch the bus initiator, for each block");
            parameters.udma_switch_time = switch.resource(UDMA).required();
        }
        if design.has_queue() {
            let blocks = table.count("queue-blocks", "Blocks of each message queue; a power of two").min(1);
            parameters.queue_blocks = blocks.meaning(Meaning::Capacity).resource("message queues").required();
            let poll = table
                .time("head-poll", "Time that the writer of a full queue waits before it reads the queue's head again");
            parameters.head_poll_time = poll.meaning(Meaning::Policy).required();
        }
        if design.caches_queues() {
            let blocks = table.count("cache-blocks", "Blocks of each of the interface's two caches, one for sending and one for receiving; a power of two").min(1);
            parameters.cache_blocks = blocks.meaning(Meaning::Capacity).resource("interface cache").required() as usize;
        }
        if design.is_coherent() {
            parameters.read_notice(table);
        }
        if design.moves_packets_concurrently() {
            parameters.read_outstanding(table);
        }
        parameters
    }

    fn read_notice(&mut self, table: &mut Table<'_>) {
        let choices = SendNotice::ALL.map(|notice| (notice.key(), notice));
        let notice = table.choice(
            "notice",
            "Notice of a message to send: `tail`, an uncached store to the tail register (default), or `line`, the message's first block, of which the interface holds a copy until the processor takes it",
            &choices,
        );
        self.notice = notice.meaning(Meaning::Policy).optional().unwrap_or(self.notice);
    }

    fn read_outstanding(&mut self, table: &mut Table<'_>) {
        let outstanding = table.count(
            "outstanding",
            "Packets, and blocks, that the interface moves at the same time in each direction [default: 1]",
        );
        let outstanding = outstanding.range(1, 256).meaning(Meaning::Capacity).resource("outstanding transactions");
        self.outstanding = outstanding.optional().map_or(self.outstanding, |count| count as usize);
    }

    fn read_fifo(&mut self, table: &mut Table<'_>, has_receive_fifo: bool) {
        if has_receive_fifo {
            self.fifo_receive_accesses = table
                .count(
                    "receive-accesses",
                    "Accesses to the interface's memory from a message's arrival until the processor sees it",
                )
                .meaning(Meaning::Work)
                .resource(MEMORY)
                .required();
        }
        let access = table.bytes("access", "Width of an uncached access to the fifo").meaning(Meaning::Width);
        self.access_bytes = access.resource(MEMORY).required().len();
        let window =
            table.bytes("window", "Bytes of the fifo that the processor can address").meaning(Meaning::Capacity);
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
        if design.caches_queues() {
            to.value("cache-blocks", (self.cache_blocks as u64).to_value());
        }
        if design.is_coherent() && self.notice != SendNotice::Tail {
            to.value("notice", self.notice.key().to_string().to_value());
        }
        if design.moves_packets_concurrently() && self.outstanding != 1 {
            to.value("outstanding", (self.outstanding as u64).to_value());
        }
    }

    /// Returns the encoding of the packets' headers. The paper's header has no bits for the sender's marks; with it,
    /// the marks are written to the tail register.
    pub fn header_format(&self) -> HeaderFormat {
        match self.notice {
            SendNotice::Tail => HeaderFormat::for_packets_of(self.message_bytes_max.get()),
            SendNotice::Line => HeaderFormat::Large,
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
        let (blocks, message_blocks) = (self.cache_blocks, self.message_blocks_max());
        if self.design.caches_queues() && (!blocks.is_power_of_two() || (blocks as u64) < message_blocks) {
            let reason = format!(
                "{blocks} blocks are not allowed: choose a power of two of at least {message_blocks}, the blocks of the largest message"
            );
            problems.push(ParameterError::new("cache-blocks", reason));
        }
        let needed_lines = message_blocks.next_power_of_two() * (self.outstanding as u64 + 1);
        if self.design.caches_queues() && self.outstanding > 1 && (blocks as u64) < needed_lines {
            let reason = format!(
                "{blocks} blocks are fewer than the {needed_lines} of {} messages that are moved at the same time",
                self.outstanding
            );
            let help = format!("choose at least {}, or a smaller outstanding", needed_lines.next_power_of_two());
            problems.push(ParameterError::new("cache-blocks", reason).help(help));
        }
        if problems.is_empty() && self.design == Design::Cni512q && self.queue_blocks > INTERFACE_QUEUE_MAX {
            let reason = format!("{} blocks are more than the interface can hold", self.queue_blocks);
            problems.push(ParameterError::new("queue-blocks", reason).help(format!("at most {INTERFACE_QUEUE_MAX}")));
        }
        problems
    }

    fn check_message(&self, problems: &mut Vec<ParameterError>) {
        let bytes = self.message_bytes_max.get();
        let minimum = self.header_format().bytes() as u64 + 8;
        let maximum = if self.design.is_coherent() { LARGE_PACKET_MAX } else { PAPER_PACKET_MAX };
        if !(minimum..=maximum).contains(&bytes) || !bytes.is_multiple_of(8) {
            let (minimum, maximum) = (Bytes(minimum), Bytes(maximum));
            let reason =
                format!("{bytes} B is not a multiple of 8 B from {minimum} (a header and a word) to {maximum}");
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
        let (blocks, message_blocks) = (self.queue_blocks, self.message_blocks_max());
        if !blocks.is_power_of_two() {
            let higher_power = blocks.next_power_of_two();
            let error = ParameterError::new("queue-blocks", format!("{blocks} is not a power of two"));
            problems.push(error.help(format!("the nearest are {} and {higher_power}", (higher_power / 2).max(1))));
        }
        if message_blocks > blocks {
            let reason = format!(
                "a network message of {} ({{table}}.{MESSAGE_MAX}) needs {message_blocks} blocks of {BLOCK_BYTES} B, but the \
                 queue has {blocks}",
                self.message_bytes_max
            );
            let blocks_min = message_blocks.next_power_of_two();
            let help = format!("choose at least {blocks_min}, or a smaller {{table}}.{MESSAGE_MAX}");
            problems.push(ParameterError::new("queue-blocks", reason).help(help));
        }
    }
}
