//! The shape of a routed fabric: its routers, its links, and the routes that a packet may take.
//!
//! | file | contents |
//! |---|---|
//! | `mod.rs` | the wiring, and the interface of routing rules |
//! | `port_set.rs` | output ports, as a mask or as a list |
//! | `grid.rs` | coordinates, neighbours and ports of grids |
//! | `mesh.rs`, `torus.rs` | meshes; tori and rings |
//! | `edges.rs` | columns of edge ports at both sides of a mesh |
//! | `adaptive.rs` | minimal adaptive routing on meshes, with escapes |
//! | `hypercube.rs`, `crossbar.rs` | hypercubes; one router for all nodes |
//! | `fat_tree.rs` | fat trees of any arity and numbers of parents |
//! | `butterfly.rs` | butterflies and multibutterflies |
//! | `details.rs` | rates, latencies and names of single links and routers |
//! | `placement.rs` | a shape with renumbered nodes |
//! | `relabelled.rs` | a routing rule over another rule that numbers the nodes differently |
//! | `graph/` | any graph, from a file |
//! | `survey/` | degree, diameter and bisection of a shape, and whether its packets can deadlock |
//! | `parameters.rs` | the shapes by their names in descriptions |
//!
//! A shape has no timing: it states which outputs a header may request, and the router determines when the header gets
//! one. The module does not model faults, or routes that depend on load: only a router's choice among several outputs
//! depends on load.

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

/// The target of a router's output.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum End {
    /// An input port of another router.
    Router {
        /// The router.
        router: u32,
        /// The router's input port.
        port: u8,
    },
    /// The interface of a node.
    Node(u32),
    /// No target: the port is not connected.
    Unconnected,
}

/// The routers, the targets of their outputs, and the inputs by which nodes inject. Each input is the target of at most
/// one output or node.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Wiring {
    /// Targets of the outputs of all routers, router by router and in the order of ports. A router has at most 256.
    outputs: Vec<End>,
    /// For each router, the index of its first output; at the end, the number of outputs.
    first_outputs: Vec<u32>,
    /// For each node, the router and the input port by which its packets enter.
    entries: Vec<(u32, u8)>,
    details: Option<Arc<WiringDetails>>,
}

impl Wiring {
    /// Creates a wiring from the outputs of each router, and the router and input port of each node.
    ///
    /// # Panics
    ///
    /// Panics if a router has more than 256 outputs.
    pub fn new(routers: &[Vec<End>], entries: Vec<(u32, u8)>) -> Wiring {
        let mut first_outputs = vec![0];
        for outputs in routers {
            assert!(outputs.len() <= 1 << u8::BITS, "a port's number has 8 bits");
            first_outputs.push(first_outputs[first_outputs.len() - 1] + outputs.len() as u32);
        }
        Wiring { outputs: routers.concat(), first_outputs, entries, details: None }
    }

    /// Adds the properties of single links and routers.
    #[must_use]
    pub fn with_details(mut self, details: WiringDetails) -> Wiring {
        self.details = Some(Arc::new(details));
        self
    }

    /// Returns whether the description states properties of any single link.
    pub fn has_attributes(&self) -> bool {
        self.details.as_ref().is_some_and(|details| details.has_attributes())
    }

    /// Returns the properties that the description states for the link at a router's output.
    pub fn output_attributes(&self, router: u32, port: u8) -> LinkAttributes {
        let attributes_of =
            |details: &Arc<WiringDetails>| details.outputs.get(router as usize)?.get(usize::from(port)).copied();
        self.details.as_ref().and_then(attributes_of).unwrap_or_default()
    }

    /// Returns the properties that the description states for the link by which a node's packets enter.
    pub fn entry_attributes(&self, node: u32) -> LinkAttributes {
        self.details.as_ref().and_then(|details| details.entries.get(node as usize).copied()).unwrap_or_default()
    }

    /// Returns the name of a router, if the description names it.
    pub fn router_name(&self, router: u32) -> Option<&str> {
        self.details.as_ref()?.router_names.get(router as usize).map(String::as_str)
    }

    /// Returns the name of a node, if the description names it.
    pub fn node_name(&self, node: u32) -> Option<&str> {
        self.details.as_ref()?.node_names.get(node as usize).map(String::as_str)
    }

    /// Returns the number of nodes.
    pub fn nodes(&self) -> u32 {
        self.entries.len() as u32
    }

    /// Returns the number of routers.
    pub fn routers(&self) -> u32 {
        self.first_outputs.len() as u32 - 1
    }

    /// Returns the targets of a router's outputs.
    pub fn outputs(&self, router: u32) -> &[End] {
        &self.outputs[self.first_outputs[router as usize] as usize..self.first_outputs[router as usize + 1] as usize]
    }

    /// Returns the router and the input port by which a node's packets enter.
    pub fn entry(&self, node: u32) -> (u32, u8) {
        self.entries[node as usize]
    }
}

/// Largest number of ports of a flit router.
pub const PORTS_MAX: usize = 64;

/// A header at a router's input, for which a routing rule is queried.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RouteQuery {
    /// The router.
    pub router: u32,
    /// Input port by which the header arrived.
    pub input: u8,
    /// Virtual channel by which the header arrived, within its logical network.
    pub channel: u8,
    /// Source node of the packet.
    pub source: u32,
    /// Destination node of the packet.
    pub destination: u32,
}

/// The outputs that a header may request. The router selects one of `ports` with a free channel of `channels`, and the
/// escape only if there is no such port.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RouteOptions {
    /// Output ports.
    pub ports: PortSet,
    /// Virtual channels of the logical network that the header may take at these ports, one bit each.
    pub channels: u16,
    /// A port and channels that are free of cyclic dependencies, for adaptive routing.
    pub escape: Option<(u8, u16)>,
}

impl RouteOptions {
    /// Returns the options of a header that may take any of `channels` at one port.
    pub fn single_port(port: u8, channels: u16) -> RouteOptions {
        RouteOptions { ports: PortSet::single(port), channels, escape: None }
    }
}

/// A routing rule. `virtual_channels` is the number of virtual channels of a logical network.
pub trait Routing: fmt::Debug + Send + Sync {
    /// Returns the outputs that a header may request; at least one port.
    fn route(&self, query: &RouteQuery, virtual_channels: u8) -> RouteOptions;

    /// Returns the smallest number of virtual channels of a logical network with which the rule cannot deadlock.
    fn virtual_channels_min(&self) -> u8 {
        1
    }

    /// Returns the length in flits of the longest packets with which the rule cannot deadlock under wormhole switching,
    /// where a buffer may hold a part of a packet.
    fn packet_flits_max(&self, _virtual_channels: u8) -> u16 {
        u16::MAX
    }

    /// Returns whether routes depend on the router and the destination only.
    fn depends_on_destination_only(&self) -> bool {
        false
    }

    /// Returns whether a header requests one of several ports that is drawn at random, and waits for it however busy it
    /// is.
    fn is_oblivious_random(&self) -> bool {
        false
    }

    /// Returns the number of hops between two nodes as the shape's latency formula counts them.
    fn distance(&self, from: u32, to: u32) -> u32;

    /// Returns two nodes whose distance is the largest, both in links and by the formula; `None` if the rule cannot
    /// state such nodes.
    fn farthest(&self) -> Option<(u32, u32)> {
        None
    }

    /// Returns whether routes depend on the source of a header or on the channel by which it arrived. If they do not, a
    /// survey calls the rule fewer times.
    fn depends_on_input(&self) -> bool {
        true
    }
}

/// A shape: its wiring and its routing rule.
#[derive(Clone, Debug)]
pub struct Shape {
    /// Name of the shape in messages, such as "8x8 mesh".
    pub name: String,
    /// Routers and links.
    pub wiring: Wiring,
    /// The routing rule, which is called once for each packet and router.
    pub routing: Arc<dyn Routing>,
}

/// An error of a shape's parameters: the key, the message, and the help.
pub type ShapeError = (&'static str, String, String);

/// Returns all channels of a logical network, as one bit for each channel.
pub fn every_channel(virtual_channels: u8) -> u16 {
    (u32::MAX >> (32 - u32::from(virtual_channels))) as u16
}
