//! The costs of messaging on a machine, and the orders that it relies on: one table for all interfaces. Each machine
//! chooses its values; the constants here are those of Mukherjee and Hill (1998).

use crate::engine::Bytes;
use crate::ni::{COST_MAX, Costs};
use crate::text::Parameters;

/// The messaging layer of a machine.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Parameters)]
#[param(each(max = COST_MAX), meaning = Work, resource = "messaging library")]
pub struct MessagingParameters {
    /// Costs in cycles of each node's processor.
    #[param(flatten)]
    pub costs: Costs,
    /// Whether transfers rely on the arrival of packets in the order in which they were sent.
    #[param(default = false)]
    pub in_order: bool,
    /// Whether a program that sends an active message, or waits, first receives all packets that have arrived;
    /// otherwise it receives at most one.
    #[param(default = true)]
    pub drain_first: bool,
    /// Additional cycles of a run-time system to dispatch each active message; data of transfers are not dispatched.
    #[param(default = 0)]
    pub dispatch: u64,
    /// Cycles to put a message into a queue in the user's memory, or to take it from there, in addition to moving its
    /// bytes. With this key, a processor whose send blocks inside a handler moves arrivals to that queue, if its
    /// interface leaves the buffering of messages to the processor. Without the key it handles arrivals in the blocked
    /// send.
    pub overflow: Option<u64>,
    /// Cycles from the entry of the last node into a barrier until all nodes leave it.
    #[param(default = 0, resource = "barrier")]
    pub barrier: u64,
    /// Size of the largest message; by default the largest that the workload sends.
    #[param(min = "8 B", meaning = Granularity)]
    pub message_max: Option<Bytes>,
}

impl MessagingParameters {
    /// The costs of Mukherjee and Hill (1998), Table 5.
    pub const PAPER: MessagingParameters = MessagingParameters {
        costs: Costs { send: 55, poll: 45, receive: 70, reorder: 0 },
        in_order: false,
        drain_first: false,
        dispatch: 0,
        overflow: None,
        barrier: 0,
        message_max: Some(Bytes(4096)),
    };
}
