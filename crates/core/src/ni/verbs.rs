//! Verbs: work queues through which a program has its interface send messages and access the memory of other nodes.
//!
//! A program connects queue pairs, registers memory regions, posts work requests, rings the doorbell for a batch of
//! them, and polls for their completions. The names follow the InfiniBand Architecture Specification, volume 1,
//! chapters 9 to 11.
//!
//! - A *queue pair* connects an endpoint of one node with an endpoint of another. Its requests are executed in the
//!   order of posting. Requests of different queue pairs have no order.
//! - A *memory region* is memory of a node that other nodes may access, by its key.
//! - A *completion queue* belongs to an endpoint. It receives the completions of all queue pairs that the endpoint has
//!   connected.
//!
//! Operations of several nodes on one word are executed one at a time, so atomic operations are atomic with respect to
//! each other, but not with respect to the stores of the node's own processor.

use crate::engine::{Bytes, EndpointId, LocalFuture, Signal};
use crate::host::{Address, AnyProcessor};

/// The number of a queue pair at its node.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct QueuePairId(pub u32);

/// The number of a work request, counted over all that its node has posted.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct WorkId(pub u64);

/// The result of a work request.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum WorkStatus {
    /// The request was executed, and its result is in memory.
    Success,
    /// The message is longer than the buffer of the posted receive.
    LocalLengthError,
    /// The key names no region of the remote node, or the operation is not within the region; nothing was accessed.
    RemoteAccessError,
    /// The message is longer than the buffer that the remote node has posted.
    RemoteInvalidRequest,
    /// The remote node had posted no receive at any of the retries.
    ReceiverNotReady,
    /// The remote node has not acknowledged the request or any of its retries.
    RetryExceeded,
    /// The completion queue was full when a completion was to be written, so it is unknown which requests have ended.
    CompletionQueueOverrun,
    /// An earlier request of the queue pair failed, so this one was not executed.
    Flushed,
}

/// The kind of a work request that has ended.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum WorkKind {
    /// A request of the send queue.
    Send,
    /// A posted receive, into which a message of the remote node was stored.
    Receive,
}

/// A work request that has ended.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct WorkCompletion {
    /// Queue pair of the request.
    pub queue: QueuePairId,
    /// The request.
    pub work: WorkId,
    /// Kind of the request.
    pub kind: WorkKind,
    /// Result.
    pub status: WorkStatus,
    /// Bytes that were moved.
    pub bytes: Bytes,
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

/// The operation of a request of the send queue.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum WorkOperation {
    /// Sends `bytes` bytes of local memory at `from` to the buffer of the next posted receive of the remote node.
    Send {
        /// Local address.
        from: Address,
        /// Size.
        bytes: Bytes,
    },
    /// Writes `bytes` bytes of local memory at `from` to remote memory at `to`.
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

/// A request of the send queue.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct WorkRequest {
    /// Operation.
    pub operation: WorkOperation,
    /// Whether success is reported by a completion. A failed request always has a completion.
    pub is_signaled: bool,
}

/// The limits of an interface with verbs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct VerbsLimits {
    /// Maximum number of bytes that a request moves.
    pub request_max: Bytes,
    /// Maximum number of bytes that the processor puts into the request itself, so that the interface need not read
    /// them from memory.
    pub inline_max: Bytes,
    /// Whether [`WorkOperation::Send`] and receives can be posted.
    pub has_sends: bool,
    /// Maximum number of queue pairs of a node.
    pub queue_pairs: u32,
    /// Entries of the send queue of a queue pair.
    pub send_entries: u32,
    /// Entries of the receive queue of a queue pair; 0 without sends.
    pub receive_entries: u32,
}

impl VerbsLimits {
    /// Returns the limits of an interface that executes reads, writes and atomic operations of up to `request_max`
    /// bytes on `queue_pairs` queue pairs, each with a send queue of `send_entries` entries.
    pub const fn one_sided(request_max: Bytes, queue_pairs: u32, send_entries: u32) -> VerbsLimits {
        VerbsLimits {
            request_max,
            inline_max: Bytes::ZERO,
            has_sends: false,
            queue_pairs,
            send_entries,
            receive_entries: 0,
        }
    }
}

/// The error of a post: the queue has no free entry. Nothing was posted. The program rings the doorbell, takes
/// completions, and posts again.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct QueueFull;

/// The verbs of an interface.
pub trait Verbs {
    /// Returns the limits, which are those that the interface stated before time 0.
    fn verbs_limits(&self) -> VerbsLimits;

    /// Connects a queue pair of endpoint `local` with one of endpoint `remote`, which must be at another node. Both
    /// nodes connect: the n-th queue pair that a node connects between two endpoints is the peer of the n-th queue pair
    /// that the other node connects between the same endpoints.
    fn connect<'a>(
        &'a self,
        cpu: &'a AnyProcessor,
        local: EndpointId,
        remote: EndpointId,
    ) -> LocalFuture<'a, QueuePairId>;

    /// Lets other nodes access `bytes` bytes at `at`.
    fn register<'a>(&'a self, cpu: &'a AnyProcessor, at: Address, bytes: Bytes) -> LocalFuture<'a, MemoryRegion>;

    /// Posts a request to the send queue of `queue`. The interface executes it after the next [`flush`](Self::flush) of
    /// the queue.
    ///
    /// # Panics
    ///
    /// Panics if the request moves more than [`VerbsLimits::request_max`], or if it is a send and the interface has no
    /// sends.
    fn post<'a>(
        &'a self,
        cpu: &'a AnyProcessor,
        queue: QueuePairId,
        request: WorkRequest,
    ) -> LocalFuture<'a, Result<WorkId, QueueFull>>;

    /// Posts a receive: a buffer of `bytes` bytes at `at` for the next message.
    ///
    /// # Panics
    ///
    /// Panics if the interface has no sends.
    fn post_receive<'a>(
        &'a self,
        cpu: &'a AnyProcessor,
        queue: QueuePairId,
        at: Address,
        bytes: Bytes,
    ) -> LocalFuture<'a, Result<WorkId, QueueFull>>;

    /// Rings the doorbell of `queue` for all requests and receives that were posted since the last call.
    fn flush<'a>(&'a self, cpu: &'a AnyProcessor, queue: QueuePairId) -> LocalFuture<'a, ()>;

    /// Polls the completion queue of `endpoint` once, and takes at most `max` completions, in the order in which the
    /// interface wrote them.
    fn completions<'a>(
        &'a self,
        cpu: &'a AnyProcessor,
        endpoint: EndpointId,
        max: usize,
    ) -> LocalFuture<'a, Vec<WorkCompletion>>;

    /// Waits until a poll of the completion queue of `endpoint` may find a completion. The wait also ends when an
    /// unsignaled request succeeds, which has no completion, so a program polls and waits in a loop. The wait is
    /// simulated as one event: polls that find nothing take no time and do not occupy a bus.
    fn wait_for_completion<'a>(&'a self, cpu: &'a AnyProcessor, endpoint: EndpointId) -> LocalFuture<'a, ()>;

    /// Returns the signal that is notified when data of another node have been written to memory. A program that waits
    /// for data of a write loads them after each notification.
    fn written(&self) -> &Signal;
}
