//! What can be told of a shape before time 0: its measures, and whether its packets can wait in a circle.
//!
//! | file | finds |
//! |---|---|
//! | `mod.rs` | the survey, and how it is told |
//! | `links.rs` | inputs and outputs of all routers by number |
//! | `hops.rs` | router hops between nodes, over the fewest links |
//! | `cut.rs` | the links between the halves of the nodes |
//! | `follow.rs` | every state of the packets to a node, by asking the rule |
//! | `wait.rs` | which channel waits for which, escapes considered |
//! | `circle.rs` | a circle of waits |
//!
//! Up to [`ALL_PAIRS_NODES`] nodes all pairs are followed, above that a sample, always the same, and
//! the survey says so. Leaves out: the least bisection of all (nodes are halved by number), circles
//! through interfaces, livelock.

pub mod circle;
mod cut;
mod follow;
mod hops;
mod links;
mod wait;

#[cfg(test)]
mod tests;

use super::{Shape, Wiring};
use crate::engine::rng::stream;
use links::Links;
use rand::RngExt;
use std::fmt;

/// Up to so many nodes, all pairs are followed.
pub const ALL_PAIRS_NODES: u32 = 1024;
/// How many sources and destinations a sample has.
const SAMPLE: usize = 64;

/// What was found.
#[derive(Clone, PartialEq, Debug)]
pub struct Survey {
    /// The shape's name.
    pub name: String,
    /// How many nodes.
    pub nodes: u32,
    /// How many routers.
    pub routers: u32,
    /// Links between routers, counted each way.
    pub links: u64,
    /// The most links of a router to others.
    pub degree: u32,
    /// The most connected outputs of a router, nodes included.
    pub ports: u32,
    /// The most router hops between two nodes, of those that were measured.
    pub diameter: u32,
    /// Mean router hops between two different nodes.
    pub hops_mean: f64,
    /// The most hops, as the shape's latency formula counts them, of the same nodes.
    pub distance_max: u32,
    /// Mean hops between two different nodes, as the shape's latency formula counts them.
    pub distance_mean: f64,
    /// The fewest links that separate the lower half of the nodes, by number, from the upper, counted each way.
    pub bisection: u64,
    /// Inputs of routers that routers feed.
    pub inputs_from_routers: u64,
    /// Inputs of routers that nodes feed.
    pub inputs_from_nodes: u64,
    /// Virtual channels of a logical network.
    pub virtual_channels: u8,
    /// Whether packets can wait in a circle.
    pub deadlock: Deadlock,
    /// From how many nodes hops were measured.
    pub measured: u32,
    /// Whether two nodes are among them that are as far apart as any.
    pub has_farthest: bool,
    /// How many sources and destinations were followed.
    pub followed: (u32, u32),
}

/// Whether packets can wait in a circle.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Deadlock {
    /// No circle of waits was found; with all pairs followed, there is none.
    Free,
    /// Each of these can wait for the next, and the last for the first.
    Circle(Vec<Channel>),
    /// There are too many channels to escape by.
    NotExamined,
}

/// A virtual channel of an output.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Channel {
    /// The router.
    pub router: u32,
    /// Its output port.
    pub port: u8,
    /// The virtual channel.
    pub channel: u8,
}

/// Surveys a shape with so many virtual channels for each logical network.
pub fn survey(shape: &Shape, virtual_channels: u8) -> Survey {
    let wiring = &shape.wiring;
    let links = Links::new(wiring);
    let some = sample(wiring.nodes());
    let hops = hops::hops(shape, &some);
    // A sample need not hold the nodes that are farthest apart; a regular shape knows them.
    let farthest = shape.routing.farthest().and_then(|pair| hops::between(shape, pair));
    let (most, distance_max) = farthest.unwrap_or_default();
    let (deadlock, followed) = wait::deadlock(shape, &links, virtual_channels, &some);
    Survey {
        name: shape.name.clone(),
        nodes: wiring.nodes(),
        routers: wiring.routers(),
        links: links.count(),
        degree: links.degree(wiring, false),
        ports: links.degree(wiring, true),
        diameter: hops.router_hops.most.max(most),
        hops_mean: hops.router_hops.mean(),
        distance_max: hops.distance.most.max(distance_max),
        distance_mean: hops.distance.mean(),
        bisection: cut::bisection(wiring),
        inputs_from_routers: links.count(),
        inputs_from_nodes: wiring.nodes().into(),
        virtual_channels,
        deadlock,
        measured: some.len() as u32,
        has_farthest: farthest.is_some() || some.len() == wiring.nodes() as usize,
        followed,
    }
}

/// Whether packets can wait in a circle, and nothing else of the survey.
pub fn deadlock(shape: &Shape, virtual_channels: u8) -> Deadlock {
    let some = sample(shape.wiring.nodes());
    wait::deadlock(shape, &Links::new(&shape.wiring), virtual_channels, &some).0
}

/// All nodes, or of many some, in order.
fn sample(nodes: u32) -> Vec<u32> {
    if nodes <= ALL_PAIRS_NODES {
        return (0..nodes).collect();
    }
    let mut random = stream(1, "survey");
    let mut some: Vec<u32> = (0..SAMPLE).map(|_| random.random_range(0..nodes)).collect();
    some.sort_unstable();
    some.dedup();
    some
}

impl Survey {
    /// Inputs of routers, for each node.
    pub fn inputs_per_node(&self) -> f64 {
        (self.inputs_from_routers + self.inputs_from_nodes) as f64 / f64::from(self.nodes)
    }

    /// Whether every pair of nodes was followed.
    pub fn is_complete(&self) -> bool {
        self.followed == (self.nodes, self.nodes)
    }
}

impl fmt::Display for Survey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "{}: {} nodes, {} routers, {} links between them, counted each way",
            self.name, self.nodes, self.routers, self.links
        )?;
        writeln!(f, "degree: {} ({} ports with those of nodes)", self.degree, self.ports)?;
        let sampled = match self.measured == self.nodes {
            true => String::new(),
            false => format!(" (from {} of {} nodes)", self.measured, self.nodes),
        };
        let (least, most) = if self.has_farthest { ("", "at most") } else { ("at least ", "at least") };
        writeln!(f, "diameter: {least}{} router hops, mean {:.2}{sampled}", self.diameter, self.hops_mean)?;
        let (max, mean) = (self.distance_max, self.distance_mean);
        writeln!(f, "distance of the latency formula: {most} {max}, mean {mean:.2}{sampled}")?;
        let bisection = self.bisection;
        writeln!(f, "bisection: {bisection} links between the halves of the nodes by number, counted each way")?;
        writeln!(f, "router inputs for each node: {:.2}", self.inputs_per_node())?;
        writeln!(f, "deadlock: {}", self.deadlock)?;
        let (sources, destinations) = self.followed;
        match self.is_complete() {
            true => write!(f, "followed: every pair of nodes, {} virtual channels", self.virtual_channels),
            false => write!(
                f,
                "followed: a sample, from {sources} to {destinations} of {} nodes, {} virtual channels",
                self.nodes, self.virtual_channels
            ),
        }
    }
}

impl fmt::Display for Deadlock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Deadlock::Free => write!(f, "no circle of waits"),
            Deadlock::NotExamined => write!(f, "not examined: too many channels to escape by"),
            Deadlock::Circle(circle) => {
                let told: Vec<String> = circle.iter().chain(circle.first()).map(Channel::to_string).collect();
                write!(f, "packets can wait in a circle: {}", told.join(" waits for "))
            }
        }
    }
}

impl Channel {
    /// Returns the channel as text, with the router's name where the description names it.
    pub fn with_name(&self, wiring: &Wiring) -> String {
        let Channel { router, port, channel } = *self;
        match wiring.router_name(router) {
            Some(name) => format!("router {name} port {port} channel {channel}"),
            None => self.to_string(),
        }
    }
}

impl fmt::Display for Channel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "router {} port {} channel {}", self.router, self.port, self.channel)
    }
}
