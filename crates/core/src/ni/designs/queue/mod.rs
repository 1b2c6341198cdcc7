//! Queues in memory that processor and interface share, after Mukherjee and Hill (1998), §4.
//!
//! | file | holds |
//! |---|---|
//! | `layout.rs` | a queue's slots, and the sense that marks new messages |
//! | `device.rs`, `driver.rs` | the device and driver halves, which all designs share |
//! | `direct_memory.rs` | `CNI0Qm`: queues in main memory, and an interface that keeps no copies |
//! | `in_interface.rs` | `CNI512Q`: queues whose home is the interface |
//! | `cached.rs` | `CNI32Qm`: queues in main memory, and caches in the interface |
//! | `prefetch.rs`, `throttle.rs` | the prefetch of the latter two, and the throttle of `CNI32Qm+Throttle` |
//! | `sending.rs`, `work_pool.rs` | the loops of a sending device, and the tasks of one with several transactions |
//! | `remote_memory.rs`, `remote_operations.rs`, `remote_wire.rs` | one-sided operations: device, driver, packets |

pub mod cached;
pub mod device;
pub mod direct_memory;
pub mod driver;
pub mod in_interface;
pub mod layout;
pub mod prefetch;
pub mod remote_memory;
mod remote_operations;
mod remote_wire;
mod sending;
#[cfg(test)]
mod tests;
pub mod throttle;
pub mod work_pool;

pub use remote_operations::verbs_limits;
