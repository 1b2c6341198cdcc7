//! What an interface takes of main memory, before time 0.

use crate::engine::Bytes;
use crate::host::BLOCK_BYTES;

/// What an interface takes of its node's main memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Room {
    /// Its own queues and buffers: how many of each kind, and the bytes of one.
    pub own: [(u64, u64); 2],
    /// What each packet of a message takes of the buffer in which the message is put together; nothing
    /// if the interface places messages itself.
    pub packet: Option<PacketRoom>,
    /// Packets that it holds at the receiver beside its protocol's.
    pub queued: u64,
}

/// A packet's part of a message, and of its buffer, in bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PacketRoom {
    /// What it carries.
    pub carries: u64,
    /// What it takes.
    pub takes: u64,
}

/// As many bytes as whole blocks hold.
pub fn in_blocks(bytes: Bytes) -> u64 {
    bytes.get().div_ceil(BLOCK_BYTES as u64).saturating_mul(BLOCK_BYTES as u64)
}
