//! The paper's networks and interfaces, and how its points are named.

use super::super::experiment::Results;
use super::formula::Latency;
use super::volume::Ports;
use crate::engine::Map;

/// Parameters of NIFDY: *O*, *B*, *D* and *W*.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Set {
    /// *O*: entries of the outstanding-packet table.
    pub outstanding: u64,
    /// *B*: packets in the outgoing pool.
    pub pool: u64,
    /// *D*: bulk dialogs that a receiver keeps.
    pub dialogs: u64,
    /// *W*: the window of a dialog; 0 without dialogs.
    pub window: u64,
}

impl Set {
    const fn new(outstanding: u64, pool: u64, dialogs: u64, window: u64) -> Set {
        Set { outstanding, pool, dialogs, window }
    }

    /// As it is written in tables.
    pub fn text(&self) -> String {
        format!("O={} B={} D={} W={}", self.outstanding, self.pool, self.dialogs, self.window)
    }
}

/// A network of Table 3.
#[derive(Debug)]
pub struct Network {
    /// In names of points and claims.
    pub key: &'static str,
    /// In the paper.
    pub name: &'static str,
    /// Its latency at zero load.
    pub latency: Latency,
    /// The distances between its 64 nodes.
    pub distances: &'static [u64],
    /// Its routers' ports.
    pub ports: Ports,
    /// Whether it delivers in order by itself (§4.4).
    pub in_order: bool,
    /// The paper's best parameters.
    pub best: Set,
}

const TREE: &[u64] = &[2, 4, 6];

/// The networks in Table 3's order.
pub const NETWORKS: [Network; 8] = [
    Network {
        key: "fat-tree",
        name: "full fat tree",
        latency: Latency { hop: 5, constant: 2 },
        distances: TREE,
        ports: Ports::Tree { parents: [4, 4] },
        in_order: false,
        best: Set::new(8, 8, 1, 4),
    },
    Network {
        key: "cm-5",
        name: "CM-5 network",
        latency: Latency { hop: 9, constant: 2 },
        distances: TREE,
        ports: Ports::Tree { parents: [2, 2] },
        in_order: false,
        best: Set::new(8, 8, 1, 4),
    },
    Network {
        key: "store-and-forward",
        name: "store-and-forward fat tree",
        latency: Latency { hop: 33, constant: 3 },
        distances: TREE,
        ports: Ports::Tree { parents: [4, 4] },
        in_order: false,
        best: Set::new(8, 16, 1, 8),
    },
    Network {
        key: "mesh",
        name: "8x8 mesh",
        latency: Latency { hop: 4, constant: 14 },
        distances: &[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14],
        ports: Ports::Grid { dimensions: 2 },
        in_order: true,
        best: Set::new(4, 8, 1, 2),
    },
    Network {
        key: "torus",
        name: "8x8 torus",
        latency: Latency { hop: 4, constant: 14 },
        distances: &[1, 2, 3, 4, 5, 6, 7, 8],
        ports: Ports::Grid { dimensions: 2 },
        in_order: false,
        best: Set::new(4, 8, 1, 2),
    },
    Network {
        key: "mesh-3d",
        name: "4x4x4 mesh",
        latency: Latency { hop: 4, constant: 18 },
        distances: &[1, 2, 3, 4, 5, 6, 7, 8, 9],
        ports: Ports::Grid { dimensions: 3 },
        in_order: false,
        best: Set::new(4, 8, 1, 2),
    },
    Network {
        key: "butterfly",
        name: "4-ary butterfly",
        latency: Latency { hop: 5, constant: 2 },
        distances: &[3],
        ports: Ports::Butterfly { stages: 3, dilation: 1 },
        in_order: true,
        best: Set::new(8, 8, 0, 0),
    },
    Network {
        key: "multibutterfly",
        name: "4-ary multibutterfly",
        latency: Latency { hop: 5, constant: 2 },
        distances: &[3],
        ports: Ports::Butterfly { stages: 3, dilation: 2 },
        in_order: false,
        best: Set::new(8, 8, 1, 4),
    },
];

/// The network `key`.
pub fn network(key: &str) -> &'static Network {
    NETWORKS.iter().find(|network| network.key == key).expect("a network of the paper")
}

/// An interface: key, and name in pictures.
pub type Interface = (&'static str, &'static str);

/// The interfaces of Figures 2 and 3.
pub const INTERFACES: [Interface; 3] = [("none", "no NIFDY"), ("buffers", "buffers only"), ("nifdy", "NIFDY")];

/// The interfaces of Figures 7 and 8.
pub const LIBRARIES: [Interface; 4] = [
    ("none", "no NIFDY"),
    ("buffers", "buffers only"),
    ("flow", "NIFDY−, flow control only"),
    ("nifdy", "NIFDY, in order"),
];

/// The cases of Figure 6: point, and name in pictures.
pub const SHIFTS: [Interface; 5] = [
    ("shift/none", "no NIFDY"),
    ("shift/barriers", "no NIFDY, barriers"),
    ("shift/buffers", "buffers only"),
    ("shift-nifdy/flow", "NIFDY, flow control only"),
    ("shift-nifdy/nifdy", "NIFDY, in order"),
];

/// Loads of the synthetic traffic.
pub const LOADS: [&str; 2] = ["heavy", "light"];

/// Values of *B*, and of *O*, in Figure 4.
pub const SIZES: [u64; 4] = [2, 4, 8, 16];

/// Nodes of the fat trees of Figure 4, and of those beyond it.
pub const NODES: [u64; 3] = [16, 64, 256];

/// As [`NODES`].
pub const NODES_LARGE: [u64; 2] = [1024, 4096];

/// Windows of the comparison of bulk dialogs; 0 without dialogs.
pub const WINDOWS: [u64; 5] = [0, 2, 4, 8, 16];

/// A metric of a point.
pub fn metric(results: &Results, point: &str, name: &str) -> Option<f64> {
    results.get(point)?.metric(name)
}

/// Packets delivered under synthetic traffic.
pub fn delivered(results: &Results, load: &str, interface: &str, network: &str) -> Option<f64> {
    metric(results, &format!("{load}-{interface}/{network}"), "packets.delivered")
}

/// Packets delivered with a bulk window, without dialogs if it is 0.
pub fn windowed(results: &Results, network: &str, window: u64, load: &str) -> Option<f64> {
    metric(results, &format!("windows/{network}/{window}/{load}"), "packets.delivered")
}

/// What Figure 4 varies.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Varied {
    /// *B*.
    Pool,
    /// *O*.
    Outstanding,
}

impl Varied {
    /// In names of points.
    pub fn key(self) -> &'static str {
        match self {
            Varied::Pool => "pool",
            Varied::Outstanding => "outstanding",
        }
    }
}

/// The first part of the names of Figure 4's points.
fn scale(nodes: u64) -> &'static str {
    if NODES_LARGE.contains(&nodes) { "scale-large" } else { "scale" }
}

/// Throughput of a fat tree with *B* or *O* at a value, as a multiple of that without NIFDY.
pub fn scaled(results: &Results, varied: Varied, nodes: u64, value: u64) -> Option<f64> {
    let delivered = |point: String| metric(results, &point, "packets.delivered");
    let with = delivered(format!("{}-{}/{nodes}/{value}", scale(nodes), varied.key()))?;
    let without = delivered(format!("{}-none/{nodes}", scale(nodes)))?;
    (without > 0.0).then(|| with / without)
}

/// Bytes of NIFDY's state at a node of a fat tree, with *B* = *O* = 8.
pub fn state(results: &Results, nodes: u64) -> Option<f64> {
    metric(results, &format!("{}-pool/{nodes}/8", scale(nodes)), "ni.state")
}

/// EM3D's cycles for an iteration.
pub fn em3d(results: &Results, load: &str, interface: &str, network: &str) -> Option<f64> {
    metric(results, &format!("em3d-{load}-{interface}/{network}"), "em3d.cycles_per_iteration")
}

/// Cycles of a phase of radix sort (`scan`, `coalesce`), `with` or `without` delays.
pub fn radix(results: &Results, interface: &str, network: &str, delay: &str, phase: &str) -> Option<f64> {
    metric(results, &format!("radix-{interface}/{network}/{delay}"), &format!("radix.{phase}_cycles"))
}

/// Pending packets per receiver over time.
pub fn pending<'a>(results: &'a Results, point: &str) -> Option<&'a Map> {
    results.get(point)?.map.as_ref()
}

/// Cycles between the packets of a stream from one node to another.
pub fn interval(results: &Results, point: &str) -> Option<f64> {
    metric(results, point, "pair.cycles_per_packet")
}
