//! The bytes of requests in a send queue and of buffers in a receive queue, in the layout of mlx5 (rdma-core,
//! `providers/mlx5/mlx5dv.h`): segments of 16 bytes, big-endian.
//!
//! | segment | bytes |
//! |---|---|
//! | control | 0–3 opcode, index of the first block · 4–7 queue pair, number of segments · 11 bit 3: signaled |
//! | remote address | 0–7 address · 8–11 key |
//! | atomic | 0–7 new value or addend · 8–15 expected value |
//! | data | 0–3 length · 4–7 local key · 8–15 address |
//! | inline data | 0–3 length with bit 31 set · 4– bytes, padded to whole segments |
//!
//! A request occupies whole blocks of 64 bytes. The index counts the blocks of the queue modulo 2¹⁶.

use crate::engine::Bytes;
use crate::host::Address;
use crate::ni::verbs::WorkOperation;

/// Bytes of a block.
pub const BLOCK_BYTES: usize = 64;
const SEGMENT_BYTES: usize = 16;
/// Bytes of a buffer's entry in a receive queue.
pub const RECEIVE_BYTES: usize = 16;
const INLINE_FLAG: u32 = 1 << 31;
const SIGNALED_FLAG: u8 = 8;

const WRITE: u8 = 0x08;
const SEND: u8 = 0x0a;
const READ: u8 = 0x10;
const COMPARE_SWAP: u8 = 0x11;
const FETCH_ADD: u8 = 0x12;

/// Local data of a request.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum LocalData {
    /// Bytes in the request itself.
    Inline(Vec<u8>),
    /// Bytes in memory.
    Memory(Address, u64),
}

/// Remote operands of a request.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RemoteOperand {
    /// A send, which has no remote operand.
    Send,
    /// A write to this address with this key.
    Write(Address, u32),
    /// A read from this address with this key.
    Read(Address, u32),
    /// An addition of the last value to the word at this address with this key.
    FetchAdd(Address, u32, u64),
    /// A compare-and-swap of the word at this address with this key: expected and new value.
    CompareSwap(Address, u32, u64, u64),
}

/// A request as the interface reads it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct WorkEntry {
    /// Remote operands.
    pub remote: RemoteOperand,
    /// Source of a send or write, or destination of another operation's result.
    pub data: LocalData,
    /// Index of the first block.
    pub index: u16,
    /// Number of the queue pair.
    pub queue_pair: u32,
    /// Whether success is reported.
    pub is_signaled: bool,
}

/// Returns the number of blocks of the longest request, if up to `inline_max` bytes are in the request.
pub fn blocks_max(inline_max: Bytes) -> u32 {
    (2 * SEGMENT_BYTES + (4 + inline_max.len()).next_multiple_of(SEGMENT_BYTES)).div_ceil(BLOCK_BYTES) as u32
}

impl WorkEntry {
    /// Returns the entry of an operation, without inline data.
    pub fn from_operation(operation: WorkOperation, index: u16, queue_pair: u32, is_signaled: bool) -> WorkEntry {
        let (remote, address, bytes) = match operation {
            WorkOperation::Send { from, bytes } => (RemoteOperand::Send, from, bytes.get()),
            WorkOperation::Write { from, to, key, bytes } => (RemoteOperand::Write(to, key), from, bytes.get()),
            WorkOperation::Read { from, key, to, bytes } => (RemoteOperand::Read(from, key), to, bytes.get()),
            WorkOperation::FetchAdd { at, key, add, to } => (RemoteOperand::FetchAdd(at, key, add), to, 8),
            WorkOperation::CompareSwap { at, key, expected, new, to } => {
                (RemoteOperand::CompareSwap(at, key, expected, new), to, 8)
            }
        };
        WorkEntry { remote, data: LocalData::Memory(address, bytes), index, queue_pair, is_signaled }
    }

    /// Returns the number of bytes that the request moves.
    pub fn bytes(&self) -> u64 {
        match &self.data {
            LocalData::Inline(bytes) => bytes.len() as u64,
            LocalData::Memory(_, bytes) => *bytes,
        }
    }

    /// Returns the number of bytes that carry information, without the padding of the last block.
    pub fn used_bytes(&self) -> usize {
        let segments = match self.remote {
            RemoteOperand::Send => 1,
            RemoteOperand::Write(..) | RemoteOperand::Read(..) => 2,
            RemoteOperand::FetchAdd(..) | RemoteOperand::CompareSwap(..) => 3,
        };
        let data_bytes = if let LocalData::Inline(data) = &self.data { 4 + data.len() } else { SEGMENT_BYTES };
        segments * SEGMENT_BYTES + data_bytes
    }

    /// Returns the bytes, a whole number of blocks.
    pub fn encode(&self) -> Vec<u8> {
        let mut bytes = vec![0; SEGMENT_BYTES];
        let (code, remote_address) = match self.remote {
            RemoteOperand::Send => (SEND, None),
            RemoteOperand::Write(address, key) => (WRITE, Some((address, key))),
            RemoteOperand::Read(address, key) => (READ, Some((address, key))),
            RemoteOperand::FetchAdd(address, key, _) => (FETCH_ADD, Some((address, key))),
            RemoteOperand::CompareSwap(address, key, ..) => (COMPARE_SWAP, Some((address, key))),
        };
        if let Some((address, key)) = remote_address {
            bytes.extend(address.to_be_bytes());
            bytes.extend(key.to_be_bytes());
            bytes.extend([0; 4]);
        }
        match self.remote {
            RemoteOperand::FetchAdd(_, _, add) => bytes.extend([add.to_be_bytes(), [0; 8]].concat()),
            RemoteOperand::CompareSwap(_, _, expected, new) => {
                bytes.extend([new.to_be_bytes(), expected.to_be_bytes()].concat());
            }
            _ => {}
        }
        match &self.data {
            LocalData::Inline(data) => {
                bytes.extend((data.len() as u32 | INLINE_FLAG).to_be_bytes());
                bytes.extend(data);
            }
            LocalData::Memory(address, length) => {
                bytes.extend((*length as u32).to_be_bytes());
                bytes.extend([0; 4]);
                bytes.extend(address.to_be_bytes());
            }
        }
        let segments = bytes.len().div_ceil(SEGMENT_BYTES);
        bytes.resize(bytes.len().next_multiple_of(BLOCK_BYTES), 0);
        bytes[1..3].copy_from_slice(&self.index.to_be_bytes());
        bytes[3] = code;
        bytes[4..8].copy_from_slice(&(self.queue_pair << 8 | segments as u32).to_be_bytes());
        bytes[11] = if self.is_signaled { SIGNALED_FLAG } else { 0 };
        bytes
    }

    /// Returns the number of blocks of the request that begins with `block`.
    pub fn blocks(block: &[u8]) -> u16 {
        (usize::from(block[7]) * SEGMENT_BYTES).div_ceil(BLOCK_BYTES) as u16
    }

    /// Parses a request.
    ///
    /// # Panics
    ///
    /// Panics if the bytes are not a request.
    pub fn decode(bytes: &[u8]) -> WorkEntry {
        let u32_at = |offset: usize| u32::from_be_bytes(bytes[offset..offset + 4].try_into().expect("four bytes"));
        let u64_at = |offset: usize| u64::from_be_bytes(bytes[offset..offset + 8].try_into().expect("eight bytes"));
        let (address, key) = (u64_at(SEGMENT_BYTES), u32_at(SEGMENT_BYTES + 8));
        let operand = [u64_at(2 * SEGMENT_BYTES), u64_at(2 * SEGMENT_BYTES + 8)];
        let (remote, data_offset) = match bytes[3] {
            SEND => (RemoteOperand::Send, SEGMENT_BYTES),
            WRITE => (RemoteOperand::Write(address, key), 2 * SEGMENT_BYTES),
            READ => (RemoteOperand::Read(address, key), 2 * SEGMENT_BYTES),
            FETCH_ADD => (RemoteOperand::FetchAdd(address, key, operand[0]), 3 * SEGMENT_BYTES),
            COMPARE_SWAP => (RemoteOperand::CompareSwap(address, key, operand[1], operand[0]), 3 * SEGMENT_BYTES),
            code => panic!("a driver posts known operations, not {code:#x}"),
        };
        let length = u32_at(data_offset);
        let data = match length & INLINE_FLAG {
            0 => LocalData::Memory(u64_at(data_offset + 8), u64::from(length)),
            _ => LocalData::Inline(bytes[data_offset + 4..data_offset + 4 + (length & !INLINE_FLAG) as usize].to_vec()),
        };
        let index = u16::from_be_bytes([bytes[1], bytes[2]]);
        WorkEntry { remote, data, index, queue_pair: u32_at(4) >> 8, is_signaled: bytes[11] & SIGNALED_FLAG != 0 }
    }
}

/// Returns the bytes of a buffer's entry in a receive queue.
pub fn encode_receive(address: Address, bytes: Bytes) -> [u8; RECEIVE_BYTES] {
    let mut entry = [0; RECEIVE_BYTES];
    entry[..4].copy_from_slice(&(bytes.get() as u32).to_be_bytes());
    entry[8..].copy_from_slice(&address.to_be_bytes());
    entry
}

/// Parses a buffer's entry in a receive queue.
pub fn decode_receive(entry: &[u8; RECEIVE_BYTES]) -> (Address, Bytes) {
    let [length, address] = [0, 8].map(|at| u64::from_be_bytes(entry[at..at + 8].try_into().expect("eight bytes")));
    (address, Bytes(length >> 32))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_decoded_request_equals_the_encoded_one(
            (kind, signaled, index) in (0..5usize, any::<bool>(), any::<u16>()),
            (queue_pair, key, address, to) in (0..1u32 << 24, any::<u32>(), any::<u64>(), any::<u64>()),
            values in any::<[u64; 2]>(),
            inline in proptest::collection::vec(any::<u8>(), 0..=220),
        ) {
            let remote = [
                RemoteOperand::Send,
                RemoteOperand::Write(address, key),
                RemoteOperand::Read(address, key),
                RemoteOperand::FetchAdd(address, key, values[0]),
                RemoteOperand::CompareSwap(address, key, values[0], values[1]),
            ][kind];
            for data in [LocalData::Inline(inline.clone()), LocalData::Memory(to, 77)] {
                let entry = WorkEntry { remote, data, index, queue_pair, is_signaled: signaled };
                let bytes = entry.encode();
                prop_assert_eq!(usize::from(WorkEntry::blocks(&bytes)) * BLOCK_BYTES, bytes.len());
                prop_assert!(kind > 1 || bytes.len() <= blocks_max(Bytes(220)) as usize * BLOCK_BYTES);
                prop_assert_eq!(WorkEntry::decode(&bytes), entry);
            }
            prop_assert_eq!(decode_receive(&encode_receive(address, Bytes(700))), (address, Bytes(700)));
        }
    }
}
