//! Packets that become a datagram: where each part of its data lies, and its sum.

use super::super::parameters::McpParameters;
use crate::engine::{EndpointId, Journey, Time};
use crate::host::Address;
use crate::ni::envelope::Envelope;
use crate::protocol::udp_ip::{
    DatagramKey, DropReason, Parsed, Reassembled, Reassembly, ReassemblyParameters, Sum, UdpHead,
};
use std::collections::BTreeMap;
use std::ops::Range;

/// A part of a datagram, in a buffer.
pub struct Part {
    /// The buffer.
    pub buffer: u32,
    /// Where the program's bytes of the packet lie, the envelope among them, and which they are.
    pub address: Address,
    /// Which bytes of the datagram's payload these are.
    pub place: Range<usize>,
    /// Their sum.
    pub sum: Sum,
    /// The packet's way.
    pub journey: Journey,
}

/// A datagram in the socket's queue.
pub struct Received {
    /// Who sent it.
    pub from: EndpointId,
    /// Whom it is for.
    pub to: EndpointId,
    /// What the messaging layer said.
    pub envelope: Envelope,
    /// Its parts, in order.
    pub parts: Vec<Part>,
    /// Bytes of its payload, the envelope among them.
    pub bytes: usize,
    /// Its way.
    pub journey: Journey,
}

/// What became of a packet.
pub enum Gathered {
    /// Its datagram is complete.
    Complete(DatagramKey, UdpHead, Vec<Part>),
    /// It waits for the rest of its datagram.
    Kept,
    /// It is dropped, for this reason, and what was kept of its datagram with it.
    Dropped(DropReason, Vec<Part>),
}

/// Datagrams of which packets came.
pub struct Gathering {
    reassembly: Reassembly,
    parts: BTreeMap<DatagramKey, Vec<Part>>,
}

impl Gathering {
    /// With room for what the buffers of a node hold, `longest` bytes each.
    pub fn new(parameters: &McpParameters, longest: usize) -> Gathering {
        let datagrams = parameters.receive_buffers as usize;
        let (bytes, lifetime) = (datagrams * (longest + 8), parameters.reassembly_time);
        let reassembly = Reassembly::new(ReassemblyParameters { datagrams, bytes, lifetime });
        Gathering { reassembly, parts: BTreeMap::new() }
    }

    /// A packet came that is sound.
    pub fn arrive(&mut self, packet: &Parsed, part: Part, now: Time) -> Gathered {
        let key = packet.key();
        match self.reassembly.arrive(packet, now) {
            Reassembled::Complete { header, .. } => {
                let mut parts = self.parts.remove(&key).unwrap_or_default();
                parts.push(part);
                parts.sort_by_key(|part| part.place.start);
                Gathered::Complete(key, header, parts)
            }
            Reassembled::Kept => {
                self.parts.entry(key).or_default().push(part);
                Gathered::Kept
            }
            Reassembled::Dropped { gives_up, reason } => {
                let mut parts = match gives_up {
                    true => self.parts.remove(&key).unwrap_or_default(),
                    false => Vec::new(),
                };
                parts.push(part);
                Gathered::Dropped(reason, parts)
            }
        }
    }

    /// When a datagram is given up next.
    pub fn next_timer(&self) -> Option<Time> {
        self.reassembly.next_timer()
    }

    /// The datagrams that are given up by `now`, by their parts.
    pub fn expires(&mut self, now: Time) -> Vec<Vec<Part>> {
        let expired = self.reassembly.expires(now);
        expired.iter().filter_map(|key| self.parts.remove(key)).collect()
    }

    /// Whether a buffer holds a part that was kept.
    pub fn holds(&self, buffer: u32) -> bool {
        self.parts.values().flatten().any(|part| part.buffer == buffer)
    }
}
