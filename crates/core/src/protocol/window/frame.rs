//! Frames: packets and acknowledgements, and the encoding of their headers as two words.

use crate::engine::{FlowKey, NodeId};

/// One packet of the network.
#[must_use = "a frame that is not sent costs a time-out"]
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct WindowFrame<P> {
    /// Source node.
    pub from: NodeId,
    /// Destination node.
    pub to: NodeId,
    /// Connection between the two nodes.
    pub flow: FlowKey,
    /// Kind of the frame, with its sequence number.
    pub header: WindowHeader,
    /// The offered packet; `None` in an acknowledgement.
    pub body: Option<P>,
    /// Whether the frame is a copy of an earlier frame. The flag is not encoded in the header. It serves statistics
    /// only, and no receiver reads it.
    pub is_retransmission: bool,
}

/// The header of a frame: its kind and a sequence number.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum WindowHeader {
    /// A data packet.
    Data {
        /// Sequence number of the packet.
        sequence: u32,
    },
    /// An acknowledgement of all packets before `next`.
    Acknowledgement {
        /// Next expected sequence number.
        next: u32,
    },
}

/// Width in bits of the kind, which word 0 holds from bit 0 on.
const KIND_BITS: u32 = 1;
/// Width in bits of the number, which word 1 holds.
const NUMBER_BITS: u32 = 32;
const DATA_KIND: u64 = 0;
const ACKNOWLEDGEMENT_KIND: u64 = 1;

impl WindowHeader {
    /// Encodes the header as two words.
    pub const fn encode(self) -> [u64; 2] {
        let (kind, number) = match self {
            WindowHeader::Data { sequence } => (DATA_KIND, sequence as u64),
            WindowHeader::Acknowledgement { next } => (ACKNOWLEDGEMENT_KIND, next as u64),
        };
        [fits(kind, KIND_BITS), fits(number, NUMBER_BITS)]
    }

    /// Decodes a header from two words.
    ///
    /// # Panics
    ///
    /// Panics if a word has a bit set outside its field.
    pub const fn decode(words: [u64; 2]) -> WindowHeader {
        let number = fits(words[1], NUMBER_BITS) as u32;
        match fits(words[0], KIND_BITS) {
            DATA_KIND => WindowHeader::Data { sequence: number },
            _ => WindowHeader::Acknowledgement { next: number },
        }
    }
}

/// Returns `value`, and asserts that it fits a field of `bits` bits.
const fn fits(value: u64, bits: u32) -> u64 {
    assert!(value >> bits == 0, "a header field holds its value");
    value
}

impl<P> WindowFrame<P> {
    /// Returns whether the frame is an acknowledgement.
    pub const fn is_acknowledgement(&self) -> bool {
        matches!(self.header, WindowHeader::Acknowledgement { .. })
    }
}
