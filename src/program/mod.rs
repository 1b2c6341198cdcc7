//! What runs on the simulated processors. Every program checks the bytes it receives.
//!
//! | file | program |
//! |---|---|
//! | `ping_pong.rs` | one message at a time, there and back |
//! | `stream.rs` | messages one way, as fast as possible or paced, over any number of flows |
//! | `page_fetch.rs` | a request, and a page in answer: a fault of network memory |
//! | `dma.rs` | the interface's host DMA alone, with or without a copying processor |
//! | `copy.rs` | a processor that copies blocks |
//! | `ends.rs` | the two nodes of a pair program |
//! | `pattern.rs` | payloads that can be told apart |

pub mod copy;
pub mod dma;
mod ends;
#[cfg(test)]
mod memory_bus;
pub mod page_fetch;
mod pattern;
pub mod ping_pong;
pub mod stream;

pub use ends::Ends;

use crate::engine::stats::Summary;
use crate::engine::{Bytes, Metric, Outcome};
use crate::messaging::World;
use crate::text::Table;
use std::rc::Rc;

/// A workload, by kind.
#[derive(Clone, Debug)]
pub enum Workload {
    /// One message at a time, there and back.
    PingPong(ping_pong::PingPong),
    /// Messages one way.
    Stream(stream::Stream),
    /// Requests and pages.
    PageFetch(page_fetch::PageFetch),
    /// Host DMA alone.
    Dma(dma::DmaTest),
}

/// A workload that was started in a world; asked for its metrics when the run has ended.
pub trait Running {
    /// What it measured.
    fn metrics(&self, world: &World, outcome: &Outcome) -> Vec<Metric>;
}

impl Workload {
    /// Reads the workload from the description's `[workload]`.
    pub fn read(t: &mut Table<'_>) -> Workload {
        let kinds = [
            ("ping-pong", "One message at a time, there and back"),
            ("stream", "Messages one way, as fast as possible or paced"),
            ("page-fetch", "A request, and a page in answer"),
            ("dma", "The interface's host DMA alone"),
        ];
        t.one_of("workload", "What runs on the machine", &kinds, |kind, t| match kind {
            "ping-pong" => Workload::PingPong(ping_pong::PingPong::read(t)),
            "stream" => Workload::Stream(stream::Stream::read(t)),
            "page-fetch" => Workload::PageFetch(page_fetch::PageFetch::read(t)),
            _ => Workload::Dma(dma::DmaTest::read(t)),
        })
    }

    /// The nodes it names, each with the key that names it.
    pub fn names(&self) -> Vec<(&'static str, &str)> {
        match self {
            Workload::PingPong(workload) => workload.ends.names("workload.ping-pong.from", "workload.ping-pong.to"),
            Workload::PageFetch(workload) => workload.ends.names("workload.page-fetch.from", "workload.page-fetch.to"),
            Workload::Stream(workload) => {
                let ends = workload.flows.iter().flat_map(|(from, to)| [from, to]);
                ends.map(|name| ("workload.stream.flows", name.as_str())).collect()
            }
            Workload::Dma(workload) => workload.node.iter().map(|name| ("workload.dma.node", name.as_str())).collect(),
        }
    }

    /// Where it would have a node send to itself: the key, and the node, of the nodes `names`.
    pub fn to_itself<'a>(&'a self, names: &[&'a str]) -> Vec<(&'static str, &'a str)> {
        match self {
            Workload::PingPong(workload) => workload.ends.to_itself(names, "workload.ping-pong.to"),
            Workload::PageFetch(workload) => workload.ends.to_itself(names, "workload.page-fetch.to"),
            Workload::Stream(workload) => {
                let same = workload.flows.iter().filter(|(from, to)| from == to && !from.is_empty());
                same.map(|(from, _)| ("workload.stream.flows", from.as_str())).collect()
            }
            Workload::Dma(_) => Vec::new(),
        }
    }

    /// The largest payload it sends over the network, and the key that says so.
    pub fn payload_max(&self) -> Option<(&'static str, Bytes)> {
        match self {
            Workload::PingPong(workload) if workload.answer > workload.payload => {
                Some(("workload.ping-pong.answer", workload.answer))
            }
            Workload::PingPong(workload) => Some(("workload.ping-pong.payload", workload.payload)),
            Workload::PageFetch(workload) => Some(("workload.page-fetch.page", workload.page)),
            Workload::Stream(workload) => Some(("workload.stream.payload", workload.payload)),
            Workload::Dma(_) => None,
        }
    }

    /// The smallest payload it sends over the network, and the key that says so.
    pub fn payload_min(&self) -> Option<(&'static str, Bytes)> {
        match self {
            Workload::PingPong(workload) if workload.answer < workload.payload => {
                Some(("workload.ping-pong.answer", workload.answer))
            }
            other => other.payload_max(),
        }
    }

    /// How many nodes it needs.
    pub fn nodes_min(&self) -> usize {
        if matches!(self, Workload::Dma(_)) { 1 } else { 2 }
    }

    /// Starts its programs.
    pub fn start(&self, world: &World) -> Rc<dyn Running> {
        match self {
            Workload::PingPong(workload) => workload.start(world),
            Workload::Stream(workload) => workload.start(world),
            Workload::PageFetch(workload) => workload.start(world),
            Workload::Dma(workload) => workload.start(world),
        }
    }
}

/// Mean, percentiles and extremes of latencies, under `name`.
fn latency_metrics(name: &str, latencies: &Summary) -> Vec<Metric> {
    let metric = |suffix: &str, time: f64| Metric::new(format!("{name}{suffix}"), time, "us");
    vec![
        metric("", latencies.mean_us()),
        metric("_min", latencies.min().as_us()),
        metric("_p50", latencies.percentile(50.0).as_us()),
        metric("_p99", latencies.percentile(99.0).as_us()),
        metric("_max", latencies.max().as_us()),
    ]
}

/// How many messages were sent, delivered and lost.
fn fate_metrics(world: &World) -> Vec<Metric> {
    let (sent, delivered) = (world.tally.sent(), world.tally.arrived());
    let count = |name: &str, count: u64| Metric::new(name, count as f64, "");
    vec![
        count("messages.sent", sent),
        count("messages.delivered", delivered),
        count("messages.dropped", world.tally.dropped()),
    ]
}

/// A flow written as `"from -> to"`.
fn flow(text: &str) -> Option<(String, String)> {
    let (from, to) = text.split_once("->")?;
    Some((from.trim().to_owned(), to.trim().to_owned()))
}

fn wrong_flow(t: &mut Table<'_>, flow: &str) -> (String, String) {
    t.wrong("flows", format!("`{flow}` is not a flow"), "a flow is written as \"from -> to\"");
    Default::default()
}
