//! Yocum et al. (1997), "Balancing DMA Latency and Bandwidth in a High-Speed Network Adapter".
//!
//! | file | does |
//! |---|---|
//! | `axes.rs` | the paper's systems, sizes and policies, and how its points are named |
//! | `flow.rs` | what a traced run says of the four DMA engines |
//! | `shapes.rs` | the claims that are not one number of one run |
//! | `figures.rs` | tables and charts |

mod axes;
mod figures;
mod flow;
mod shapes;

use super::claims::{Seen, Stated};
use super::experiment::Results;
use super::reproduce::Study;
use crate::report::Artifact;

/// The study.
pub struct Trapeze;

impl Study for Trapeze {
    fn seen(&self, id: &str, results: &Results) -> Option<Seen> {
        shapes::seen(id, results)
    }

    fn artifact(&self, id: &str, results: &Results, claims: &[Stated]) -> Vec<Artifact> {
        figures::artifact(id, results, claims)
    }

    fn order(&self) -> &'static [&'static str] {
        &[
            "table-1",
            "ledger",
            "figure-1",
            "figure-3",
            "figure-4",
            "figure-5",
            "figure-6",
            "figure-7",
            "trunk",
            "minpulse",
            "page-fetch",
        ]
    }
}
