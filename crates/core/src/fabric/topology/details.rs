//! Properties of single links and routers that a description may state: rates, latencies and names.
//!
//! If a shape has no such properties, the routers' parameters describe all of its links, and its routers are named by
//! their numbers.

use crate::engine::{Rate, Time};

/// Properties of one direction of a link that the description states. The routers' parameters apply to properties that
/// it does not state.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct LinkAttributes {
    /// Rate at which the link moves data.
    pub rate: Option<Rate>,
    /// Latency of the link in addition to moving a flit.
    pub latency: Option<Time>,
}

impl LinkAttributes {
    /// Returns whether no property is stated.
    pub fn is_empty(&self) -> bool {
        *self == LinkAttributes::default()
    }
}

/// Properties of the links of a wiring, and the names of its routers and nodes.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct WiringDetails {
    /// For each router, the properties of the links at its outputs.
    pub outputs: Vec<Vec<LinkAttributes>>,
    /// For each node, the properties of the link by which its packets enter.
    pub entries: Vec<LinkAttributes>,
    /// Names of the routers.
    pub router_names: Vec<String>,
    /// Names of the nodes.
    pub node_names: Vec<String>,
}

impl WiringDetails {
    /// Returns whether a property is stated for any link.
    pub fn has_attributes(&self) -> bool {
        self.outputs.iter().flatten().chain(&self.entries).any(|attributes| !attributes.is_empty())
    }
}

/// A link whose properties a description states, to be checked against the routers.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DescribedLink {
    /// The file and line that state the properties, and the ends of the link.
    pub location: String,
    /// The properties.
    pub attributes: LinkAttributes,
}
