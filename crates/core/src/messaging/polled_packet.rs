//! A packet that a poll found: at the interface, or in a loopback queue.

use super::loopback::{LoopbackPacket, LoopbackQueue};
use super::node_context::NodeContext;
use crate::engine::resource::OwnedHold;
use crate::engine::{EndpointId, Journey};
use crate::host::Address;
use crate::ni::{Driver, Envelope, PayloadSink, RxCompletion, RxPacket};

/// A packet that a poll found and that has not been taken yet.
#[allow(clippy::large_enum_variant, reason = "one packet at a time is polled, on the stack; not large on 32 bits")]
pub(super) enum PolledPacket<'q> {
    /// A packet at the interface, and the hold on the driver's receiving half, if several cores share the driver.
    Interface { arrival: RxPacket, _receiver: Option<OwnedHold> },
    /// A packet from an endpoint of the same node, and the queue that held it.
    Loopback(LoopbackPacket, &'q LoopbackQueue),
}

/// The properties of a packet that are known before its payload is moved.
pub(super) struct PacketHeader {
    pub source: EndpointId,
    pub envelope: Envelope,
    /// The payload's length.
    pub bytes: usize,
    pub journey: Journey,
}

impl PolledPacket<'_> {
    /// Returns the packet's header.
    pub fn header(&self) -> PacketHeader {
        match self {
            PolledPacket::Interface { arrival: RxPacket { from, envelope, bytes, journey, .. }, .. }
            | PolledPacket::Loopback(LoopbackPacket { from, envelope, bytes, journey, .. }, _) => {
                PacketHeader { source: *from, envelope: *envelope, bytes: *bytes, journey: journey.clone() }
            }
        }
    }

    /// Returns the address to which software steers a payload with `tag`. An interface that steers by tags does so
    /// itself.
    pub fn steered_address(&self, tag: u16) -> Option<Address> {
        match self {
            PolledPacket::Interface { .. } => None,
            PolledPacket::Loopback(_, queue) => queue.mapped_address(tag),
        }
    }

    /// Moves the payload to `sink`. The move costs `extra_cycles` in addition to the cycles of any packet. A packet is
    /// taken once.
    pub async fn take(&mut self, context: &NodeContext, extra_cycles: u64, sink: PayloadSink<'_>) -> RxCompletion {
        match self {
            PolledPacket::Interface { arrival, .. } => {
                context.driver.take(&context.cpu, arrival, extra_cycles, sink).await
            }
            PolledPacket::Loopback(packet, queue) => queue.recv_loopback(context, packet, extra_cycles, sink).await,
        }
    }
}
