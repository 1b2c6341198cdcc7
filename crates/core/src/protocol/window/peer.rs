//! The peer of a window: a node, and a connection to it.

use crate::engine::{FlowKey, NodeId};
use std::fmt;

/// A connection to a node. Each connection has its own windows, sequence numbers and timers.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Peer {
    /// The node.
    pub node: NodeId,
    /// The connection.
    pub flow: FlowKey,
}

impl Peer {
    /// Returns all connections to `node`, as a range of keys.
    pub(super) fn all_of(node: NodeId) -> std::ops::RangeInclusive<Peer> {
        Peer { node, flow: FlowKey(0) }..=Peer { node, flow: FlowKey(u32::MAX) }
    }
}

impl From<NodeId> for Peer {
    /// Returns connection 0 to `node`, which is the only connection unless packets name another.
    fn from(node: NodeId) -> Peer {
        Peer { node, flow: FlowKey(0) }
    }
}

impl fmt::Display for Peer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.flow {
            FlowKey(0) => write!(f, "{}", self.node),
            FlowKey(flow) => write!(f, "flow {flow} of {}", self.node),
        }
    }
}
