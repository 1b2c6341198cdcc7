//! The receive buffers in host memory, and the choice of a destination for each received packet.
//!
//! If the host copies, a buffer holds a packet as it arrived. With zero copy, and for a library, a buffer belongs to a
//! program. Data goes to such a buffer page by page, since only a page is physically contiguous; the packet's headers
//! go to a separate header slot of the kernel.

use super::headers::Headers;
use super::layout::{Piece, event, fragment_payload_max, fragments_max};
use super::parameters::{McpParameters, PREFIX_BYTES};
use crate::host::{Address, Host};
use crate::protocol::udp_ip::PAYLOAD_MAX;
use std::ops::Range;
use std::rc::Rc;

/// Bytes of a slot for a packet's headers.
pub const HEADER_SLOT_BYTES: u64 = 64;

/// The receive buffers of a node.
#[derive(Clone)]
pub struct ReceiveBuffers {
    /// Address of each buffer's kernel part.
    kernel_parts: Rc<[Address]>,
    /// Address of each buffer's program part; empty if the host copies.
    program_parts: Rc<[Address]>,
    /// Address of the ring of events that a library polls in its own memory.
    event_ring: Address,
    page_bytes: u64,
    fragment_payload_max: u64,
}

/// The destination of a received packet.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RxDestination {
    buffer: u32,
    /// Index of the fragment in its datagram; for a library's message, the number of the sending node.
    fragment: u32,
    /// Bytes of the packet's headers, and the offset of its data in the program's buffer; `None` if the packet is
    /// written unchanged.
    split: Option<(u64, u64)>,
    /// Whether the headers are not written to host memory.
    omits_headers: bool,
}

impl RxDestination {
    /// Maximum number of nodes: an event has 16 bits for the sender of a message.
    pub const NODES_MAX: u32 = 1 << 16;

    /// Returns the destination of a packet that goes unchanged into one buffer.
    pub fn unsplit(buffer: u32) -> RxDestination {
        RxDestination { buffer, fragment: 0, split: None, omits_headers: false }
    }

    /// Returns the destination of a packet of a message from `node`, without the firmware's prefix: offset `at` of a
    /// program's buffer.
    pub fn for_message(buffer: u32, node: u32, at: u64) -> RxDestination {
        RxDestination { buffer, fragment: node, split: Some((PREFIX_BYTES, at)), omits_headers: true }
    }

    /// Returns the index of the buffer.
    pub fn buffer(&self) -> u32 {
        self.buffer
    }

    /// Returns the buffer and the fragment as a word of an event.
    pub fn event_word(&self) -> u32 {
        self.buffer | self.fragment << 16
    }

    /// Returns the buffer and the fragment that a word of an event contains.
    pub fn from_event_word(word: u32) -> (u32, u32) {
        (word & 0xffff, word >> 16)
    }
}

impl ReceiveBuffers {
    /// Allocates the receive buffers in the memory of `host`.
    pub fn new(host: &Host, parameters: &McpParameters) -> ReceiveBuffers {
        let indices = 0..parameters.receive_buffers;
        let in_place = parameters.is_in_place();
        let kernel_bytes = match in_place {
            true => HEADER_SLOT_BYTES * fragments_max(parameters),
            false => parameters.mtu.get(),
        };
        let program_parts: Vec<Address> = match in_place {
            true => indices.clone().map(|_| host.allocate(PAYLOAD_MAX)).collect(),
            false => Vec::new(),
        };
        ReceiveBuffers {
            kernel_parts: indices.map(|_| host.allocate(kernel_bytes as usize)).collect(),
            program_parts: program_parts.into(),
            event_ring: host.allocate((event::BYTES * parameters.receive_buffers) as usize),
            page_bytes: parameters.page.get(),
            fragment_payload_max: fragment_payload_max(parameters),
        }
    }

    /// Returns the number of buffers.
    pub fn count(&self) -> u32 {
        self.kernel_parts.len() as u32
    }

    /// Returns the destination of a fragment of a datagram that is received into `buffer`.
    pub fn for_fragment(&self, buffer: u32, headers: &Headers) -> RxDestination {
        let fragment = (headers.offset / self.fragment_payload_max) as u32;
        RxDestination { buffer, fragment, split: Some((headers.bytes, headers.data_offset())), omits_headers: false }
    }

    /// Returns the address of a packet's headers, or of the whole packet if the host copies.
    pub fn kernel_address(&self, buffer: u32, fragment: u32) -> Address {
        self.kernel_parts[buffer as usize] + HEADER_SLOT_BYTES * u64::from(fragment)
    }

    /// Returns the address of the event of message `number`.
    pub fn event_address(&self, number: u64) -> Address {
        self.event_ring + number % u64::from(self.count()) * event::BYTES
    }

    /// Returns the address of the program part of a buffer; it exists only if the host does not copy.
    pub fn program_address(&self, buffer: u32) -> Address {
        self.program_parts[buffer as usize]
    }

    /// Returns the scatter list for a part of a packet.
    pub fn pieces(&self, destination: &RxDestination, part: Range<u64>) -> Vec<Piece> {
        let Some((header_bytes, data_offset)) = destination.split else {
            let kernel_address = self.kernel_address(destination.buffer, 0);
            let piece = Piece { address: kernel_address + part.start, bytes: part.end - part.start };
            return if piece.bytes > 0 { vec![piece] } else { Vec::new() };
        };
        let mut pieces = Vec::new();
        if part.start < header_bytes && !destination.omits_headers {
            let kernel_address = self.kernel_address(destination.buffer, destination.fragment);
            let bytes = part.end.min(header_bytes) - part.start;
            pieces.push(Piece { address: kernel_address + part.start, bytes });
        }
        if part.end > header_bytes {
            let from =
                self.program_address(destination.buffer) + data_offset + part.start.max(header_bytes) - header_bytes;
            pieces.extend(pages(from, part.end - part.start.max(header_bytes), self.page_bytes));
        }
        pieces
    }
}

/// Splits a range of a program's memory into physically contiguous pieces.
pub fn pages(mut address: Address, mut bytes: u64, page: u64) -> Vec<Piece> {
    let mut pieces = Vec::new();
    while bytes > 0 {
        let piece = Piece { address, bytes: bytes.min(page - address % page) };
        address += piece.bytes;
        bytes -= piece.bytes;
        pieces.push(piece);
    }
    pieces
}
