//! The endpoints of a machine by the names that programs use for them.
//!
//! A machine of thousands of nodes has thousands of flows, each of which names two endpoints: a map is made once for
//! all of them.

use super::{Machine, NodeDescription};
use crate::engine::{EndpointId, EndpointMap, NodeId};
use std::collections::HashMap;

/// The names of a machine's endpoints.
pub struct EndpointNames<'m> {
    nodes: &'m [NodeDescription],
    node_indices: HashMap<&'m str, usize>,
    addresses: EndpointMap,
}

impl<'m> EndpointNames<'m> {
    /// Returns the names of the endpoints of `machine`.
    pub fn new(machine: &'m Machine) -> EndpointNames<'m> {
        let nodes_with_indices = machine.nodes.iter().enumerate().rev();
        let node_indices = nodes_with_indices.map(|(index, node)| (node.name.as_str(), index)).collect();
        EndpointNames { nodes: &machine.nodes, node_indices, addresses: machine.addresses() }
    }

    /// Returns the endpoint called `name`. The name of a node also denotes the node's first endpoint.
    pub fn find(&self, name: &str) -> Option<EndpointId> {
        let endpoint_at = |node: usize, index: u32| self.addresses.endpoint(NodeId(node as u32), index);
        self.node(name).map(|node| endpoint_at(node, 0)).or_else(|| {
            let (name, index) = name.rsplit_once(':')?;
            let (node, index) = (self.node(name)?, index.parse().ok()?);
            let endpoints = self.nodes[node].endpoints;
            (endpoints > 1 && index < endpoints).then(|| endpoint_at(node, index))
        })
    }

    /// Returns the number of the node on which the endpoint called `name` is.
    pub fn node_of(&self, name: &str) -> Option<usize> {
        self.find(name).map(|endpoint| self.addresses.node(endpoint).index())
    }

    fn node(&self, name: &str) -> Option<usize> {
        self.node_indices.get(name).copied()
    }
}
