//! A host that is known by what its messaging software costs: no bus, no cache, no memory.
//!
//! Models (Callahan and Goldstein 1995, Tables 1 and 2): processor cycles to send a packet, to
//! poll in vain, and to receive one. Leaves out: where they go.

use crate::engine::Hertz;
use crate::text::Table;

/// What the software of a host costs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SoftwareParameters {
    /// The processor's clock.
    pub clock: Hertz,
    /// Cycles to send a packet: T_send.
    pub send: u64,
    /// Cycles of a poll that finds nothing.
    pub poll: u64,
    /// Cycles to receive a packet, from finding it to the handler's return: T_receive.
    pub receive: u64,
    /// Cycles from the last node's entering a barrier until all leave it.
    pub barrier: u64,
}

/// The most cycles that anything may cost.
const CYCLES_MAX: u64 = 1_000_000_000;

impl SoftwareParameters {
    /// Reads them.
    pub fn read(t: &mut Table<'_>) -> SoftwareParameters {
        SoftwareParameters {
            clock: t.hertz("clock", "Clock of the processor").required(),
            send: t.count("send", "Cycles to send a packet").max(CYCLES_MAX).required(),
            poll: t.count("poll", "Cycles of a poll that finds nothing").max(CYCLES_MAX).required(),
            receive: t
                .count("receive", "Cycles to receive a packet, from finding it to the handler's return")
                .max(CYCLES_MAX)
                .required(),
            barrier: t
                .count("barrier", "Cycles from the last node's entering a barrier until all leave it")
                .max(CYCLES_MAX)
                .required(),
        }
    }
}
