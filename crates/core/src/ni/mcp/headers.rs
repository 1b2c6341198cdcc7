//! What the messaging layer says of a packet, at the beginning of a datagram's payload; and what the
//! firmware reads of a packet's headers while the rest of it is still coming.

use crate::ni::envelope::Envelope;
use crate::ni::word_copy::bytes_of;
use crate::protocol::udp_ip::{DatagramKey, UDP_HEADER};
use etherparse::Ipv4HeaderSlice;

/// What the messaging layer says, in bytes of the payload.
pub const ENVELOPE: usize = 12;

/// The first word of what the firmware puts before a packet of a message: no beginning of an IPv4 packet.
const MESSAGE: u32 = 0x6d63_7001;

/// What the firmware put before a packet of a message.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Prefix {
    /// The node that sends it, and which of its messages it is.
    pub key: (u32, u32),
    /// Where in the message it is.
    pub from: u32,
    /// How long the message is.
    pub total: u32,
    /// The places of its endpoints.
    pub ends: u32,
}

impl Prefix {
    /// What the beginning of a packet says; nothing if it is none of a message.
    pub fn of(bytes: &[u8]) -> Option<Prefix> {
        let bytes: &[u8; 24] = bytes.first_chunk()?;
        let (words, _) = bytes.as_chunks::<4>();
        let word = |index: usize| u32::from_le_bytes(words[index]);
        let prefix = Prefix { key: (word(1), word(2)), from: word(3), total: word(4), ends: word(5) };
        (word(0) == MESSAGE).then_some(prefix)
    }

    /// As the firmware puts it before a packet.
    pub fn bytes(&self) -> Vec<u8> {
        let Prefix { key: (node, number), from, total, ends } = *self;
        bytes_of(&[MESSAGE, node, number, from, total, ends])
    }
}

/// Bits of the envelope's second byte.
const IS_PART: u8 = 1;
const LAST: u8 = 2;

/// The envelope as bytes.
pub fn encode(envelope: Envelope) -> [u8; ENVELOPE] {
    let Envelope { is_part, handler, sequence, fragment, last } = envelope;
    let mut bytes = [0; ENVELOPE];
    bytes[0] = handler;
    bytes[1] = u8::from(is_part) * IS_PART + u8::from(last) * LAST;
    bytes[2..4].copy_from_slice(&sequence.to_be_bytes());
    bytes[4..8].copy_from_slice(&fragment.to_be_bytes());
    bytes
}

/// The envelope that bytes say, if there are enough of them.
pub fn decode(bytes: &[u8]) -> Option<Envelope> {
    let bytes: &[u8; ENVELOPE] = bytes.first_chunk()?;
    Some(Envelope {
        is_part: bytes[1] & IS_PART != 0,
        handler: bytes[0],
        sequence: u16::from_be_bytes([bytes[2], bytes[3]]),
        fragment: u32::from_be_bytes([bytes[4], bytes[5], bytes[6], bytes[7]]),
        last: bytes[1] & LAST != 0,
    })
}

/// What the firmware reads of a packet.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Headers {
    /// Which datagram it is of.
    pub key: DatagramKey,
    /// Where what it carries begins in the datagram, UDP's header counted.
    pub offset: u64,
    /// Whether other fragments follow.
    pub more: bool,
    /// The bytes that are the kernel's: IPv4's header, and in the first fragment UDP's and the envelope.
    pub bytes: u64,
}

impl Headers {
    /// What the beginning of a packet says; nothing if it is none of IPv4.
    pub fn of(bytes: &[u8]) -> Option<Headers> {
        let header = Ipv4HeaderSlice::from_slice(bytes).ok()?;
        let (from, to) = (header.source_addr(), header.destination_addr());
        let offset = u64::from(header.fragments_offset().value()) * 8;
        let own = header.slice().len() + if offset == 0 { UDP_HEADER + ENVELOPE } else { 0 };
        Some(Headers {
            key: DatagramKey { from, to, identification: header.identification() },
            offset,
            more: header.more_fragments(),
            bytes: own as u64,
        })
    }

    /// Whether the datagram has other fragments.
    pub fn is_fragment(&self) -> bool {
        self.more || self.offset > 0
    }

    /// Where its data goes in what the program receives.
    pub fn data_at(&self) -> u64 {
        self.offset.saturating_sub((UDP_HEADER + ENVELOPE) as u64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn an_envelope_comes_as_it_was_sent(
            is_part in any::<bool>(),
            handler in any::<u8>(),
            sequence in any::<u16>(),
            fragment in any::<u32>(),
            last in any::<bool>(),
        ) {
            let envelope = Envelope { is_part, handler, sequence, fragment, last };
            prop_assert_eq!(decode(&encode(envelope)), Some(envelope));
        }

        #[test]
        fn no_beginning_of_a_packet_panics(bytes in proptest::collection::vec(any::<u8>(), 0..80)) {
            let _ = Headers::of(&bytes);
        }
    }
}
