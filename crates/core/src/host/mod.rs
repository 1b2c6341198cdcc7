//! The host between a program and its network interface: processor, memory, buses.
//!
//! | file or folder | holds |
//! |---|---|
//! | `spec.rs`, `capabilities.rs` | a kind of host before it runs, and its capabilities |
//! | `node.rs` | a host in a simulation, whatever its kind |
//! | `metrics.rs`, `utilization.rs` | quantities that a host counts, and the times for which its parts are busy |
//! | `processor.rs`, `time_sync.rs` | the interface of a processor, whose local time runs ahead of the simulation |
//! | `cpu_arbiter.rs`, `cpu_lease.rs`, `priority.rs` | sharing of a processor, and preemption |
//! | `any_processor.rs` | a processor of any kind, dispatched without virtual calls |
//! | `coherent_port.rs`, `coherent_processor.rs` | an interface's port on a coherent interconnect, and a processor that waits by snooping |
//! | `block.rs` | addresses and cache blocks |
//! | `cache/` | the cache of a processor: blocks, states and parameters |
//! | `word_access.rs` | drivers' accesses to the words of their memory |
//! | `device.rs` | devices: registers and memory in a window |
//! | `dma_port.rs`, `bus_dma.rs`, `tagged_dma.rs` | transfers between an interface's engine and main memory |
//! | `dma.rs` | the initiator of an engine's transfers, on each bus |
//! | `posted_writes.rs` | writes of a device that are not visible in memory yet |
//! | `interrupt.rs` | the interrupt vectors of an interface |
//! | `io_bus/` | a workstation of the nineties: the interface is on PCI, behind a bridge |
//! | `memory_bus/` | a node whose interface is on a coherent memory bus |
//! | `alewife/` | a node whose interface is also its memory controller |
//! | `software/` | a processor of which only the clock is modelled: buses and memory take no time |
//!
//! A host depends on no interface, and an interface states the capabilities that it requires, never a host. To add a
//! host, add a folder with a [`HostSpec`] and a [`HostNode`], and a line of the registry. Its processor implements
//! [`Processor`]; to be dispatched without virtual calls, it must also be a variant of [`AnyProcessor`].

pub mod alewife;
mod any_coherent;
mod any_processor;
pub mod block;
mod bus_dma;
pub mod cache;
mod capabilities;
mod coherent_port;
mod coherent_processor;
mod cpu_arbiter;
mod cpu_lease;
mod device;
pub mod dma;
mod dma_port;
mod interrupt;
pub mod io_bus;
pub mod memory_bus;
mod metrics;
mod node;
mod paged_bytes;
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
pub use capabilities::HostCapabilities;
pub use coherent_port::CoherentPort;
pub use coherent_processor::{CoherentProcessor, PolledRegister};
pub use cpu_arbiter::CpuArbiter;
pub use cpu_lease::{AcquireCpu, CpuLease};
pub use device::{AsyncDevice, Device, DeviceWindow, Direction, Immediate, Mapping, Window};
pub use dma::DmaInitiator;
pub use dma_port::{
    DataBeat, DmaCompletion, DmaOperation, DmaPort, DmaRequest, DmaSource, DmaSteps, DmaTag, DmaTags, NoFreeTag,
    submit_when_free,
};
pub(crate) use dma_port::{Transfer, TransferEngine};
pub use interrupt::{CoreId, Interrupt, InterruptController, InterruptHandler, InterruptVector, Interrupts};
pub use metrics::HostMetric;
pub use node::{Host, HostNode};
pub(crate) use paged_bytes::PagedBytes;
pub use posted_writes::{PostedWrite, PostedWrites};
pub use priority::{ExecPriority, PreemptiveScheduler};
pub use processor::{Fault, Processor, Stalls, UNTAGGED, aligned};
pub use spec::{HostSpec, MainMemorySize};
pub use tagged_dma::{LinkLatency, TaggedDma};
pub use time_sync::{LocalClock, LocalTimeLag, SyncFuture};
pub use utilization::Utilization;
