//! What every packet is addressed by: a node, a logical network, and a head that travels unread.

use std::fmt;

/// A node's number: one type from program to wire.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct NodeId(pub u32);

impl NodeId {
    /// The node's place in a row of all nodes.
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// The nodes of a machine of so many.
    pub fn all(nodes: usize) -> impl Iterator<Item = NodeId> {
        (0..nodes as u32).map(NodeId)
    }
}

impl fmt::Display for NodeId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "node {}", self.0)
    }
}

/// A logical network: packets of one never wait for those of another but on shared links.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Class(pub u8);

impl Class {
    /// What programs ask by.
    pub const REQUESTS: Class = Class(0);
    /// What answers travel by, where there are two.
    pub const REPLIES: Class = Class(1);

    /// The class's place in a row of all classes.
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// The classes of a fabric with so many.
    pub fn all(classes: u8) -> impl DoubleEndedIterator<Item = Class> {
        (0..classes).map(Class)
    }
}

/// A connection between two nodes, among those that one protocol keeps apart; 0 where there is only one.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct FlowKey(pub u32);

/// Sixteen bytes that belong to the protocol of the two ends; whatever carries them does not read
/// them.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Head(pub [u64; 2]);
