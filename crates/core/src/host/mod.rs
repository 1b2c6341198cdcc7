//! The host between a program and its network interface: processor, memory, buses.
//!
//! | file or folder | models |
//! |---|---|
//! | `spec.rs`, `capabilities.rs` | a kind of host before it runs, and what it offers to interfaces |
//! | `node.rs` | a host at work, whatever its kind |
//! | `metrics.rs`, `utilization.rs` | what a host counts, and for how long its parts are busy |
//! | `processor.rs`, `time_sync.rs` | a processor as drivers and programs use it, its local time ahead of the simulation |
//! | `cpu_arbiter.rs`, `cpu_lease.rs`, `priority.rs` | who holds a processor, and who preempts whom |
//! | `any_processor.rs` | a processor of any kind, dispatched without virtual calls |
//! | `coherent_port.rs`, `coherent_processor.rs` | a coherent interconnect as an interface uses it, and a processor that waits by snooping |
//! | `block.rs` | addresses and cache blocks |
//! | `cache/` | the cache of a processor: blocks, states and parameters |
//! | `word_access.rs` | how drivers access the words of their memory |
//! | `device.rs` | an interface as a host sees it: registers in a window |
//! | `dma_port.rs`, `bus_dma.rs`, `tagged_dma.rs` | transfers between an interface's engine and main memory |
//! | `dma.rs` | what an engine's transfers begin from, on each bus |
//! | `posted_writes.rs` | the writes of a device on their way to memory |
//! | `interrupt.rs` | the interrupt vectors of an interface |
//! | `io_bus/` | a workstation of the nineties: the interface is on PCI, behind a bridge |
//! | `memory_bus/` | a node whose interface is on a coherent memory bus |
//! | `alewife/` | a node whose interface is the controller of its memory, too |
//! | `software/` | a processor that is known by its clock alone: buses and memory take no time |
//!
//! A host knows no interface, and an interface names the capabilities that it requires, never a host. A new host is a
//! folder with a [`HostSpec`] and a [`HostNode`], and a line of the registry. Its processor implements [`Processor`];
//! one that is to be dispatched without virtual calls is a variant of [`AnyProcessor`], too.

pub mod alewife;
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

pub use any_processor::{AnyProcessor, DynProcessor};
pub use block::{Address, BLOCK_BYTES, Block};
pub use bus_dma::BusDma;
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
pub use interrupt::{CoreId, Interrupt, InterruptController, InterruptHandler, InterruptVector, Interrupts};
pub use metrics::HostMetric;
pub use node::{Host, HostNode};
pub use posted_writes::{PostedWrite, PostedWrites};
pub use priority::{ExecPriority, PreemptiveScheduler};
pub use processor::{Fault, Processor, Stalls, UNTAGGED, aligned};
pub use spec::{HostSpec, MainMemorySize};
pub use tagged_dma::{LinkLatency, TaggedDma};
pub use time_sync::{LocalClock, LocalTimeLag, SyncFuture};
pub use utilization::Utilization;
