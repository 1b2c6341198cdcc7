//! Where what comes goes in host memory.
//!
//! Where the host copies, a buffer holds a packet as it came. Where it does not, a buffer is a program's:
//! data goes to it, page by page, since only a page is physically linear, and a packet's headers to a
//! place of the kernel's beside it.

use super::headers::Headers;
use super::layout::{Piece, carried_max, event, fragments_max};
use super::parameters::{McpParameters, PREFIX};
use crate::host::{Address, Host};
use crate::protocol::udp_ip::PAYLOAD_MAX;
use std::ops::Range;
use std::rc::Rc;

/// What a place for a packet's headers takes.
pub const HEADER_PLACE: u64 = 64;

/// The buffers of a node that its interface may receive into.
#[derive(Clone)]
pub struct ReceiveBuffers {
    /// The kernel's part of each.
    kernel: Rc<[Address]>,
    /// The program's part of each, where the host does not copy.
    program: Rc<[Address]>,
    /// Where the host is told of messages, where a library looks for them in its own memory.
    told: Address,
    page: u64,
    carried_max: u64,
}

/// Where a packet goes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Place {
    /// The buffer.
    buffer: u32,
    /// Which fragment of a datagram it is.
    fragment: u32,
    /// Bytes of its headers, and where its data goes; none where the packet goes as it is.
    split: Option<(u64, u64)>,
    /// Nobody reads its headers.
    bare: bool,
}

impl Place {
    /// The nodes whose messages the host can be told of.
    pub const NODES_MAX: u32 = 1 << 16;

    /// All of it in one buffer.
    pub fn whole(buffer: u32) -> Place {
        Place { buffer, fragment: 0, split: None, bare: false }
    }

    /// A part of a message from `node` in a program's buffer, behind what the firmware has put before it.
    pub fn of_message(buffer: u32, node: u32, at: u64) -> Place {
        Place { buffer, fragment: node, split: Some((PREFIX, at)), bare: true }
    }

    /// The buffer.
    pub fn buffer(&self) -> u32 {
        self.buffer
    }

    /// As the host is told.
    pub fn told(&self) -> u32 {
        self.buffer | self.fragment << 16
    }

    /// What the host was told: the buffer, and which fragment.
    pub fn of_told(word: u32) -> (u32, u32) {
        (word & 0xffff, word >> 16)
    }
}

impl ReceiveBuffers {
    /// Those of `host`.
    pub fn new(host: &Host, parameters: &McpParameters) -> ReceiveBuffers {
        let all = 0..parameters.receive_buffers;
        let in_place = parameters.is_in_place();
        let kernel = match in_place {
            true => HEADER_PLACE * fragments_max(parameters),
            false => parameters.mtu.get(),
        };
        let program: Vec<Address> = match in_place {
            true => all.clone().map(|_| host.allocate(PAYLOAD_MAX)).collect(),
            false => Vec::new(),
        };
        ReceiveBuffers {
            kernel: all.map(|_| host.allocate(kernel as usize)).collect(),
            program: program.into(),
            told: host.allocate((event::BYTES * parameters.receive_buffers) as usize),
            page: parameters.page.get(),
            carried_max: carried_max(parameters),
        }
    }

    /// How many there are.
    pub fn count(&self) -> u32 {
        self.kernel.len() as u32
    }

    /// Where a fragment goes whose datagram has a buffer.
    pub fn of_fragment(&self, buffer: u32, headers: &Headers) -> Place {
        let fragment = (headers.offset / self.carried_max) as u32;
        Place { buffer, fragment, split: Some((headers.bytes, headers.data_at())), bare: false }
    }

    /// Where the headers of a packet lie, or all of it.
    pub fn kernel(&self, buffer: u32, fragment: u32) -> Address {
        self.kernel[buffer as usize] + HEADER_PLACE * u64::from(fragment)
    }

    /// Where the host is told of message `number`.
    pub fn told(&self, number: u64) -> Address {
        self.told + number % u64::from(self.count()) * event::BYTES
    }

    /// Where a datagram's data lies, where the host does not copy.
    pub fn program(&self, buffer: u32) -> Address {
        self.program[buffer as usize]
    }

    /// The stretches of memory that a part of a packet goes to.
    pub fn pieces(&self, place: &Place, part: Range<u64>) -> Vec<Piece> {
        let Some((headers, data_at)) = place.split else {
            let kernel = self.kernel(place.buffer, 0);
            let piece = Piece { address: kernel + part.start, bytes: part.end - part.start };
            return if piece.bytes > 0 { vec![piece] } else { Vec::new() };
        };
        let mut pieces = Vec::new();
        if part.start < headers && !place.bare {
            let kernel = self.kernel(place.buffer, place.fragment);
            let bytes = part.end.min(headers) - part.start;
            pieces.push(Piece { address: kernel + part.start, bytes });
        }
        if part.end > headers {
            let from = self.program(place.buffer) + data_at + part.start.max(headers) - headers;
            pieces.extend(pages(from, part.end - part.start.max(headers), self.page));
        }
        pieces
    }
}

/// A stretch of a program's memory as stretches that are physically linear.
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
