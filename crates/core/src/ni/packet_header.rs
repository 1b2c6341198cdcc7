//! The header of a packet, and its encoding for interfaces without a format of their own.
//!
//! ```text
//! byte 0  handler or tag   byte 1  bit 0: part of a message, bit 1: last fragment
//! 2–3 sequence number   4–7 fragment   8–9, 10–11 index of the sending and the receiving endpoint   12–15 zero
//! ```
//!
//! All fields are little-endian. The format is a choice of the model: fields of whole bytes make a dump easy to read.

use super::envelope::Envelope;
use crate::engine::Bytes;

/// The fields of a packet's header.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct PacketHeader {
    /// Header of the messaging layer.
    pub envelope: Envelope,
    /// Indices of the sending and of the receiving endpoint on their nodes.
    pub endpoints: [u32; 2],
    /// Bytes of the header.
    pub length: usize,
}

impl PacketHeader {
    /// Bytes of an encoded header.
    pub const BYTES: usize = 16;
    /// Number of endpoints of a node that an encoded header can name.
    pub const ENDPOINTS: u32 = 1 << 16;

    /// Returns the largest payload, in bytes and a whole number of words, of a packet of `packet` bytes with an encoded
    /// header.
    pub fn payload_max(packet: Bytes) -> usize {
        packet.len().saturating_sub(PacketHeader::BYTES) / 8 * 8
    }

    /// Returns the header's bytes.
    ///
    /// # Panics
    ///
    /// Panics if the index of an endpoint is not less than [`ENDPOINTS`](Self::ENDPOINTS).
    pub fn encode(envelope: Envelope, endpoints: [u32; 2]) -> [u8; PacketHeader::BYTES] {
        let Envelope { is_part, handler, sequence, fragment, last } = envelope;
        let mut bytes = [0; PacketHeader::BYTES];
        bytes[0] = handler;
        bytes[1] = u8::from(is_part) | u8::from(last) << 1;
        bytes[2..4].copy_from_slice(&sequence.to_le_bytes());
        bytes[4..8].copy_from_slice(&fragment.to_le_bytes());
        for (field, endpoint) in bytes[8..12].chunks_exact_mut(2).zip(endpoints) {
            let endpoint = u16::try_from(endpoint).expect("a checked interface names its endpoints");
            field.copy_from_slice(&endpoint.to_le_bytes());
        }
        bytes
    }

    /// Returns the header at the beginning of a packet.
    ///
    /// # Panics
    ///
    /// Panics if the packet is shorter than a header.
    pub fn decode(packet: &[u8]) -> PacketHeader {
        let u16_at = |at: usize| u16::from_le_bytes([packet[at], packet[at + 1]]);
        let envelope = Envelope {
            is_part: packet[1] & 1 != 0,
            handler: packet[0],
            sequence: u16_at(2),
            fragment: u32::from(u16_at(4)) | u32::from(u16_at(6)) << 16,
            last: packet[1] & 2 != 0,
        };
        PacketHeader { envelope, endpoints: [u16_at(8), u16_at(10)].map(u32::from), length: PacketHeader::BYTES }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_decoded_header_is_the_encoded_one(
            (is_part, last, handler) in any::<(bool, bool, u8)>(),
            (sequence, fragment, from, to) in any::<(u16, u32, u16, u16)>(),
        ) {
            let envelope = Envelope { is_part, handler, sequence, fragment, last };
            let endpoints = [from, to].map(u32::from);
            let decoded = PacketHeader::decode(&PacketHeader::encode(envelope, endpoints));
            prop_assert_eq!(decoded, PacketHeader { envelope, endpoints, length: PacketHeader::BYTES });
        }
    }
}
