//! The parameters of the unit.

use super::wire::HEADER_BYTES;
use crate::engine::{Bytes, Time};
use crate::text::{ParameterChoice, Parameters};

/// The method by which a processor is notified of a message.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ParameterChoice)]
pub enum Reception {
    /// The unit interrupts the processor.
    Interrupt,
    /// The processor polls the unit.
    Polling,
}

/// The costs of the directory protocol, in cycles of the unit unless stated otherwise.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Parameters)]
#[param(each(max = CYCLES_MAX), meaning = Work, resource = "coherence controller")]
pub struct CoherenceCosts {
    /// Cycles from an access that needs another node until its request leaves.
    ///
    /// The cycles end when the request is at the network.
    pub request: u64,
    /// Cycles at a block's home from the arrival of a request to its answer.
    ///
    /// The cycles end when the answer is at the network.
    pub home: u64,
    /// Additional cycles of a request if the cache of the block's home holds the block modified.
    pub recall: u64,
    /// Cycles from an answer's arrival until the processor continues.
    pub reply: u64,
    /// Cycles at the node that has a copy, from the home's request to its answer.
    pub invalidate: u64,
    /// Cycles at the home to receive the answer to an invalidation.
    ///
    /// A block that is written back takes the same cycles.
    pub acknowledge: u64,
    /// Number of readers of a block that hardware records.
    ///
    /// Each of these readers is recorded in a pointer of the block.
    #[param(min = 1, max = ENTRIES_MAX, meaning = Capacity, resource = "directory")]
    pub pointers: u32,
    /// Cycles of the home's processor when no pointer is free for a reader.
    ///
    /// The software moves the pointers to memory.
    #[param(resource = "coherence software")]
    pub trap_read: u64,
    /// Cycles of the home's processor before a block with more readers than pointers is written.
    ///
    /// If a block has more readers than pointers, memory records some of them.
    #[param(resource = "coherence software")]
    pub trap_write: u64,
    /// Additional cycles for each invalidation that the software sends.
    #[param(resource = "coherence software")]
    pub trap_each: u64,
    /// Requests that may wait at a home for blocks that are busy.
    ///
    /// Further requests are refused and repeated.
    #[param(max = 1 << 20, default = 16, meaning = Capacity, resource = "directory")]
    pub waiting: u32,
    /// Whether the owner of a block sends it to the requester directly; otherwise the block goes through its home.
    #[param(default = false, meaning = Policy)]
    pub forwarding: bool,
    /// Cycles until a refused request is repeated.
    #[param(min = 1, meaning = Policy)]
    pub retry: u64,
    /// Blocks that may be prefetched at once; 0 for none.
    #[param(min = 0, max = ENTRIES_MAX, meaning = Capacity, resource = "prefetch buffer")]
    pub prefetches: u32,
    /// Processor cycles to start a prefetch.
    #[param(resource = "coherence software")]
    pub prefetch: u64,
    /// Blocks that may be written back at once.
    #[param(min = 1, max = ENTRIES_MAX, meaning = Capacity, resource = "write-back buffer")]
    pub write_backs: u32,
    /// Processor cycles to handle a lock at its home.
    #[param(resource = "coherence software")]
    pub lock: u64,
    /// Cycles of a delay loop that the processor runs on every remote miss; 0 for no loop.
    ///
    /// The loop runs in another context (Chong et al. 1998, §5.3: it emulates a network with a longer latency and
    /// unlimited bandwidth).
    #[param(default = 0, meaning = Load)]
    pub delay: u64,
}

/// The maximum number of pointers, prefetches and write-backs (chosen).
const ENTRIES_MAX: u32 = 1024;

/// The parameters of the unit.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Parameters)]
#[param(each(max = CYCLES_MAX), meaning = Work, resource = "message instructions")]
pub struct CmmuParameters {
    /// Maximum number of bytes that a packet takes from memory: whole double words of 8 B.
    #[param(key = "message-max", min = "8 B", max = "16 KiB", default = "512 B", check = double_words_error)]
    #[param(meaning = Granularity)]
    pub payload: Bytes,
    /// Number of messages that the receive queue holds.
    #[param(key = "receive-queue", min = 1, max = 1024, meaning = Capacity, resource = "receive queue")]
    pub queue: usize,
    /// Method by which the processor is notified of a message.
    #[param(default = "interrupt")]
    pub reception: Reception,
    /// Processor cycles to enter an interrupt handler and return.
    #[param(key = "interrupt-cycles", resource = "interrupt")]
    pub interrupt: u64,
    /// Processor cycles to store or to load a word of a message.
    #[param(key = "word-cycles")]
    pub word: u64,
    /// Processor cycles to describe a transfer to or from memory and to detect its end.
    ///
    /// The cycles are the same in either direction.
    #[param(key = "dma-cycles")]
    pub dma: u64,
    /// Processor cycles to gather a double word of data from memory into a message.
    #[param(key = "gather-cycles", default = 0)]
    pub gather: u64,
    /// Processor cycles to scatter a double word of a received message that is longer than the arguments to where the
    /// program keeps it.
    #[param(key = "scatter-cycles", default = 0)]
    pub scatter: u64,
    /// Cycles of the interface to write a double word of a received message into memory, while the processor waits.
    #[param(key = "double-word-cycles", resource = "interface memory")]
    pub double_word: u64,
    /// Time that a message may wait for a free entry of the receive queue; then software moves the queue into memory.
    #[param(key = "overflow-after", min = "1 us", max = "100 ms", meaning = Timeout)]
    pub patience: Time,
    /// Processor cycles of the trap that moves the messages of a full receive queue into memory.
    #[param(key = "overflow-cycles", resource = "overflow software")]
    pub overflow: u64,
    /// Additional processor cycles for each message that the trap moves into memory.
    ///
    /// The cycles are charged when the message is moved, and again when it is received from memory.
    #[param(key = "overflow-message-cycles", resource = "overflow software")]
    pub overflow_each: u64,
    /// The protocol of shared memory.
    #[param(table)]
    pub coherence: CoherenceCosts,
}

fn double_words_error(payload: &Bytes) -> Option<(String, &'static str)> {
    let is_whole = payload.get().is_multiple_of(8);
    (!is_whole).then(|| (format!("{payload} is not a whole number of double words"), "a double word is 8 B"))
}

/// The maximum number of arguments of a message (Chong et al. 1998, §3.2).
pub const ARGUMENTS: usize = 14;

const CYCLES_MAX: u64 = 1_000_000;

impl CmmuParameters {
    /// Returns the largest number of words of an active message.
    pub(super) fn words(&self) -> usize {
        ARGUMENTS.max(self.payload.len() / 4)
    }

    /// Returns the length of the longest packet.
    pub fn packet_max(&self) -> Bytes {
        HEADER_BYTES + Bytes(self.payload.get().max(4 * ARGUMENTS as u64))
    }
}
