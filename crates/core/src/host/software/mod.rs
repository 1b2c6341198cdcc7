//! A host that is known by its clock alone: its buses and its memory take no time.
//!
//! Models: a processor whose programs and messaging software take stated cycles (Callahan and
//! Goldstein 1995, Tables 1 and 2, state no more), each stretch of them ending on an edge of the
//! clock; memory with real bytes. Leaves out: where the cycles go; buses and caches. An interface
//! that needs registers, DMA or interrupts has nothing to sit on here. Several cores have the memory in common; the
//! endpoints of a node are dealt out to them in turn.

mod host;
pub(super) mod processor;

pub use processor::SoftwareProcessor;

use crate::engine::Hertz;
use crate::text::{Parameters, Table};

/// What is known of the host.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Parameters)]
#[param(before = refuse_messaging, resource = "processor")]
pub struct SoftwareParameters {
    /// Clock of the processor.
    #[param(max = "100 GHz")]
    pub clock: Hertz,
    /// Number of cores.
    ///
    /// The endpoints of a node are dealt out to them in turn.
    #[param(min = 1, max = 16, default = 1, meaning = Width)]
    pub cores: u32,
}

/// Reports costs of messaging that stand here, where they have no effect.
fn refuse_messaging(t: &Table<'_>) {
    t.report_misplaced(&["send", "poll", "receive", "reorder", "in-order", "barrier"], "messaging", MESSAGING);
}

/// Why a host has no costs of messaging.
const MESSAGING: &str = "what messaging costs is one table, whatever the host";
