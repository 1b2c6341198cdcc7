//! Myrinet: source-routed wormhole crossbar switches.
//!
//! Datasheet (Yocum et al. 1997, §2 and §3.5): full-duplex links of one rate in each direction;
//! a packet takes every link of its route, in order, before its bytes flow, and holds them until
//! its last byte has left; back-pressure stops the sender when the receiver takes no bytes, except
//! for the little that links and switches hold (`slack`); a packet that holds its path, or the part of
//! it that it has, longer than `watchdog` is dropped when it next moves, and its path freed. Switch
//! latency is per switch, cut-through.
//! It leaves out byte-level slack per hop, cable length, and bit errors.

mod circle;
mod path;
mod routes;
pub mod spec;
mod stream_ports;

pub use circle::{Circle, circle};
use path::Path;
pub use routes::{RouteError, routes};
pub use stream_ports::{MyrinetRx, MyrinetTx};

use super::packet::Packet;
use super::port::{Dropped, LinkUse, Piece};
use super::wire::Wire;
use crate::engine::sim::{NO_TASK, TaskId};
use crate::engine::{Bytes, Mailbox, NodeId, Pool, Rate, Sim, Time};
use crate::text::Parameters;
use std::cell::Cell;
use std::rc::Rc;

/// The parameters of a Myrinet.
#[derive(Clone, PartialEq, Eq, Debug, Parameters)]
#[param(check = MyrinetParameters::check)]
pub struct MyrinetParameters {
    /// Links, each as `"node - switch"`; by default one switch joins all nodes.
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
    /// What links and switches hold while the receiver takes nothing.
    ///
    /// Of a whole path.
    #[param(meaning = Capacity)]
    pub slack: Bytes,
    /// What moves at once in the model.
    #[param(min = "4 B", max = "4 KiB", meaning = Granularity)]
    pub flit: Bytes,
    /// How long a packet may hold its path.
    #[param(min = "1 us", max = "1000 s", meaning = Timeout)]
    pub watchdog: Time,
}

impl MyrinetParameters {
    /// Returns the links, each between two of the nodes or switches; where none are described, from each of `nodes`
    /// to the first switch.
    pub fn links_between(&self, nodes: &[String]) -> Vec<(String, String)> {
        match (&self.links, self.switches.first()) {
            (Some(links), _) => links.iter().filter_map(|link| ends(link)).collect(),
            (None, Some(switch)) => nodes.iter().map(|node| (node.clone(), switch.clone())).collect(),
            (None, None) => Vec::new(),
        }
    }

    fn check(&self) -> Vec<(String, String, &'static str)> {
        let Some(links) = &self.links else {
            let help = "name one, or say with `links` what joins them";
            let none = self.switches.is_empty();
            return none
                .then(|| ("switches".to_owned(), "no switch joins the nodes".to_owned(), help))
                .into_iter()
                .collect();
        };
        let help = "a link is written as \"node - switch\", with a space on either side of the dash";
        let wrong = links.iter().enumerate().filter(|(_, link)| ends(link).is_none());
        wrong.map(|(number, link)| (format!("links.{number}"), format!("`{link}` is not a link"), help)).collect()
    }
}

/// The two ends of `"a - b"`.
fn ends(link: &str) -> Option<(String, String)> {
    let (from, to) = link.split_once(" - ")?;
    Some((from.trim().to_owned(), to.trim().to_owned()))
}

/// One direction of a link, held by a packet at a time.
struct Link {
    free: Pool,
    wire: Wire,
}

/// Where a node meets the fabric, as the fabric sees it.
struct Port {
    name: String,
    arrivals: Mailbox<Piece>,
    slack: Pool,
}

/// A Myrinet.
pub struct Myrinet {
    sim: Sim,
    parameters: MyrinetParameters,
    links: Vec<Link>,
    routes: Vec<Vec<Vec<usize>>>,
    ports: Vec<Port>,
    packets_dropped: Cell<u64>,
    packets_delivered: Cell<u64>,
}

impl Myrinet {
    /// The fabric that joins `nodes`; the description was checked.
    pub fn new(sim: &Sim, parameters: MyrinetParameters, nodes: &[String]) -> Result<Rc<Myrinet>, RouteError> {
        let (names, routes) = routes(nodes, &parameters.switches, &parameters.links_between(nodes))?;
        let links = names.into_iter().map(|name| Link::new(sim, name)).collect();
        let hops = routes.iter().flatten().map(Vec::len).max().unwrap_or(1) as u64;
        let ports = nodes.iter().map(|node| Port::new(sim, node, &parameters, hops)).collect();
        let (packets_dropped, packets_delivered) = Default::default();
        Ok(Rc::new(Myrinet { sim: sim.clone(), parameters, links, routes, ports, packets_dropped, packets_delivered }))
    }

    /// Waits for the next arrival at `node`.
    pub async fn arrival(&self, node: NodeId) -> Piece {
        self.ports[node.index()].arrivals.receive().await
    }

    /// States which task takes what arrives at `node`, for the report of a deadlock.
    pub fn set_receiver(&self, node: NodeId, task: TaskId) {
        self.sim.set_holder(self.ports[node.index()].slack.point(), task);
    }

    /// Returns the credit of `bytes` that `node` has taken to the path.
    pub fn return_credit(&self, node: NodeId, bytes: Bytes) {
        self.ports[node.index()].slack.release(bytes.get());
    }

    /// Takes the path of `packet`, link by link, and returns when it holds them all. The head's way
    /// through the switches is not waited for: every byte arrives that much later.
    async fn open(self: &Rc<Self>, packet: Rc<Packet>) -> Result<Path, Dropped> {
        Path::open(self.clone(), packet).await
    }

    /// How many packets the watchdog dropped.
    pub fn packets_dropped(&self) -> u64 {
        self.packets_dropped.get()
    }

    /// How many packets left the fabric whole.
    pub fn packets_delivered(&self) -> u64 {
        self.packets_delivered.get()
    }

    /// For each link and direction its name, how long packets held it, and how long it moved bytes.
    pub fn link_use(&self) -> Vec<LinkUse> {
        self.links.iter().map(|link| link.wire.used()).collect()
    }
}

impl Link {
    fn new(sim: &Sim, name: String) -> Link {
        let free = Pool::new(sim, format!("link {name}"), 1);
        Link { free, wire: Wire::new(sim, name) }
    }

    /// The current task holds it from now on, and is told of as its holder.
    fn taken(&self, sim: &Sim) {
        self.wire.take();
        sim.set_holder(self.free.point(), sim.current());
    }

    fn let_go(&self, sim: &Sim, packet: &Packet) {
        self.wire.let_go(packet);
        sim.set_holder(self.free.point(), NO_TASK);
        self.free.release(1);
    }
}

impl Port {
    /// The window that lets a path run at its rate: what is under way both ways, and the slack.
    fn new(sim: &Sim, node: &str, parameters: &MyrinetParameters, hops: u64) -> Port {
        let round_trip = parameters.switch_latency * (2 * hops);
        let window = parameters.slack + parameters.link_rate.bytes_in(round_trip) + parameters.flit;
        Port {
            name: node.to_owned(),
            arrivals: Mailbox::new(sim, format!("a packet at {node}")),
            slack: Pool::new(sim, format!("room in the receiver of {node}"), window.get()),
        }
    }
}
