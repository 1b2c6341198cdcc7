//! The utilization of a part of a host or an interface: the times for which it was busy and active.

use super::any_processor::AnyProcessor;
use super::processor::Processor;
use crate::engine::{Resource, Time};

/// Largest number of cores of a host.
pub const CORES_MAX: u32 = 16;

/// Names of cores in reports of hosts with several cores.
const CORES: [&str; CORES_MAX as usize] = [
    "core 0", "core 1", "core 2", "core 3", "core 4", "core 5", "core 6", "core 7", "core 8", "core 9", "core 10",
    "core 11", "core 12", "core 13", "core 14", "core 15",
];

/// Returns the name of the core `number` of the host `host`, which has `cores` cores.
pub fn core_name(host: &str, number: u32, cores: u32) -> String {
    if cores == 1 { host.to_owned() } else { format!("{host} core {number}") }
}

/// The times for which a part was used since the start of a run.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Utilization {
    /// Name of the part within its node.
    pub what: &'static str,
    /// Time for which the part was held.
    pub busy: Time,
    /// The part of that time in which the part worked at its own rate and did not wait for others, if this is measured.
    pub active: Time,
}

impl Utilization {
    /// Returns the utilization of a part that is active whenever it is busy.
    pub const fn always_active(what: &'static str, busy: Time) -> Utilization {
        Utilization { what, busy, active: busy }
    }

    /// Returns the utilization of a resource that is active for only a part of the time for which it is held.
    pub fn of_resource(what: &'static str, resource: &Resource) -> Utilization {
        Utilization { what, busy: resource.held_total(), active: resource.moved_total() }
    }

    /// Returns the utilization of each core of a host.
    pub fn of_cores(cores: &[AnyProcessor]) -> Vec<Utilization> {
        let of_core = |(cpu, name): (&AnyProcessor, &'static str)| {
            let utilization = cpu.arbiter().utilization();
            if cores.len() == 1 { utilization } else { Utilization { what: name, ..utilization } }
        };
        cores.iter().zip(CORES).map(of_core).collect()
    }
}
