//! How programs talk, whatever the interface: one endpoint a node.
//!
//! | file or folder | holds |
//! |---|---|
//! | `endpoint.rs` | a node's end, over any driver |
//! | `messages.rs`, `fragment.rs` | messages with payloads in memory, in packets of limited size |
//! | `active/` | active messages, transfers and barriers |
//! | `parameters.rs` | what messaging costs: one table |

// A simulation lives in one thread, so its futures need not be `Send`.
#![allow(async_fn_in_trait)]

pub mod active;
mod endpoint;
pub mod fragment;
mod messages;
mod parameters;

pub use endpoint::Endpoint;
pub use messages::{Incoming, Outgoing};
pub use parameters::{ActiveParameters, MessagingParameters};

use crate::engine::{Bytes, Doing, Hertz, NodeId, Sim, Tally};
use crate::fabric::routed::links::{Links, Spans};
use crate::fabric::router::{Crossing, Network};
use crate::fabric::topology::Routing;
use crate::fabric::{Fabric, LinkUse};
use active::{Active, Barrier};
use std::cell::{OnceCell, RefCell};
use std::rc::Rc;
use std::sync::Arc;

/// A node as programs see it.
#[derive(Clone)]
pub struct Node {
    /// Its number.
    pub id: NodeId,
    /// Its name.
    pub name: String,
    /// Its ways to the others; the first is that of its interface.
    pub endpoints: Vec<Rc<Endpoint>>,
}

impl Node {
    /// Its way to the others by its interface.
    pub fn endpoint(&self) -> &Rc<Endpoint> {
        &self.endpoints[0]
    }
}

/// What programs run in: the nodes, and the messages' fates.
#[derive(Clone)]
pub struct World {
    /// The simulation.
    pub sim: Sim,
    /// The nodes.
    pub nodes: Rc<Vec<Node>>,
    /// What joins them; none where a workload drives the routers alone.
    pub fabric: Option<Fabric>,
    /// What became of the messages.
    pub tally: Rc<Tally>,
    /// The nodes' ends of active messages, once a program uses them.
    pub actives: Rc<OnceCell<Vec<Rc<Active>>>>,
    /// The seed of every random stream.
    pub seed: u64,
    /// The routers, for a workload that drives them alone.
    pub alone: Option<Rc<Alone>>,
}

/// A routed fabric without anything at its ends.
pub struct Alone {
    /// The routers.
    pub network: RefCell<Network>,
    /// How fast its links are, and their names.
    pub links: Links,
    /// The spans of its links.
    pub spans: RefCell<Spans>,
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

impl Alone {
    /// What spans tell of a packet, which is known by how many were offered before it.
    pub fn doing(&self, crossing: &Crossing) -> Doing {
        let bytes = Bytes(u64::from(crossing.flits) * u64::from(self.links.flit_bytes()));
        Doing { what: "packet", message: Some(crossing.number), bytes }
    }
}

impl World {
    /// How each link was used.
    pub fn links(&self) -> Vec<LinkUse> {
        match (&self.fabric, &self.alone) {
            (Some(fabric), _) => fabric.links(),
            (None, Some(alone)) => alone.links.used(&alone.network.borrow()),
            (None, None) => Vec::new(),
        }
    }

    /// The number of the node called `name`; the description was checked.
    pub fn id(&self, name: &str) -> NodeId {
        let at = self.nodes.iter().position(|node| node.name == name);
        NodeId(at.expect("a checked description names its nodes") as u32)
    }

    /// The nodes' ends of active messages, which meet in one barrier.
    pub fn actives(&self) -> &[Rc<Active>] {
        self.actives.get_or_init(|| {
            let barrier = Rc::<Barrier>::default();
            self.nodes.iter().map(|node| Active::new(node.endpoint(), &barrier)).collect()
        })
    }

    /// The node of this number.
    pub fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id.index()]
    }
}
