//! Callahan and Goldstein (1995), "NIFDY: A Low Overhead, High Throughput Network Interface".
//!
//! | file | does |
//! |---|---|
//! | `axes.rs` | the paper's networks and interfaces, and how its points are named |
//! | `formula.rs` | Table 3's latencies and Equations 1 to 4 |
//! | `volume.rs` | how many packets a network's buffers hold |
//! | `search.rs` | the search over *O*, *B*, *D*, *W* |
//! | `shapes/` | the claims that are not one number of one run |
//! | `figures/` | tables and charts |

mod axes;
mod figures;
mod formula;
mod search;
mod shapes;
#[cfg(test)]
mod tests;
mod volume;

use super::claims::{Seen, Stated};
use super::experiment::Results;
use super::reproduce::Study;
use crate::report::Artifact;

/// The study.
pub struct Nifdy;

impl Study for Nifdy {
    fn seen(&self, id: &str, results: &Results) -> Option<Seen> {
        shapes::seen(id, results)
    }

    fn artifact(&self, id: &str, results: &Results, claims: &[Stated]) -> Vec<Artifact> {
        figures::artifact(id, results, claims)
    }

    fn order(&self) -> &'static [&'static str] {
        &[
            "table-3",
            "equations",
            "figure-2",
            "figure-3",
            "windows",
            "figure-4",
            "figure-5",
            "figure-6",
            "figure-7",
            "figure-8",
            "figure-9",
            "extensions",
            "search",
            "figure-4-large",
        ]
    }

    fn explorations(&self, artifact: &str, quick: bool) -> usize {
        if artifact == "search" { search::runs(quick) } else { 0 }
    }

    fn explore(&self, artifact: &str, quick: bool, jobs: usize, done: &(dyn Fn(&str) + Sync)) -> Results {
        if artifact == "search" { search::explore(quick, jobs, done) } else { Results::new() }
    }
}
