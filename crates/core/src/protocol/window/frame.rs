//! What travels: packets and acknowledgements, and their headers as two words.

use crate::engine::{FlowKey, NodeId};

/// One packet of the network.
#[must_use = "a frame that is not sent costs a time-out"]
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct WindowFrame<P> {
    /// Who sends it.
    pub from: NodeId,
    /// Whom it is for.
    pub to: NodeId,
    /// The connection of the two that it belongs to.
    pub flow: FlowKey,
    /// Of which kind, with its number.
    pub header: WindowHeader,
    /// What was offered; nothing in an acknowledgement.
    pub body: Option<P>,
    /// It is a copy of one sent before. Beside the bytes, for those who count; no receiver looks.
    pub again: bool,
}

/// The header: a kind, and a number of the sequence space.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum WindowHeader {
    /// A data packet.
    Data {
        /// Its number.
        sequence: u32,
    },
    /// All packets before one are accepted.
    Acknowledgement {
        /// The number of that one, which is expected next.
        next: u32,
    },
}

/// Word 0: the kind, in bit 0.
const KIND_BITS: u32 = 1;
/// Word 1: the number.
const NUMBER_BITS: u32 = 32;
const DATA: u64 = 0;
const ACKNOWLEDGEMENT: u64 = 1;

impl WindowHeader {
    /// As two words.
    pub const fn encode(self) -> [u64; 2] {
        let (kind, number) = match self {
            WindowHeader::Data { sequence } => (DATA, sequence as u64),
            WindowHeader::Acknowledgement { next } => (ACKNOWLEDGEMENT, next as u64),
        };
        [fits(kind, KIND_BITS), fits(number, NUMBER_BITS)]
    }

    /// From two words.
    ///
    /// # Panics
    ///
    /// If a word has a bit set outside its field: it is not of a header.
    pub const fn decode(words: [u64; 2]) -> WindowHeader {
        let number = fits(words[1], NUMBER_BITS) as u32;
        match fits(words[0], KIND_BITS) {
            DATA => WindowHeader::Data { sequence: number },
            _ => WindowHeader::Acknowledgement { next: number },
        }
    }
}

/// `value`, which must fit a field of so many bits.
const fn fits(value: u64, bits: u32) -> u64 {
    assert!(value >> bits == 0, "a field of a header holds what its bits can");
    value
}

impl<P> WindowFrame<P> {
    /// True for an acknowledgement.
    pub const fn is_acknowledgement(&self) -> bool {
        matches!(self.header, WindowHeader::Acknowledgement { .. })
    }
}
