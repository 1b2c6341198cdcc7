//! One run, sweeps, and the built-in papers.
//!
//! | file | does |
//! |---|---|
//! | `run.rs` | one description, run: its metrics, ledger, resources and outcome |
//! | `binds.rs` | what holds a run back |
//! | `sweep.rs` | many runs: the cross product of varied keys |
//! | `vary.rs` | `KEY=V1,V2,…` |
//! | `points.rs` | finished points of a sweep, kept |
//! | `record.rs` | the result of a run as JSON, with its hash |

pub mod binds;
pub mod points;
pub mod record;
pub mod run;
pub mod sweep;
pub mod vary;

pub use binds::Binds;
pub use record::Record;
pub use run::{RunResult, run};
