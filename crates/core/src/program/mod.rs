//! Programs of the simulated processors. Every program checks the bytes it receives.
//!
//! | file | program |
//! |---|---|
//! | `ping_pong.rs` | ping-pong: one message at a time and its reply |
//! | `stream/` | one-way messages in a closed or an open loop, over any number of flows |
//! | `arrivals/` | arrival processes: when a sender offers its next message |
//! | `backlog.rs` | detection of saturation by a growing backlog in an open loop |
//! | `page_fetch.rs` | page faults of network memory: a request whose reply is a page |
//! | `dma/` | the host DMA engine of the interface alone, with or without a processor that copies |
//! | `verbs/` | requests on queue pairs, as in perftest |
//! | `copy.rs` | a processor that copies blocks |
//! | `fabric_alone/` | packets through a routed fabric, without hosts and interfaces |
//! | `bursts/` | pseudo-random traffic in phases, on all nodes |
//! | `cyclic_shift/` | each node sends to all others in turn |
//! | `radix_sort/` | a parallel sort of keys |
//! | `em3d/` | electromagnetic waves on an irregular graph |
//! | `appbt/` | a gas in a cube, solved by sweeps; subcubes share the points at their faces |
//! | `barnes/` | gravity among bodies; a shared tree, built under locks and then traversed |
//! | `moldyn/` | molecules of a liquid; shared positions, and forces accumulated in bulk |
//! | `worker.rs` | the interface of a shared-memory program to its processor |
//! | `spsolve/` | a sparse triangular solve |
//! | `dsmc/` | molecules of a gas that move from node to node |
//! | `unstructured/` | a sweep of fluid dynamics over a mesh |
//! | `input/` | matrices and meshes from files or generated, and their partitions |
//! | `destinations.rs` | traffic patterns |
//! | `pair.rs` | single packets from one node to another, as fast as possible |
//! | `costs.rs` | cost of single messages and accesses to shared memory |
//! | `parallel.rs` | helpers of programs that run on all nodes |
//! | `collective.rs` | barriers and reductions by messages |
//! | `metrics.rs` | metrics that several programs report |
//! | `warm_up.rs` | the default warm-up, and the test for an initial transient after it |
//! | `endpoint_pair.rs` | the two endpoints of a pair program |
//! | `flow_list.rs` | the flows of a program, by name or by pattern |
//! | `flow_patterns.rs` | patterns that describe flows between many nodes |
//! | `spec.rs` | the specification of a workload, before time 0: its requirements, endpoints and flows |
//! | `pattern.rs` | payload patterns by which receivers check messages |

pub mod appbt;
pub mod arrivals;
pub mod backlog;
pub mod barnes;
pub mod bursts;
mod collective;
pub mod copy;
pub mod costs;
pub mod cyclic_shift;
pub mod destinations;
pub mod dma;
pub mod dsmc;
pub mod em3d;
mod endpoint_pair;
pub mod fabric_alone;
mod flow_list;
pub mod flow_patterns;
pub mod input;
mod metrics;
pub mod moldyn;
pub mod page_fetch;
pub mod pair;
mod parallel;
mod pattern;
pub mod ping_pong;
pub mod radix_sort;
mod result_names;
mod spec;
pub mod spsolve;
pub mod stream;
#[cfg(test)]
mod tests;
pub mod unstructured;
pub mod verbs;
pub mod warm_up;
pub mod worker;

pub use endpoint_pair::EndpointPair;
pub use flow_list::{ExpandedFlow, FlowList};
pub use pattern::PAYLOAD_PATTERNS;
pub use result_names::RESULTS;
pub use spec::{FlowEndpoint, Objective, PlannedFlow, VerbsNeeds, WorkloadNeeds, WorkloadSpec};
pub use warm_up::{LoadCheck, WARM_UP, WarmUpCheck};

use crate::engine::{Distribution, HeatMapData, Metric, Outcome, SampleUnit, Summary};
use crate::messaging::World;
use metrics::{delivery_metrics, interface_metrics, value_if};

/// The name of the metric of the one-way latency of messages, which starts with the call to send.
const MESSAGE_LATENCY: &str = "message.latency_one_way";

/// A running workload, which reports its metrics when the run has ended.
pub trait RunningWorkload {
    /// Returns the measured metrics.
    fn metrics(&self, world: &World, outcome: &Outcome) -> Vec<Metric>;

    /// Returns the distributions whose summaries are among the metrics; by default the one-way latencies of all
    /// measured messages.
    fn distributions(&self, world: &World, _outcome: &Outcome) -> Vec<Distribution> {
        vec![message_latencies(&world.tally.latencies())]
    }

    /// Returns the outcome of the run as the workload determines it; `outcome` is that of the engine.
    fn final_outcome(&self, _world: &World, outcome: Outcome) -> Outcome {
        outcome
    }

    /// Returns an explanation of the outcome, in one or two sentences, if one is needed.
    fn note(&self, _world: &World, _outcome: &Outcome) -> Option<String> {
        None
    }

    /// Returns the test for an initial transient in the measurement, if the workload measures a steady state.
    fn warm_up_check(&self, _world: &World) -> Option<WarmUpCheck> {
        None
    }

    /// Returns the map of samples over time, if the workload sampled any.
    fn heat_map(&self) -> Option<HeatMapData> {
        None
    }
}

/// Returns the distribution of one-way latencies of messages.
fn message_latencies(latencies: &Summary) -> Distribution {
    Distribution::new(MESSAGE_LATENCY, SampleUnit::Picoseconds, latencies)
}

/// Returns the metrics of one-way latencies of messages.
fn message_latency_metrics(latencies: &Summary) -> Vec<Metric> {
    Distribution::metrics(MESSAGE_LATENCY, SampleUnit::Picoseconds, latencies)
}

/// Parses a flow written as `"from -> to"`.
fn parse_flow(text: &str) -> Option<(String, String)> {
    let (from, to) = text.split_once("->")?;
    Some((from.trim().to_owned(), to.trim().to_owned()))
}
