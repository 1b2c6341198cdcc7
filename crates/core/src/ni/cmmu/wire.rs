//! A packet's two words of header.
//!
//! ```text
//!  first   handler (8) │ part of a message (1) │ bytes of padding (3) │ coherence (1) │ from (8) │ to (8), at 16
//!  second  of a part: sequence (12) │ fragment (19) │ last (1);  of coherence: kind and block
//! ```
//!
//! Behind them stand arguments, or bytes of memory in double words, the last of them padded; or a block.

use crate::engine::Bytes;
use crate::fabric::Packet;
use crate::ni::envelope::Envelope;
use crate::protocol::directory::CoherenceMessage;

/// Bytes of the header.
pub const HEADER_BYTES: Bytes = Bytes(8);
const IS_PART: u32 = 1 << 8;
const PADDING_AT: u32 = 9;
const IS_COHERENCE: u32 = 1 << 12;
const PLACES_AT: u32 = 16;
/// Bits of an endpoint's place among those of its node.
pub const PLACE_BITS: u32 = 8;
/// Bits of a message's number.
pub const SEQUENCE_BITS: u32 = 12;
/// Bits of a fragment's number.
pub const FRAGMENT_BITS: u32 = 19;

/// What the header of a message says.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MessageHead {
    /// What the messaging layer says.
    pub envelope: Envelope,
    /// The places of the endpoint that sent it, and of the one that it is for, among those of their nodes.
    pub places: [u32; 2],
    /// Bytes behind the last that count.
    pub padding: u32,
}

fn words(first: u32, second: u32) -> [u8; HEADER_BYTES.get() as usize] {
    (u64::from(first) | u64::from(second) << 32).to_le_bytes()
}

fn word(packet: &Packet, at: usize) -> u32 {
    let bytes = packet.bytes();
    u32::from_le_bytes(bytes[4 * at..4 * at + 4].try_into().expect("four bytes"))
}

/// The header of a message.
pub fn encode(head: MessageHead) -> [u8; 8] {
    let Envelope { is_part, handler, sequence, fragment, last } = head.envelope;
    let sequence = u32::from(sequence);
    assert!(sequence < 1 << SEQUENCE_BITS && fragment < 1 << FRAGMENT_BITS, "a part is named by a word");
    let [from, to] = head.places;
    let places = from << PLACES_AT | to << (PLACES_AT + PLACE_BITS);
    let first = u32::from(handler) | head.padding << PADDING_AT | places;
    let part = sequence | fragment << SEQUENCE_BITS | u32::from(last) << (SEQUENCE_BITS + FRAGMENT_BITS);
    words(first | if is_part { IS_PART } else { 0 }, part)
}

/// What the header of a message says.
pub fn decode(packet: &Packet) -> MessageHead {
    let [first, part] = [0, 1].map(|at| word(packet, at));
    let place = |at: u32| first >> at & ((1 << PLACE_BITS) - 1);
    MessageHead {
        envelope: Envelope {
            is_part: first & IS_PART != 0,
            handler: first as u8,
            sequence: (part & ((1 << SEQUENCE_BITS) - 1)) as u16,
            fragment: part >> SEQUENCE_BITS & ((1 << FRAGMENT_BITS) - 1),
            last: part >> (SEQUENCE_BITS + FRAGMENT_BITS) == 1,
        },
        places: [place(PLACES_AT), place(PLACES_AT + PLACE_BITS)],
        padding: first >> PADDING_AT & 7,
    }
}

/// The header of what one unit says to another.
pub fn encode_coherence(message: CoherenceMessage) -> [u8; 8] {
    words(IS_COHERENCE, message.encode())
}

/// What one unit says to another, if that is what a packet is.
pub fn coherence(packet: &Packet) -> Option<CoherenceMessage> {
    let is_coherence = word(packet, 0) & IS_COHERENCE != 0;
    is_coherence.then(|| CoherenceMessage::decode(word(packet, 1)).expect("a unit says what it means"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::Journey;
    use crate::fabric::Label;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_header_says_what_was_put_in(
            handler in any::<u8>(),
            (sequence, fragment) in (0..1u16 << SEQUENCE_BITS, 0..1u32 << FRAGMENT_BITS),
            (is_part, last) in (any::<bool>(), any::<bool>()),
            (from, to, padding) in (0..256u32, 0..256u32, 0..8u32),
        ) {
            let envelope = Envelope { is_part, handler, sequence, fragment, last };
            let head = MessageHead { envelope, places: [from, to], padding };
            let packet = Packet::of(Label::default(), Journey::NONE, &encode(head));
            prop_assert_eq!(decode(&packet), head);
            prop_assert_eq!(coherence(&packet), None);
        }
    }
}
