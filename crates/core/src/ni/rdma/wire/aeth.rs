//! The acknowledgement extended transport header (InfiniBand Architecture Specification, volume 1, section 9.3.4).

use super::be24;
use crate::engine::Time;

/// The meaning of an acknowledgement: the content of its syndrome field.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Syndrome {
    /// All packets up to the sequence number have arrived.
    Acknowledged,
    /// The responder has no receive for the message; the requester tries again after the time of this code.
    ReceiverNotReady(u8),
    /// The packet with the sequence number has not arrived, and a later one has.
    SequenceError,
    /// The request does not fit the receive, or is not supported.
    InvalidRequest,
    /// The key or the range is wrong.
    RemoteAccessError,
}

/// The number of credits in an acknowledgement that carries none.
const NO_CREDITS: u8 = 0x1f;

/// The times of the codes of [`Syndrome::ReceiverNotReady`], from code 1 on, in units of 10 µs (table 45). Code 0 is the
/// longest time, 655.36 ms.
const RNR_TIMES: [u64; 31] = [
    1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 768, 1024, 1536, 2048, 3072, 4096, 6144,
    8192, 12288, 16384, 24576, 32768, 49152,
];

impl Syndrome {
    /// Returns the syndrome of a receiver that is not ready, with the code of the shortest time that is at least `time`.
    pub fn receiver_not_ready(time: Time) -> Syndrome {
        let code = RNR_TIMES.iter().position(|units| time <= Time::from_us(10 * units));
        Syndrome::ReceiverNotReady(code.map_or(0, |index| index as u8 + 1))
    }

    fn encode(self) -> u8 {
        match self {
            Syndrome::Acknowledged => NO_CREDITS,
            Syndrome::ReceiverNotReady(timer) => 0x20 | timer & 0x1f,
            Syndrome::SequenceError => 0x60,
            Syndrome::InvalidRequest => 0x61,
            Syndrome::RemoteAccessError => 0x62,
        }
    }

    fn decode(byte: u8) -> Option<Syndrome> {
        match (byte >> 5 & 3, byte & 0x1f) {
            (0, _) => Some(Syndrome::Acknowledged),
            (1, timer) => Some(Syndrome::ReceiverNotReady(timer)),
            (3, 0) => Some(Syndrome::SequenceError),
            (3, 1) => Some(Syndrome::InvalidRequest),
            (3, 2) => Some(Syndrome::RemoteAccessError),
            _ => None,
        }
    }
}

/// An acknowledgement extended transport header.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct AckHeader {
    /// Meaning of the acknowledgement.
    pub syndrome: Syndrome,
    /// Number of messages that the responder has completed, modulo 2²⁴. With selective repeat, this field of a
    /// sequence error holds the sequence number of the packet that arrived early.
    pub messages: u32,
}

impl AckHeader {
    /// Length of a header.
    pub const BYTES: usize = 4;

    /// Returns the bytes.
    pub fn encode(&self) -> [u8; AckHeader::BYTES] {
        let [_, high, middle, low] = self.messages.to_be_bytes();
        [self.syndrome.encode(), high, middle, low]
    }

    /// Parses a header of 4 bytes; returns `None` for a reserved code.
    pub fn decode(bytes: &[u8]) -> Option<AckHeader> {
        Some(AckHeader { syndrome: Syndrome::decode(bytes[0])?, messages: be24(&bytes[1..4]) })
    }
}
