//! One run, sweeps, and the built-in papers.
//!
//! | file | does |
//! |---|---|
//! | `run.rs` | one description, run: its metrics, ledger, resources and outcome |
//! | `binds.rs` | what holds a run back |
//! | `record.rs` | the result of a run as JSON, with its hash |
//! | `sweep.rs` | many runs: the cross product of varied keys |
//! | `vary.rs` | `KEY=V1,V2,…` |
//! | `points.rs` | finished points of a sweep, kept |
//! | `experiment.rs` | the runs behind a paper, as data |
//! | `claims.rs` | a paper's claims, as data, judged |
//! | `reproduce.rs` | a paper, reproduced |
//! | `mukherjee_hill/` | Mukherjee and Hill (1998): its figures and shapes |
//! | `nifdy/` | Callahan and Goldstein (1995): its figures, shapes and search |
//! | `trapeze/` | Yocum et al. (1997): its figures and shapes |

pub mod binds;
pub mod claims;
pub mod experiment;
mod mukherjee_hill;
mod nifdy;
pub mod points;
pub mod record;
pub mod reproduce;
pub mod run;
pub mod sweep;
mod trapeze;
pub mod vary;

pub use binds::Binds;
pub use record::Record;
pub use reproduce::{Options, Progress, constants, papers, reproduce};
pub use run::{RunResult, run};
