//! How many packets a network's buffers hold: Table 3's "maximum volume".
//!
//! The paper counts the buffers of one logical network, and of every port that a router has,
//! whether it leads anywhere or not: eight words a node on a mesh whose corners have two links
//! ("two words for each incoming link", §2.4.3), and 6.5 packets on the CM-5 network, which is what
//! routers of four children and four parents hold of which two parents are connected. Ports from
//! nodes count on trees and butterflies, and not on meshes and tori.

use crate::study::experiments::Results;
use crate::study::shipped;
use narrows_core::machine;
use narrows_core::text::Document;

/// What a network's routers have.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ports {
    /// A router for each node, with two links in each dimension.
    Grid {
        /// How many.
        dimensions: u64,
    },
    /// Three levels of routers with four children, and four parents but at the top.
    Tree {
        /// How many parents of the lower two levels are connected.
        parents: [u64; 2],
    },
    /// Stages of routers, the links between them `dilation` times.
    Butterfly {
        /// How many.
        stages: u64,
        /// How many links for one.
        dilation: u64,
    },
}

/// Nodes of Table 3's networks.
const NODES: u64 = 64;
/// Flits of a packet: eight words of a flit each.
const PACKET_FLITS: f64 = 8.0;

impl Ports {
    /// Ports with a buffer, for each node.
    pub fn per_node(self) -> f64 {
        let nodes = NODES as f64;
        match self {
            Ports::Grid { dimensions } => 2.0 * dimensions as f64,
            Ports::Tree { parents: [lower, upper] } => {
                let bottom = NODES / 4;
                let middle = bottom * lower / 4;
                let top = middle * upper / 4;
                (8 * bottom + 8 * middle + 4 * top) as f64 / nodes
            }
            Ports::Butterfly { stages, dilation } => (1 + (stages - 1) * dilation) as f64,
        }
    }
}

/// Table 3's networks.
const NETWORKS: [(&str, Ports); 8] = [
    ("fat-tree", Ports::Tree { parents: [4, 4] }),
    ("cm-5", Ports::Tree { parents: [2, 2] }),
    ("store-and-forward", Ports::Tree { parents: [4, 4] }),
    ("mesh", Ports::Grid { dimensions: 2 }),
    ("torus", Ports::Grid { dimensions: 2 }),
    ("mesh-3d", Ports::Grid { dimensions: 3 }),
    ("butterfly", Ports::Butterfly { stages: 3, dilation: 1 }),
    ("multibutterfly", Ports::Butterfly { stages: 3, dilation: 2 }),
];

/// Packets for each node that the buffers of a network hold, by its description: NETWORK.
pub fn volume(_: &Results, arguments: &[&str]) -> Option<f64> {
    let [key] = arguments else { return None };
    let (_, ports) = NETWORKS.iter().find(|(network, _)| network == key)?;
    let base = shipped::paper("nifdy/network.toml")?;
    let part = format!("parts=[\"fabrics/nifdy-{key}\"]");
    let read = machine::read(Document::Text("network.toml", base, None), &[part]).ok()?;
    let entries = read.entries();
    let count = |path: &str| entries.iter().find(|entry| entry.path == path)?.value.parse::<f64>().ok();
    let channels = count("fabric.router.virtual-channels")?;
    Some(ports.per_node() * channels * count("fabric.router.buffer-flits")? / PACKET_FLITS)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The shipped parts' buffers at the ports that a router has give the volumes of Table 3.
    #[test]
    fn ports_and_buffers_give_the_volumes_of_table_3() {
        let volumes = [10.0, 6.5, 10.0, 1.0, 4.0, 6.0, 6.0, 10.0];
        for ((network, _), expected) in NETWORKS.iter().zip(volumes) {
            assert_eq!(volume(&Results::new(), &[network]), Some(expected), "{network}");
        }
    }
}
