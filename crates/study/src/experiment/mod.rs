//! Experiments on one described machine: single runs, sweeps, searches, sensitivity analysis and fits.
//!
//! | file | holds |
//! |---|---|
//! | `run.rs` | one run: its metrics, ledger, resource utilisation and outcome |
//! | `subject.rs` | the machine description under test, found by name, path or text |
//! | `reader.rs` | the function that reads a description with overrides |
//! | `bottleneck.rs` | the bottleneck of a run |
//! | `record.rs` | the result of a run as JSON, with its hash |
//! | `result_row.rs` | the part of a result that tables show |
//! | `sweep.rs`, `sweep/` | sweeps: the cross product of varied keys, its shards, its metrics |
//! | `vary.rs`, `vary/` | `KEY=V1,V2,…`, and ranges |
//! | `part_overrides.rs` | overrides that select a shipped part by name: `ni=cni32qm` |
//! | `find.rs`, `find/` | bisection for the value at which a metric crosses a threshold or another machine's metric |
//! | `seeds.rs` | replications of a run with several seeds |
//! | `points.rs` | the store of finished points of a sweep |
//! | `threads.rs` | how runs are distributed over threads |
//! | `tidy.rs`, `tidy/` | points and messages as tidy data |
//! | `plot.rs` | charts of tidy data |
//! | `result_page.rs`, `result_page/` | HTML pages of a user's results |
//! | `constants.rs` | the numeric parameters of a machine, and scaled copies of them |
//! | `whatif.rs` | the sensitivity of a metric to each numeric parameter |
//! | `uncertainty/` | the uncertainty of a number |
//! | `fit/` | calibration of constants on measured or published numbers |
//!
//! Studies, which combine many experiments and judge their results, are in `study/`.

pub mod bottleneck;
pub mod constants;
pub mod find;
pub mod fit;
pub mod part_overrides;
pub mod plot;
pub mod points;
pub mod reader;
pub mod record;
pub mod result_page;
pub mod result_row;
pub mod run;
pub mod seeds;
pub mod subject;
pub mod sweep;
pub mod threads;
pub mod tidy;
pub mod uncertainty;
pub mod vary;
pub mod whatif;

pub use bottleneck::Bottleneck;
pub use record::Record;
pub use result_row::ResultRow;
pub use run::{RunResult, run};
