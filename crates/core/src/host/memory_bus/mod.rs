//! A host whose network interface sits on its coherent memory bus.
//!
//! The module models the nodes of Mukherjee and Hill, *The Impact of Data Transfer and Buffering Alternatives on
//! Network Interface Design* (HPCA 1998), §5.1.1 and Table 3.
//!
//! ```text
//!   program ─ MemoryBusProcessor ─ StoreBuffer
//!                 │  hits: local time runs ahead of the simulation
//!               Cache (MOESI)      Memory        interface
//!                 │ Agent            │ Agent        │ Agent
//!   ══════════════╧══════════════════╧══════════════╧═══════  Bus, held or split
//! ```
//!
//! Everything on the bus is an [`Agent`], which snoops the transactions of other agents and serves the addresses of
//! which it is the *home*. Data is real: every block carries its 64 bytes.

pub mod agent;
pub mod bus;
pub mod cache_agent;
mod coherent;
pub(in crate::host) mod device_path;
mod host;
pub mod memory;
pub mod moesi;
pub mod node;
mod outstanding_stores;
pub mod parameters;
pub mod polls;
mod prefetches;
pub mod processor;
mod processor_trait;
mod runs;
mod spin;
pub mod store_buffer;
#[cfg(test)]
mod tests;
mod uncached;
mod write_combining;

pub use super::block::{Address, BLOCK_BYTES, Block, block_of};
pub use super::cache::Cache;
pub use agent::{Agent, AgentId, TransactionKind};
pub use bus::Bus;
pub use cache_agent::CacheAgent;
pub use memory::Memory;
pub use moesi::{MoesiState, SnoopEffect};
pub use node::MemoryBusNode;
pub use parameters::{
    BadParameter, BusParameters, BusTransactions, CacheParameters, MemoryBusProcessorParameters, NodeParameters,
};
pub use processor::MemoryBusProcessor;
