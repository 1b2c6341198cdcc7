//! What runs on the simulated processors. Every program checks the bytes it receives.
//!
//! | file | program |
//! |---|---|
//! | `ping_pong.rs` | one message at a time, there and back |
//! | `stream/` | messages one way in a closed or an open loop, over any number of flows |
//! | `arrivals/` | arrival processes: when a sender offers its next message |
//! | `backlog.rs` | whether the backlog of an open loop only grows |
//! | `page_fetch.rs` | a request, and a page in answer: a fault of network memory |
//! | `dma.rs` | the interface's host DMA alone, with or without a copying processor |
//! | `copy.rs` | a processor that copies blocks |
//! | `fabric_alone/` | packets through a routed fabric, without hosts and interfaces |
//! | `bursts/` | pseudo-random traffic in phases, on all nodes |
//! | `cyclic_shift/` | all nodes send to all others, in order |
//! | `radix_sort/` | a sort of keys on all nodes |
//! | `em3d/` | waves on an irregular graph, on all nodes |
//! | `appbt/` | a gas in a cube, by sweeps: shared points at the faces of subcubes |
//! | `barnes/` | gravity among bodies: a shared tree, made under locks and walked through |
//! | `moldyn/` | molecules of a liquid: shared positions, and forces added up in bulk |
//! | `worker.rs` | what a program of shared memory runs on |
//! | `spsolve/` | a sparse triangular solve, on all nodes |
//! | `dsmc/` | molecules of a gas that fly from node to node |
//! | `unstructured/` | a sweep of fluid dynamics over a mesh, on all nodes |
//! | `input/` | matrices and meshes of programs, from files or drawn, and who gets what of them |
//! | `destinations.rs` | whom a node sends to |
//! | `pair.rs` | single packets from one node to another, as fast as they go |
//! | `costs.rs` | what a message costs, or an access to shared memory, one at a time |
//! | `parallel.rs` | what programs on all nodes have in common |
//! | `collective.rs` | barriers and reductions by messages |
//! | `metrics.rs` | metrics that several programs tell |
//! | `ends.rs` | the two nodes of a pair program |
//! | `spec.rs` | a workload before it runs: what it needs, names and sends |
//! | `pattern.rs` | payloads that can be told apart |

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
mod ends;
pub mod fabric_alone;
pub mod input;
mod metrics;
pub mod moldyn;
pub mod page_fetch;
pub mod pair;
mod parallel;
mod pattern;
pub mod ping_pong;
pub mod radix_sort;
mod spec;
pub mod spsolve;
pub mod stream;
#[cfg(test)]
mod tests;
pub mod unstructured;
pub mod worker;

pub use ends::EndpointPair;
pub use pattern::PATTERNS;
pub use spec::{FlowEndpoint, Objective, PlannedFlow, WorkloadNeeds, WorkloadSpec};

use crate::engine::{Map, Metric, Outcome};
use crate::messaging::World;
use metrics::{counted, fate_metrics, latency_metrics, latency_metrics_in, once};

/// A workload that was started in a world; asked for its metrics when the run has ended.
pub trait RunningWorkload {
    /// What it measured.
    fn metrics(&self, world: &World, outcome: &Outcome) -> Vec<Metric>;

    /// How the run ended, as the program sees what the engine saw end.
    fn ended(&self, _world: &World, outcome: Outcome) -> Outcome {
        outcome
    }

    /// What is to be known of how the run ended, in a sentence or two.
    fn note(&self, _world: &World, _outcome: &Outcome) -> Option<String> {
        None
    }

    /// What it sampled over time, if it did.
    fn map(&self) -> Option<Map> {
        None
    }
}

/// A flow written as `"from -> to"`.
fn flow(text: &str) -> Option<(String, String)> {
    let (from, to) = text.split_once("->")?;
    Some((from.trim().to_owned(), to.trim().to_owned()))
}
