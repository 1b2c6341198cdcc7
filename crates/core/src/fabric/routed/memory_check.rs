//! The check, before the first cycle, that the computer has enough memory to simulate a fabric.
//!
//! The estimate is based on measurements of meshes with 10⁴ and 4·10⁴ nodes. It does not include packets in flight,
//! which need additional memory. The check exists on Linux only, since other operating systems do not report their free
//! memory in this way.

use super::{RoutedFabric, RoutedParameters};
use crate::part::ParameterError;
use std::fs;

/// Bytes of a node without the channels of its router: source, sink, wiring, and the search for cycles.
const NODE_BYTES: u64 = 1500;
/// Bytes of a channel without its buffer.
const CHANNEL_BYTES: u64 = 30;
/// Bytes of a buffer slot for one flit.
const FLIT_BYTES: u64 = 4;
/// Estimated number of router ports per node in a topology without dimensions, such as a fat tree or a butterfly; all
/// levels or stages are included.
const PORTS_PER_NODE: u64 = 16;
/// Estimates up to this size are accepted without looking up the free memory, because every machine has this much.
const UNCHECKED_BYTES: u64 = 1 << 28;

/// Returns an error if the fabric needs more memory than is free.
pub(super) fn check(fabric: &RoutedFabric) -> Option<ParameterError> {
    let ports_per_node = fabric.topology.dimensions().map_or(PORTS_PER_NODE, |dimensions| 2 * dimensions as u64 + 1);
    let nodes = u64::from(fabric.topology.nodes());
    let needed_bytes = needed_bytes(nodes, ports_per_node, &fabric.parameters);
    let free_bytes = (needed_bytes > UNCHECKED_BYTES).then(free_memory_bytes).flatten()?;
    (needed_bytes > free_bytes).then(|| {
        let [needed, free] = [needed_bytes, free_bytes].map(gibibytes);
        let message = format!("{nodes} nodes with their routers take at least {needed} of memory, and {free} are free");
        ParameterError::new("", message).help("choose a smaller shape, fewer channels or shorter buffers")
    })
}

fn needed_bytes(nodes: u64, ports: u64, routed: &RoutedParameters) -> u64 {
    let router = &routed.router;
    let channels = ports * u64::from(router.networks) * u64::from(router.virtual_channels);
    let flits = u64::from(router.buffer_flits).next_power_of_two();
    nodes.saturating_mul(NODE_BYTES + channels * (CHANNEL_BYTES + FLIT_BYTES * flits))
}

fn gibibytes(bytes: u64) -> String {
    format!("{:.1} GiB", bytes as f64 / f64::from(1 << 30))
}

/// Returns the free memory in bytes, or `None` if it is not known.
fn free_memory_bytes() -> Option<u64> {
    let meminfo = fs::read_to_string("/proc/meminfo").ok()?;
    let line = meminfo.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()?.checked_mul(1024)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::Parameters;

    #[test]
    fn estimate_for_a_mesh_of_40_000_nodes_is_near_the_measured_memory() {
        // 168 MB were measured, including some tens of MB of the program itself.
        let needed_bytes = needed_bytes(40_000, 5, &RoutedParameters::defaults());
        assert!((100_000_000..168_000_000).contains(&needed_bytes), "{needed_bytes}");
    }
}
