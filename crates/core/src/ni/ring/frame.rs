//! The bytes of a frame in memory: an Ethernet header, the messaging layer's header, and the payload.
//!
//! ```text
//! bytes 0–5 destination address   6–11 source address   12–13 EtherType 0x88B5
//! 14 handler or tag   15 bit 0: part of a message, bit 1: last fragment   16–17 sequence   18–21 fragment   22–23 zero
//! ```
//!
//! A MAC address is locally administered and names an endpoint: the byte 0x02, three bytes of the node, and two bytes
//! of the endpoint's index on its node. All fields are in network byte order. 0x88B5 is the EtherType for local
//! experiments (IEEE 802). The frame check sequence, the preamble and the gap are on the wire only.

use crate::ni::envelope::Envelope;

/// Bytes of both headers of a frame.
pub const FRAME_HEADER_BYTES: usize = 24;
/// Bytes that a frame occupies on the wire in addition to its bytes in memory: preamble 8 B, frame check sequence 4 B,
/// gap 12 B (standard).
pub const WIRE_OVERHEAD: u64 = 24;
/// Length of the shortest frame, without its frame check sequence (standard).
pub const FRAME_MIN: u64 = 60;
/// Number of nodes that an address can name.
pub const NODES_MAX: u32 = 1 << 24;
/// Number of endpoints of a node that an address can name.
pub const ENDPOINTS_MAX: u32 = 1 << 16;

const ETHERTYPE: u16 = 0x88B5;
const LOCALLY_ADMINISTERED: u8 = 0x02;

/// A node, and the index of an endpoint on it.
pub type FrameAddress = (u32, u32);

/// The headers of a frame.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct FrameHeader {
    /// Sending endpoint.
    pub from: FrameAddress,
    /// Receiving endpoint.
    pub to: FrameAddress,
    /// Header of the messaging layer.
    pub envelope: Envelope,
}

impl FrameHeader {
    /// Returns the header's bytes.
    pub fn encode(&self) -> [u8; FRAME_HEADER_BYTES] {
        let Envelope { is_part, handler, sequence, fragment, last } = self.envelope;
        let mut bytes = [0; FRAME_HEADER_BYTES];
        bytes[0..6].copy_from_slice(&mac_address(self.to));
        bytes[6..12].copy_from_slice(&mac_address(self.from));
        bytes[12..14].copy_from_slice(&ETHERTYPE.to_be_bytes());
        bytes[14] = handler;
        bytes[15] = u8::from(is_part) | u8::from(last) << 1;
        bytes[16..18].copy_from_slice(&sequence.to_be_bytes());
        bytes[18..22].copy_from_slice(&fragment.to_be_bytes());
        bytes
    }

    /// Returns the header at the beginning of a frame.
    ///
    /// # Panics
    ///
    /// Panics if the frame is shorter than a header.
    pub fn decode(frame: &[u8]) -> FrameHeader {
        let envelope = Envelope {
            is_part: frame[15] & 1 != 0,
            handler: frame[14],
            sequence: u16::from_be_bytes([frame[16], frame[17]]),
            fragment: u32::from_be_bytes([frame[18], frame[19], frame[20], frame[21]]),
            last: frame[15] & 2 != 0,
        };
        FrameHeader { from: parse_mac_address(&frame[6..12]), to: parse_mac_address(&frame[0..6]), envelope }
    }
}

fn mac_address((node, endpoint): FrameAddress) -> [u8; 6] {
    assert!(node < NODES_MAX && endpoint < ENDPOINTS_MAX, "a checked interface names its endpoints");
    let ([_, a, b, c], [_, _, d, e]) = (node.to_be_bytes(), endpoint.to_be_bytes());
    [LOCALLY_ADMINISTERED, a, b, c, d, e]
}

fn parse_mac_address(mac: &[u8]) -> FrameAddress {
    (u32::from_be_bytes([0, mac[1], mac[2], mac[3]]), u32::from_be_bytes([0, 0, mac[4], mac[5]]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_decoded_frame_header_is_the_encoded_one(
            (is_part, last, handler) in any::<(bool, bool, u8)>(),
            (sequence, fragment) in any::<(u16, u32)>(),
            (from, to) in ((0..NODES_MAX, 0..ENDPOINTS_MAX), (0..NODES_MAX, 0..ENDPOINTS_MAX)),
        ) {
            let envelope = Envelope { is_part, handler, sequence, fragment, last };
            let header = FrameHeader { from, to, envelope };
            prop_assert_eq!(FrameHeader::decode(&header.encode()), header);
        }
    }
}
