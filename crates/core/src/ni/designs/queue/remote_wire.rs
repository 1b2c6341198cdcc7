//! The packets of one-sided operations: a parcel header with values that no message uses, three words, and data.
//!
//! | word | request | answer |
//! |---|---|---|
//! | 0 | parcel header: an active message whose fragment number is the code, from 1 on | the same |
//! | 1 | low half: number of the operation; high half: key of the region | low half: number; high half: status |
//! | 2 | remote address | 0 |
//! | 3 | bytes to write or read, addend, or expected value | previous value of an atomic operation's word |
//! | data | bytes to write, or new value | bytes read |

use crate::engine::Bytes;
use crate::host::block::read_bytes;
use crate::ni::envelope::Envelope;
use crate::ni::parcel::{HEADER_BYTES, Header};
use crate::ni::verbs::WorkStatus;

/// Bytes of a packet between the parcel's header and the data.
pub const WORDS_BYTES: usize = 24;

/// Returns the maximum number of bytes of an operation if packets have at most `packet` bytes.
pub fn operation_max(packet: Bytes) -> Bytes {
    Bytes(packet.get().saturating_sub((HEADER_BYTES + WORDS_BYTES) as u64))
}

/// The kind of a packet: a kind of request, or an answer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Code {
    /// Writes bytes.
    Write = 1,
    /// Reads bytes.
    Read = 2,
    /// Adds to a word.
    FetchAdd = 3,
    /// Replaces a word if it has the expected value.
    CompareSwap = 4,
    /// Answers a request that has ended.
    Answer = 5,
}

const CODES: [Code; 5] = [Code::Write, Code::Read, Code::FetchAdd, Code::CompareSwap, Code::Answer];

/// A packet of a one-sided operation, without its data.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RemotePacket {
    /// Request or answer.
    pub code: Code,
    /// Sending and receiving endpoint.
    pub endpoints: [u16; 2],
    /// Number of the operation, modulo 2³².
    pub work: u32,
    /// Key of the region, or status.
    pub key: u32,
    /// Remote address.
    pub address: u64,
    /// Number of bytes, operand or result.
    pub operand: u64,
}

impl RemotePacket {
    /// Returns the parcel's header of the packet with `data` bytes of data.
    pub fn header(&self, data: usize) -> Header {
        let envelope = Envelope { fragment: self.code as u32, last: true, ..Envelope::default() };
        let payload_bytes = u16::try_from(WORDS_BYTES + data).expect("a payload of a packet has at most 248 bytes");
        let [source, destination] = self.endpoints.map(u32::from);
        Header { payload_bytes, source, destination, envelope, ..Header::default() }
    }

    /// Returns the words after the parcel's header.
    pub fn words(&self) -> [u64; 3] {
        [u64::from(self.work) | u64::from(self.key) << 32, self.address, self.operand]
    }

    /// Returns the bytes of the packet with its data.
    pub fn encode(&self, data: &[u8]) -> Vec<u8> {
        let mut bytes = self.header(data.len()).encode().to_le_bytes().to_vec();
        self.words().iter().for_each(|word| bytes.extend(word.to_le_bytes()));
        bytes.extend(data);
        bytes
    }

    /// Parses a packet; returns it with its data, or `None` if the packet belongs to a message.
    pub fn decode(bytes: &[u8]) -> Option<(RemotePacket, &[u8])> {
        let Header { source, destination, envelope, .. } = Header::decode(read_bytes(&bytes[..HEADER_BYTES]));
        let code = CODES.into_iter().find(|code| *code as u32 == envelope.fragment).filter(|_| !envelope.is_part)?;
        let (words, data) = bytes[HEADER_BYTES..].split_at(WORDS_BYTES);
        let [first, address, operand] = [0, 8, 16].map(|at| read_bytes(&words[at..at + 8]));
        let endpoints = [source, destination].map(|endpoint| endpoint as u16);
        Some((RemotePacket { code, endpoints, work: first as u32, key: (first >> 32) as u32, address, operand }, data))
    }

    /// Returns the answer to the packet.
    pub fn answer(&self, status: WorkStatus, operand: u64) -> RemotePacket {
        let [from, to] = self.endpoints;
        let key = u32::from(status != WorkStatus::Success);
        RemotePacket { code: Code::Answer, endpoints: [to, from], key, address: 0, operand, ..*self }
    }

    /// Returns the status of an answer.
    pub fn status(&self) -> WorkStatus {
        if self.key == 0 { WorkStatus::Success } else { WorkStatus::RemoteAccessError }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_decoded_packet_equals_the_encoded_one(
            (code, endpoint_numbers) in (0..5usize, any::<[u8; 2]>()),
            (work, key, address, operand) in any::<(u32, u32, u64, u64)>(),
            data in proptest::collection::vec(any::<u8>(), 0..224),
        ) {
            let endpoints = endpoint_numbers.map(u16::from);
            let packet = RemotePacket { code: CODES[code], endpoints, work, key, address, operand };
            let bytes = packet.encode(&data);
            prop_assert_eq!(RemotePacket::decode(&bytes), Some((packet, &data[..])));
        }
    }

    #[test]
    fn packets_of_messages_are_not_decoded_as_operations() {
        let active_message = Header { payload_bytes: 24, ..Header::default() };
        let part = Envelope { is_part: true, fragment: 3, ..Envelope::default() };
        for header in [active_message, Header { envelope: part, ..active_message }] {
            let bytes = [&header.encode().to_le_bytes()[..], &[0; 24]].concat();
            assert_eq!(RemotePacket::decode(&bytes), None);
        }
    }
}
