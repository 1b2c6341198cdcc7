//! The cache of a processor, independent of its interconnect: blocks with their states and bytes, and parameters.
//!
//! | file | models |
//! |---|---|
//! | `contents.rs` | tags, states, bytes and replacement |
//! | `tag_bytes.rs` | a search of the ways of a set |
//! | `state.rs` | the MOESI states |
//! | `parameters.rs` | the parameters of every cache |
//!
//! Timing and snooping are left out here: `memory_bus/cache_agent.rs` adds them for a coherent bus, and
//! `io_bus/cache.rs` for a main memory that is accessed through a bridge.

mod contents;
mod parameters;
mod state;
mod tag_bytes;

pub use contents::{BlockFrame, Cache};
pub use parameters::{CacheParameters, SpinModel};
pub use state::MoesiState;
pub use tag_bytes::TagBytes;
