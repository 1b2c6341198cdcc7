//! Queues without a bus: the processor puts packets into the outgoing queue and takes them from the
//! arrivals queue at once, and the protocol is in between.
//!
//! Datasheet (Callahan and Goldstein 1995, §2): what costs time is the messaging software, and the
//! protocol. Every packet has the stated length, header and all, whatever it carries. A packet is in
//! the arrivals queue when its header has arrived, and the processor may begin to take it while the
//! rest flows in. Leaves out the processor's bus.
//!
//! | file | holds |
//! |---|---|
//! | `parameters.rs` | the length of packets |
//! | `wire.rs` | the header |
//! | `nic.rs` | the queues, as their driver uses them |
//! | `interface.rs` | the specification |

mod interface;
pub mod nic;
pub mod parameters;
mod wire;

pub use parameters::QueuesParameters;
