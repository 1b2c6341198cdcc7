//! Mukherjee and Hill (1998), "The Impact of Data Transfer and Buffering Alternatives on Network
//! Interface Design".
//!
//! | file | does |
//! |---|---|
//! | `axes.rs` | the paper's interfaces and sizes, and how its points are named |
//! | `shapes.rs` | the claims that are not one number of one run |
//! | `figures.rs` | Table 5, curves, break-evens and sensitivities |
//! | `message.rs` | one message: its ledger and its bus transactions |

mod axes;
mod figures;
mod message;
mod shapes;
#[cfg(test)]
mod tests;

use super::claims::{Seen, Stated};
use super::experiment::Results;
use super::reproduce::Study;
use crate::report::Artifact;

/// The study.
pub struct MukherjeeHill;

impl Study for MukherjeeHill {
    fn seen(&self, id: &str, results: &Results) -> Option<Seen> {
        shapes::seen(id, results)
    }

    fn artifact(&self, id: &str, results: &Results, claims: &[Stated]) -> Vec<Artifact> {
        figures::artifact(id, results, claims)
    }

    fn order(&self) -> &'static [&'static str] {
        &[
            "table-5",
            "latency",
            "bandwidth",
            "break-even",
            "ledger",
            "transactions",
            "memory-time",
            "bus-width",
            "flow-control-buffers",
        ]
    }
}
