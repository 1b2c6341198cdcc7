//! One run, sweeps, and the built-in papers.
//!
//! | file | does |
//! |---|---|
//! | `run.rs` | one description, run: its metrics, ledger, resources and outcome |

pub mod run;

pub use run::{RunResult, run};
