//! One-sided operations and work queues: what an interface offers that executes operations on the memory of another node
//! without a program there.
//!
//! A program posts operations, rings for a batch of them, and polls for their completions. An operation names a region
//! that the other node registered, by its key.
//!
//! Operations of one node on another are executed in the order of posting where packets between the nodes keep their
//! order, each completely before the next begins. Those of several nodes are executed one at a time, so that the atomic
//! ones are atomic among each other; they are not atomic with respect to the stores of the node's own processor.

use crate::engine::{Bytes, EndpointId, LocalFuture};
use crate::host::{Address, AnyProcessor};

/// Number of an operation among those that its node has posted.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct WorkId(pub u64);

/// How an operation ended.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum WorkStatus {
    /// The operation was executed, and its result is in memory.
    Done,
    /// The key names no region, or the operation is not within the region; nothing was accessed.
    RemoteAccess,
}

/// An operation that has ended.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct WorkCompletion {
    /// The operation.
    pub work: WorkId,
    /// How it ended.
    pub status: WorkStatus,
}

/// Posting in batches, and completions.
pub trait WorkQueue {
    /// Rings the doorbell for all operations that were posted since it was last rung.
    fn flush<'a>(&'a self, cpu: &'a AnyProcessor) -> LocalFuture<'a>;

    /// Polls once, and takes at most `max` completions, in the order in which the interface wrote them.
    fn completions<'a>(&'a self, cpu: &'a AnyProcessor, max: usize) -> LocalFuture<'a, Vec<WorkCompletion>>;

    /// Waits until a poll finds a completion. An event stands for the polls that find nothing: they take no time and
    /// keep no bus busy.
    fn wait_for_completion<'a>(&'a self, cpu: &'a AnyProcessor) -> LocalFuture<'a>;
}

/// Memory of a node that others may access.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct MemoryRegion {
    /// Key that operations name the region by.
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
    /// Writes `bytes` bytes of own memory at `from` to remote memory at `to`. The bytes are read when the operation is
    /// posted.
    Write {
        /// Own address.
        from: Address,
        /// Remote address.
        to: Address,
        /// Key of the remote region.
        key: u32,
        /// Size.
        bytes: Bytes,
    },
    /// Reads `bytes` bytes of remote memory at `from` into own memory at `to`.
    Read {
        /// Remote address.
        from: Address,
        /// Key of the remote region.
        key: u32,
        /// Own address.
        to: Address,
        /// Size.
        bytes: Bytes,
    },
    /// Adds `add` to the 8-byte word at `at`, and stores its value from before in own memory at `to`.
    FetchAdd {
        /// Remote address, a multiple of 8.
        at: Address,
        /// Key of the remote region.
        key: u32,
        /// Addend; the sum wraps around.
        add: u64,
        /// Own address.
        to: Address,
    },
    /// Replaces the 8-byte word at `at` by `new` if it is `expected`, and stores its value from before in own memory at
    /// `to`.
    CompareSwap {
        /// Remote address, a multiple of 8.
        at: Address,
        /// Key of the remote region.
        key: u32,
        /// Value that is replaced.
        expected: u64,
        /// Value that replaces it.
        new: u64,
        /// Own address.
        to: Address,
    },
}

/// Operations that no program at the other node answers.
pub trait OneSided {
    /// Returns the most bytes that an operation reads or writes.
    fn operation_max(&self) -> Bytes;

    /// Lets other nodes access `bytes` bytes at `at`.
    fn register<'a>(&'a self, cpu: &'a AnyProcessor, at: Address, bytes: Bytes) -> LocalFuture<'a, MemoryRegion>;

    /// Posts an operation on memory of the node of `to`, which is another one. The interface executes it after the next
    /// [`flush`](WorkQueue::flush), or after the next message that is sent by the same queue. Returns `None`, and posts
    /// nothing, if the queue is full: the program flushes, takes completions and posts again.
    ///
    /// # Panics
    ///
    /// Panics if the operation is on the own node, or moves more than [`operation_max`](Self::operation_max).
    fn post<'a>(
        &'a self,
        cpu: &'a AnyProcessor,
        to: EndpointId,
        operation: RemoteOperation,
    ) -> LocalFuture<'a, Option<WorkId>>;
}
