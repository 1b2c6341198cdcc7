//! The specification of the queues.

use super::nic::QueuesNic;
use super::parameters::QueuesParameters;
use super::wire::{ENDPOINT_BITS, FRAGMENT_BITS};
use crate::engine::Bytes;
use crate::host::HostCapabilities;
use crate::ni::any::AnyDriver;
use crate::ni::build_context::BuildContext;
use crate::ni::interface::{EndpointLimit, InterfaceLimits, InterfaceSpec, PARCEL};
use crate::ni::memory_footprint::MemoryFootprint;
use crate::ni::whole_packet::WholePacketDriver;
use crate::part::{Part, PartInfo, ResultName};

/// Names that the part adds to results.
const RESULTS: &[ResultName] = &[ResultName::stage(
    "outgoing pool",
    "The packet waits in the pool of outgoing packets until the protocol and the fabric accept it",
)];

impl Part for QueuesParameters {
    const INFO: PartInfo =
        PartInfo::new("queues", "Queues of packets in both directions, without a bus").results(RESULTS);
}

impl InterfaceSpec for QueuesParameters {
    fn needs(&self) -> HostCapabilities {
        HostCapabilities::NONE
    }

    fn limits(&self) -> InterfaceLimits {
        let endpoints = EndpointLimit::PerNode(1 << ENDPOINT_BITS);
        InterfaceLimits::new(self.packet, Bytes(self.fragment_bytes() << FRAGMENT_BITS), u32::MAX, endpoints)
            .with_words(self.words())
    }

    fn memory_footprint(&self) -> MemoryFootprint {
        MemoryFootprint::packets_of(self.fragment_bytes())
    }

    fn packet_key(&self) -> &'static str {
        "packet"
    }

    fn wire_format(&self) -> Option<&'static str> {
        Some(PARCEL)
    }

    fn start(&self, context: &BuildContext<'_>) -> AnyDriver {
        WholePacketDriver::start(context, self.packet, QueuesNic::new(self)).into()
    }
}
