//! The specification of the interface.

use super::frame::{ENDPOINTS_MAX, FRAME_HEADER_BYTES, NODES_MAX};
use super::parameters::{COMPLETION_BYTES, CompletionLocation, RingParameters, wire_length};
use super::start::start;
use crate::engine::Bytes;
use crate::host::HostCapabilities;
use crate::ni::any::AnyDriver;
use crate::ni::build_context::BuildContext;
use crate::ni::interface::{EndpointLimit, InterfaceLimits, InterfaceSpec};
use crate::ni::memory_footprint::{MemoryFootprint, PacketFootprint};
use crate::part::{ParameterError, Part, PartInfo};

impl Part for RingParameters {
    const INFO: PartInfo =
        PartInfo::new("ring", "An Ethernet interface with descriptor rings, polled or behind a kernel")
            .results(super::result_names::RESULTS);

    fn check(&self) -> Vec<ParameterError> {
        self.errors()
    }
}

/// Log2 of the largest number of fragments of a message.
const FRAGMENT_BITS: u32 = 24;

impl InterfaceSpec for RingParameters {
    fn needs(&self) -> HostCapabilities {
        use HostCapabilities as Has;
        let needs = Has::of([Has::REGISTERS, Has::DMA]);
        match self.kernel() {
            Some(_) => needs.with(Has::INTERRUPTS, self.queues),
            None => needs,
        }
    }

    fn minimum_requirements(&self) -> HostCapabilities {
        HostCapabilities::of([HostCapabilities::REGISTERS, HostCapabilities::DMA])
    }

    fn limits(&self) -> InterfaceLimits {
        let payload = self.payload_max();
        let message = Bytes((payload as u64) << FRAGMENT_BITS);
        InterfaceLimits::new(wire_length(self.frame.len()), message, NODES_MAX, EndpointLimit::PerNode(ENDPOINTS_MAX))
            .with_words(payload / 4)
    }

    /// Returns the main memory of the rings and of the buffers of both directions.
    fn memory_footprint(&self) -> MemoryFootprint {
        let rings = match self.completion {
            CompletionLocation::WriteBack => 2 * self.descriptor.get(),
            CompletionLocation::Queue => 2 * (self.descriptor.get() + COMPLETION_BYTES),
        };
        let entries = self.queues * self.entries;
        let payload = (self.frame.get() - FRAME_HEADER_BYTES as u64).max(1);
        let packet = Some(PacketFootprint::new(payload, payload));
        MemoryFootprint {
            buffers: [(entries, rings), (2 * entries, self.buffers.get())],
            packet,
            queued_packets: entries,
        }
    }

    fn packet_key(&self) -> &'static str {
        "frame"
    }

    fn start(&self, context: &BuildContext<'_>) -> AnyDriver {
        Box::new(start(self, context)).into()
    }
}
