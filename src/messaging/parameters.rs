//! What messaging costs on a machine, and what it relies on: one table for all interfaces.

use crate::engine::{Bytes, Hertz};
use crate::ni::Costs;
use crate::text::Table;

/// The messaging layer of a description.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MessagingParameters {
    /// Costs, in cycles of each node's processor.
    pub costs: Costs,
    /// Whether transfers rely on packets that arrive in the order in which they were sent.
    pub in_order: bool,
    /// Whether who sends or waits first takes in all that has arrived.
    pub drain_first: bool,
    /// Cycles more for each active message, but not for the data of transfers.
    pub dispatch: u64,
    /// Cycles from the last node's entering a barrier until all leave it.
    pub barrier: u64,
    /// The largest message of a program; none where it is the largest that the program sends.
    pub message_max: Option<Bytes>,
}

/// The most cycles that anything may cost.
const CYCLES_MAX: u64 = 1_000_000_000;

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

    /// Reads them.
    pub fn read(t: &mut Table<'_>) -> MessagingParameters {
        let (send, poll) = (
            "Processor cycles to send a packet, beside moving its bytes",
            "Cycles of a poll that finds nothing, beside looking",
        );
        let receive = "Cycles to receive a packet, beside moving its bytes: dispatch, handle, return";
        let reorder = "Cycles more to receive a packet of a transfer that may come out of order";
        let costs = Costs {
            send: t.count("send", send).max(CYCLES_MAX).required(),
            poll: t.count("poll", poll).max(CYCLES_MAX).required(),
            receive: t.count("receive", receive).max(CYCLES_MAX).required(),
            reorder: t.count("reorder", reorder).max(CYCLES_MAX).or(0),
        };
        MessagingParameters {
            costs,
            in_order: t
                .flag("in-order", "Whether transfers rely on packets that arrive in the order they were sent in")
                .or(false),
            drain_first: t
                .flag(
                    "drain-first",
                    "Whether who sends an active message, or waits, first takes in all that has arrived; otherwise \
                     nothing, or one packet",
                )
                .or(true),
            dispatch: t
                .count(
                    "dispatch",
                    "Cycles more for each active message, but not for the data of transfers: what a run-time system does",
                )
                .max(CYCLES_MAX)
                .or(0),
            barrier: t
                .count("barrier", "Cycles from the last node's entering a barrier until all leave it")
                .max(CYCLES_MAX)
                .or(0),
            message_max: t
                .bytes("message-max", "Largest message of a program; by default the largest that it sends")
                .min("8 B")
                .optional(),
        }
    }
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
