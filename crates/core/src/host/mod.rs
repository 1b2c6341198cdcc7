//! The host between a program and its network interface, with its processor, memory and buses.
//!
//! | file or folder | holds |
//! |---|---|
//! | `spec.rs`, `capabilities.rs` | the specification of a host, before time 0, and its capabilities |
//! | `node.rs` | the runtime interface of a host |
//! | `metrics.rs`, `utilization.rs` | counters of a host, and the utilisation of its parts |
//! | `processor.rs`, `time_sync.rs` | the interface of a processor, whose local time runs ahead of the simulation |
//! | `cpu_arbiter.rs`, `cpu_lease.rs`, `priority.rs` | sharing of a processor, and preemption |
//! | `any_processor.rs` | an enum of all processors, for calls without dynamic dispatch |
//! | `coherent_port.rs`, `coherent_processor.rs` | an interface's port on a coherent interconnect, and a processor that waits by snooping |
//! | `block.rs` | addresses and cache blocks |
//! | `cache/` | the cache of a processor: blocks, states and parameters |
//! | `cache_warmth.rs` | the state of a range of memory in a last-level cache, for benchmarks |
//! | `word_access.rs` | accesses of drivers to single words of memory |
//! | `device.rs` | devices: registers and memory in a window |
//! | `dma_port.rs`, `bus_dma.rs`, `tagged_dma.rs` | transfers between an interface's engine and main memory |
//! | `dma_steps.rs`, `link_transfer.rs` | the steps of a transfer, and transfers over a link |
//! | `dma.rs` | DMA initiators, one for each kind of bus |
//! | `posted_writes.rs` | posted writes of a device, which are not yet visible in memory |
//! | `interrupt.rs` | the interrupt vectors of an interface |
//! | `io_bus/` | a workstation of the 1990s, with the interface on PCI behind a bridge |
//! | `memory_bus/` | a node whose interface is on a coherent memory bus |
//! | `pcie/` | a node of today, whose interface is at the end of a PCIe link |
//! | `alewife/` | a node whose interface is also its memory controller |
//! | `software/` | a processor without timed buses and memory: only computation takes time |
//!
//! A host does not depend on an interface, and an interface states the capabilities that it requires, never a
//! particular host. To add a host, add a folder with a [`HostSpec`] and a [`HostNode`], and a line of the registry. Its
//! processor implements [`Processor`]. To avoid dynamic dispatch, also make it a variant of [`AnyProcessor`].

pub mod alewife;
mod any_coherent;
mod any_processor;
pub mod block;
mod bus_dma;
pub mod cache;
mod cache_warmth;
mod capabilities;
mod coherent_port;
mod coherent_processor;
mod cores;
mod cpu_arbiter;
mod cpu_lease;
mod device;
pub mod dma;
mod dma_port;
mod dma_steps;
mod interrupt;
pub mod io_bus;
mod link_transfer;
pub mod memory_bus;
mod metrics;
mod node;
mod paged_bytes;
pub mod pcie;
mod posted_writes;
mod priority;
mod processor;
pub mod software;
mod spec;
mod tagged_dma;
#[cfg(test)]
mod tests;
mod time_sync;
mod utilization;
mod word_access;

pub use any_coherent::AnyCoherentPort;
pub use any_processor::{AnyProcessor, DynProcessor};
pub use block::{Address, BLOCK_BYTES, Block};
pub use bus_dma::{AnyDmaPort, BusDma};
pub use cache_warmth::CacheWarmth;
pub use capabilities::HostCapabilities;
pub use coherent_port::CoherentPort;
pub use coherent_processor::{CoherentProcessor, PolledRegister};
pub use cpu_arbiter::CpuArbiter;
pub use cpu_lease::{AcquireCpu, CpuLease};
pub use device::{AsyncDevice, Device, DeviceWindow, Direction, ImmediateDevice, Mapping, Window};
pub use dma::DmaInitiator;
pub use dma_port::{
    DmaCompletion, DmaOperation, DmaPort, DmaRequest, DmaSource, DmaTag, DmaTags, NoFreeTag, submit_when_free,
};
pub(crate) use dma_port::{Transfer, TransferEngine};
pub use dma_steps::{DataBeat, DmaSteps};
pub use interrupt::{CoreId, Interrupt, InterruptController, InterruptHandler, InterruptVector, Interrupts};
pub use metrics::HostMetric;
pub use node::{Host, HostNode, WeakHost};
pub(crate) use paged_bytes::PagedBytes;
pub use posted_writes::{PostedWrite, PostedWrites};
pub use priority::{ExecPriority, PreemptiveScheduler};
pub use processor::{Fault, Processor, Stalls, UNTAGGED, aligned_access_bytes};
pub use spec::{HostSpec, MainMemorySize};
pub use tagged_dma::{LinkLatency, TaggedDma};
pub use time_sync::{LocalClock, LocalTimeLag, SyncFuture};
pub use utilization::Utilization;
