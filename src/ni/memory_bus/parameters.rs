//! The parameters of the interfaces on the memory bus, each with its source, and what is refused.
//!
//! *Calibrated* means: fitted on one column of Table 5, the round trip at 64 bytes (7 of 53 cells), one
//! value for all designs; *chosen*: the paper does not say.

use super::Kind;
use crate::engine::{Bytes, Time};
use crate::host::memory_bus::{BLOCK_BYTES, Problem};
use crate::protocol::return_to_sender::{Buffers, Parameters, Retry};
use crate::text::Table;

/// An interface.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct InterfaceParameters {
    /// Which design (Table 2).
    pub kind: Kind,
    /// Access time of its memory: 60 ns, `CNI512Q` 120 ns (Table 3, note a).
    pub memory_time: Time,
    /// Its logic's time for a message, on each side (calibrated, one value for all designs).
    pub processing_time: Time,
    /// Largest network message, header included: 256 bytes (Table 3).
    pub message_bytes_max: Bytes,
    /// Flow control: 8 buffers each way in Table 5; retry delay chosen.
    pub flow: Parameters,
    /// Fifo designs: accesses to its memory from a message's arrival until the processor sees it:
    /// into the flow-control buffer, out of it, into the fifo, its status and its count: 5 (calibrated).
    pub fifo_receive_accesses: u64,
    /// Fifo designs: width of an uncached access to the fifo: 8 bytes, the two words of `NI2w` (§4).
    pub access_bytes: usize,
    /// Fifo designs: bytes of the fifo that the processor sees: 8 (`NI2w`), 256 (`Udma`) (§4).
    pub window_bytes: usize,
    /// `Blkbuf`: processor cycles to flush or load the block buffer: 12 (§6.1.1).
    pub block_buffer_cycles: u64,
    /// `Udma`: larger payloads use it: 0 in Table 5, 96 bytes in the applications (§6.1.1).
    pub udma_threshold: Bytes,
    /// `Udma`: from the initiating load until the engine is at work (calibrated).
    pub udma_start_time: Time,
    /// `Udma`: to switch the bus master from processor to interface, for each block (calibrated).
    pub udma_switch_time: Time,
    /// Queues: blocks in each direction's queue: 512 (`CNI512Q`, §4; the others chosen alike).
    pub queue_blocks: u64,
    /// `CNI32Qm`: blocks of its cache in each direction: 32 (§4).
    pub cache_blocks: usize,
    /// Queues: how long a full receive queue waits before it looks at the head again (chosen).
    pub head_poll_time: Time,
    /// Cycles of the driver's loop around the access that moves 8 bytes: two 4-byte words (chosen).
    pub word_cycles: u64,
    /// Cycles of a round of the polling loop beside the poll itself (calibrated).
    pub poll_cycles: u64,
}

impl InterfaceParameters {
    /// The interface `kind` as in Table 5.
    pub fn paper(kind: Kind) -> InterfaceParameters {
        let buffers = Buffers::finite(8).expect("eight is not zero");
        InterfaceParameters {
            kind,
            memory_time: match kind {
                Kind::Cni512q => Time::from_ns(120),
                Kind::SingleCycle => Time::from_ns(1),
                _ => Time::from_ns(60),
            },
            processing_time: Time::from_ns(40),
            message_bytes_max: Bytes(256),
            flow: Parameters::symmetric(buffers, Retry::constant(Time::from_ns(200))),
            fifo_receive_accesses: 5,
            access_bytes: 8,
            window_bytes: if kind == Kind::Udma { 256 } else { 8 },
            block_buffer_cycles: 12,
            udma_threshold: Bytes(0),
            udma_start_time: Time::from_ns(180),
            udma_switch_time: Time::from_ns(110),
            queue_blocks: 512,
            cache_blocks: 32,
            head_poll_time: Time::from_ns(500),
            word_cycles: 4,
            poll_cycles: 45,
        }
    }

    /// Reads the parameters of a design; those that other designs alone have keep the paper's value.
    pub fn read(t: &mut Table<'_>, kind: Kind) -> InterfaceParameters {
        let mut read = InterfaceParameters {
            memory_time: t.time("memory-time", "Access time of the interface's memory").required(),
            processing_time: t.time("processing-time", "Time of its logic for a message, on each side").required(),
            message_bytes_max: t.bytes("message-max", "Largest network message, header included").required(),
            flow: read_flow(t),
            word_cycles: t
                .count("word-cycles", "Processor cycles of the loop that moves 8 bytes")
                .max(1_000_000)
                .required(),
            poll_cycles: t.count("poll-cycles", "Processor cycles of a round of polling").max(1_000_000).required(),
            ..InterfaceParameters::paper(kind)
        };
        if kind.is_fifo() {
            read.read_fifo(t);
        }
        if matches!(kind, Kind::Ap3000 | Kind::MemoryChannel) {
            read.block_buffer_cycles =
                t.count("block-buffer-cycles", "Cycles to flush or load the block buffer").max(1_000_000).required();
        }
        if kind == Kind::Udma {
            read.udma_threshold = t.bytes("udma-threshold", "Payloads larger than this use user-level DMA").required();
            read.udma_start_time = t.time("udma-start", "From the initiating load until the engine works").required();
            read.udma_switch_time = t.time("udma-switch", "To switch the bus master, for each block").required();
        }
        if kind.has_queue() {
            read.queue_blocks = t.count("queue-blocks", "Blocks of each queue; a power of two").min(1).required();
            read.head_poll_time = t.time("head-poll", "How long a full queue waits before it looks again").required();
        }
        if kind.caches() {
            read.cache_blocks =
                t.count("cache-blocks", "Blocks of each cache; a power of two").min(1).required() as usize;
        }
        read
    }

    fn read_fifo(&mut self, t: &mut Table<'_>) {
        self.fifo_receive_accesses = t
            .count("receive-accesses", "Accesses to its memory from arrival until the processor sees a message")
            .required();
        self.access_bytes = t.bytes("access", "Width of an uncached access to the fifo").required().len();
        self.window_bytes = t.bytes("window", "Bytes of the fifo that the processor sees").required().len();
    }

    /// Blocks that the largest message takes.
    pub fn message_blocks_max(&self) -> u64 {
        self.message_bytes_max.get().div_ceil(BLOCK_BYTES as u64)
    }

    /// Everything that is wrong with these parameters.
    pub fn check(&self) -> Vec<Problem> {
        let mut problems = Vec::new();
        self.check_message(&mut problems);
        if self.kind.is_fifo() {
            self.check_access(&mut problems);
        }
        if self.kind.has_queue() {
            self.check_queue(&mut problems);
        }
        let (blocks, message) = (self.cache_blocks, self.message_blocks_max());
        if self.kind.caches() && (!blocks.is_power_of_two() || (blocks as u64) < message) {
            let reason = format!("{blocks} blocks: a power of two of at least the {message} blocks of a message");
            problems.push(Problem::new("cache-blocks", reason));
        }
        problems
    }

    fn check_message(&self, problems: &mut Vec<Problem>) {
        let bytes = self.message_bytes_max.get();
        if !(16..=256).contains(&bytes) || !bytes.is_multiple_of(8) {
            let reason = format!("{bytes} B: a multiple of 8 from 16 (header and a word) to 256");
            problems.push(Problem::new("message-bytes-max", reason));
        }
    }

    fn check_access(&self, problems: &mut Vec<Problem>) {
        let (access, window) = (self.access_bytes, self.window_bytes);
        if ![1, 2, 4, 8].contains(&access) {
            let reason = format!("{access} B: an uncached access moves 1, 2, 4 or 8 bytes");
            problems.push(Problem::new("access-bytes", reason));
        } else if access > window {
            let reason = format!("{access} B is wider than the {window} B of the fifo that the processor sees");
            problems.push(Problem::new("access-bytes", reason));
        }
    }

    fn check_queue(&self, problems: &mut Vec<Problem>) {
        let (blocks, message) = (self.queue_blocks, self.message_blocks_max());
        if !blocks.is_power_of_two() {
            problems.push(Problem::new("queue-blocks", format!("{blocks} blocks is not a power of two")));
        }
        if message > blocks {
            let reason = format!(
                "a message of {} needs {message} blocks, more than the queue's {blocks}",
                self.message_bytes_max
            );
            problems.push(Problem::new("queue-blocks", reason));
        }
    }
}

/// `count` flow-control buffers each way, refused if there are none.
pub fn flow_control_buffers(count: u32, retry: Retry) -> Result<Parameters, Problem> {
    let none = || Problem::new("flow-control-buffers", "0 buffers: a node without any could never communicate");
    Buffers::finite(count).map(|buffers| Parameters::symmetric(buffers, retry)).ok_or_else(none)
}

/// Reads the flow-control buffers and the retry rule.
fn read_flow(t: &mut Table<'_>) -> Parameters {
    let infinite = t.flag("infinite-buffers", "Whether there is no end of flow-control buffers").or(false);
    let count = t.count("flow-control-buffers", "Outgoing, and as many incoming, message buffers").range(1, 65_536);
    let buffers = Buffers::finite(count.required() as u32).unwrap_or(Buffers::Infinite);
    let retry = t.time("retry-delay", "How long a returned message waits before it is sent again").required();
    Parameters::symmetric(if infinite { Buffers::Infinite } else { buffers }, Retry::constant(retry))
}
