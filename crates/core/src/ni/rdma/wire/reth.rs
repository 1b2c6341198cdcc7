//! The extended headers of requests: the RDMA header of writes and reads, and the header of atomic operations
//! (InfiniBand Architecture Specification, volume 1, sections 9.3.3 and 9.3.5).

use super::{be32, be64};

/// The RDMA extended transport header.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RdmaHeader {
    /// Remote address.
    pub address: u64,
    /// Key of the remote region.
    pub key: u32,
    /// Length of the message.
    pub length: u32,
}

impl RdmaHeader {
    /// Length of a header.
    pub const BYTES: usize = 16;

    /// Returns the bytes.
    pub fn encode(&self) -> Vec<u8> {
        [&self.address.to_be_bytes()[..], &self.key.to_be_bytes(), &self.length.to_be_bytes()].concat()
    }

    /// Parses a header of 16 bytes.
    pub fn decode(bytes: &[u8]) -> RdmaHeader {
        RdmaHeader { address: be64(&bytes[..8]), key: be32(&bytes[8..12]), length: be32(&bytes[12..16]) }
    }
}

/// The header of an atomic operation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct AtomicHeader {
    /// Remote address.
    pub address: u64,
    /// Key of the remote region.
    pub key: u32,
    /// New value, or addend.
    pub swap_or_add: u64,
    /// Expected value of a compare-and-swap.
    pub compare: u64,
}

impl AtomicHeader {
    /// Length of a header.
    pub const BYTES: usize = 28;

    /// Returns the bytes.
    pub fn encode(&self) -> Vec<u8> {
        let AtomicHeader { address, key, swap_or_add, compare } = *self;
        [&address.to_be_bytes()[..], &key.to_be_bytes(), &swap_or_add.to_be_bytes(), &compare.to_be_bytes()].concat()
    }

    /// Parses a header of 28 bytes.
    pub fn decode(bytes: &[u8]) -> AtomicHeader {
        let (swap_or_add, compare) = (be64(&bytes[12..20]), be64(&bytes[20..28]));
        AtomicHeader { address: be64(&bytes[..8]), key: be32(&bytes[8..12]), swap_or_add, compare }
    }
}
