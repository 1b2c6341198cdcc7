//! What runs on the simulated processors. Every program checks the bytes it receives.
//!
//! | file | program |
//! |---|---|
//! | `ping_pong.rs` | one message at a time, there and back |
//! | `stream.rs` | messages one way, as fast as possible or paced, over any number of flows |
//! | `page_fetch.rs` | a request, and a page in answer: a fault of network memory |
//! | `dma.rs` | the interface's host DMA alone, with or without a copying processor |
//! | `copy.rs` | a processor that copies blocks |
//! | `pattern.rs` | payloads that can be told apart |

pub mod copy;
pub mod dma;
pub mod page_fetch;
mod pattern;
pub mod ping_pong;
pub mod stream;

use crate::engine::stats::Summary;
use crate::engine::{Metric, Outcome};
use crate::messaging::World;
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
    let (sent, delivered) = (world.tally.sent(), world.tally.delivered().len() as u64);
    let count = |name: &str, count: u64| Metric::new(name, count as f64, "");
    vec![
        count("messages.sent", sent),
        count("messages.delivered", delivered),
        count("messages.dropped", world.tally.dropped()),
    ]
}
