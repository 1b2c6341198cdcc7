//! The parameters of the unit.

use super::wire::HEADER_BYTES;
use crate::engine::{Bytes, Time};
use crate::text::{ParameterChoice, Parameters};

/// How a processor learns of a message.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ParameterChoice)]
pub enum Reception {
    /// It is interrupted.
    Interrupt,
    /// It looks.
    Polling,
}

/// What the directory protocol costs, in cycles of the unit.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Parameters)]
#[param(each(max = CYCLES_MAX))]
pub struct CoherenceCosts {
    /// Cycles from an access that needs another node to its request.
    ///
    /// Until the request is at the network.
    pub request: u64,
    /// Cycles at the home from a request to its answer.
    ///
    /// Until the answer is at the network.
    pub home: u64,
    /// Cycles more where the home's own cache has stored it.
    pub recall: u64,
    /// Cycles from an answer's arrival until the processor goes on.
    pub reply: u64,
    /// Cycles at who has a copy, from what the home asks to its answer.
    pub invalidate: u64,
    /// Cycles at the home to take in such an answer.
    ///
    /// Or a block that comes home.
    pub acknowledge: u64,
    /// Readers of a block that hardware knows.
    ///
    /// By pointers of the block.
    #[param(min = 1, max = FEW_MAX)]
    pub pointers: u32,
    /// Cycles of the home's processor when a reader finds no pointer.
    ///
    /// To empty them into memory.
    pub trap_read: u64,
    /// Cycles of the home's processor before such a block is written.
    ///
    /// A block some of whose readers are in memory.
    pub trap_write: u64,
    /// Cycles more for each reader that it sends to.
    pub trap_each: u64,
    /// Requests that may wait at a home for blocks that are busy.
    ///
    /// Others are turned away.
    #[param(max = 1 << 20, default = 16)]
    pub waiting: u32,
    /// Cycles until what was turned away is asked again.
    #[param(min = 1)]
    pub retry: u64,
    /// Blocks that may be prefetched at once; 0 for none.
    #[param(min = 0, max = FEW_MAX)]
    pub prefetches: u32,
    /// Processor cycles to ask for a block that will be wanted.
    pub prefetch: u64,
    /// Blocks that may be on their way home at once.
    #[param(min = 1, max = FEW_MAX)]
    pub write_backs: u32,
    /// Processor cycles to handle a lock at its home.
    pub lock: u64,
    /// Cycles of a loop that the processor changes to on every remote miss; 0: it waits.
    ///
    /// A loop in another context (Chong et al. 1998, §5.3: a network that is farther, and as wide as need be).
    #[param(default = 0)]
    pub delay: u64,
}

/// The most pointers, prefetches and blocks on their way home (chosen).
const FEW_MAX: u32 = 1024;

/// The unit.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Parameters)]
#[param(each(max = CYCLES_MAX))]
pub struct CmmuParameters {
    /// The most bytes of memory of a packet, in double words.
    #[param(key = "message-max", min = "8 B", max = "16 KiB", default = "512 B", check = not_whole_double_words)]
    pub payload: Bytes,
    /// Messages that the receive queue holds.
    #[param(key = "receive-queue", min = 1, max = 1024)]
    pub queue: usize,
    /// How a processor learns of a message.
    #[param(default = "interrupt")]
    pub reception: Reception,
    /// Processor cycles of an interrupt, to its handler and back.
    #[param(key = "interrupt-cycles")]
    pub interrupt: u64,
    /// Processor cycles to store or to load a word of a message.
    #[param(key = "word-cycles")]
    pub word: u64,
    /// Processor cycles to describe bytes in memory, and to know of their end.
    ///
    /// That they have gone or come.
    #[param(key = "dma-cycles")]
    pub dma: u64,
    /// Processor cycles to gather a double word in memory, beyond the arguments.
    #[param(key = "gather-cycles", default = 0)]
    pub gather: u64,
    /// Cycles to put a double word of a message into memory.
    #[param(key = "double-word-cycles")]
    pub double_word: u64,
    /// For how long a message may wait for room in the receive queue.
    #[param(key = "overflow-after", min = "1 us", max = "100 ms")]
    pub patience: Time,
    /// Processor cycles of the trap that empties the receive queue.
    #[param(key = "overflow-cycles")]
    pub overflow: u64,
    /// More for each message, to memory and from there.
    ///
    /// When it is put into memory, and again when it is received from there.
    #[param(key = "overflow-message-cycles")]
    pub overflow_each: u64,
    /// The protocol of shared memory.
    #[param(table)]
    pub coherence: CoherenceCosts,
}

fn not_whole_double_words(payload: &Bytes) -> Option<(String, &'static str)> {
    let is_whole = payload.get().is_multiple_of(8);
    (!is_whole).then(|| (format!("{payload} is no whole number of double words"), "a double word is 8 B"))
}

/// The most arguments of a message (Chong et al. 1998, §3.2).
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
