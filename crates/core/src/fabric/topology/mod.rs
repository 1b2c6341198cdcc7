//! The shape of a routed fabric: routers, what joins them, and the ways a packet may take.
//!
//! | file | holds |
//! |---|---|
//! | `mod.rs` | wiring, and what a routing rule answers |
//! | `port_set.rs` | output ports, as a mask or as a list |
//! | `grid.rs` | coordinates, neighbours and ports of grids |
//! | `mesh.rs`, `torus.rs` | meshes; tori and rings |
//! | `edges.rs` | columns of places at both edges of a mesh |
//! | `adaptive.rs` | minimal adaptive routing on meshes, with escapes |
//! | `hypercube.rs`, `crossbar.rs` | dimensions of two nodes each; one router for all |
//! | `fat_tree.rs` | fat trees of any arity and numbers of parents |
//! | `butterfly.rs` | butterflies and multibutterflies |
//! | `details.rs` | rates, latencies and names of single links and routers |
//! | `placement.rs` | nodes on the places of a shape in another order |
//! | `relabelled.rs` | a rule that is asked for other nodes |
//! | `graph/` | any graph, from a file |
//! | `survey/` | degree, diameter, bisection of a shape, and whether its packets can wait in a circle |
//! | `parameters.rs` | the shapes by their names in descriptions |
//!
//! A shape knows no time: it says which outputs a header may ask for, and the router says when it
//! gets one. Leaves out: faults, and ways that depend on load (a router chooses among the ways).

pub mod adaptive;
pub mod butterfly;
pub mod crossbar;
pub mod details;
pub mod edges;
pub mod fat_tree;
pub mod graph;
pub mod grid;
pub mod hypercube;
pub mod mesh;
pub mod parameters;
mod placement;
mod port_set;
mod relabelled;
pub mod survey;
pub mod torus;
#[cfg(test)]
mod walk;

pub use details::{DescribedLink, LinkAttributes, WiringDetails};
pub use parameters::{TOPOLOGIES, Topology};
pub use port_set::{PortSet, flit_router_error};

use std::fmt;
use std::sync::Arc;

/// Where a router's output leads.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum End {
    /// To an input of another router.
    Router {
        /// Which.
        router: u32,
        /// Its input port.
        port: u8,
    },
    /// To a node's interface.
    Node(u32),
    /// To nothing: the port is not connected.
    Nowhere,
}

/// Routers, their outputs and where nodes enter. Each input has at most one source.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Wiring {
    /// For each router, the ends of its outputs in the order of ports; at most 256.
    outputs: Vec<End>,
    /// For each router, where its outputs begin; one more at the end.
    first: Vec<u32>,
    /// For each node, the router and the input port where its packets enter.
    entries: Vec<(u32, u8)>,
    details: Option<Arc<WiringDetails>>,
}

impl Wiring {
    /// Routers by their outputs, and the nodes' entries.
    pub fn new(routers: &[Vec<End>], entries: Vec<(u32, u8)>) -> Wiring {
        let mut first = vec![0];
        for outputs in routers {
            assert!(outputs.len() <= 1 << u8::BITS, "a port's number has 8 bits");
            first.push(first[first.len() - 1] + outputs.len() as u32);
        }
        Wiring { outputs: routers.concat(), first, entries, details: None }
    }

    /// Adds what is stated of single links and routers.
    #[must_use]
    pub fn with_details(mut self, details: WiringDetails) -> Wiring {
        self.details = Some(Arc::new(details));
        self
    }

    /// Returns whether any link has properties of its own.
    pub fn has_attributes(&self) -> bool {
        self.details.as_ref().is_some_and(|details| details.has_attributes())
    }

    /// Returns what is stated of the link at a router's output.
    pub fn output_attributes(&self, router: u32, port: u8) -> LinkAttributes {
        let stated =
            |details: &Arc<WiringDetails>| details.outputs.get(router as usize)?.get(usize::from(port)).copied();
        self.details.as_ref().and_then(stated).unwrap_or_default()
    }

    /// Returns what is stated of the link by which a node's packets enter.
    pub fn entry_attributes(&self, node: u32) -> LinkAttributes {
        self.details.as_ref().and_then(|details| details.entries.get(node as usize).copied()).unwrap_or_default()
    }

    /// Returns the name of a router, if the description names it.
    pub fn router_name(&self, router: u32) -> Option<&str> {
        self.details.as_ref()?.routers.get(router as usize).map(String::as_str)
    }

    /// Returns the name of a node, if the description names it.
    pub fn node_name(&self, node: u32) -> Option<&str> {
        self.details.as_ref()?.nodes.get(node as usize).map(String::as_str)
    }

    /// How many nodes.
    pub fn nodes(&self) -> u32 {
        self.entries.len() as u32
    }

    /// How many routers.
    pub fn routers(&self) -> u32 {
        self.first.len() as u32 - 1
    }

    /// The ends of a router's outputs.
    pub fn outputs(&self, router: u32) -> &[End] {
        &self.outputs[self.first[router as usize] as usize..self.first[router as usize + 1] as usize]
    }

    /// The router and input port where a node's packets enter.
    pub fn entry(&self, node: u32) -> (u32, u8) {
        self.entries[node as usize]
    }
}

/// The most ports of a router of flits.
pub const PORTS_MAX: usize = 64;

/// A header at a router's input.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Asking {
    /// The router.
    pub router: u32,
    /// The input port it came by.
    pub input: u8,
    /// The virtual channel it came by, within its logical network.
    pub channel: u8,
    /// The node it came from.
    pub source: u32,
    /// The node it goes to.
    pub destination: u32,
}

/// Outputs that a header may ask for; the router takes one of `ports` with a free channel of
/// `channels`, and the escape only when there is none.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Ways {
    /// The output ports.
    pub ports: PortSet,
    /// A bit for each virtual channel of the logical network that may be taken there.
    pub channels: u16,
    /// A port and channels that are free of cyclic waits, for adaptive routing.
    pub escape: Option<(u8, u16)>,
}

impl Ways {
    /// One port, any of `channels`.
    pub fn one(port: u8, channels: u16) -> Ways {
        Ways { ports: PortSet::one(port), channels, escape: None }
    }
}

/// The rule by which headers find their way. `virtual_channels` is how many a logical network has.
pub trait Routing: fmt::Debug + Send + Sync {
    /// The ways of a header; at least one port.
    fn ways(&self, asking: &Asking, virtual_channels: u8) -> Ways;

    /// Virtual channels of a logical network without which the rule can deadlock.
    fn virtual_channels_min(&self) -> u8 {
        1
    }

    /// The longest packets, in flits, that are sure not to wait in a circle where buffers take less than all of
    /// a packet.
    fn packet_flits_max(&self, _virtual_channels: u8) -> u16 {
        u16::MAX
    }

    /// Whether the ways depend on nothing but the router and the destination.
    fn is_by_destination(&self) -> bool {
        false
    }

    /// Whether a header takes one of several ports, drawn at random, and waits for it however busy it is.
    fn draws_port(&self) -> bool {
        false
    }

    /// Hops between two nodes as the shape's own latency formula counts them.
    fn distance(&self, from: u32, to: u32) -> u32;

    /// Two nodes as far apart as any are, by links and by the formula, where the shape can say it.
    fn farthest(&self) -> Option<(u32, u32)> {
        None
    }

    /// Whether the source of a header, or the channel it came by, has to do with its ways; a survey
    /// asks less often where neither has.
    fn looks_back(&self) -> bool {
        true
    }
}

/// A shape: its wiring and its rule.
#[derive(Clone, Debug)]
pub struct Shape {
    /// What it is called in messages: "8x8 mesh".
    pub name: String,
    /// Routers and links.
    pub wiring: Wiring,
    /// The rule. Asked once for each packet and router.
    pub routing: Arc<dyn Routing>,
}

/// What is wrong with a shape's parameters: the key, what is wrong, and what would be right.
pub type Wrong = (&'static str, String, String);

/// All channels of a logical network.
pub fn every_channel(virtual_channels: u8) -> u16 {
    (u32::MAX >> (32 - u32::from(virtual_channels))) as u16
}
