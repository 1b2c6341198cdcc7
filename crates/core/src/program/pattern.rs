//! Payloads that can be distinguished: a program sends from a few buffers in turn, each filled with a different
//! pattern. The tag of a message is the number of its pattern, and the receiver compares every byte.

use crate::engine::Bytes;
use crate::host::Address;
use crate::messaging::{Endpoint, Incoming};

/// Number of buffers that a program sends in turn.
pub const PAYLOAD_PATTERNS: u64 = 4;

/// Send buffers filled with the patterns.
pub(super) struct PatternBuffers(Vec<Address>);

impl PatternBuffers {
    /// Allocates and fills the buffers, before anything is measured.
    pub(super) async fn prepare(endpoint: &Endpoint, payload: Bytes) -> PatternBuffers {
        let mut buffers = Vec::new();
        for pattern in 0..PAYLOAD_PATTERNS {
            let buffer = endpoint.allocate(payload);
            endpoint.prepare(buffer, &payload_bytes(pattern, payload)).await;
            buffers.push(buffer);
        }
        PatternBuffers(buffers)
    }

    /// Returns the tag and the buffer of message `number`.
    pub(super) fn tag_and_buffer(&self, number: u64) -> (u16, Address) {
        let pattern = number % PAYLOAD_PATTERNS;
        (tag(pattern), self.0[pattern as usize])
    }
}

/// The payloads with which a receiver compares those that arrive.
pub(super) struct ExpectedPayloads(Vec<Vec<u8>>);

impl ExpectedPayloads {
    /// Returns the patterns of payloads of this length.
    pub(super) fn new(payload: Bytes) -> ExpectedPayloads {
        ExpectedPayloads((0..PAYLOAD_PATTERNS).map(|pattern| payload_bytes(pattern, payload)).collect())
    }

    /// Checks the payload of a message. Panics if it is not the pattern of the message's tag, which means that a model
    /// changed bytes.
    pub(super) fn check(&self, endpoint: &Endpoint, incoming: &Incoming) {
        let pattern = u64::from(incoming.tag - tag(0)) as usize;
        endpoint.with_payload(incoming, |bytes| {
            assert!(bytes == self.0[pattern], "the payload differs from what was sent");
        });
    }
}

/// Returns the tag of a pattern. Programs map only smaller tags to addresses.
fn tag(pattern: u64) -> u16 {
    2 + pattern as u16
}

/// The length after which a pattern repeats: its bytes depend on nine bits of their position.
const PATTERN_PERIOD_BYTES: u64 = 512;

/// Returns a payload of this length filled with `pattern`.
pub(super) fn payload_bytes(pattern: u64, payload: Bytes) -> Vec<u8> {
    let period: Vec<u8> =
        (0..PATTERN_PERIOD_BYTES.min(payload.get())).map(|position| byte(pattern, position)).collect();
    let mut bytes = period.repeat(payload.get().div_ceil(PATTERN_PERIOD_BYTES) as usize);
    bytes.truncate(payload.len());
    bytes
}

/// Returns the byte of `pattern` at a position in the payload.
fn byte(pattern: u64, position: u64) -> u8 {
    ((pattern * 37 + position * 11) >> 1) as u8
}

/// Returns a number that depends on all bits of `number`: the last step of SplitMix64.
pub(super) fn mix_bits(number: u64) -> u64 {
    let number = (number ^ (number >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let number = (number ^ (number >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    number ^ (number >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn repeated_period_equals_the_pattern_byte_by_byte() {
        for length in [0, 1, 511, 512, 513, 4096, 5000] {
            for pattern in 0..PAYLOAD_PATTERNS {
                let expected: Vec<u8> = (0..length).map(|position| byte(pattern, position)).collect();
                assert_eq!(payload_bytes(pattern, Bytes(length)), expected);
            }
        }
    }
}
