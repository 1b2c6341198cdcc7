//! The fifos and queues of Mukherjee and Hill (1998): nine designs, all specified by one type.
//!
//! | file or folder | holds |
//! |---|---|
//! | `design.rs`, `parameters.rs` | the designs, and their parameters |
//! | `half.rs`, `queue_driver.rs` | a sending or a receiving half, and the driver made of two halves |
//! | `fifo/` | memory in the interface, by words, blocks or user-level DMA |
//! | `queue/` | coherent queues in cacheable memory |

pub mod design;
pub mod fifo;
pub mod half;
pub mod parameters;
pub mod queue;
pub mod queue_driver;
mod result_names;

use crate::engine::Bytes;
use crate::host::{BLOCK_BYTES, HostCapabilities};
use crate::ni::any::AnyDriver;
use crate::ni::build_context::BuildContext;
use crate::ni::interface::{EndpointLimit, InterfaceLimits, InterfaceSpec, LARGE_PARCEL, PARCEL};
use crate::ni::memory_footprint::{MemoryFootprint, PacketFootprint, in_blocks};
use crate::ni::parcel::HeaderFormat;
use crate::part::{ParameterError, PartEntry, PartInfo, PartSpec};
use crate::text::ParameterSink;
use parameters::MESSAGE_MAX;
use queue::verbs_limits;
use std::any::Any;
use std::sync::Arc;

pub use design::Design;
pub use parameters::InterfaceParameters;

/// Returns the entries of all designs, in the order in which they are listed.
pub fn entries() -> impl Iterator<Item = PartEntry<dyn InterfaceSpec>> {
    let entry = |design: Design| {
        PartEntry::new(info(design), move |table| -> Arc<dyn InterfaceSpec> {
            Arc::new(InterfaceParameters::read(table, design))
        })
    };
    Design::ALL.into_iter().map(entry)
}

/// Returns the name and documentation of a design.
const fn info(design: Design) -> PartInfo {
    let summary = match design {
        Design::Ni2w => "CM-5-like: a fifo with a window of two words, accessed by uncached loads and stores",
        Design::Udma => "A fifo, with user-level DMA for larger payloads",
        Design::Ap3000 => "AP3000-like: a fifo, accessed by block loads and stores",
        Design::StartJr => "StarT-JR-like (CNI0Qm): coherent queues in main memory",
        Design::MemoryChannel => "Memory-Channel-like: block stores to send, a queue in main memory to receive",
        Design::Cni512q => "Coherent queues of 512 blocks, whose home is the interface",
        Design::Cni32qm => "Coherent queues in main memory, with a cache of 32 blocks in the interface",
        Design::Cni32qmThrottle => "Like cni32qm, with the sender throttled to the receiver's pace",
        Design::SingleCycle => "CM-5-like, but accessed in one processor cycle",
    };
    PartInfo::new(design.key(), summary).results(result_names::RESULTS)
}

impl PartSpec for InterfaceParameters {
    fn info(&self) -> PartInfo {
        info(self.design)
    }

    fn check(&self) -> Vec<ParameterError> {
        self.check()
    }

    fn inert_reason(&self, _key: &str) -> Option<&'static str> {
        None
    }

    fn write(&self, to: &mut dyn ParameterSink) {
        to.table(self.design.key(), &|to| self.write(to));
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

impl InterfaceSpec for InterfaceParameters {
    fn needs(&self) -> HostCapabilities {
        self.design.needs()
    }

    fn limits(&self) -> InterfaceLimits {
        let format = self.header_format();
        let payload = self.message_bytes_max.get().saturating_sub(format.bytes() as u64);
        let message = Bytes(payload * u64::from(format.fragments_max()));
        let endpoints = EndpointLimit::Total(format.endpoints_max());
        let limits = InterfaceLimits::new(self.message_bytes_max, message, format.endpoints_max(), endpoints)
            .with_words(payload as usize / 4);
        match self.design {
            Design::StartJr => limits.with_verbs(verbs_limits(self.message_bytes_max)),
            _ => limits,
        }
    }

    /// Returns the main memory that the design occupies: its queues, the head of one queue, or the buffer of user-level
    /// DMA.
    fn memory_footprint(&self) -> MemoryFootprint {
        let (block, head_count) = (BLOCK_BYTES as u64, u64::from(self.design.has_queue()));
        let queue_count = match self.design {
            Design::StartJr | Design::Cni32qm | Design::Cni32qmThrottle => 2,
            Design::MemoryChannel => 1,
            Design::Ni2w | Design::Udma | Design::Ap3000 | Design::Cni512q | Design::SingleCycle => 0,
        };
        let buffers = match self.design {
            Design::Udma => [(1, self.message_bytes_max.get()), (0, 0)],
            _ => [(queue_count, self.queue_blocks.saturating_mul(block)), (head_count, block)],
        };
        let message_bytes = self.message_bytes_max.get().saturating_sub(self.header_format().bytes() as u64).max(1);
        let packet = PacketFootprint { message_bytes, buffer_bytes: in_blocks(self.message_bytes_max) };
        let queued_packets = match self.design.has_queue() {
            true => self.queue_blocks / self.message_blocks_max().next_power_of_two(),
            false => 0,
        };
        MemoryFootprint { buffers, packet: Some(packet), queued_packets }
    }

    fn packet_key(&self) -> &'static str {
        MESSAGE_MAX
    }

    fn wire_format(&self) -> Option<&'static str> {
        Some(match self.header_format() {
            HeaderFormat::Paper => PARCEL,
            HeaderFormat::Large => LARGE_PARCEL,
        })
    }

    fn start(&self, context: &BuildContext<'_>) -> AnyDriver {
        Box::new(queue_driver::start(context, self)).into()
    }
}
