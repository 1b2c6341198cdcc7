//! Problems that programs begin with.
//!
//! | file | holds |
//! |---|---|
//! | `partition.rs` | which processor gets what |

pub mod partition;
