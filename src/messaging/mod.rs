//! How programs talk, whatever the interface: one endpoint a node.
//!
//! A program sends a payload that lies in host memory, with a few words beside it, and receives
//! the like. What an interface makes of it (rings, DMA, copies) is the interface's driver.

mod endpoint;
pub mod fragment;
pub mod polled;

pub use endpoint::{Endpoint, Incoming, Outgoing};

use crate::engine::{NodeId, Sim, Tally};
use std::rc::Rc;

/// A node as programs see it.
#[derive(Clone)]
pub struct Node {
    /// Its number.
    pub id: NodeId,
    /// Its name.
    pub name: String,
    /// Its way to the others.
    pub endpoint: Endpoint,
}

/// What programs run in: the nodes, and the messages' fates.
#[derive(Clone)]
pub struct World {
    /// The simulation.
    pub sim: Sim,
    /// The nodes.
    pub nodes: Rc<Vec<Node>>,
    /// What became of the messages.
    pub tally: Rc<Tally>,
    /// The seed of every random stream.
    pub seed: u64,
}

impl World {
    /// The number of the node called `name`; the description was checked.
    pub fn id(&self, name: &str) -> NodeId {
        self.nodes.iter().position(|node| node.name == name).expect("a checked description names its nodes")
    }

    /// The node of this number.
    pub fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id]
    }
}
