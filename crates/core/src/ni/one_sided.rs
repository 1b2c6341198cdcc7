//! One-sided operations and work queues, for interfaces that execute operations on the memory of another node without a
//! program there.
//!
//! A program posts operations, rings the doorbell for a batch of them, and polls for their completions. An operation
//! names a memory region that the other node has registered, by its key.
//!
//! Operations of one node on another are executed in the order of posting if packets between the nodes stay in order;
//! each is completed before the next begins. Operations of several nodes are executed one at a time, so atomic
//! operations are atomic with respect to each other, but not with respect to the stores of the node's own processor.

use crate::engine::{Bytes, EndpointId, LocalFuture};
use crate::host::{Address, AnyProcessor};

/// The number of an operation, counted over all that its node has posted.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct WorkId(pub u64);

/// The result of an operation.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum WorkStatus {
    /// The operation was executed, and its result is in memory.
    Done,
    /// The key names no region, or the operation is not within the region; nothing was accessed.
    RemoteAccessError,
}

/// An operation that has ended.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct WorkCompletion {
    /// The operation.
    pub work: WorkId,
    /// The result.
    pub status: WorkStatus,
}

/// A queue to which operations are posted in batches, and from which their completions are taken.
pub trait WorkQueue {
    /// Rings the doorbell for all operations that were posted since the last call.
    fn flush<'a>(&'a self, cpu: &'a AnyProcessor) -> LocalFuture<'a>;

    /// Polls once, and takes at most `max` completions, in the order in which the interface wrote them.
    fn completions<'a>(&'a self, cpu: &'a AnyProcessor, max: usize) -> LocalFuture<'a, Vec<WorkCompletion>>;

    /// Waits until a poll finds a completion. One event simulates the wait: polls that find nothing take no time and do
    /// not occupy a bus.
    fn wait_for_completion<'a>(&'a self, cpu: &'a AnyProcessor) -> LocalFuture<'a>;
}

/// Memory of a node that other nodes may access.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct MemoryRegion {
    /// Key by which operations name the region.
    pub key: u32,
    /// First address.
    pub at: Address,
    /// Size.
    pub bytes: Bytes,
}

/// An operation on the memory of another node.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum RemoteOperation {
    /// Writes `bytes` bytes of local memory at `from` to remote memory at `to`. The bytes are read when the operation
    /// is posted.
    Write {
        /// Local address.
        from: Address,
        /// Remote address.
        to: Address,
        /// Key of the remote region.
        key: u32,
        /// Size.
        bytes: Bytes,
    },
    /// Reads `bytes` bytes of remote memory at `from` into local memory at `to`.
    Read {
        /// Remote address.
        from: Address,
        /// Key of the remote region.
        key: u32,
        /// Local address.
        to: Address,
        /// Size.
        bytes: Bytes,
    },
    /// Adds `add` to the 8-byte word at `at`, and stores its previous value in local memory at `to`.
    FetchAdd {
        /// Remote address, a multiple of 8.
        at: Address,
        /// Key of the remote region.
        key: u32,
        /// Addend; the sum wraps around.
        add: u64,
        /// Local address.
        to: Address,
    },
    /// Replaces the 8-byte word at `at` by `new` if it equals `expected`, and stores its previous value in local memory
    /// at `to`.
    CompareSwap {
        /// Remote address, a multiple of 8.
        at: Address,
        /// Key of the remote region.
        key: u32,
        /// Value that is replaced.
        expected: u64,
        /// Value that replaces it.
        new: u64,
        /// Local address.
        to: Address,
    },
}

/// Operations on remote memory, in which no program of the other node takes part.
pub trait OneSided {
    /// Returns the maximum number of bytes that an operation reads or writes.
    fn operation_max(&self) -> Bytes;

    /// Lets other nodes access `bytes` bytes at `at`.
    fn register<'a>(&'a self, cpu: &'a AnyProcessor, at: Address, bytes: Bytes) -> LocalFuture<'a, MemoryRegion>;

    /// Posts an operation on memory of the node of `to`, which must be another node. The interface executes the
    /// operation after the next [`flush`](WorkQueue::flush), or after the next message that is sent by the same queue.
    /// Returns `None`, and posts nothing, if the queue is full: the program then flushes, takes completions and posts
    /// again.
    ///
    /// # Panics
    ///
    /// Panics if the operation is on the local node, or moves more than [`operation_max`](Self::operation_max).
    fn post<'a>(
        &'a self,
        cpu: &'a AnyProcessor,
        to: EndpointId,
        operation: RemoteOperation,
    ) -> LocalFuture<'a, Option<WorkId>>;
}
