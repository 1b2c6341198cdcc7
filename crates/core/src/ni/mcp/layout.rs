//! The layout of interface memory: the second level of the send queue, the descriptors of receive buffers, the events
//! for the host, and the packet buffers.
//!
//! Descriptors and events consist of 32-bit words, which the host loads and stores.

use super::headers::ENVELOPE_BYTES;
use super::parameters::{McpParameters, Software};
use crate::engine::Bytes;
use crate::host::Address;
use crate::protocol::udp_ip::{IPV4_HEADER, PAYLOAD_MAX, UDP_HEADER};

/// Bytes of the messaging layer's header before the data of a library's message.
pub const MESSAGE_HEADER: usize = 16;

/// Address of the number of messages sent, which the host compares with the number that it has handled.
pub const SENT_COUNT_ADDRESS: u64 = 0;
/// Address of the first ring.
const RINGS_START: u64 = 64;

/// Offsets of the words of a send slot. The pieces follow these words, each with an address and a length.
pub mod send_slot {
    /// The state word: whether the host has filled the slot.
    pub const STATE: u64 = 0;
    /// The message's length in bytes.
    pub const LENGTH: u64 = 4;
    /// The destination node.
    pub const NODE: u64 = 8;
    /// Indices of the two endpoints on their nodes.
    pub const ENDPOINTS: u64 = 12;
    /// The number of pieces, and the flag [`FILLS_CHECKSUM_FLAG`].
    pub const PIECES: u64 = 16;
    /// The first piece.
    pub const FIRST_PIECE: u64 = 20;
    /// The flag in [`PIECES`] that requests the interface to fill in the checksum; the lower bits are the number of
    /// pieces.
    pub const FILLS_CHECKSUM_FLAG: u32 = 1 << 31;
}

/// Offsets of the words of a receive-buffer descriptor.
pub mod buffer_descriptor {
    /// The state word: whether the host has filled the descriptor.
    pub const STATE: u64 = 0;
    /// The index of the buffer.
    pub const BUFFER: u64 = 4;
    /// Bytes of a descriptor.
    pub const BYTES: u64 = 8;
}

/// Offsets of the words of an event, which notifies the host of a received packet or message. An event has four words.
/// The first is the state. The second is the number of the buffer, with the index of the fragment (or the sending node
/// of a message) in the high half. The third is the length, with the flag [`DROPPED_FLAG`](event::DROPPED_FLAG). The
/// fourth is the checksum of a packet's payload, or the endpoints of a message.
pub mod event {
    /// The state word: whether the firmware has filled the event.
    pub const STATE: u64 = 0;
    /// The first word after the state.
    pub const WORDS: u64 = 4;
    /// Bytes of an event.
    pub const BYTES: u64 = 16;
    /// The flag in the length that marks a packet that the network dropped.
    pub const DROPPED_FLAG: u32 = 1 << 31;
}

/// The values of a state word.
pub mod state {
    /// The entry may be filled.
    pub const FREE: u32 = 0;
    /// The entry is filled.
    pub const FILLED: u32 = 1;
}

/// A contiguous range of host memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Piece {
    pub address: Address,
    pub bytes: u64,
}

/// The sizes from which all addresses in interface memory follow.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Layout {
    slots: u64,
    slot_bytes: u64,
    descriptors: u64,
    events: u64,
    /// Number of packet buffers in each direction.
    buffers: u64,
    /// Bytes of a packet buffer.
    buffer_bytes: u64,
}

impl Layout {
    /// Returns the layout for an interface with these parameters.
    pub fn new(parameters: &McpParameters) -> Layout {
        let pieces = pieces_max(parameters);
        Layout {
            slots: parameters.send_slots,
            slot_bytes: send_slot::FIRST_PIECE + 8 * pieces,
            descriptors: parameters.receive_buffers,
            events: parameters.receive_buffers * fragments_max(parameters),
            buffers: parameters.packet_buffers,
            buffer_bytes: parameters.mtu.get().next_multiple_of(8),
        }
    }

    /// Returns the address of the slot that is used for send number `number`.
    pub fn slot_address(&self, number: u64) -> u64 {
        RINGS_START + (number % self.slots) * self.slot_bytes
    }

    /// Returns the address of receive-buffer descriptor `number`.
    pub fn descriptor_address(&self, number: u64) -> u64 {
        RINGS_START + self.slots * self.slot_bytes + (number % self.descriptors) * buffer_descriptor::BYTES
    }

    /// Returns the address of event `number`.
    pub fn event_address(&self, number: u64) -> u64 {
        self.descriptor_address(0) + self.descriptors * buffer_descriptor::BYTES + (number % self.events) * event::BYTES
    }

    /// Returns the address of packet buffer `buffer` towards the link.
    pub fn send_buffer_address(&self, buffer: u8) -> u64 {
        self.event_address(0) + self.events * event::BYTES + u64::from(buffer) * self.buffer_bytes
    }

    /// Returns the address of packet buffer `buffer` from the link.
    pub fn receive_buffer_address(&self, buffer: u8) -> u64 {
        self.send_buffer_address(0) + (self.buffers + u64::from(buffer)) * self.buffer_bytes
    }

    /// Returns the number of bytes of interface memory in use.
    pub fn size(&self) -> Bytes {
        Bytes(self.send_buffer_address(0) + 2 * self.buffers * self.buffer_bytes)
    }
}

/// Returns the maximum number of pieces of a packet: its headers, and each page of its data.
pub fn pieces_max(parameters: &McpParameters) -> u64 {
    match parameters.software {
        Software::Library(_) => MESSAGE_MAX / parameters.page.get() + 3,
        Software::Kernel(_) if parameters.offloads.zero_copy => parameters.mtu.get() / parameters.page.get() + 3,
        Software::Kernel(_) => 1,
    }
}

/// Returns the maximum number of events per datagram, one for each packet; a library's message has one event.
pub fn fragments_max(parameters: &McpParameters) -> u64 {
    if let Software::Library(_) = parameters.software {
        return 1;
    }
    packets_per_datagram(parameters, PAYLOAD_MAX as u64)
}

/// Returns the number of packets of a datagram with a payload of `payload` bytes.
pub fn packets_per_datagram(parameters: &McpParameters, payload: u64) -> u64 {
    (payload + UDP_HEADER as u64).div_ceil(fragment_payload_max(parameters))
}

/// The maximum length of a library's message, including its header (chosen: the maximum length of a datagram).
pub const MESSAGE_MAX: u64 = 65_504;

/// Returns the maximum number of bytes of program data in a datagram, a multiple of eight. The send queue must hold all
/// packets of a datagram. If the host copies, the receive buffers must hold them as well.
pub fn data_max(parameters: &McpParameters) -> usize {
    if let Software::Library(_) = parameters.software {
        return MESSAGE_MAX as usize - MESSAGE_HEADER;
    }
    let queue_entries = parameters.send_slots + parameters.send_queue;
    let packets = if parameters.is_in_place() { queue_entries } else { queue_entries.min(parameters.receive_buffers) };
    let carried_bytes =
        packets.saturating_mul(fragment_payload_max(parameters)).min((PAYLOAD_MAX + UDP_HEADER) as u64) as usize;
    (carried_bytes - UDP_HEADER - ENVELOPE_BYTES) / 8 * 8
}

/// Returns the maximum payload, in bytes, of a fragment that is not the last.
pub fn fragment_payload_max(parameters: &McpParameters) -> u64 {
    (parameters.mtu.get() - IPV4_HEADER as u64) / 8 * 8
}
