//! Payloads that can be told apart: each message's number stands at both ends of its payload.

use crate::engine::Bytes;
use crate::host::io_bus::{Address, MainMemory};

/// Writes the pattern of `number` over a payload.
pub(super) fn write(memory: &MainMemory, address: Address, payload: Bytes, number: u64) {
    let (pattern, length) = (number.to_le_bytes(), end_length(payload));
    memory.write(address, &pattern[..length]);
    memory.write(address + payload.get() - length as u64, &pattern[..length]);
}

/// Panics if a payload does not carry the pattern of `number`: a model moved wrong bytes.
pub(super) fn check(memory: &MainMemory, address: Address, payload: Bytes, number: u64) {
    let (pattern, length) = (number.to_le_bytes(), end_length(payload));
    memory.with(address, payload, |bytes| {
        assert_eq!(&bytes[..length], &pattern[..length], "payload {number} arrived with another's head");
        assert_eq!(&bytes[bytes.len() - length..], &pattern[..length], "payload {number} arrived with another's tail");
    });
}

/// How much of the pattern stands at either end: so much that the ends do not meet.
fn end_length(payload: Bytes) -> usize {
    (payload.len() / 2).clamp(1, size_of::<u64>()).min(payload.len())
}
