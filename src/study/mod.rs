//! One run, sweeps, and the built-in papers.
//!
//! | file | does |
//! |---|---|
//! | `run.rs` | one description, run: its metrics, ledger, resources and outcome |
//! | `binds.rs` | what holds a run back |
//! | `record.rs` | the result of a run as JSON, with its hash |

pub mod binds;
pub mod record;
pub mod run;

pub use binds::Binds;
pub use record::Record;
pub use run::{RunResult, run};
