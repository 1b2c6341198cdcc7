//! Payloads that can be told apart: a program sends a few buffers in turn, each filled with its own
//! pattern, and the message's tag says which; the receiver compares every byte.

use crate::engine::Bytes;
use crate::host::Address;
use crate::messaging::{Endpoint, Incoming};

/// How many buffers a program sends in turn.
pub const PATTERNS: u64 = 4;

/// Buffers with payloads to send.
pub(super) struct Patterns(Vec<Address>);

impl Patterns {
    /// Writes the buffers, before anything is measured.
    pub(super) async fn prepare(endpoint: &Endpoint, payload: Bytes) -> Patterns {
        let mut buffers = Vec::new();
        for pattern in 0..PATTERNS {
            let buffer = endpoint.allocate(payload);
            endpoint.prepare(buffer, &bytes(pattern, payload)).await;
            buffers.push(buffer);
        }
        Patterns(buffers)
    }

    /// The tag and the buffer of message `number`.
    pub(super) fn of(&self, number: u64) -> (u16, Address) {
        let pattern = number % PATTERNS;
        (tag(pattern), self.0[pattern as usize])
    }
}

/// What a receiver compares with.
pub(super) struct Expected(Vec<Vec<u8>>);

impl Expected {
    /// Payloads of this length.
    pub(super) fn new(payload: Bytes) -> Expected {
        Expected((0..PATTERNS).map(|pattern| bytes(pattern, payload)).collect())
    }

    /// Panics if a message does not carry what its tag says: a model moved wrong bytes.
    pub(super) fn check(&self, endpoint: &Endpoint, incoming: &Incoming) {
        let pattern = u64::from(incoming.tag - tag(0)) as usize;
        endpoint.with_payload(incoming, |bytes| {
            assert!(bytes == self.0[pattern], "a payload arrived with other bytes than were sent");
        });
    }
}

/// Tags of patterns: beyond those that programs map.
fn tag(pattern: u64) -> u16 {
    2 + pattern as u16
}

/// The payload with `pattern`.
pub(super) fn bytes(pattern: u64, payload: Bytes) -> Vec<u8> {
    (0..payload.get()).map(|at| ((pattern * 37 + at * 11) >> 1) as u8).collect()
}

/// A number that depends on all bits of another: the last step of SplitMix64.
pub(super) fn mixed(number: u64) -> u64 {
    let number = (number ^ (number >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let number = (number ^ (number >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    number ^ (number >> 31)
}
