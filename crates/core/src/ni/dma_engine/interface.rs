//! The specification of the interface `dma-engine`.

use super::driver::DmaEngineDriver;
use super::engine::DmaEngine;
use super::parameters::DmaEngineParameters;
use crate::engine::{Bytes, Signal};
use crate::host::HostCapabilities;
use crate::ni::any::AnyDriver;
use crate::ni::build_context::BuildContext;
use crate::ni::interface::{EndpointLimit, InterfaceLimits, InterfaceSpec};
use crate::ni::memory_footprint::MemoryFootprint;
use crate::part::{ParameterError, Part, PartInfo, ResultName};

/// Packet of an interface without messages: one word, which nothing sends.
const PACKET_BYTES: Bytes = Bytes(4);
/// Longest message of an interface without messages. It is large, so that the only error of a workload that sends
/// messages is that the interface has none.
const MESSAGE_BYTES_MAX: Bytes = Bytes(1 << 20);

/// Names that the part adds to results.
const RESULTS: &[ResultName] = &[
    ResultName::resource("DMA reads", "The issue stage of the reads of the DMA engine"),
    ResultName::resource("DMA writes", "The issue stage of the writes of the DMA engine"),
];

impl Part for DmaEngineParameters {
    const INFO: PartInfo =
        PartInfo::new("dma-engine", "A DMA engine without messages, with many transfers outstanding").results(RESULTS);

    fn check(&self) -> Vec<ParameterError> {
        self.list_length_errors()
    }
}

impl InterfaceSpec for DmaEngineParameters {
    fn needs(&self) -> HostCapabilities {
        HostCapabilities::of([HostCapabilities::DMA])
    }

    fn limits(&self) -> InterfaceLimits {
        InterfaceLimits::new(PACKET_BYTES, MESSAGE_BYTES_MAX, u32::MAX, EndpointLimit::PerNode(1))
            .with_queued_host_dma()
            .without_messages()
    }

    fn memory_footprint(&self) -> MemoryFootprint {
        MemoryFootprint::packets_of(PACKET_BYTES.get())
    }

    fn packet_key(&self) -> &'static str {
        "piece"
    }

    fn start(&self, context: &BuildContext<'_>) -> AnyDriver {
        let never_notified = Signal::new(context.sim, format!("a packet for {}", context.name()));
        AnyDriver::custom(DmaEngineDriver::new(DmaEngine::start(self, context), never_notified))
    }
}
