//! A host of today: the interface is at the end of a PCIe link, behind a root complex with an IOMMU, and shares the
//! last-level cache and memory with the processor.
//!
//! ```text
//!   program ─ processor, private cache          interface: registers, engines
//!                  │ interconnect                     ║ PCIe link, up and down
//!   memory ─── LLC ┴──────────────────────── root complex ─ IOMMU
//! ```
//!
//! | file | models |
//! |---|---|
//! | `link.rs` | packets, their bytes and their rate in each direction; credits and tags |
//! | `root_complex/` | requests of the device: order, translation, access, completion |
//! | `iommu.rs` | translations and the walkers that serve misses |
//! | `llc.rs` | the tags of a last-level cache, with I/O ways for the writes of devices |
//! | `memory.rs` | the rate of memory |
//! | `shared_caches.rs` | caches and memory of both sockets, as the processor and devices find them |
//! | `port.rs`, `../link_transfer.rs` | the engines' port, with many transfers outstanding |
//! | `registers.rs` | the processor's uncached and write-combined accesses over the link |
//! | `coherent_link.rs` | CXL.cache and UPI: coherent transactions of the interface over a link |
//! | `server.rs`, `step_queue.rs` | servers without events, and steps at given instants |
//! | `parameters.rs`, `check.rs`, `host.rs` | the host as a part |
//!
//! # What is modelled
//!
//! A device's read takes `root-complex`, the serialization of its packets, the translation, and the additional time of
//! the cache or memory in which its block is found (`root_complex/`). Its bandwidth follows from the link, the tags,
//! the credits, the walkers, the cache and memory, each of which is simulated as a queue. The bytes are real: a read
//! returns what is visible in memory or in a cache when its data is ready.
//!
//! The processor with its private cache is that of a memory-bus node (`memory_bus/`). Its misses overlap in runs and
//! copies, and the interconnect is a split bus. Devices have a separate path to the caches: their accesses snoop
//! the private cache, but do not occupy the interconnect.
//!
//! # What is left out
//!
//! The model leaves out single loads whose misses overlap; PCIe switches, replays and virtual channels; and slices of
//! the last-level cache and banks of memory.

mod check;
pub mod coherent_link;
mod host;
mod iommu;
mod link;
mod llc;
mod memory;
mod parameters;
mod port;
mod registers;
mod root_complex;
mod server;
mod shared_caches;
mod step_queue;
#[cfg(test)]
mod tests;

pub use coherent_link::{Attachment, CoherentLinkTiming, DeviceLogic, FarPort};
pub use iommu::IommuParameters;
pub use link::PcieLinkParameters;
pub use llc::LlcParameters;
pub use memory::MainMemoryParameters;
pub use parameters::PcieParameters;
