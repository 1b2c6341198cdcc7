//! Queues without a bus: the processor puts packets into the outgoing queue and takes them from the arrivals queue
//! without delay; the protocol connects the two queues.
//!
//! Datasheet (Callahan and Goldstein 1995, §2): only the messaging software and the protocol take time. Every packet
//! has the stated length, including its header, whatever it carries. A packet is in the arrivals queue when its header
//! has arrived, and the processor may begin to take it while the rest arrives. The processor's bus is left out.
//!
//! | file | holds |
//! |---|---|
//! | `parameters.rs` | the length of packets |
//! | `wire.rs` | the header |
//! | `nic.rs` | the steps of the driver: composing and fetching packets |
//! | `interface.rs` | the specification |

mod interface;
pub mod nic;
pub mod parameters;
mod wire;

pub use parameters::QueuesParameters;
