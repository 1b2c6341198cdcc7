//! Messages with a payload in memory, and a few words that accompany it.

use crate::engine::{Bytes, EndpointId, Journey};
use crate::host::Address;

/// A message to send.
pub struct Outgoing<'a> {
    /// The receiving endpoint.
    pub destination: EndpointId,
    /// The tag by which a receiver may steer the payload, at most 31; 0 means that there is no tag.
    pub tag: u16,
    /// The payload's address in host memory.
    pub address: Address,
    /// The payload's length.
    pub payload: Bytes,
    /// A few words that accompany the payload. An interface that carries no such words sends them as the payload of a
    /// message that has no other payload.
    pub words: &'a [u32],
}

/// A message received, to be returned by [`Endpoint::release`](super::Endpoint::release).
pub struct Incoming {
    /// The sending endpoint.
    pub source: EndpointId,
    /// The message's tag.
    pub tag: u16,
    /// The payload's address in host memory.
    pub address: Address,
    /// The payload's length.
    pub payload: Bytes,
    /// The words that accompany the payload.
    pub words: Vec<u32>,
    /// The payload, if it was assembled from packets.
    pub(super) bytes: Option<Vec<u8>>,
    pub(super) journey: Journey,
    pub(super) storage: Storage,
}

/// The storage that a received message occupies until it is released.
pub(super) enum Storage {
    /// A buffer of the messaging layer.
    Buffer(Address),
    /// An entry of the driver.
    DriverEntry(u64),
    /// No storage: the message's tag steered the payload to its final address.
    MappedAddress,
}
