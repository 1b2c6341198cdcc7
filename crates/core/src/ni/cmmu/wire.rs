//! The two header words of a packet, with the number of bits of each field in parentheses.
//!
//! ```text
//!  first   handler (8) │ part of a message (1) │ bytes of padding (3) │ coherence (1) │ third node (1)
//!          │ at 16, of a message: from (8) │ to (8);  of coherence: third node (16)
//!  second  of a part: sequence (12) │ fragment (19) │ last (1);  of coherence: kind and block
//! ```
//!
//! The header is followed by arguments, by bytes of memory in double words (the last one padded), or by a block.

use crate::engine::{Bytes, NodeId};
use crate::fabric::Packet;
use crate::ni::envelope::Envelope;
use crate::protocol::directory::CoherenceMessage;

/// Bytes of the header.
pub const HEADER_BYTES: Bytes = Bytes(8);
/// Flag: the message is a part of a longer message.
const IS_PART: u32 = 1 << 8;
const PADDING_SHIFT: u32 = 9;
const IS_COHERENCE: u32 = 1 << 12;
/// Flag: the coherence message names a third node, its party.
const HAS_PARTY: u32 = 1 << 13;
const PARTY_SHIFT: u32 = 16;
/// Bits of the number of a coherence message's third node.
const PARTY_BITS: u32 = 16;
const ENDPOINTS_SHIFT: u32 = 16;
/// Bits of an endpoint's index on its node.
pub const ENDPOINT_BITS: u32 = 8;
/// Bits of a message's number.
pub const SEQUENCE_BITS: u32 = 12;
/// Bits of a fragment's number.
pub const FRAGMENT_BITS: u32 = 19;

/// The fields of a message's header.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MessageHead {
    /// The messaging layer's header.
    pub envelope: Envelope,
    /// Indices of the sending and the receiving endpoint on their nodes.
    pub endpoints: [u32; 2],
    /// Bytes of padding at the end.
    pub padding: u32,
}

fn header_bytes(first_word: u32, second_word: u32) -> [u8; HEADER_BYTES.get() as usize] {
    (u64::from(first_word) | u64::from(second_word) << 32).to_le_bytes()
}

fn word(packet: &Packet, index: usize) -> u32 {
    let bytes = packet.bytes();
    u32::from_le_bytes(bytes[4 * index..4 * index + 4].try_into().expect("four bytes"))
}

/// Returns the header of a message as bytes.
pub fn encode(head: MessageHead) -> [u8; 8] {
    let Envelope { is_part, handler, sequence, fragment, last } = head.envelope;
    let sequence = u32::from(sequence);
    assert!(sequence < 1 << SEQUENCE_BITS && fragment < 1 << FRAGMENT_BITS, "the sequence and fragment numbers fit");
    let [from, to] = head.endpoints;
    let endpoints = from << ENDPOINTS_SHIFT | to << (ENDPOINTS_SHIFT + ENDPOINT_BITS);
    let first_word = u32::from(handler) | head.padding << PADDING_SHIFT | endpoints;
    let part_word = sequence | fragment << SEQUENCE_BITS | u32::from(last) << (SEQUENCE_BITS + FRAGMENT_BITS);
    header_bytes(first_word | if is_part { IS_PART } else { 0 }, part_word)
}

/// Returns the fields of a message's header.
pub fn decode(packet: &Packet) -> MessageHead {
    let [first_word, part_word] = [0, 1].map(|index| word(packet, index));
    let endpoint = |shift: u32| first_word >> shift & ((1 << ENDPOINT_BITS) - 1);
    MessageHead {
        envelope: Envelope {
            is_part: first_word & IS_PART != 0,
            handler: first_word as u8,
            sequence: (part_word & ((1 << SEQUENCE_BITS) - 1)) as u16,
            fragment: part_word >> SEQUENCE_BITS & ((1 << FRAGMENT_BITS) - 1),
            last: part_word >> (SEQUENCE_BITS + FRAGMENT_BITS) == 1,
        },
        endpoints: [endpoint(ENDPOINTS_SHIFT), endpoint(ENDPOINTS_SHIFT + ENDPOINT_BITS)],
        padding: first_word >> PADDING_SHIFT & 7,
    }
}

/// Returns the header of a coherence message as bytes.
pub fn encode_coherence(message: CoherenceMessage) -> [u8; 8] {
    let party = message.party.map_or(0, |NodeId(party)| {
        assert!(party < 1 << PARTY_BITS, "node {party} has a number of {PARTY_BITS} bits");
        HAS_PARTY | party << PARTY_SHIFT
    });
    header_bytes(IS_COHERENCE | party, message.encode())
}

/// Returns the coherence message in a packet, or `None` if the packet holds another kind of message.
pub fn decode_coherence(packet: &Packet) -> Option<CoherenceMessage> {
    let first_word = word(packet, 0);
    if first_word & IS_COHERENCE == 0 {
        return None;
    }
    let party = (first_word & HAS_PARTY != 0).then_some(NodeId(first_word >> PARTY_SHIFT));
    let message = CoherenceMessage::decode(word(packet, 1)).expect("a unit sends valid messages");
    Some(CoherenceMessage { party, ..message })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::Journey;
    use crate::fabric::Label;
    use crate::protocol::directory::{BLOCKS_MAX, CoherenceKind};
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_decoded_header_equals_the_encoded_one(
            handler in any::<u8>(),
            (sequence, fragment) in (0..1u16 << SEQUENCE_BITS, 0..1u32 << FRAGMENT_BITS),
            (is_part, last) in (any::<bool>(), any::<bool>()),
            (from, to, padding) in (0..256u32, 0..256u32, 0..8u32),
        ) {
            let envelope = Envelope { is_part, handler, sequence, fragment, last };
            let head = MessageHead { envelope, endpoints: [from, to], padding };
            let packet = Packet::with_bytes(Label::default(), Journey::NONE, &encode(head));
            prop_assert_eq!(decode(&packet), head);
            prop_assert_eq!(decode_coherence(&packet), None);
        }

        #[test]
        fn a_decoded_coherence_message_equals_the_encoded_one(
            kind in 0..CoherenceKind::ALL.len(),
            number in 0..BLOCKS_MAX,
            party in prop::option::of((0..1u32 << PARTY_BITS).prop_map(NodeId)),
        ) {
            let message = CoherenceMessage { kind: CoherenceKind::ALL[kind], number, party };
            let packet = Packet::with_bytes(Label::default(), Journey::NONE, &encode_coherence(message));
            prop_assert_eq!(decode_coherence(&packet), Some(message));
        }
    }
}
