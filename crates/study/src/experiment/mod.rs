//! Experiments: one run, sweeps, searches and fits of a machine that is described.
//!
//! | file | does |
//! |---|---|
//! | `run.rs` | one description, run: its metrics, ledger, resources and outcome |
//! | `subject.rs` | the description that is asked about, by name, file or text |
//! | `reader.rs` | reads it under varied settings |
//! | `bottleneck.rs` | what holds a run back |
//! | `record.rs` | the result of a run as JSON, with its hash |
//! | `result_row.rs` | the small part of it that tables tell |
//! | `sweep.rs`, `sweep/` | many runs: the cross product of varied keys, shares of it, its metrics |
//! | `vary.rs`, `vary/` | `KEY=V1,V2,…`, and ranges |
//! | `part_overrides.rs` | shipped parts by name: `ni=cni32qm` |
//! | `find.rs`, `find/` | where a metric passes a value, or another machine's |
//! | `seeds.rs` | the same run with several seeds |
//! | `points.rs` | finished points of a sweep, kept |
//! | `threads.rs` | how runs are spread over threads |
//! | `tidy.rs`, `tidy/` | points and messages as rows of data |
//! | `plot.rs` | a picture of them |
//! | `result_page.rs`, `result_page/` | a page of results |
//! | `constants.rs` | the numbers of a machine, made larger or smaller |
//! | `whatif.rs` | what would change if one of them were another |
//! | `uncertainty/` | how sure a number is |
//! | `fit/` | constants fitted on numbers |
//!
//! Leaves out studies, which make many experiments and judge them.

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
