//! How programs talk, whatever the interface: one endpoint a node.
//!
//! A program sends a payload that lies in host memory, with a few words beside it, and receives
//! the like. What an interface makes of it (rings, DMA, copies) is the interface's driver.

pub mod active;
mod endpoint;
pub mod fragment;
pub mod polled;

pub use endpoint::{Endpoint, Incoming, Outgoing};

use crate::engine::{Hertz, NodeId, Sim, Tally};
use crate::fabric::router::Network;
use crate::fabric::topology::Routing;
use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

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
    /// The routers, for a workload that drives them alone.
    pub alone: Option<Rc<Alone>>,
}

/// A routed fabric without anything at its ends.
pub struct Alone {
    /// The routers.
    pub network: RefCell<Network>,
    /// How far apart nodes are.
    pub routing: Arc<dyn Routing>,
    /// Their clock.
    pub clock: Hertz,
    /// How many nodes there are.
    pub nodes: u32,
    /// Cycles from a packet's coming out of the fabric until an interface would have it.
    pub exit_delay: u64,
    /// Whether a packet has arrived only when all of it has: store-and-forward.
    pub whole: bool,
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
