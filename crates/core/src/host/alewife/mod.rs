//! A node of the MIT Alewife machine without its interface: a Sparcle-like processor, a direct-mapped cache of
//! small blocks, and memory.
//!
//! | file | models |
//! |---|---|
//! | `parameters.rs` | clock, cache, memory |
//! | `cache.rs` | the cache, and blocks that came and wait beside it |
//! | `processor.rs` | the processor, its local time ahead of the engine |
//! | `memory.rs` | memory with the cache over it, and who keeps what is shared |
//! | `node.rs` | the node, and what the interface finds: blocks to take and to give |
//! | `host.rs` | the node as a part of a machine |
//!
//! Datasheet (Agarwal et al., *The MIT Alewife Machine: Architecture and Performance*, ISCA 1995; Chong et al., HPCA
//! 1998, §3): what misses the cache goes to the communication and memory unit (CMMU), which is the memory's
//! controller and the network's interface at once. So a node has no bus that anybody snoops. Addresses below
//! [`REMOTE`] are this node's memory; above it, other nodes' by number. Whether a block may be used is for the
//! [`Keeper`] of memory to say, if there is one: without, all of a node's memory is its own.
//!
//! Leaves out: instruction fetch, address translation, and what the second level of a program's private data would
//! be. The four contexts of a processor are as many programs of its node; see `contexts`.

mod cache;
mod host;
mod memory;
pub(super) mod node;
mod parameters;
pub(super) mod processor;
#[cfg(test)]
mod tests;

pub use memory::Keeper;
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

/// Where other nodes' memory begins.
pub const REMOTE: Address = 1 << NODE_BITS;

/// The address by which a processor knows a place of another node's memory.
pub const fn remote(home: NodeId, address: Address) -> Address {
    (home.0 as u64 + 1) << NODE_BITS | address
}

/// Whose memory an address is in, if not this node's own; and where there.
pub const fn home_of(address: Address) -> (Option<NodeId>, Address) {
    let place = address & (REMOTE - 1);
    match address >> NODE_BITS {
        0 => (None, place),
        home => (Some(NodeId((home - 1) as u32)), place),
    }
}

/// The block that holds an address.
#[inline]
pub const fn line_of(address: Address) -> Address {
    address & !(LINE_BYTES as u64 - 1)
}
