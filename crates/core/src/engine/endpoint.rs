//! Endpoints, by which programs address one another, and the nodes that they are on.
//!
//! Endpoints are numbered from 0, node by node, so that if every node has one endpoint, an endpoint's number is its
//! node's. The fabric knows only nodes; code that writes or reads headers converts between the two here.

use super::node::NodeId;
use std::fmt;

/// An endpoint's number.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct EndpointId(pub u32);

impl EndpointId {
    /// Returns the endpoint's index among all endpoints.
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

impl fmt::Display for EndpointId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "endpoint {}", self.0)
    }
}

/// Map from endpoints to the nodes that they are on.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct EndpointMap {
    /// The node of each endpoint.
    nodes: Vec<NodeId>,
    /// The first endpoint of each node, followed by the number of endpoints.
    first_endpoints: Vec<u32>,
}

impl EndpointMap {
    /// Creates the map of a machine whose nodes have `endpoint_counts` endpoints, in the order of the nodes.
    pub fn new(endpoint_counts: impl IntoIterator<Item = u32>) -> EndpointMap {
        let (mut nodes, mut first_endpoints) = (Vec::new(), vec![0]);
        for (node, count) in endpoint_counts.into_iter().enumerate() {
            nodes.extend((0..count).map(|_| NodeId(node as u32)));
            first_endpoints.push(nodes.len() as u32);
        }
        EndpointMap { nodes, first_endpoints }
    }

    /// Returns the number of endpoints.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Returns the number of nodes.
    pub fn nodes(&self) -> usize {
        self.first_endpoints.len() - 1
    }

    /// Returns the largest number of endpoints on one node.
    pub fn endpoints_per_node_max(&self) -> u32 {
        (0..self.nodes() as u32).map(|node| self.endpoint_count(NodeId(node))).max().unwrap_or(0)
    }

    /// Returns whether there are no endpoints.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// Returns the node of an endpoint.
    #[inline]
    pub fn node(&self, endpoint: EndpointId) -> NodeId {
        self.nodes[endpoint.index()]
    }

    /// Returns an endpoint's index among those of its node.
    #[inline]
    pub fn index_on_node(&self, endpoint: EndpointId) -> u32 {
        endpoint.0 - self.first_endpoints[self.node(endpoint).index()]
    }

    /// Returns the endpoint with the index `index` on `node`.
    #[inline]
    pub fn endpoint(&self, node: NodeId, index: u32) -> EndpointId {
        EndpointId(self.first_endpoints[node.index()] + index)
    }

    /// Returns the number of endpoints of a node.
    pub fn endpoint_count(&self, node: NodeId) -> u32 {
        self.first_endpoints[node.index() + 1] - self.first_endpoints[node.index()]
    }

    /// Returns the endpoints of a node.
    pub fn endpoints_of(&self, node: NodeId) -> impl Iterator<Item = EndpointId> + use<> {
        (self.first_endpoints[node.index()]..self.first_endpoints[node.index() + 1]).map(EndpointId)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn endpoints_are_numbered_node_by_node() {
        let endpoint_map = EndpointMap::new([1, 3, 2]);
        assert_eq!(endpoint_map.len(), 6);
        let positions = (0..6)
            .map(EndpointId)
            .map(|endpoint| (endpoint_map.node(endpoint).0, endpoint_map.index_on_node(endpoint)));
        assert_eq!(positions.collect::<Vec<_>>(), [(0, 0), (1, 0), (1, 1), (1, 2), (2, 0), (2, 1)]);
        assert_eq!(endpoint_map.endpoints_of(NodeId(1)).collect::<Vec<_>>(), [1, 2, 3].map(EndpointId));
        assert_eq!((endpoint_map.endpoint(NodeId(2), 1), endpoint_map.endpoint_count(NodeId(2))), (EndpointId(5), 2));
    }
}
