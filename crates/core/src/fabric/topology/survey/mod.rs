//! The survey of a shape before time 0: its degree, diameter and bisection, and whether its packets can deadlock.
//!
//! | file | contents |
//! |---|---|
//! | `mod.rs` | the survey, and its output as text |
//! | `links.rs` | inputs and outputs of all routers by number |
//! | `hops.rs` | router hops between nodes, over the fewest links |
//! | `cut.rs` | the links between the halves of the nodes |
//! | `state_search.rs` | the states of the packets to a node, found by querying the routing rule |
//! | `wait.rs` | the dependencies between channels, with escapes |
//! | `dependency_cycle.rs` | the search for a cycle of dependencies |
//!
//! Up to [`ALL_PAIRS_NODES`] nodes, the survey follows the packets of all pairs. Above that number it follows a sample,
//! which is the same in every run, and its output states this. The module does not search for the least bisection over
//! all divisions of the nodes (nodes are halved by number), for cycles through interfaces, or for livelock.

mod cut;
pub mod dependency_cycle;
mod hops;
mod links;
mod state_search;
mod wait;

#[cfg(test)]
mod tests;

use super::{Shape, Wiring};
use crate::engine::rng::stream;
use links::Links;
use rand::RngExt;
use std::fmt;

/// Largest number of nodes for which all pairs are followed.
pub const ALL_PAIRS_NODES: u32 = 1024;
/// Number of sources and destinations of a sample.
const SAMPLED_NODES: usize = 64;

/// The measures of a shape.
#[derive(Clone, PartialEq, Debug)]
pub struct Survey {
    /// Name of the shape.
    pub name: String,
    /// Number of nodes.
    pub nodes: u32,
    /// Number of routers.
    pub routers: u32,
    /// Number of links between routers, counted in each direction.
    pub links: u64,
    /// Largest number of links from a router to other routers.
    pub degree: u32,
    /// Largest number of connected outputs of a router, including those to nodes.
    pub ports: u32,
    /// Largest number of router hops between two of the measured nodes.
    pub diameter: u32,
    /// Mean router hops between two different nodes.
    pub hops_mean: f64,
    /// Largest number of hops between two of the measured nodes, as the shape's latency formula counts them.
    pub distance_max: u32,
    /// Mean hops between two different nodes, as the shape's latency formula counts them.
    pub distance_mean: f64,
    /// Fewest links that separate the lower half of the nodes, by number, from the upper, counted in each direction.
    pub bisection: u64,
    /// Number of router inputs to which routers lead.
    pub inputs_from_routers: u64,
    /// Number of router inputs to which nodes lead.
    pub inputs_from_nodes: u64,
    /// Number of virtual channels of a logical network.
    pub virtual_channels: u8,
    /// Whether packets can deadlock.
    pub deadlock: Deadlock,
    /// Number of nodes from which hops were measured.
    pub measured_nodes: u32,
    /// Whether the measured pairs include two nodes at the largest distance of the shape.
    pub has_farthest: bool,
    /// Number of sources and number of destinations whose packets were followed.
    pub followed_pairs: (u32, u32),
}

/// The result of the search for a deadlock.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Deadlock {
    /// No cycle of dependencies was found. If all pairs were followed, packets cannot deadlock.
    Free,
    /// A cycle of channels: a packet on each channel can wait for the next one, and a packet on the last for the first.
    Cycle(Vec<Channel>),
    /// The shape has too many escape channels to be searched.
    NotExamined,
}

/// A virtual channel of an output.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Channel {
    /// Router.
    pub router: u32,
    /// Output port of the router.
    pub port: u8,
    /// Virtual channel of the output.
    pub channel: u8,
}

/// Surveys a shape with `virtual_channels` virtual channels for each logical network.
pub fn survey(shape: &Shape, virtual_channels: u8) -> Survey {
    let wiring = &shape.wiring;
    let links = Links::new(wiring);
    let sampled_nodes = sample(wiring.nodes());
    let hops = hops::hops(shape, &sampled_nodes);
    // A sample may lack the nodes that are farthest apart; a regular shape states a pair of such nodes.
    let farthest = shape.routing.farthest().and_then(|pair| hops::links_and_hops(shape, pair));
    let (farthest_hops, distance_max) = farthest.unwrap_or_default();
    let (deadlock, followed_pairs) = wait::deadlock(shape, &links, virtual_channels, &sampled_nodes);
    Survey {
        name: shape.name.clone(),
        nodes: wiring.nodes(),
        routers: wiring.routers(),
        links: links.count(),
        degree: links.degree(wiring, false),
        ports: links.degree(wiring, true),
        diameter: hops.router_hops.max.max(farthest_hops),
        hops_mean: hops.router_hops.mean(),
        distance_max: hops.distance.max.max(distance_max),
        distance_mean: hops.distance.mean(),
        bisection: cut::bisection(wiring),
        inputs_from_routers: links.count(),
        inputs_from_nodes: wiring.nodes().into(),
        virtual_channels,
        deadlock,
        measured_nodes: sampled_nodes.len() as u32,
        has_farthest: farthest.is_some() || sampled_nodes.len() == wiring.nodes() as usize,
        followed_pairs,
    }
}

/// Returns whether packets can deadlock, without the other measures of a survey.
pub fn deadlock(shape: &Shape, virtual_channels: u8) -> Deadlock {
    let sampled_nodes = sample(shape.wiring.nodes());
    wait::deadlock(shape, &Links::new(&shape.wiring), virtual_channels, &sampled_nodes).0
}

/// Returns the nodes to follow, in ascending order: all nodes, or a random sample if there are more than
/// [`ALL_PAIRS_NODES`].
fn sample(nodes: u32) -> Vec<u32> {
    if nodes <= ALL_PAIRS_NODES {
        return (0..nodes).collect();
    }
    let mut random = stream(1, "survey");
    let mut sampled_nodes: Vec<u32> = (0..SAMPLED_NODES).map(|_| random.random_range(0..nodes)).collect();
    sampled_nodes.sort_unstable();
    sampled_nodes.dedup();
    sampled_nodes
}

impl Survey {
    /// Returns the number of router inputs per node.
    pub fn inputs_per_node(&self) -> f64 {
        (self.inputs_from_routers + self.inputs_from_nodes) as f64 / f64::from(self.nodes)
    }

    /// Returns whether every pair of nodes was followed.
    pub fn is_complete(&self) -> bool {
        self.followed_pairs == (self.nodes, self.nodes)
    }
}

impl fmt::Display for Survey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "{}: {} nodes, {} routers, {} links between them, counted each way",
            self.name, self.nodes, self.routers, self.links
        )?;
        writeln!(f, "degree: {} links to other routers ({} ports with those to nodes)", self.degree, self.ports)?;
        let sample_suffix = match self.measured_nodes == self.nodes {
            true => String::new(),
            false => format!(" (from {} of {} nodes)", self.measured_nodes, self.nodes),
        };
        let (diameter_bound, bound) = if self.has_farthest { ("", "at most") } else { ("at least ", "at least") };
        writeln!(
            f,
            "diameter: {diameter_bound}{} router hops, mean {:.2}{sample_suffix}",
            self.diameter, self.hops_mean
        )?;
        let (max, mean) = (self.distance_max, self.distance_mean);
        writeln!(
            f,
            "distance in hops, as the zero-load latency counts them: {bound} {max}, mean {mean:.2}{sample_suffix}"
        )?;
        let bisection = self.bisection;
        writeln!(f, "bisection: {bisection} links between the halves of the nodes by number, counted each way")?;
        writeln!(f, "router inputs per node: {:.2}", self.inputs_per_node())?;
        writeln!(f, "deadlock: {}", self.deadlock)?;
        let (sources, destinations) = self.followed_pairs;
        match self.is_complete() {
            true => write!(f, "examined: all pairs of nodes; virtual channels: {}", self.virtual_channels),
            false => write!(
                f,
                "examined: a sample, from {sources} to {destinations} of {} nodes; virtual channels: {}",
                self.nodes, self.virtual_channels
            ),
        }
    }
}

impl fmt::Display for Deadlock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Deadlock::Free => write!(f, "impossible, because packets cannot wait for one another in a cycle"),
            Deadlock::NotExamined => write!(f, "not examined: packets have too many escape channels"),
            Deadlock::Cycle(cycle) => {
                let channels: Vec<String> = cycle.iter().chain(cycle.first()).map(Channel::to_string).collect();
                write!(f, "possible: packets can wait in a cycle: {}", channels.join(" waits for "))
            }
        }
    }
}

impl Channel {
    /// Returns the channel as text, with the name of its router if the description names it.
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
