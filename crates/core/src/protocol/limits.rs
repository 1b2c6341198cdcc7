//! Limits that the queues of all protocols share.

/// The largest number of packets that a queue of a protocol may have.
pub(super) const QUEUE_MAX: u64 = 4096;
