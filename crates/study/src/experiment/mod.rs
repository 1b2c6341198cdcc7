//! Experiments: one run, sweeps, searches and fits of a machine that is described.
//!
//! | file | does |
//! |---|---|
//! | `run.rs` | one description, run: its metrics, ledger, resources and outcome |
//! | `description.rs` | a description and the experiments on it, for library users |
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
//!
#![doc = include_str!("example.md")]

#[doc(hidden)]
pub mod bottleneck;
#[doc(hidden)]
pub mod constants;
mod description;
#[doc(hidden)]
pub mod find;
#[doc(hidden)]
pub mod fit;
#[doc(hidden)]
pub mod part_overrides;
#[doc(hidden)]
pub mod plot;
#[doc(hidden)]
pub mod points;
#[doc(hidden)]
pub mod reader;
#[doc(hidden)]
pub mod record;
#[doc(hidden)]
pub mod result_page;
#[doc(hidden)]
pub mod result_row;
#[doc(hidden)]
pub mod run;
#[doc(hidden)]
pub mod seeds;
#[doc(hidden)]
pub mod subject;
#[doc(hidden)]
pub mod sweep;
#[doc(hidden)]
pub mod threads;
#[doc(hidden)]
pub mod tidy;
#[doc(hidden)]
pub mod uncertainty;
#[doc(hidden)]
pub mod vary;
#[doc(hidden)]
pub mod whatif;

#[doc = include_str!("example.md")]
pub use description::Description;
/// Runs a machine once, and records spans where `recorder` does.
///
/// ```
/// # extern crate narrows_study as narrows;
/// use narrows::experiment::{Description, run};
/// use narrows_core::engine::Recorder;
///
/// let machine = Description::open("ping-pong")?.set("workload.ping-pong.messages=20").machine()?;
/// let result = run(&machine, Recorder::keeping(1000));
/// assert!(!result.timeline.spans.is_empty());
/// # Ok::<(), narrows_core::Error>(())
/// ```
pub use run::run;

#[doc = include_str!("example.md")]
pub use find::{MetricCrossing, Probe};
#[doc = include_str!("example.md")]
pub use fit::Fitted;
#[doc = include_str!("example.md")]
pub use result_row::ResultRow;
#[doc = include_str!("example.md")]
pub use run::RunResult;
#[doc = include_str!("example.md")]
pub use sweep::SweepPoint;
#[doc = include_str!("example.md")]
pub use whatif::{Gain, WhatIf};

#[doc(hidden)]
pub use bottleneck::Bottleneck;
#[doc(hidden)]
pub use record::Record;
