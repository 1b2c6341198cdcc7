//! The specification of the RDMA interface.

use super::device::RdmaDevice;
use super::driver::RdmaDriver;
use super::parameters::{Doorbell, RdmaParameters};
use super::wire::ETHERNET_BYTES;
use crate::engine::Bytes;
use crate::host::HostCapabilities;
use crate::ni::any::AnyDriver;
use crate::ni::build_context::BuildContext;
use crate::ni::interface::{EndpointLimit, InterfaceLimits, InterfaceSpec};
use crate::ni::memory_footprint::{MemoryFootprint, PacketFootprint};
use crate::ni::packet_header::PacketHeader;
use crate::ni::verbs::VerbsLimits;
use crate::part::{Part, PartInfo};
use crate::protocol::udp_ip::addresses;

/// Largest number of queue pairs of a node's programs.
const QUEUE_PAIRS_MAX: u32 = 1 << 20;
/// Largest request: 2 GiB (InfiniBand Architecture Specification, volume 1, section 9.2).
const REQUEST_MAX: Bytes = Bytes(1 << 31);
/// Largest number of header bytes of a packet.
const HEADER_BYTES_MAX: u64 = ETHERNET_BYTES as u64 + 20 + 8 + 12 + 28 + 4;

impl Part for RdmaParameters {
    const INFO: PartInfo = PartInfo::new("rdma", "Queue pairs of RDMA over RoCEv2, on hosts with DMA")
        .results(super::result_names::RESULTS);

    fn inert_reason(&self, key: &str) -> Option<&'static str> {
        match key {
            "ack-delay" if self.ack_every == 1 => Some("every message is acknowledged at once"),
            _ => None,
        }
    }
}

impl RdmaParameters {
    /// Returns the limits of the verbs.
    pub fn verbs_limits(&self) -> VerbsLimits {
        VerbsLimits {
            request_max: REQUEST_MAX,
            inline_max: self.inline_max,
            has_sends: true,
            queue_pairs: QUEUE_PAIRS_MAX,
            send_entries: self.send_entries,
            receive_entries: self.receive_entries,
        }
    }

    /// Returns the number of entries of the completion queue for messages between `nodes` nodes: each buffer has at
    /// most one entry, and each queue pair at most five for requests without a buffer.
    pub fn message_completions(&self, nodes: usize) -> u32 {
        let buffers = u64::from(self.send_entries) + u64::from(self.receive_entries);
        (buffers + 5 * nodes as u64).next_power_of_two() as u32
    }
}

impl InterfaceSpec for RdmaParameters {
    fn needs(&self) -> HostCapabilities {
        let minimum = self.minimum_requirements();
        match self.doorbell {
            Doorbell::BlueFlame | Doorbell::BlueFlameInline => minimum.with(HostCapabilities::WRITE_COMBINING, 1),
            Doorbell::Fetch => minimum,
        }
    }

    fn minimum_requirements(&self) -> HostCapabilities {
        HostCapabilities::of([HostCapabilities::REGISTERS, HostCapabilities::DMA])
    }

    fn limits(&self) -> InterfaceLimits {
        let payload = PacketHeader::payload_max(self.mtu) as u64;
        let (packet, message) = (Bytes(self.mtu.get() + HEADER_BYTES_MAX), Bytes(payload << 16));
        let endpoints = EndpointLimit::PerNode(PacketHeader::ENDPOINTS);
        InterfaceLimits::new(packet, message, addresses::NODES_MAX, endpoints)
            .with_words(payload as usize / 4)
            .with_verbs(self.verbs_limits())
    }

    /// Returns the main memory for buffers of messages. The queues of programs are not included.
    fn memory_footprint(&self) -> MemoryFootprint {
        let (payload, mtu) = (PacketHeader::payload_max(self.mtu) as u64, self.mtu.get());
        MemoryFootprint {
            buffers: [(self.send_entries.into(), mtu), (self.receive_entries.into(), mtu)],
            packet: Some(PacketFootprint::new(payload, payload)),
            queued_packets: self.receive_entries.into(),
        }
    }

    fn packet_key(&self) -> &'static str {
        "mtu"
    }

    fn packet_overhead(&self) -> Option<(Bytes, &'static str)> {
        Some((Bytes(HEADER_BYTES_MAX), "headers"))
    }

    fn sends_ip(&self) -> bool {
        true
    }

    fn runs_protocols(&self) -> bool {
        false
    }

    fn is_reliable(&self) -> bool {
        true
    }

    fn start(&self, context: &BuildContext<'_>) -> AnyDriver {
        let device = RdmaDevice::start(context, self);
        AnyDriver::custom(RdmaDriver::start(context, &device))
    }
}
