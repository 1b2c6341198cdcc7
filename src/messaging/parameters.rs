//! What messaging costs on a machine, and what it relies on: one table for all interfaces.

use crate::engine::{Bytes, Hertz};
use crate::ni::{COST_MAX, Costs};
use crate::text::Parameters;

/// The messaging layer of a description.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Parameters)]
#[param(each(max = COST_MAX))]
pub struct MessagingParameters {
    /// Costs, in cycles of each node's processor.
    #[param(flatten)]
    pub costs: Costs,
    /// Whether transfers rely on packets that arrive in the order they were sent in.
    #[param(default = false)]
    pub in_order: bool,
    /// Whether who sends an active message, or waits, first takes in all that has arrived; otherwise nothing, or one
    /// packet.
    #[param(default = true)]
    pub drain_first: bool,
    /// Cycles more for each active message, but not for the data of transfers: what a run-time system does.
    #[param(default = 0)]
    pub dispatch: u64,
    /// Cycles from the last node's entering a barrier until all leave it.
    #[param(default = 0)]
    pub barrier: u64,
    /// Largest message of a program; by default the largest that it sends.
    #[param(min = "8 B")]
    pub message_max: Option<Bytes>,
}

impl MessagingParameters {
    /// The layer of Mukherjee and Hill's Table 5.
    pub const PAPER: MessagingParameters = MessagingParameters {
        costs: Costs { send: 55, poll: 45, receive: 70, reorder: 0 },
        in_order: false,
        drain_first: false,
        dispatch: 0,
        barrier: 0,
        message_max: Some(Bytes(4096)),
    };
}

/// What an end of active messages needs to know.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ActiveParameters {
    /// The processor's clock.
    pub clock: Hertz,
    /// Whether transfers rely on order.
    pub in_order: bool,
    /// Whether who sends or waits first takes in all that has arrived.
    pub drain_first: bool,
    /// Cycles more for each active message, but not for the data of transfers.
    pub dispatch: u64,
    /// Cycles of a barrier.
    pub barrier: u64,
}
