//! The number of packets that a network's buffers hold: the "maximum volume" of Table 3.
//!
//! The paper counts the buffers of one logical network, including those of ports that are not connected. A mesh has
//! eight words per node, although its corners have two links ("two words for each incoming link", §2.4.3). The CM-5
//! network has 6.5 packets per node, as for routers with four children and four parents, two of which are connected.
//! Ports from nodes are counted for trees and butterflies, and not for meshes and tori.

use crate::study::points::Results;
use crate::study::shipped;
use narrows_core::machine;
use narrows_core::text::Document;

/// The structure of a network, which determines the number of its ports.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NetworkStructure {
    /// A router for each node, with two links in each dimension.
    Grid {
        /// The number of dimensions.
        dimensions: u64,
    },
    /// Three levels of routers with four children each, and with four parents except at the top.
    Tree {
        /// The numbers of connected parents of the lower two levels.
        parents: [u64; 2],
    },
    /// Stages of routers, with `dilation` parallel links between them.
    Butterfly {
        /// The number of stages.
        stages: u64,
        /// The number of parallel links.
        dilation: u64,
    },
}

/// The number of nodes of the networks of Table 3.
const NODES: u64 = 64;
/// The number of flits of a packet: eight words of one flit each.
const PACKET_FLITS: f64 = 8.0;

impl NetworkStructure {
    /// Returns the number of ports with a buffer per node.
    pub fn ports_per_node(self) -> f64 {
        let nodes = NODES as f64;
        match self {
            NetworkStructure::Grid { dimensions } => 2.0 * dimensions as f64,
            NetworkStructure::Tree { parents: [lower, upper] } => {
                let bottom_routers = NODES / 4;
                let middle_routers = bottom_routers * lower / 4;
                let top_routers = middle_routers * upper / 4;
                (8 * bottom_routers + 8 * middle_routers + 4 * top_routers) as f64 / nodes
            }
            NetworkStructure::Butterfly { stages, dilation } => (1 + (stages - 1) * dilation) as f64,
        }
    }
}

/// The networks of Table 3.
const NETWORKS: [(&str, NetworkStructure); 8] = [
    ("fat-tree", NetworkStructure::Tree { parents: [4, 4] }),
    ("cm-5", NetworkStructure::Tree { parents: [2, 2] }),
    ("store-and-forward", NetworkStructure::Tree { parents: [4, 4] }),
    ("mesh", NetworkStructure::Grid { dimensions: 2 }),
    ("torus", NetworkStructure::Grid { dimensions: 2 }),
    ("mesh-3d", NetworkStructure::Grid { dimensions: 3 }),
    ("butterfly", NetworkStructure::Butterfly { stages: 3, dilation: 1 }),
    ("multibutterfly", NetworkStructure::Butterfly { stages: 3, dilation: 2 }),
];

/// Returns the number of packets per node that the buffers of a network hold. The argument is NETWORK.
pub fn volume(_: &Results, arguments: &[&str]) -> Option<f64> {
    let [key] = arguments else { return None };
    let (_, structure) = NETWORKS.iter().find(|(network, _)| network == key)?;
    let network_text = shipped::paper("nifdy/network.toml")?;
    let part = format!("parts=[\"fabrics/nifdy-{key}\"]");
    let description = machine::read(Document::Text("network.toml", network_text, None), &[part]).ok()?;
    let entries = description.entries();
    let number_of_key = |path: &str| entries.iter().find(|entry| entry.path == path)?.value.parse::<f64>().ok();
    let channels = number_of_key("fabric.router.virtual-channels")?;
    Some(structure.ports_per_node() * channels * number_of_key("fabric.router.buffer-flits")? / PACKET_FLITS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ports_and_buffers_give_the_volumes_of_table_3() {
        let volumes = [10.0, 6.5, 10.0, 1.0, 4.0, 6.0, 6.0, 10.0];
        for ((network, _), expected) in NETWORKS.iter().zip(volumes) {
            assert_eq!(volume(&Results::new(), &[network]), Some(expected), "{network}");
        }
    }
}
