//! Callahan and Goldstein (1995), "NIFDY: A Low Overhead, High Throughput Network Interface": what data
//! cannot say of it. The rest of the study is data (`papers/nifdy`).
//!
//! | file | does |
//! |---|---|
//! | `search.rs` | the search over *O*, *B*, *D*, *W*, what it found, and its claims |
//! | `volume.rs` | how many packets a network's buffers hold |
//! | `pile.rs` | how long packets pile up for a receiver |

mod pile;
mod search;
mod volume;

use crate::study::{BuiltinFn, BuiltinFns};

/// Adds the paper's functions.
pub(super) fn register(functions: BuiltinFns) -> BuiltinFns {
    functions
        .with_value_of_point("longest-pile", BuiltinFn::Number(pile::longest))
        .with_value("volume", BuiltinFn::Number(volume::volume))
        .with_judge("nifdy-parameters", search::parameters)
        .with_judge("nifdy-enough", search::enough)
        .with_figure("nifdy-search", search::table)
        .with_exploration("nifdy-search", search::EXPLORATION)
}
