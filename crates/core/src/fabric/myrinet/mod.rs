//! Myrinet: source-routed wormhole crossbar switches.
//!
//! The module models full-duplex links of one rate in each direction (Yocum et al. 1997, §2 and §3.5). A packet takes
//! every link of its route, in order, before its bytes flow, and holds the links until its last byte has left.
//! Back-pressure stops the sender when the receiver takes no bytes, except for the bytes that links and switches buffer
//! (`slack`). A packet that holds its path, or a part of it, for longer than `watchdog` is dropped at its next move,
//! and its path is freed. Each switch adds its latency; switching is cut-through.
//!
//! The module does not model byte-level slack of each hop, cable length, or bit errors.

mod dependency_cycle;
mod path;
mod routes;
pub mod spec;
mod stream_ports;

pub use dependency_cycle::{DependencyCycle, dependency_cycle};
use path::Path;
pub use routes::{RouteError, routes};
pub use stream_ports::{MyrinetRx, MyrinetTx};

use super::link_statistics::LinkStatistics;
use super::packet::Packet;
use super::port::{LinkUse, PacketDropped, Piece};
use crate::engine::sim::{NO_TASK, TaskId};
use crate::engine::{Bytes, Mailbox, NodeId, Pool, Rate, Sim, Time};
use crate::text::Parameters;
use std::cell::Cell;
use std::rc::Rc;

/// The parameters of a Myrinet.
#[derive(Clone, PartialEq, Eq, Debug, Parameters)]
#[param(check = MyrinetParameters::check)]
pub struct MyrinetParameters {
    /// Links, each as `"node - switch"`. By default one switch joins all nodes.
    pub links: Option<Vec<String>>,
    /// Names of the switches.
    #[param(default = ["switch"])]
    pub switches: Vec<String>,
    /// Rate of a link in each direction.
    #[param(resource = "link")]
    pub link_rate: Rate,
    /// Latency of a packet's head through a switch.
    #[param(max = "1 s", resource = "switch")]
    pub switch_latency: Time,
    /// Bytes that the links and switches of a path buffer while the receiver takes none.
    #[param(meaning = Capacity)]
    pub slack: Bytes,
    /// Bytes that move as a unit in the model.
    #[param(min = "4 B", max = "4 KiB", meaning = Granularity)]
    pub flit: Bytes,
    /// Time for which a packet may hold its path.
    #[param(min = "1 us", max = "1000 s", meaning = Timeout)]
    pub watchdog: Time,
}

impl MyrinetParameters {
    /// Returns the links, each between two of the nodes or switches; if the description lists none, a link from each of
    /// `nodes` to the first switch.
    pub fn links_between(&self, nodes: &[String]) -> Vec<(String, String)> {
        match (&self.links, self.switches.first()) {
            (Some(links), _) => links.iter().filter_map(|link| link_ends(link)).collect(),
            (None, Some(switch)) => nodes.iter().map(|node| (node.clone(), switch.clone())).collect(),
            (None, None) => Vec::new(),
        }
    }

    fn check(&self) -> Vec<(String, String, &'static str)> {
        let Some(links) = &self.links else {
            let help = "name a switch, or list `links`";
            let has_no_switch = self.switches.is_empty();
            return has_no_switch
                .then(|| ("switches".to_owned(), "there is no switch between the nodes".to_owned(), help))
                .into_iter()
                .collect();
        };
        let help = "a link is written as \"node - switch\", with a space on either side of the dash";
        let invalid = links.iter().enumerate().filter(|(_, link)| link_ends(link).is_none());
        invalid.map(|(index, link)| (format!("links.{index}"), format!("`{link}` is not a link"), help)).collect()
    }
}

/// Returns the two ends of a link that is written as `"a - b"`; `None` if the text has no dash between spaces.
fn link_ends(link: &str) -> Option<(String, String)> {
    let (from, to) = link.split_once(" - ")?;
    Some((from.trim().to_owned(), to.trim().to_owned()))
}

/// One direction of a link, which one packet at a time holds.
struct Link {
    /// Pool of one unit, which the packet that holds the link has acquired.
    occupancy: Pool,
    statistics: LinkStatistics,
}

/// The fabric's state for one node: arriving bytes, and the credits of the path that leads to the node.
struct Port {
    name: String,
    arrivals: Mailbox<Piece>,
    credits: Pool,
}

/// A Myrinet.
pub struct Myrinet {
    sim: Sim,
    parameters: MyrinetParameters,
    links: Vec<Link>,
    /// Links of the route from each node to each node.
    routes: Vec<Vec<Vec<usize>>>,
    ports: Vec<Port>,
    packets_dropped: Cell<u64>,
    packets_delivered: Cell<u64>,
}

impl Myrinet {
    /// Creates the fabric that joins `nodes`.
    ///
    /// # Errors
    ///
    /// Returns an error if there is no route between two of the nodes.
    pub fn new(sim: &Sim, parameters: MyrinetParameters, nodes: &[String]) -> Result<Rc<Myrinet>, RouteError> {
        let (link_names, routes) = routes(nodes, &parameters.switches, &parameters.links_between(nodes))?;
        let links = link_names.into_iter().map(|name| Link::new(sim, name)).collect();
        let hops_max = routes.iter().flatten().map(Vec::len).max().unwrap_or(1) as u64;
        let ports = nodes.iter().map(|node| Port::new(sim, node, &parameters, hops_max)).collect();
        let (packets_dropped, packets_delivered) = Default::default();
        Ok(Rc::new(Myrinet { sim: sim.clone(), parameters, links, routes, ports, packets_dropped, packets_delivered }))
    }

    /// Waits for the next arrival at `node`.
    pub async fn arrival(&self, node: NodeId) -> Piece {
        self.ports[node.index()].arrivals.receive().await
    }

    /// Sets the task that takes arriving bytes at `node`, which the report of a deadlock names.
    pub fn set_receiver(&self, node: NodeId, task: TaskId) {
        self.sim.set_holder(self.ports[node.index()].credits.wait_reason(), task);
    }

    /// Returns the credits of `bytes` that `node` has taken.
    pub fn return_credit(&self, node: NodeId, bytes: Bytes) {
        self.ports[node.index()].credits.release(bytes.get());
    }

    /// Takes the path of `packet`, link by link, and returns when the packet holds all links. The function does not
    /// wait for the latency of the switches; every byte arrives later by that latency instead.
    async fn open(self: &Rc<Self>, packet: Rc<Packet>) -> Result<Path, PacketDropped> {
        Path::open(self.clone(), packet).await
    }

    /// Returns the number of packets that the watchdog dropped.
    pub fn packets_dropped(&self) -> u64 {
        self.packets_dropped.get()
    }

    /// Returns the number of packets that left the fabric completely.
    pub fn packets_delivered(&self) -> u64 {
        self.packets_delivered.get()
    }

    /// Returns the use of each link and direction.
    pub fn link_use(&self) -> Vec<LinkUse> {
        self.links.iter().map(|link| link.statistics.link_use()).collect()
    }
}

impl Link {
    fn new(sim: &Sim, name: String) -> Link {
        let occupancy = Pool::new(sim, format!("link {name}"), 1);
        Link { occupancy, statistics: LinkStatistics::new(sim, name) }
    }

    /// Records that the current task holds the link from now on.
    fn record_hold(&self, sim: &Sim) {
        self.statistics.hold();
        sim.set_holder(self.occupancy.wait_reason(), sim.current());
    }

    fn release(&self, sim: &Sim, packet: &Packet) {
        self.statistics.release(packet);
        sim.set_holder(self.occupancy.wait_reason(), NO_TASK);
        self.occupancy.release(1);
    }
}

impl Port {
    /// Creates the port of `node`. Its credits let a path run at the link's rate: the bytes in flight during a round
    /// trip of `hops` switches, one flit, and the slack.
    fn new(sim: &Sim, node: &str, parameters: &MyrinetParameters, hops: u64) -> Port {
        let round_trip = parameters.switch_latency * (2 * hops);
        let window = parameters.slack + parameters.link_rate.bytes_in(round_trip) + parameters.flit;
        Port {
            name: node.to_owned(),
            arrivals: Mailbox::new(sim, format!("a packet at {node}")),
            credits: Pool::new(sim, format!("credits of the receiver of {node}"), window.get()),
        }
    }
}
