//! Reassembly of packets into datagrams. Each part of the data keeps its address and its checksum.

use super::super::parameters::McpParameters;
use crate::engine::{EndpointId, Journey, Time};
use crate::host::Address;
use crate::ni::envelope::Envelope;
use crate::protocol::udp_ip::{
    DatagramKey, DropReason, Parsed, Reassembled, Reassembly, ReassemblyParameters, Sum, UdpHead,
};
use std::collections::BTreeMap;
use std::ops::Range;

/// A part of a datagram, in a receive buffer.
pub struct DatagramPart {
    /// The number of the buffer.
    pub buffer: u32,
    /// Address of the packet's payload bytes, including the envelope.
    pub address: Address,
    /// The range of the datagram's payload that the part covers.
    pub range: Range<usize>,
    /// The checksum of the part.
    pub sum: Sum,
    /// The packet's journey.
    pub journey: Journey,
}

/// A datagram in the socket's queue.
pub struct ReceivedDatagram {
    /// The sending endpoint.
    pub from: EndpointId,
    /// The receiving endpoint.
    pub to: EndpointId,
    /// The messaging layer's header.
    pub envelope: Envelope,
    /// The parts, in order.
    pub parts: Vec<DatagramPart>,
    /// Number of bytes of the payload, including the envelope.
    pub bytes: usize,
    /// The journey of the datagram's last packet.
    pub journey: Journey,
}

/// The result of the arrival of a packet.
pub enum ReassemblyOutcome {
    /// The datagram is complete.
    Complete(DatagramKey, UdpHead, Vec<DatagramPart>),
    /// The packet waits for the rest of its datagram.
    Kept,
    /// The packet is dropped for this reason, with the parts of its datagram that were kept.
    Dropped(DropReason, Vec<DatagramPart>),
}

/// The incomplete datagrams.
pub struct DatagramReassembly {
    reassembly: Reassembly,
    kept_parts: BTreeMap<DatagramKey, Vec<DatagramPart>>,
}

impl DatagramReassembly {
    /// Creates the reassembly for all receive buffers of a node, each of at most `datagram_bytes_max` bytes.
    pub fn new(parameters: &McpParameters, datagram_bytes_max: usize) -> DatagramReassembly {
        let datagrams = parameters.receive_buffers as usize;
        let (bytes, lifetime) = (datagrams * (datagram_bytes_max + 8), parameters.reassembly_time);
        let reassembly = Reassembly::new(ReassemblyParameters { datagrams, bytes, lifetime });
        DatagramReassembly { reassembly, kept_parts: BTreeMap::new() }
    }

    /// Adds a valid packet that has arrived.
    pub fn arrive(&mut self, packet: &Parsed, part: DatagramPart, now: Time) -> ReassemblyOutcome {
        let key = packet.key();
        match self.reassembly.arrive(packet, now) {
            Reassembled::Complete { header, .. } => {
                let mut parts = self.kept_parts.remove(&key).unwrap_or_default();
                parts.push(part);
                parts.sort_by_key(|part| part.range.start);
                ReassemblyOutcome::Complete(key, header, parts)
            }
            Reassembled::Kept => {
                self.kept_parts.entry(key).or_default().push(part);
                ReassemblyOutcome::Kept
            }
            Reassembled::Dropped { abandons_datagram, reason } => {
                let mut parts = match abandons_datagram {
                    true => self.kept_parts.remove(&key).unwrap_or_default(),
                    false => Vec::new(),
                };
                parts.push(part);
                ReassemblyOutcome::Dropped(reason, parts)
            }
        }
    }

    /// Returns the time at which the next incomplete datagram expires.
    pub fn next_timer(&self) -> Option<Time> {
        self.reassembly.next_timer()
    }

    /// Removes the datagrams that have expired by `now`, and returns the parts of each.
    pub fn take_expired(&mut self, now: Time) -> Vec<Vec<DatagramPart>> {
        let expired = self.reassembly.expire(now);
        expired.iter().filter_map(|key| self.kept_parts.remove(key)).collect()
    }

    /// Returns whether a buffer holds a part of an incomplete datagram.
    pub fn holds_part_in(&self, buffer: u32) -> bool {
        self.kept_parts.values().flatten().any(|part| part.buffer == buffer)
    }
}
