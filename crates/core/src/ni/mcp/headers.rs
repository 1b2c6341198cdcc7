//! The headers of a packet: the messaging layer's header at the beginning of a datagram's payload, the firmware's
//! prefix, and the IPv4 fields that the firmware reads while the rest of the packet is still arriving.

use crate::ni::envelope::Envelope;
use crate::ni::word_copy::bytes_of;
use crate::protocol::udp_ip::{DatagramKey, UDP_HEADER};
use etherparse::Ipv4HeaderSlice;

/// Bytes of the messaging layer's header, a part of the payload.
pub const ENVELOPE_BYTES: usize = 12;

/// The first word of the firmware's prefix; no IPv4 packet begins with it.
const PREFIX_MAGIC: u32 = 0x6d63_7001;

/// The prefix that the firmware puts before each packet of a library's message.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Prefix {
    /// The sending node and the number of the message.
    pub key: (u32, u32),
    /// Offset of the packet in the message, in bytes.
    pub offset: u32,
    /// Length of the message in bytes.
    pub message_bytes: u32,
    /// Indices of the sending and the receiving endpoint on their nodes, as one word.
    pub endpoints: u32,
}

impl Prefix {
    /// Parses the beginning of a packet; returns `None` if it has no prefix.
    pub fn parse(bytes: &[u8]) -> Option<Prefix> {
        let bytes: &[u8; 24] = bytes.first_chunk()?;
        let (words, _) = bytes.as_chunks::<4>();
        let word = |index: usize| u32::from_le_bytes(words[index]);
        let prefix = Prefix { key: (word(1), word(2)), offset: word(3), message_bytes: word(4), endpoints: word(5) };
        (word(0) == PREFIX_MAGIC).then_some(prefix)
    }

    /// Returns the prefix as bytes.
    pub fn bytes(&self) -> Vec<u8> {
        let Prefix { key: (node, number), offset, message_bytes, endpoints } = *self;
        bytes_of(&[PREFIX_MAGIC, node, number, offset, message_bytes, endpoints])
    }
}

/// Bits of the envelope's second byte.
const IS_PART_FLAG: u8 = 1;
const LAST_FLAG: u8 = 2;

/// Returns the envelope as bytes.
pub fn encode_envelope(envelope: Envelope) -> [u8; ENVELOPE_BYTES] {
    let Envelope { is_part, handler, sequence, fragment, last } = envelope;
    let mut bytes = [0; ENVELOPE_BYTES];
    bytes[0] = handler;
    bytes[1] = u8::from(is_part) * IS_PART_FLAG + u8::from(last) * LAST_FLAG;
    bytes[2..4].copy_from_slice(&sequence.to_be_bytes());
    bytes[4..8].copy_from_slice(&fragment.to_be_bytes());
    bytes
}

/// Parses an envelope; returns `None` if `bytes` is too short.
pub fn decode_envelope(bytes: &[u8]) -> Option<Envelope> {
    let bytes: &[u8; ENVELOPE_BYTES] = bytes.first_chunk()?;
    Some(Envelope {
        is_part: bytes[1] & IS_PART_FLAG != 0,
        handler: bytes[0],
        sequence: u16::from_be_bytes([bytes[2], bytes[3]]),
        fragment: u32::from_be_bytes([bytes[4], bytes[5], bytes[6], bytes[7]]),
        last: bytes[1] & LAST_FLAG != 0,
    })
}

/// The header fields that the firmware reads.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Headers {
    /// The datagram that the packet is part of.
    pub key: DatagramKey,
    /// Offset of the packet's payload in the datagram, in bytes, including UDP's header.
    pub offset: u64,
    /// Whether the datagram has fragments after this packet.
    pub has_more_fragments: bool,
    /// Bytes that go to the kernel: IPv4's header, and in the first fragment also UDP's header and the envelope.
    pub bytes: u64,
}

impl Headers {
    /// Parses the beginning of a packet; returns `None` if it is not an IPv4 packet.
    pub fn parse(bytes: &[u8]) -> Option<Headers> {
        let header = Ipv4HeaderSlice::from_slice(bytes).ok()?;
        let (from, to) = (header.source_addr(), header.destination_addr());
        let offset = u64::from(header.fragments_offset().value()) * 8;
        let header_bytes = header.slice().len() + if offset == 0 { UDP_HEADER + ENVELOPE_BYTES } else { 0 };
        Some(Headers {
            key: DatagramKey { from, to, identification: header.identification() },
            offset,
            has_more_fragments: header.more_fragments(),
            bytes: header_bytes as u64,
        })
    }

    /// Returns whether the datagram has other fragments.
    pub fn is_fragment(&self) -> bool {
        self.has_more_fragments || self.offset > 0
    }

    /// Returns the offset of the packet's data in the program's buffer.
    pub fn data_offset(&self) -> u64 {
        self.offset.saturating_sub((UDP_HEADER + ENVELOPE_BYTES) as u64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_decoded_envelope_equals_the_encoded_one(
            is_part in any::<bool>(),
            handler in any::<u8>(),
            sequence in any::<u16>(),
            fragment in any::<u32>(),
            last in any::<bool>(),
        ) {
            let envelope = Envelope { is_part, handler, sequence, fragment, last };
            prop_assert_eq!(decode_envelope(&encode_envelope(envelope)), Some(envelope));
        }

        #[test]
        fn parsing_any_bytes_does_not_panic(bytes in proptest::collection::vec(any::<u8>(), 0..80)) {
            let _ = Headers::parse(&bytes);
        }
    }
}
