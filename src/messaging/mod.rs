//! How programs talk, whatever the interface: by endpoints, one of each program.
//!
//! | file or folder | holds |
//! |---|---|
//! | `endpoint.rs` | a program's end, over any driver |
//! | `near.rs`, `beside.rs` | several of them on one node, and how they send to one another |
//! | `messages.rs`, `fragment.rs` | messages with payloads in memory, in packets of limited size |
//! | `active/` | active messages, transfers and barriers |
//! | `shared/` | shared memory by software handlers over active messages |
//! | `parameters.rs` | what messaging costs: one table |

// A simulation lives in one thread, so its futures need not be `Send`.
#![allow(async_fn_in_trait)]

pub mod active;
mod beside;
mod endpoint;
pub mod fragment;
mod messages;
mod near;
mod parameters;
pub mod shared;

pub use beside::SLOTS;
pub use endpoint::Endpoint;
pub use messages::{Incoming, Outgoing};
pub use parameters::{ActiveParameters, MessagingParameters};

use crate::engine::{Addresses, EndId, MessageTally, NodeId, Sim};
use crate::fabric::routed::FabricOnly;
use crate::fabric::{Fabric, LinkUse};
use active::{Active, Barrier};
use shared::SharedMemoryParameters;
use std::cell::OnceCell;
use std::rc::Rc;

/// A node as programs see it.
#[derive(Clone)]
pub struct Node {
    /// Its number.
    pub id: NodeId,
    /// Its name.
    pub name: String,
    /// Its programs' ways to the others, which share its interface.
    pub endpoints: Vec<Rc<Endpoint>>,
}

impl Node {
    /// The first of its programs' ways to the others.
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
    /// Which node each endpoint is on.
    pub addresses: Rc<Addresses>,
    /// What joins them; none where a workload drives the routers alone.
    pub fabric: Option<Fabric>,
    /// What became of the messages.
    pub tally: Rc<MessageTally>,
    /// The endpoints of active messages, once a program uses them.
    pub actives: Rc<OnceCell<Vec<Rc<Active>>>>,
    /// What it costs to share memory.
    pub shared_memory: SharedMemoryParameters,
    /// The seed of every random stream.
    pub seed: u64,
    /// The routers, for a workload that drives them without nodes.
    pub fabric_only: Option<Rc<FabricOnly>>,
}

impl World {
    /// How each link was used.
    pub fn links(&self) -> Vec<LinkUse> {
        match (&self.fabric, &self.fabric_only) {
            (Some(fabric), _) => fabric.links(),
            (None, Some(fabric)) => fabric.links(),
            (None, None) => Vec::new(),
        }
    }

    /// The number of the endpoint called `name`, or of the first of the node called so; the description was
    /// checked.
    pub fn id(&self, name: &str) -> EndId {
        let first = || self.nodes.iter().find(|node| node.name == name).map(Node::endpoint);
        let found = self.ends().find(|end| end.name() == name).or_else(first);
        found.expect("a checked description names its endpoints").id()
    }

    /// All endpoints, in the order of their numbers.
    pub fn ends(&self) -> impl Iterator<Item = &Rc<Endpoint>> {
        self.nodes.iter().flat_map(|node| &node.endpoints)
    }

    /// The endpoint of this number.
    pub fn end(&self, id: EndId) -> &Rc<Endpoint> {
        &self.node(self.addresses.node(id)).endpoints[self.addresses.place(id) as usize]
    }

    /// The ends of active messages, which meet in one barrier.
    pub fn actives(&self) -> &[Rc<Active>] {
        self.actives.get_or_init(|| {
            let barrier = Rc::<Barrier>::default();
            self.ends().map(|end| Active::new(end, &barrier)).collect()
        })
    }

    /// The node of this number.
    pub fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id.index()]
    }
}
