//! A node of the MIT Alewife machine without its interface: a Sparcle-like processor, a direct-mapped cache of
//! small blocks, and memory.
//!
//! | file | holds |
//! |---|---|
//! | `parameters.rs` | clock, cache, memory |
//! | `cache.rs` | the cache and the transaction store |
//! | `processor.rs` | the processor, whose local time runs ahead of the simulation |
//! | `memory.rs` | memory with its cache, and the interface to the controller of shared memory |
//! | `node.rs` | the node, and the operations of its interface on blocks |
//! | `host.rs` | the node as a part of a machine |
//!
//! Models (Agarwal et al., *The MIT Alewife Machine: Architecture and Performance*, ISCA 1995; Chong et al., HPCA 1998,
//! §3): accesses that miss in the cache go to the communication and memory unit (CMMU), which is both the memory
//! controller and the network interface. A node therefore has no bus that is snooped. Addresses below [`REMOTE`] are
//! those of this node's memory; higher addresses are those of other nodes' memories, ordered by node. The
//! [`CoherenceController`] of the memory determines whether a block may be used; without one, only the node itself
//! uses its memory.
//!
//! The module leaves out instruction fetch, address translation, and a second-level cache for private data. The four
//! contexts of a processor run up to four programs of its node (parameter `contexts`).

mod cache;
mod host;
mod memory;
pub(super) mod node;
mod parameters;
pub(super) mod processor;
#[cfg(test)]
mod tests;

pub use memory::CoherenceController;
pub use node::AlewifeNode;
pub use parameters::AlewifeParameters;
pub use processor::AlewifeProcessor;

use super::block::Address;
use crate::engine::NodeId;

/// Bytes of a block of the cache.
pub const LINE_BYTES: usize = 16;

/// The bytes of a block of the cache.
pub type LineBytes = [u8; LINE_BYTES];

/// Bits of an address within a node's memory.
const NODE_BITS: u32 = 40;

/// The first address of other nodes' memories.
pub const REMOTE: Address = 1 << NODE_BITS;

/// Returns the address by which a processor accesses `address` in the memory of the node `home`.
pub const fn remote(home: NodeId, address: Address) -> Address {
    (home.0 as u64 + 1) << NODE_BITS | address
}

/// Returns the node whose memory contains an address (`None` for this node), and the address within that memory.
pub const fn home_of(address: Address) -> (Option<NodeId>, Address) {
    let offset = address & (REMOTE - 1);
    match address >> NODE_BITS {
        0 => (None, offset),
        home => (Some(NodeId((home - 1) as u32)), offset),
    }
}

/// Returns the address of the block that contains an address.
#[inline]
pub const fn line_of(address: Address) -> Address {
    address & !(LINE_BYTES as u64 - 1)
}
