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
//! §4.3). [`TRANSITIONS`] is the whole firmware: a row for each way from a state to the next, with what
//! must hold and what is done. [`Mcp`] runs the rows for whoever has the engines; the model checker runs
//! the same rows, and PROMELA is printed from them.
//!
//! A packet has at least one unit (its header). How a packet's units are numbered is the caller's matter:
//! bytes in a simulator, one to three in a checker. One host read is a packet, or with
//! [`Config::segment`] a piece of a message that travels as a packet of its own.
//!
//! It leaves out routes, checksums (the host engine's own), retransmission, and packets that are lost: one
//! cut short by the network ends as any other, and whoever reads it finds it wrong.
//!
//! | file | holds |
//! |---|---|
//! | `table.rs` | threads, states, guards, deeds, and the rows |
//! | `machine.rs` | the machine: what it is told, and its dispatcher |
//! | `guards.rs`, `deeds.rs` | what each guard means, and each deed does |
//! | `step.rs` | what a step says |

mod deeds;
mod guards;
mod machine;
mod step;
mod table;
#[cfg(test)]
mod tests;

pub use machine::Mcp;
pub use step::{Act, Step, Watch};
pub use table::{Deed, Guard, TRANSITIONS, Thread, ThreadState, Transition};

/// How far the transfers of the two sides of the interface's memory overlap.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Pipelining {
    /// Not at all: a direction has one packet at a time, with one engine at work (Berkeley-VIA: "carry out
    /// the host DMA and the network DMA in a serialized manner", §4.3).
    Serial,
    /// With those of other packets: a packet leaves the memory when it is whole (GM).
    Coarse,
    /// With those of the same packet, too (E-UDP).
    Fine {
        /// How many units must lie there for a fragment; the last fragment goes whatever its size.
        threshold: u32,
    },
}

/// What the firmware is built with.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Config {
    /// How far transfers overlap.
    pub pipelining: Pipelining,
    /// Packet buffers towards the link; at least one.
    pub send_buffers: u8,
    /// Packet buffers from the link; at least one.
    pub receive_buffers: u8,
    /// The longest packet: a longer message travels as several. GM: 4096 bytes.
    pub segment: Option<u32>,
}

/// What the firmware is held to. All hold; the checker breaks one to see it missed.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Rule {
    /// SDMA and RDMA start the one host engine only when it rests.
    EngineExclusive,
    /// What is sent or delivered has landed: the count of landed units is not one too high.
    BytesFirst,
    /// A buffer is filled only when it is free.
    BuffersHeld,
    /// The last fragment of a packet is marked as such (SMLT, not SML).
    EndsMarked,
    /// The dispatcher takes ready threads in turn, not always the first.
    Turns,
}

impl Rule {
    /// All of them.
    pub const ALL: [Rule; 5] =
        [Rule::EngineExclusive, Rule::BytesFirst, Rule::BuffersHeld, Rule::EndsMarked, Rule::Turns];

    /// The name.
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
