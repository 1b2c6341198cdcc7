//! The specification of the unit.

use super::coherence::Coherence;
use super::driver::CmmuDriver;
use super::parameters::CmmuParameters;
use super::rx::RxQueue;
use super::wire::{ENDPOINT_BITS, FRAGMENT_BITS};
use crate::engine::Bytes;
use crate::host::HostCapabilities;
use crate::host::alewife::LINE_BYTES;
use crate::ni::any::AnyDriver;
use crate::ni::build_context::BuildContext;
use crate::ni::interface::{EndpointLimit, InterfaceLimits, InterfaceSpec};
use crate::ni::memory_footprint::MemoryFootprint;
use crate::ni::port_config::Stages;
use crate::part::{Part, PartInfo, ResultName};

/// Stages of a packet between two of these interfaces.
const STAGES: Stages = Stages { pool: "send queue", records_zero_pool_time: false, fabric: "fabric" };

/// Names that the part adds to results.
const RESULTS: &[ResultName] = &[
    ResultName::metric(
        "ni.overflows",
        "",
        "Traps in which the processor moved packets from a full receive queue to memory",
    ),
    ResultName::metric("ni.overflowed_messages", "", "Messages that were moved to memory in such traps"),
    ResultName::metric("volume.invalidates", "", "Bytes of invalidations and their acknowledgements"),
    ResultName::metric("volume.requests", "", "Bytes of requests for blocks"),
    ResultName::metric("volume.headers", "", "Bytes of headers of messages with data"),
    ResultName::metric("volume.data", "", "Bytes of data"),
    ResultName::metric("coherence.packets", "", "Packets of the coherence protocol"),
    ResultName::metric("coherence.bytes", "", "Bytes of packets of the coherence protocol"),
    ResultName::metric("coherence.traps", "", "Traps in which software extends the directory"),
    ResultName::stage("receive queue", "The packet waits in the receiving unit until the processor takes it"),
];

impl Part for CmmuParameters {
    const INFO: PartInfo = PartInfo::new(
        "cmmu",
        "Alewife's communications and memory-management unit: messages and coherent shared memory",
    )
    .results(RESULTS);
}

impl InterfaceSpec for CmmuParameters {
    fn needs(&self) -> HostCapabilities {
        HostCapabilities::of([HostCapabilities::DELEGATED_MISSES])
    }

    fn limits(&self) -> InterfaceLimits {
        let message = Bytes(self.payload.get() << FRAGMENT_BITS);
        InterfaceLimits::new(self.packet_max(), message, 1 << 16, EndpointLimit::PerNode(1 << ENDPOINT_BITS))
            .with_words(self.words())
    }

    fn memory_footprint(&self) -> MemoryFootprint {
        MemoryFootprint { queued_packets: self.queue as u64, ..MemoryFootprint::packets_of(self.payload.get()) }
    }

    fn packet_key(&self) -> &'static str {
        "message-max"
    }

    fn coherent_block(&self) -> Option<Bytes> {
        Some(Bytes(LINE_BYTES as u64))
    }

    fn start(&self, context: &BuildContext<'_>) -> AnyDriver {
        let port = context.port(self.packet_max(), STAGES);
        let node = &context
            .host
            .delegated_misses()
            .expect("a checked interface finds a cache whose misses the interface serves");
        let coherence = Coherence::start(context.sim, context.name(), (context.node(), node), &port, self);
        let rx = RxQueue::start(context.sim, context.name(), node, (&port, &coherence), self);
        Box::new(CmmuDriver::new(*self, context.costs, node, port, rx, coherence)).into()
    }
}
