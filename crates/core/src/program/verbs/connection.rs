//! A queue pair as one of its endpoints uses it, and the buffers of a test.

use super::VerbsTest;
use super::operation::VerbsOperation;
use crate::host::Address;
use crate::messaging::Endpoint;
use crate::ni::{DriverExtensions, QueuePairId, Verbs};
use crate::program::PAYLOAD_PATTERNS;

/// A queue pair as one of its endpoints uses it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Connection {
    /// Number of the queue pair at the endpoint's node.
    pub queue_pair: QueuePairId,
    /// Whether the endpoint posts requests.
    pub posts_requests: bool,
    /// Whether the other endpoint posts requests.
    pub is_target: bool,
    /// Memory of the other endpoint that requests name.
    pub remote_address: Address,
    /// Key of that memory.
    pub remote_key: u32,
    /// Buffers for writes and messages of the other endpoint.
    pub incoming_buffers: Address,
    /// Buffers for the results of reads and atomic operations.
    pub result_buffers: Address,
}

impl VerbsTest {
    /// Returns the number of buffers of a queue pair for writes and messages of the other endpoint.
    pub(super) fn incoming_slots(&self) -> u64 {
        match self.operation {
            VerbsOperation::Write => PAYLOAD_PATTERNS,
            VerbsOperation::Send => self.receives.min(self.total_requests()),
            VerbsOperation::Read => 0,
            VerbsOperation::FetchAdd | VerbsOperation::CompareSwap => 1,
        }
    }

    /// Returns the number of buffers of a queue pair for results.
    pub(super) fn result_slots(&self) -> u64 {
        match self.operation {
            VerbsOperation::Write | VerbsOperation::Send => 0,
            VerbsOperation::Read => PAYLOAD_PATTERNS,
            VerbsOperation::FetchAdd | VerbsOperation::CompareSwap => self.outstanding,
        }
    }

    /// Returns the bytes of the buffers of an endpoint with `queue_pairs` queue pairs.
    pub(super) fn memory_bytes(&self, queue_pairs: u64) -> u64 {
        let slots = self.incoming_slots() + self.result_slots();
        self.slot_bytes() * (PAYLOAD_PATTERNS + queue_pairs * slots)
    }
}

/// Returns the verbs of an endpoint's interface.
pub fn verbs(endpoint: &Endpoint) -> &dyn Verbs {
    endpoint.driver().verbs().expect("a checked interface has verbs")
}
