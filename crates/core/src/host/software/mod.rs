//! A host for which only the processor's clock is modelled. Its buses and its memory take no time.
//!
//! The module models memory with real bytes, and a processor whose programs and messaging software take stated cycles.
//! Callahan and Goldstein (1995), Tables 1 and 2, state only these cycles. Each interval of work ends on an edge of the
//! clock. The module leaves out the causes of these cycles, buses, caches, and devices, so an interface that requires
//! registers, DMA or interrupts cannot be attached. Several cores share the memory; the endpoints of a node are
//! assigned to the cores in turn.

mod host;
pub(super) mod processor;

pub use processor::SoftwareProcessor;

use crate::engine::Hertz;
use crate::text::{Parameters, Table};

/// The parameters of a software host.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Parameters)]
#[param(before = reject_messaging_costs, resource = "processor")]
pub struct SoftwareParameters {
    /// Clock of the processor.
    #[param(max = "100 GHz")]
    pub clock: Hertz,
    /// Number of cores.
    ///
    /// The endpoints of a node are assigned to the cores in turn.
    #[param(min = 1, max = 16, default = 1, meaning = Width)]
    pub cores: u32,
}

/// Reports costs of messaging in the host's table, where they have no effect, as errors.
fn reject_messaging_costs(table: &Table<'_>) {
    table.report_misplaced(
        &["send", "poll", "receive", "reorder", "in-order", "barrier"],
        "messaging",
        MESSAGING_REASON,
    );
}

/// The reason for which a host has no costs of messaging.
const MESSAGING_REASON: &str = "the costs of messaging are the same keys for every kind of host";
