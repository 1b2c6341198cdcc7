//! The cores of a host: their number, their names and their utilization.

use super::any_processor::AnyProcessor;
use super::processor::Processor;
use super::utilization::{CORES_MAX, Utilization};

/// Names of cores in reports of hosts with several cores.
const CORE_NAMES: [&str; CORES_MAX as usize] = [
    "core 0", "core 1", "core 2", "core 3", "core 4", "core 5", "core 6", "core 7", "core 8", "core 9", "core 10",
    "core 11", "core 12", "core 13", "core 14", "core 15",
];

/// Returns the name of the core `number` of the host `host`, which has `cores` cores.
pub fn core_name(host: &str, number: u32, cores: u32) -> String {
    if cores == 1 { host.to_owned() } else { format!("{host} core {number}") }
}

/// Returns the utilization of each core of a host.
pub fn utilization_of_cores(cores: &[AnyProcessor]) -> Vec<Utilization> {
    let of_core = |(cpu, name): (&AnyProcessor, &'static str)| {
        let utilization = cpu.arbiter().utilization();
        if cores.len() == 1 { utilization } else { Utilization { part_name: name, ..utilization } }
    };
    cores.iter().zip(CORE_NAMES).map(of_core).collect()
}
