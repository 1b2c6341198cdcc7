//! The operation and the measured quantity of a test of verbs, with perftest's defaults.

use crate::engine::Bytes;
use crate::text::ParameterChoice;

/// The operation of the requests of a test.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ParameterChoice)]
pub enum VerbsOperation {
    /// Writes the memory of the other node.
    Write,
    /// Reads the memory of the other node.
    Read,
    /// Sends messages to posted receives.
    Send,
    /// Adds 1 to a word of the other node.
    FetchAdd,
    /// Replaces a word of the other node by its successor.
    CompareSwap,
}

impl VerbsOperation {
    /// Returns whether requests operate on words of 8 bytes.
    pub fn is_atomic(self) -> bool {
        matches!(self, VerbsOperation::FetchAdd | VerbsOperation::CompareSwap)
    }

    /// Returns the number by which a round trip is divided for a latency. A write or a send is answered by another one
    /// in the opposite direction; a read or an atomic operation includes its response.
    pub fn latencies_per_round_trip(self) -> u64 {
        if matches!(self, VerbsOperation::Write | VerbsOperation::Send) { 2 } else { 1 }
    }
}

/// The quantity that a test measures.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ParameterChoice)]
pub enum VerbsMeasure {
    /// The latency of one request at a time.
    Latency,
    /// The bandwidth and the rate of many outstanding requests.
    Bandwidth,
}

/// Defaults of perftest (`perftest_parameters.h`), which depend on the test.
impl VerbsMeasure {
    /// Returns the bytes of a request.
    pub(super) fn size(self, operation: VerbsOperation) -> Bytes {
        match self {
            _ if operation.is_atomic() => Bytes(ATOMIC_BYTES),
            VerbsMeasure::Latency => Bytes(2),
            VerbsMeasure::Bandwidth => Bytes(65_536),
        }
    }

    /// Returns the number of measured requests of a queue pair.
    pub(super) fn iterations(self) -> u64 {
        if self == VerbsMeasure::Latency { 1000 } else { 5000 }
    }

    /// Returns the number of outstanding requests of a queue pair.
    pub(super) fn outstanding(self) -> u64 {
        if self == VerbsMeasure::Latency { 1 } else { 128 }
    }

    /// Returns the number of requests per completion of a queue pair with `outstanding` requests of `size`, which
    /// are posted in lists of `post_list`.
    pub(super) fn signal_every(self, size: Bytes, outstanding: u64, post_list: u64) -> u64 {
        match self {
            VerbsMeasure::Latency => 1,
            VerbsMeasure::Bandwidth if post_list > 1 => post_list.min(outstanding),
            VerbsMeasure::Bandwidth if size > MODERATED_SIZE_MAX => 1,
            VerbsMeasure::Bandwidth => REQUESTS_PER_COMPLETION.min(outstanding),
        }
    }
}

/// Bytes of the operand of an atomic operation.
pub(super) const ATOMIC_BYTES: u64 = 8;
/// Requests per completion (`DEF_CQ_MOD` of perftest).
const REQUESTS_PER_COMPLETION: u64 = 100;
/// Largest request whose completions are moderated (`MSG_SIZE_CQ_MOD_LIMIT` of perftest).
const MODERATED_SIZE_MAX: Bytes = Bytes(8192);
