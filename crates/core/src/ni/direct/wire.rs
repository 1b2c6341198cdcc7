//! The header of a packet of the queues.
//!
//! The first word contains the handler, a flag for a part of a message, and the indices of the sending and the
//! receiving endpoint on their nodes (8 bits each). A part has a second word with its sequence number (12 bits), its
//! fragment number (19 bits) and a flag for the last fragment.

use crate::ni::driver::HEADER_BYTES_MIN;
use crate::ni::envelope::Envelope;
use crate::ni::packet_header::PacketHeader;

/// Bytes of the header of a packet that is part of a message.
pub const PART_HEADER_BYTES: usize = 8;
/// Bits of a message's sequence number.
pub const SEQUENCE_BITS: u32 = 12;
/// Bits of a fragment's number.
pub const FRAGMENT_BITS: u32 = 19;
/// Bits of an endpoint's index on its node.
pub const ENDPOINT_BITS: u32 = 8;
/// First bit of the sender's index in the first word; the receiver's index follows.
const ENDPOINTS_SHIFT: u32 = 16;
/// The flag, above the handler, which states that a second word follows.
const IS_PART: u32 = 1 << 8;

/// Returns the words of a header, and their number.
pub fn encode(envelope: Envelope, [from, to]: [u32; 2]) -> ([u32; 2], usize) {
    let Envelope { is_part, handler, sequence, fragment, last } = envelope;
    let first_word = u32::from(handler) | from << ENDPOINTS_SHIFT | to << (ENDPOINTS_SHIFT + ENDPOINT_BITS);
    if !is_part {
        return ([first_word, 0], 1);
    }
    let sequence = u32::from(sequence);
    assert!(sequence < 1 << SEQUENCE_BITS && fragment < 1 << FRAGMENT_BITS, "the sequence and fragment numbers fit");
    let part_word = sequence | fragment << SEQUENCE_BITS | u32::from(last) << (SEQUENCE_BITS + FRAGMENT_BITS);
    ([first_word | IS_PART, part_word], 2)
}

/// Returns word number `index` of a packet.
pub fn word(bytes: &[u8], index: usize) -> u32 {
    u32::from_le_bytes(bytes[4 * index..4 * index + 4].try_into().expect("four bytes"))
}

/// Reads the header of a packet.
pub fn decode(bytes: &[u8]) -> PacketHeader {
    let first_word = word(bytes, 0);
    let endpoints =
        [first_word >> ENDPOINTS_SHIFT & ((1 << ENDPOINT_BITS) - 1), first_word >> (ENDPOINTS_SHIFT + ENDPOINT_BITS)];
    if first_word & IS_PART == 0 {
        let envelope = Envelope { handler: first_word as u8, last: true, ..Envelope::default() };
        return PacketHeader { envelope, endpoints, length: HEADER_BYTES_MIN.len() };
    }
    let part_word = word(bytes, 1);
    let sequence = (part_word & ((1 << SEQUENCE_BITS) - 1)) as u16;
    let fragment = part_word >> SEQUENCE_BITS & ((1 << FRAGMENT_BITS) - 1);
    let last = part_word >> (SEQUENCE_BITS + FRAGMENT_BITS) == 1;
    let envelope = Envelope { is_part: true, handler: first_word as u8, sequence, fragment, last };
    PacketHeader { envelope, endpoints, length: PART_HEADER_BYTES }
}
