//! Descriptor rings in main memory: their addresses, and the bytes of a descriptor and of a completion.
//!
//! ```text
//! bytes 0–7 address of the buffer   8–11 length of the frame   12 bit 0: the frame is in the ring, behind this entry
//! 14–15 lap of the completion: 0 in a posted descriptor
//! ```
//!
//! All fields are little-endian; further bytes of a larger descriptor are zero. A completion has the frame's length and
//! the lap at these offsets, and is written over the descriptor or into a ring of its own. The lap counts the passes
//! through the ring modulo 65535, from 1 on. It changes with each pass and is never zero, so neither side clears an
//! entry.

use crate::host::Address;

/// Bytes of a descriptor that have a meaning.
pub const DESCRIPTOR_BYTES: usize = 16;
/// Offset of the word of a completion that holds its length and its lap.
pub const STATUS_OFFSET: u64 = 8;

const LAP_COUNT: u64 = 0xFFFF;

/// The position of entries in memory. Positions count all entries since the start and never wrap.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RingLayout {
    /// First address of the ring.
    pub base: Address,
    /// Number of entries.
    pub entries: u64,
    /// Bytes of an entry.
    pub entry_bytes: u64,
}

impl RingLayout {
    /// Returns the address of the entry at `position`.
    pub fn address(&self, position: u64) -> Address {
        self.base + position % self.entries * self.entry_bytes
    }

    /// Returns the lap that a completion at `position` carries.
    pub fn lap(&self, position: u64) -> u16 {
        (position / self.entries % LAP_COUNT) as u16 + 1
    }

    /// Returns how many of `count` entries from `position` on are contiguous in memory.
    pub fn contiguous(&self, position: u64, count: u64) -> u64 {
        count.min(self.entries - position % self.entries)
    }
}

/// A posted descriptor.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct RingDescriptor {
    /// Address of the frame's buffer; 0 if the frame is in the ring.
    pub address: Address,
    /// Length of the frame, or of the buffer.
    pub length: u32,
    /// Whether the frame is in the entries behind the descriptor.
    pub is_inline: bool,
}

impl RingDescriptor {
    /// Returns the descriptor's bytes.
    pub fn encode(&self) -> [u8; DESCRIPTOR_BYTES] {
        let mut bytes = [0; DESCRIPTOR_BYTES];
        bytes[0..8].copy_from_slice(&self.address.to_le_bytes());
        bytes[8..12].copy_from_slice(&self.length.to_le_bytes());
        bytes[12] = u8::from(self.is_inline);
        bytes
    }

    /// Returns the descriptor that `bytes` hold.
    pub fn decode(bytes: &[u8]) -> RingDescriptor {
        let address = u64::from_le_bytes(bytes[0..8].try_into().expect("eight bytes"));
        let length = u32::from_le_bytes(bytes[8..12].try_into().expect("four bytes"));
        RingDescriptor { address, length, is_inline: bytes[12] & 1 != 0 }
    }
}

/// Returns the bytes of a completion of a frame of `length` bytes, in an entry of `bytes` bytes.
pub fn encode_completion(length: u32, lap: u16, bytes: usize) -> Vec<u8> {
    let mut entry = vec![0; bytes];
    entry[8..12].copy_from_slice(&length.to_le_bytes());
    entry[14..16].copy_from_slice(&lap.to_le_bytes());
    entry
}

/// Returns the length of the frame whose completion has the status word `status`, or `None` if the entry holds no
/// completion of lap `lap`.
pub fn completed_length(status: u64, lap: u16) -> Option<u32> {
    ((status >> 48) as u16 == lap).then_some(status as u32)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_decoded_descriptor_is_the_encoded_one((address, length, is_inline) in any::<(u64, u32, bool)>()) {
            let descriptor = RingDescriptor { address, length, is_inline };
            prop_assert_eq!(RingDescriptor::decode(&descriptor.encode()), descriptor);
        }

        #[test]
        fn a_completion_is_seen_in_its_lap_only(
            (entries, position) in (1u64..5000, 0u64..1 << 40), length in any::<u32>(),
        ) {
            let ring = RingLayout { base: 0, entries, entry_bytes: 16 };
            let entry = encode_completion(length, ring.lap(position), 16);
            let status = u64::from_le_bytes(entry[8..16].try_into().expect("eight bytes"));
            prop_assert_eq!(completed_length(status, ring.lap(position)), Some(length));
            prop_assert_eq!(completed_length(status, ring.lap(position + entries)), None);
            let posted = RingDescriptor { address: position, length, is_inline: true }.encode();
            let posted = u64::from_le_bytes(posted[8..16].try_into().expect("eight bytes"));
            prop_assert_eq!(completed_length(posted, ring.lap(position)), None);
        }
    }
}
