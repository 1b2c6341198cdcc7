//! The four threads of the Myrinet control program, as data: SDMA, SEND, RECV and RDMA.
//!
//! ```text
//!              SDMA ──┐ host engine ┌── RDMA
//!                     ▼             ▲
//!            send buffers         receive buffers
//!                     │             ▲
//!   send engine  SEND ▼             │ RECV  receive engine
//!                    link          link
//! ```
//!
//! "Each thread starts from the initial state and when it reaches a dispatching state, yields the
//! processor to another thread that is ready to run without waiting for the next event" (Jin et al. 2005,
//! §4.3). [`TRANSITIONS`] is the whole firmware: one row for each transition from a state to the next, with its guards
//! and its actions. [`Mcp`] runs the rows; its caller drives the engines. The model checker runs the same rows, and the
//! PROMELA model is generated from them.
//!
//! A packet has at least one unit (its header). The caller defines the unit: it is a byte in the simulator, and in the
//! checker a packet has one to three units. One host read fetches a packet. With [`Config::segment`] it fetches a
//! segment of a message, which travels as its own packet.
//!
//! The model leaves out routes, checksums (the host engine computes them), retransmission and lost packets: a packet
//! truncated by the network ends like any other, and its reader detects the error.
//!
//! | file | holds |
//! |---|---|
//! | `table.rs` | threads, states, guards, actions, and the rows |
//! | `machine.rs` | the state machine: the events reported to it, and its dispatcher |
//! | `guards.rs`, `actions.rs` | the condition of each guard, and the effect of each action |
//! | `step.rs` | the result of a step: states and commands |

mod actions;
mod guards;
mod machine;
mod step;
mod table;
#[cfg(test)]
mod tests;

pub use machine::Mcp;
pub use step::{Command, Step, Watch};
pub use table::{Action, Guard, TRANSITIONS, Thread, ThreadState, Transition};

/// The degree to which the transfers on the two sides of the interface's memory overlap.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Pipelining {
    /// No overlap: a direction has one packet at a time, with one engine at work (Berkeley-VIA: "carry out the host DMA
    /// and the network DMA in a serialized manner", §4.3).
    Serial,
    /// Transfers of different packets overlap: a packet is sent on when all of it has landed (GM).
    Coarse,
    /// Transfers of the same packet overlap as well (E-UDP).
    Fine {
        /// Minimum number of landed units for a fragment; the last fragment may be shorter.
        threshold: u32,
    },
}

/// The configuration of the firmware.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Config {
    /// The overlap of transfers.
    pub pipelining: Pipelining,
    /// Number of packet buffers towards the link; at least one.
    pub send_buffers: u8,
    /// Number of packet buffers from the link; at least one.
    pub receive_buffers: u8,
    /// Maximum length of a packet, in units; a longer message travels as several packets. GM: 4096 bytes.
    pub segment: Option<u32>,
}

/// The rules that the firmware obeys. The checker breaks one at a time, to show which property then fails.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Rule {
    /// SDMA and RDMA start the one host engine only when it is idle.
    EngineExclusive,
    /// Only landed units are sent or delivered. If broken, the count of landed units is one too high.
    BytesFirst,
    /// A buffer is filled only when it is free.
    BuffersHeld,
    /// The last fragment of a packet is marked as such (SMLT, not SML).
    EndsMarked,
    /// The dispatcher runs ready threads in turn. If broken, it always runs the first ready thread.
    Turns,
}

impl Rule {
    /// All rules.
    pub const ALL: [Rule; 5] =
        [Rule::EngineExclusive, Rule::BytesFirst, Rule::BuffersHeld, Rule::EndsMarked, Rule::Turns];

    /// Returns the rule's name.
    pub fn name(self) -> &'static str {
        match self {
            Rule::EngineExclusive => "engine-exclusive",
            Rule::BytesFirst => "bytes-first",
            Rule::BuffersHeld => "buffers-held",
            Rule::EndsMarked => "ends-marked",
            Rule::Turns => "turns",
        }
    }
}
