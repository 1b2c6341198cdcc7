//! The address of every packet: a node, a logical network, and a protocol header, which the fabric does not interpret.

use std::fmt;

/// A node's number, which programs, interfaces and fabrics share.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct NodeId(pub u32);

impl NodeId {
    /// Returns the node's index among all nodes.
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// Returns the nodes of a machine with this number of nodes.
    pub fn all(nodes: usize) -> impl Iterator<Item = NodeId> {
        (0..nodes as u32).map(NodeId)
    }
}

impl fmt::Display for NodeId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "node {}", self.0)
    }
}

/// The number of a logical network. Packets of different classes share links, but never wait for each other's buffers.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Class(pub u8);

impl Class {
    /// The network of requests.
    pub const REQUESTS: Class = Class(0);
    /// The network of replies, if there are two.
    pub const REPLIES: Class = Class(1);

    /// Returns the class's index among all classes.
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// Returns the classes of a fabric with this number of classes.
    pub fn all(classes: u8) -> impl DoubleEndedIterator<Item = Class> {
        (0..classes).map(Class)
    }
}

/// The number of a connection between two nodes, if the protocol distinguishes several; 0 otherwise.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct FlowKey(pub u32);

/// The header of the protocol, sixteen bytes, which only the sending and the receiving interface interpret.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Head(pub [u64; 2]);

/// Marks that a sender and the switches of a fabric write on a packet, in addition to its addresses and header.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[non_exhaustive]
pub struct PacketMarks {
    /// Whether a switch saw congestion.
    pub congestion: bool,
    /// Whether a switch cut the payload.
    pub trimmed: bool,
    /// Priority in the queues of switches, which the sender sets.
    pub priority: u8,
    /// Value by which switches choose among equal ports, which the sender sets.
    pub entropy: u16,
}
