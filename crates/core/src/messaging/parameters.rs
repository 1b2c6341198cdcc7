//! What messaging costs on a machine, and which orders it relies on: one table for all interfaces. Chosen by each
//! machine; the constants here are of Mukherjee and Hill (1998).

use crate::engine::Bytes;
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
    /// The costs of Mukherjee and Hill (1998), Table 5.
    pub const PAPER: MessagingParameters = MessagingParameters {
        costs: Costs { send: 55, poll: 45, receive: 70, reorder: 0 },
        in_order: false,
        drain_first: false,
        dispatch: 0,
        barrier: 0,
        message_max: Some(Bytes(4096)),
    };
}
