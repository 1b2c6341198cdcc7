//! What lies where in interface memory: the second level of the send queue, descriptors of buffers to
//! receive into, what the host is told, and packet buffers.
//!
//! All of it is words of 32 bits, as the host's loads and stores find them.

use super::headers::ENVELOPE;
use super::parameters::{McpParameters, Users};
use crate::engine::Bytes;
use crate::host::Address;
use crate::protocol::udp_ip::{IPV4_HEADER, PAYLOAD_MAX, UDP_HEADER};

/// What the messaging layer says of a message, before its data.
pub const MESSAGE_HEADER: usize = 16;

/// A number of messages that have gone, which the host compares with what it has seen.
pub const SENT: u64 = 0;
/// What lies before the rings.
const HEAD: u64 = 64;

/// Offsets of the words of a send slot; pieces follow, an address and a length each.
pub mod send {
    /// Whether the host has filled it.
    pub const STATE: u64 = 0;
    /// The packet's length.
    pub const LENGTH: u64 = 4;
    /// The node it is for.
    pub const NODE: u64 = 8;
    /// The places of its endpoints among those of their nodes.
    pub const ENDS: u64 = 12;
    /// How many pieces follow, and what the interface fills in.
    pub const PIECES: u64 = 16;
    /// The first piece.
    pub const LIST: u64 = 20;
    /// Set in [`PIECES`] where the interface is to fill the checksum in; below it, the pieces.
    pub const SUMS: u32 = 1 << 31;
}

/// Offsets of the words of a descriptor of a buffer to receive into.
pub mod post {
    /// Whether the host has filled it.
    pub const STATE: u64 = 0;
    /// Which of its buffers it is.
    pub const BUFFER: u64 = 4;
    /// Its bytes.
    pub const BYTES: u64 = 8;
}

/// What the host is told of what came, in four words: a state; the buffer, and in the high half the
/// fragment's place in it, or of a message the node that sent it; the length, and whether it came whole; the
/// sum of a packet's data, or of a message the places of its endpoints.
pub mod event {
    /// Whether the firmware has filled it.
    pub const STATE: u64 = 0;
    /// Where the other words begin.
    pub const WORDS: u64 = 4;
    /// Its bytes.
    pub const BYTES: u64 = 16;
    /// Set in the length where the packet was dropped on its way.
    pub const LOST: u32 = 1 << 31;
}

/// Values of a state word.
pub mod state {
    /// It may be filled.
    pub const FREE: u32 = 0;
    /// It is filled.
    pub const FILLED: u32 = 1;
}

/// A stretch of host memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Piece {
    /// Where.
    pub address: Address,
    /// How much.
    pub bytes: u64,
}

/// Where it all lies.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Layout {
    slots: u64,
    slot_bytes: u64,
    posts: u64,
    events: u64,
    /// Packet buffers in each direction, and the bytes of one.
    buffers: u64,
    buffer_bytes: u64,
}

impl Layout {
    /// For an interface with these parameters.
    pub fn new(parameters: &McpParameters) -> Layout {
        let pieces = pieces_max(parameters);
        Layout {
            slots: parameters.send_slots,
            slot_bytes: send::LIST + 8 * pieces,
            posts: parameters.receive_buffers,
            events: parameters.receive_buffers * fragments_max(parameters),
            buffers: parameters.packet_buffers,
            buffer_bytes: parameters.mtu.get().next_multiple_of(8),
        }
    }

    /// Send slot `number`, counted from the first that was used.
    pub fn slot(&self, number: u64) -> u64 {
        HEAD + (number % self.slots) * self.slot_bytes
    }

    /// Descriptor `number` of a buffer to receive into.
    pub fn post(&self, number: u64) -> u64 {
        HEAD + self.slots * self.slot_bytes + (number % self.posts) * post::BYTES
    }

    /// What the host is told, entry `number`.
    pub fn event(&self, number: u64) -> u64 {
        self.post(0) + self.posts * post::BYTES + (number % self.events) * event::BYTES
    }

    /// Packet buffer `buffer` towards the link.
    pub fn send_buffer(&self, buffer: u8) -> u64 {
        self.event(0) + self.events * event::BYTES + u64::from(buffer) * self.buffer_bytes
    }

    /// Packet buffer `buffer` from the link.
    pub fn receive_buffer(&self, buffer: u8) -> u64 {
        self.send_buffer(0) + (self.buffers + u64::from(buffer)) * self.buffer_bytes
    }

    /// What it takes.
    pub fn size(&self) -> Bytes {
        Bytes(self.send_buffer(0) + 2 * self.buffers * self.buffer_bytes)
    }
}

/// The most pieces of a packet: its headers, and each page of its data.
pub fn pieces_max(parameters: &McpParameters) -> u64 {
    match parameters.users {
        Users::Library(_) => MESSAGE_MAX / parameters.page.get() + 3,
        Users::Kernel(_) if parameters.remedies.zero_copy => parameters.mtu.get() / parameters.page.get() + 3,
        Users::Kernel(_) => 1,
    }
}

/// The most packets of a datagram that the host is told of apart; of a message it is told once.
pub fn fragments_max(parameters: &McpParameters) -> u64 {
    if let Users::Library(_) = parameters.users {
        return 1;
    }
    packets_of(parameters, PAYLOAD_MAX as u64)
}

/// The packets of a datagram with such a payload.
pub fn packets_of(parameters: &McpParameters, payload: u64) -> u64 {
    (payload + UDP_HEADER as u64).div_ceil(carried_max(parameters))
}

/// The longest message of a library, its header and all (chosen: as long as a datagram may be).
pub const MESSAGE_MAX: u64 = 65_504;

/// The most of a program's data in a datagram, in whole words of eight bytes: the queues hold all its
/// packets, and where the host copies, the buffers to receive into do.
pub fn data_max(parameters: &McpParameters) -> usize {
    if let Users::Library(_) = parameters.users {
        return MESSAGE_MAX as usize - MESSAGE_HEADER;
    }
    let queued = parameters.send_slots + parameters.send_queue;
    let packets = if parameters.is_in_place() { queued } else { queued.min(parameters.receive_buffers) };
    let carried = packets.saturating_mul(carried_max(parameters)).min((PAYLOAD_MAX + UDP_HEADER) as u64) as usize;
    (carried - UDP_HEADER - ENVELOPE) / 8 * 8
}

/// The most that a fragment carries which others follow.
pub fn carried_max(parameters: &McpParameters) -> u64 {
    (parameters.mtu.get() - IPV4_HEADER as u64) / 8 * 8
}
