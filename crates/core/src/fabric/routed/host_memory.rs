//! Whether the machine that simulates has the memory for a fabric: what it takes before the first cycle.
//!
//! An estimate, from runs of meshes of 10⁴ and 4·10⁴ nodes. Leaves out packets in flight, which take more, and
//! machines that do not state how much memory is free: only Linux does.

use super::{RoutedFabric, RoutedParameters};
use crate::part::ParameterError;
use std::fs;

/// Bytes of a node without its router's channels: source, sink, wiring, and the search for cycles.
const NODE: u64 = 1500;
/// Bytes of a channel without its buffer.
const CHANNEL: u64 = 30;
/// Bytes of a flit's slot in a buffer.
const FLIT: u64 = 4;
/// Ports of each node where a shape has no dimensions: those of a fat tree's levels, or a butterfly's stages.
const PORTS: u64 = 16;
/// Smaller fabrics than this fit anywhere.
const SMALL: u64 = 1 << 28;

/// Returns why the fabric does not fit, if it does not.
pub(super) fn check(fabric: &RoutedFabric) -> Option<ParameterError> {
    let ports = fabric.topology.dimensions().map_or(PORTS, |dimensions| 2 * dimensions as u64 + 1);
    let nodes = u64::from(fabric.topology.nodes());
    let needed = needed(nodes, ports, &fabric.parameters);
    let free = (needed > SMALL).then(free).flatten()?;
    (needed > free).then(|| {
        let [needed, free] = [needed, free].map(gibibytes);
        let message = format!("{nodes} nodes with their routers take at least {needed} of memory, and {free} are free");
        ParameterError::new("", message).help("choose a smaller shape, fewer channels or shorter buffers")
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

/// Returns the free memory in bytes, where it is known.
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
