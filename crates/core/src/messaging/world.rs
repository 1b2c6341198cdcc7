//! The world of a workload: the nodes and their endpoints, the fabric, and the counts of messages.

use super::active::{ActiveEndpoint, Barrier};
use super::endpoint::Endpoint;
use super::shared::SharedMemoryParameters;
use crate::engine::{EndpointId, EndpointMap, MessageTally, NodeId, Sim};
use crate::fabric::routed::FabricOnly;
use crate::fabric::{Fabric, LinkUse};
use std::cell::OnceCell;
use std::collections::HashMap;
use std::rc::Rc;

/// A node as programs see it.
#[derive(Clone)]
pub struct Node {
    /// The node's number.
    pub id: NodeId,
    /// The node's name.
    pub name: String,
    /// The endpoints of its programs, which share its interface.
    pub endpoints: Vec<Rc<Endpoint>>,
}

impl Node {
    /// Returns the first endpoint of the node.
    pub fn endpoint(&self) -> &Rc<Endpoint> {
        &self.endpoints[0]
    }
}

/// The world in which a workload runs.
#[derive(Clone)]
pub struct World {
    /// The simulation.
    pub sim: Sim,
    /// The nodes.
    pub nodes: Rc<Vec<Node>>,
    /// The node of each endpoint.
    pub endpoint_map: Rc<EndpointMap>,
    /// The fabric that joins the nodes; `None` if a workload drives the routers without nodes.
    pub fabric: Option<Fabric>,
    /// The counts of messages, and where the time of each message was spent ([`Ledger`](crate::engine::Ledger)).
    pub tally: Rc<MessageTally>,
    /// The endpoints of active messages, once a program uses them.
    pub active_endpoints: Rc<OnceCell<Vec<Rc<ActiveEndpoint>>>>,
    /// The numbers of endpoints by name, once a program has asked for one.
    pub endpoint_ids: Rc<OnceCell<HashMap<String, EndpointId>>>,
    /// Costs of shared memory.
    pub shared_memory: SharedMemoryParameters,
    /// The seed of every random stream.
    pub seed: u64,
    /// The routers, for a workload that drives them without nodes.
    pub fabric_only: Option<Rc<FabricOnly>>,
}

impl World {
    /// Returns the usage of each link.
    pub fn links(&self) -> Vec<LinkUse> {
        match (&self.fabric, &self.fabric_only) {
            (Some(fabric), _) => fabric.links(),
            (None, Some(fabric)) => fabric.links(),
            (None, None) => Vec::new(),
        }
    }

    /// Returns the number of the endpoint called `name`, or of the first endpoint of the node called `name`.
    ///
    /// # Panics
    ///
    /// Panics if there is no such endpoint or node, which a checked description excludes.
    pub fn id(&self, name: &str) -> EndpointId {
        let ids_by_name = self.endpoint_ids.get_or_init(|| {
            let first_endpoints = self.nodes.iter().map(|node| (node.name.clone(), node.endpoint().id()));
            let all_endpoints = self.endpoints().map(|endpoint| (endpoint.name().to_owned(), endpoint.id()));
            first_endpoints.chain(all_endpoints).collect()
        });
        *ids_by_name.get(name).expect("a checked description names its endpoints")
    }

    /// Returns all endpoints, in the order of their numbers.
    pub fn endpoints(&self) -> impl Iterator<Item = &Rc<Endpoint>> {
        self.nodes.iter().flat_map(|node| &node.endpoints)
    }

    /// Returns the endpoint with the number `id`.
    pub fn endpoint(&self, id: EndpointId) -> &Rc<Endpoint> {
        &self.node(self.endpoint_map.node(id)).endpoints[self.endpoint_map.index_on_node(id) as usize]
    }

    /// Returns the endpoints of active messages, which share one barrier.
    pub fn active_endpoints(&self) -> &[Rc<ActiveEndpoint>] {
        self.active_endpoints.get_or_init(|| {
            let barrier = Rc::<Barrier>::default();
            self.endpoints().map(|endpoint| ActiveEndpoint::new(endpoint, &barrier)).collect()
        })
    }

    /// Returns the node with the number `id`.
    pub fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id.index()]
    }
}
