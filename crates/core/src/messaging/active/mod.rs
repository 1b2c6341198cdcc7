//! Active messages: a packet names a handler and carries a few words; the receiving processor polls, and runs the
//! handler (von Eicken 1993). Active messages work over any driver.
//!
//! | file | holds |
//! |---|---|
//! | `endpoint.rs` | a program's endpoint of active messages |
//! | `polling.rs` | how a processor sends, polls and waits |
//! | `receiving.rs` | how a processor receives packets and runs their handlers |
//! | `handlers.rs` | the functions that packets and transfers run |
//! | `overflow.rs` | the queue in memory of messages that arrive while a send inside a handler blocks |
//! | `transfer.rs` | messages of many packets: how they are packed and assembled |
//! | `barrier.rs` | a barrier of all endpoints |
//! | `time_breakdown.rs` | where a program's time goes |
//!
//! The module models the processor cycles to send, to receive, and to poll without finding a packet; a processor that
//! receives only while it polls; a barrier over a separate network; and transfers with and without in-order delivery.
//! The ledgers of the first [`LEDGERS_MAX`] packets of a run are kept, from the program that sends to the handler's
//! return; latency is counted for all packets. Handlers of programs cannot wait; handlers of a protocol may wait for
//! memory.

mod barrier;
mod endpoint;
mod handlers;
mod overflow;
mod polling;
mod receiving;
#[cfg(test)]
mod tests;
mod time_breakdown;
mod transfer;

pub use super::active_message::{ActiveMessage, MessageWords, PROTOCOL_HANDLERS, Received};
pub use barrier::Barrier;
pub use endpoint::{ActiveEndpoint, LEDGERS_MAX};
pub use time_breakdown::Cause;
