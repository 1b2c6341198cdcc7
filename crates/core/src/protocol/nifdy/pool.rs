//! The outgoing pool with its rank and eligibility unit (Callahan and Goldstein 1995, §2.1.1).
//!
//! A packet's rank is the number of packets in front of it for the same destination, waiting or outstanding. An
//! acknowledgement from a node reduces by one the rank of every packet that waits for that node; the packet with rank
//! zero is the next to leave. (The paper defines the rank as "one plus" that number, and calls rank zero eligible; both
//! cannot hold for the first packet to a destination.) While a dialog with the destination is open, the next packet to
//! leave is the one whose rank equals the number of the dialog's unacknowledged packets.

use crate::engine::NodeId;
use std::collections::VecDeque;

/// A packet that the processor sends.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct OutgoingPacket<T> {
    /// Destination node.
    pub destination: NodeId,
    /// Whether enough packets for this destination follow to request a bulk dialog (Callahan and Goldstein 1995, §2.2:
    /// "NIFDY won't attempt bulk mode on its own").
    pub bulk_request: bool,
    /// Whether the packet is the last of its message, which ends its dialog.
    pub bulk_exit: bool,
    /// Whether the packet is acknowledged. A packet that bypasses the protocol is not; it is unordered and eligible at
    /// once (Callahan and Goldstein 1995, §6.1).
    pub acknowledged: bool,
    /// Whether the packet answers a packet from the destination, whose acknowledgement may be piggybacked on it.
    pub answers: bool,
    /// The packet.
    pub body: T,
}

impl<T> OutgoingPacket<T> {
    /// Returns a single packet that is acknowledged, not in bulk mode, and not an answer.
    pub const fn new(destination: NodeId, body: T) -> OutgoingPacket<T> {
        OutgoingPacket { destination, bulk_request: false, bulk_exit: false, acknowledged: true, answers: false, body }
    }
}

/// Waiting packets, oldest first.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) struct Pool<T> {
    buffer_count: usize,
    waiting_packets: VecDeque<(OutgoingPacket<T>, usize)>,
}

impl<T> Pool<T> {
    pub(super) fn new(buffer_count: u16) -> Pool<T> {
        let buffer_count = usize::from(buffer_count);
        Pool { buffer_count, waiting_packets: VecDeque::with_capacity(buffer_count) }
    }

    pub(super) fn has_capacity(&self) -> bool {
        self.waiting_packets.len() < self.buffer_count
    }

    pub(super) fn len(&self) -> usize {
        self.waiting_packets.len()
    }

    /// Returns the number of waiting ordered packets for `destination`.
    pub(super) fn waiting_for(&self, destination: NodeId) -> usize {
        self.waiting_packets.iter().filter(|(packet, _)| packet.is_ordered_to(destination)).count()
    }

    /// Inserts a packet behind the waiting packets and the `outstanding` ones of its destination.
    pub(super) fn insert(&mut self, packet: OutgoingPacket<T>, outstanding: usize) {
        assert!(self.has_capacity(), "a packet enters where a buffer is empty (§2.1.1)");
        let rank = if packet.acknowledged { self.waiting_for(packet.destination) + outstanding } else { 0 };
        self.waiting_packets.push_back((packet, rank));
    }

    /// Records that `destination` acknowledged a number of packets.
    pub(super) fn record_acknowledged(&mut self, destination: NodeId, packets: usize) {
        for (packet, rank) in self.waiting_packets.iter_mut().filter(|(packet, _)| packet.is_ordered_to(destination)) {
            let lower_rank = rank.checked_sub(packets);
            *rank = lower_rank
                .unwrap_or_else(|| panic!("{packets} acknowledged, {rank} in front of {}", packet.destination));
        }
    }

    /// Iterates over the packets with their ranks, oldest first.
    pub(super) fn iter(&self) -> impl Iterator<Item = (&OutgoingPacket<T>, usize)> {
        self.waiting_packets.iter().map(|(packet, rank)| (packet, *rank))
    }

    pub(super) fn take(&mut self, index: usize) -> OutgoingPacket<T> {
        self.waiting_packets.remove(index).expect("the chosen packet waits").0
    }
}

impl<T> OutgoingPacket<T> {
    fn is_ordered_to(&self, destination: NodeId) -> bool {
        self.acknowledged && self.destination == destination
    }
}
