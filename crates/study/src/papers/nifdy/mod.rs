//! The built-in functions of Callahan and Goldstein (1995), "NIFDY: A Low Overhead, High Throughput Network Interface".
//! All other parts of the study are data (`papers/nifdy`).
//!
//! | file | holds |
//! |---|---|
//! | `search.rs` | the search over *O*, *B*, *D* and *W*, its results, and its claims |
//! | `volume.rs` | the number of packets that a network's buffers hold |
//! | `backlog.rs` | the duration of a backlog of packets for a receiver |

mod backlog;
mod search;
mod volume;

use crate::study::{BuiltinFn, BuiltinFns};

/// Adds the paper's functions.
pub(super) fn register(functions: BuiltinFns) -> BuiltinFns {
    functions
        .with_value_of_point("longest-pile", BuiltinFn::Number(backlog::longest_backlog))
        .with_value("volume", BuiltinFn::Number(volume::volume))
        .with_judge("nifdy-parameters", search::compare_paper_set)
        .with_judge("nifdy-enough", search::small_sets_suffice)
        .with_figure("nifdy-search", search::table)
        .with_exploration("nifdy-search", search::EXPLORATION)
}
