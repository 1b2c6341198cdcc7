//! Whether the machine that simulates has the memory for a fabric: at least so much is taken before the first cycle.
//!
//! An estimate, from runs of meshes of 10⁴ and 4·10⁴ nodes. Leaves out packets on their way, which come on top, and
//! machines that do not say how much is free: only Linux does.

use crate::fabric::routed::RoutedParameters;
use crate::fabric::topology::parameters::Topology;
use crate::machine::Machine;
use crate::text::{Problem, Read};
use std::fs;

/// Bytes of a node beside its router's channels: source, sink, wiring, and the search for circles.
const NODE: u64 = 1500;
/// Bytes of a channel beside its buffer.
const CHANNEL: u64 = 30;
/// Bytes of a flit's place in a buffer.
const FLIT: u64 = 4;
/// Ports for each node where a shape has no dimensions: those of a fat tree's levels, or a butterfly's stages.
const PORTS: u64 = 16;
/// Smaller fabrics than this fit anywhere.
const SMALL: u64 = 1 << 28;

/// Refuses a fabric that does not fit.
pub(super) fn check(read: &Read<Machine>, topology: &Topology, routed: &RoutedParameters) -> Option<Problem> {
    let table = format!("fabric.{}", read.value.fabric.key());
    let shape = &read.resolved()["fabric"][read.value.fabric.key().replace('-', "_")]["shape"];
    let ports = shape.as_array().map_or(PORTS, |dimensions| 2 * dimensions.len() as u64 + 1);
    let nodes = u64::from(topology.nodes());
    let needed = needed(nodes, ports, routed);
    let free = (needed > SMALL).then(free).flatten()?;
    (needed > free).then(|| {
        let [needed, free] = [needed, free].map(gibibytes);
        let message = format!("{nodes} nodes with their routers take at least {needed} of memory, and {free} are free");
        read.wrong(&table, &message, "choose a smaller shape, fewer channels or shorter buffers")
    })
}

fn needed(nodes: u64, ports: u64, routed: &RoutedParameters) -> u64 {
    let router = &routed.router;
    let channels = ports * u64::from(router.networks) * u64::from(router.virtual_channels);
    let flits = u64::from(router.buffer_flits).next_power_of_two();
    nodes.saturating_mul(NODE + channels * (CHANNEL + FLIT * flits))
}

fn gibibytes(bytes: u64) -> String {
    format!("{:.1} GiB", bytes as f64 / f64::from(1 << 30))
}

/// The memory that is free, in bytes, where that can be known.
fn free() -> Option<u64> {
    let about = fs::read_to_string("/proc/meminfo").ok()?;
    let line = about.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()?.checked_mul(1024)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::Parameters;

    #[test]
    fn a_mesh_of_40_000_nodes_takes_what_was_measured() {
        // 168 MB were measured, of which some tens are the program's own.
        let needed = needed(40_000, 5, &RoutedParameters::defaults());
        assert!((100_000_000..168_000_000).contains(&needed), "{needed}");
    }
}
