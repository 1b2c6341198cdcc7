//! The bytes of a completion queue entry, in the layout of mlx5 (rdma-core, `providers/mlx5/mlx5dv.h`). Only the last
//! 64 bytes of an entry are used.
//!
//! | bytes | field |
//! |---|---|
//! | 44–47 | bytes that were moved |
//! | 55 | syndrome of an error |
//! | 56–59 | number of the queue pair |
//! | 60–61 | index of the request or of the buffer |
//! | 63 | kind in bits 4–7; bit 0 is the owner bit, which flips with each pass through the queue |
//!
//! The last eight bytes identify the entry and its owner, so that one load shows whether the entry is valid.

use crate::engine::Bytes;
use crate::ni::verbs::{WorkKind, WorkStatus};

/// Bytes of the used part of an entry.
pub const ENTRY_BYTES: usize = 64;

/// A completion queue entry.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CompletionEntry {
    /// Number of the queue pair.
    pub queue_pair: u32,
    /// Kind.
    pub kind: WorkKind,
    /// Index of the request or of the buffer.
    pub index: u16,
    /// Result.
    pub status: WorkStatus,
    /// Bytes that were moved.
    pub bytes: Bytes,
}

/// Syndromes of errors (mlx5's `MLX5_CQE_SYNDROME_…`).
const SYNDROMES: [(WorkStatus, u8); 7] = [
    (WorkStatus::Success, 0),
    (WorkStatus::LocalLengthError, 0x01),
    (WorkStatus::Flushed, 0x05),
    (WorkStatus::RemoteInvalidRequest, 0x12),
    (WorkStatus::RemoteAccessError, 0x13),
    (WorkStatus::RetryExceeded, 0x15),
    (WorkStatus::ReceiverNotReady, 0x16),
];

const REQUEST: u8 = 0x0;
const RECEIVE: u8 = 0x2;
const REQUEST_ERROR: u8 = 0xd;
const RECEIVE_ERROR: u8 = 0xe;

impl CompletionEntry {
    /// Returns the value of the owner bit of entry `position` of a queue of `entries` entries. The first pass has the
    /// value 1, since the memory is zero at first.
    pub fn owner_bit(position: u64, entries: u32) -> u8 {
        1 - (position / u64::from(entries) % 2) as u8
    }

    /// Returns the bytes of the entry with this owner bit.
    pub fn encode(&self, owner_bit: u8) -> [u8; ENTRY_BYTES] {
        let mut entry = [0; ENTRY_BYTES];
        let syndrome = SYNDROMES.iter().find(|(status, _)| *status == self.status).map_or(0, |(_, code)| *code);
        let kind = match (self.kind, syndrome) {
            (WorkKind::Send, 0) => REQUEST,
            (WorkKind::Receive, 0) => RECEIVE,
            (WorkKind::Send, _) => REQUEST_ERROR,
            (WorkKind::Receive, _) => RECEIVE_ERROR,
        };
        entry[44..48].copy_from_slice(&(self.bytes.get() as u32).to_be_bytes());
        entry[55] = syndrome;
        entry[56..60].copy_from_slice(&self.queue_pair.to_be_bytes());
        entry[60..62].copy_from_slice(&self.index.to_be_bytes());
        entry[63] = kind << 4 | owner_bit;
        entry
    }

    /// Returns the owner bit of an entry whose last eight bytes are `last_word`.
    pub fn owner_bit_of(last_word: u64) -> u8 {
        last_word.to_le_bytes()[7] & 1
    }

    /// Parses an entry from its words of eight bytes at offsets 40, 48 and 56.
    pub fn decode([length_word, syndrome_word, last_word]: [u64; 3]) -> CompletionEntry {
        let [length_bytes, syndrome_bytes, last_bytes] = [length_word, syndrome_word, last_word].map(u64::to_le_bytes);
        let status = SYNDROMES.iter().find(|(_, code)| *code == syndrome_bytes[7]);
        let kind = match last_bytes[7] >> 4 {
            RECEIVE | RECEIVE_ERROR => WorkKind::Receive,
            _ => WorkKind::Send,
        };
        CompletionEntry {
            queue_pair: u32::from_be_bytes([last_bytes[0], last_bytes[1], last_bytes[2], last_bytes[3]]),
            kind,
            index: u16::from_be_bytes([last_bytes[4], last_bytes[5]]),
            status: status.expect("the interface writes known syndromes").0,
            bytes: Bytes(
                u32::from_be_bytes([length_bytes[4], length_bytes[5], length_bytes[6], length_bytes[7]]).into(),
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_decoded_completion_equals_the_encoded_one(
            (queue_pair, receives, index) in (0..1u32 << 24, any::<bool>(), any::<u16>()),
            (status, bytes, position) in (0..SYNDROMES.len(), any::<u32>(), any::<u32>()),
        ) {
            let kind = if receives { WorkKind::Receive } else { WorkKind::Send };
            let (status, bytes) = (SYNDROMES[status].0, Bytes(bytes.into()));
            let entry = CompletionEntry { queue_pair, kind, index, status, bytes };
            let owner_bit = CompletionEntry::owner_bit(position.into(), 16);
            prop_assert_ne!(owner_bit, CompletionEntry::owner_bit(u64::from(position) + 16, 16));
            let encoded = entry.encode(owner_bit);
            let word = |offset: usize| u64::from_le_bytes(encoded[offset..offset + 8].try_into().expect("eight bytes"));
            prop_assert_eq!(CompletionEntry::owner_bit_of(word(56)), owner_bit);
            prop_assert_eq!(CompletionEntry::decode([40, 48, 56].map(word)), entry);
        }
    }
}
