//! The main memory that an interface occupies on its node, known before time 0.
//!
//! Memory in the interface itself is left out; each interface checks its own.

use crate::engine::Bytes;
use crate::host::BLOCK_BYTES;

/// The main memory that an interface occupies on its node.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct MemoryFootprint {
    /// The queues and buffers of the interface: for each kind, their number and the size of one in bytes.
    pub buffers: [(u64, u64); 2],
    /// The space of each packet in the buffer in which its message is reassembled; `None` if the interface itself
    /// reassembles messages.
    pub packet: Option<PacketFootprint>,
    /// The number of packets that the interface holds at the receiver in addition to those that its protocol holds.
    pub queued_packets: u64,
}

/// The part of a message that a packet carries, and the space that it occupies in the message's buffer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct PacketFootprint {
    /// Bytes of the message that the packet carries.
    pub message_bytes: u64,
    /// Bytes of the buffer that the packet occupies.
    pub buffer_bytes: u64,
}

impl PacketFootprint {
    /// Returns the footprint of a packet that carries `message_bytes` bytes of a message and occupies `buffer_bytes`
    /// bytes of its buffer.
    pub const fn new(message_bytes: u64, buffer_bytes: u64) -> PacketFootprint {
        PacketFootprint { message_bytes, buffer_bytes }
    }
}

impl MemoryFootprint {
    /// Returns the footprint of an interface without queues in main memory, whose packets carry `payload` bytes of a
    /// message each and are stored contiguously in the message's buffer.
    pub const fn packets_of(payload: u64) -> MemoryFootprint {
        let packet = Some(PacketFootprint { message_bytes: payload, buffer_bytes: payload });
        MemoryFootprint { buffers: [(0, 0); 2], packet, queued_packets: 0 }
    }
}

/// Returns `bytes` rounded up to whole blocks.
pub fn in_blocks(bytes: Bytes) -> u64 {
    bytes.get().div_ceil(BLOCK_BYTES as u64).saturating_mul(BLOCK_BYTES as u64)
}
