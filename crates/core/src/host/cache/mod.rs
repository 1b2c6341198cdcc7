//! The cache of a processor, whatever it is attached to: its blocks with their states and bytes, and its parameters.
//!
//! | file | models |
//! |---|---|
//! | `contents.rs` | tags, states, bytes, and which block is replaced |
//! | `state.rs` | what a cache may do with its copy of a block |
//! | `parameters.rs` | the parameters that every such cache has |
//!
//! Leaves out time, and who snoops: `memory_bus/cache_agent.rs` is a cache on a coherent bus, `io_bus/cache.rs` one in
//! front of a main memory that a bridge shares.

mod contents;
mod parameters;
mod state;

pub use contents::{BlockFrame, Cache};
pub use parameters::{CacheParameters, Spin};
pub use state::State;
