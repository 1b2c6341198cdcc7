//! Experiments on one described machine: single runs, sweeps, searches, sensitivity analysis and fits.
//!
//! | file | holds |
//! |---|---|
//! | `run.rs` | one run: its metrics, ledger, resource utilisation and outcome |
//! | `description.rs` | a description and the experiments on it, for library users |
//! | `loaded_description.rs` | a machine description whose text is loaded, found by name, path or text |
//! | `reader.rs` | the function that reads a description with overrides |
//! | `candidate.rs` | the candidate for the bottleneck that a run names |
//! | `run_summary.rs` | the summary of a run in sentences |
//! | `shell_command.rs` | the command lines that repeat an experiment |
//! | `outcome.rs` | the outcome of a run, and which of its metrics can be compared |
//! | `inputs.rs`, `digest.rs` | the inputs of a run with their hash, and hashes |
//! | `record.rs` | the result of a run as JSON, with its hash |
//! | `full_description.rs` | a description with every value of a machine |
//! | `json_leaves.rs` | the values of nested tables of a result, with their keys |
//! | `result_row.rs`, `shared_names.rs` | the part of a result that tables show |
//! | `sweep.rs`, `sweep/` | sweeps: the cross product of varied keys, its shards, its metrics |
//! | `vary.rs`, `vary/` | `KEY=V1,V2,…`, and ranges |
//! | `part_overrides.rs` | overrides that select a shipped part by name: `ni=cni32qm` |
//! | `varied_keys.rs` | the keys that vary among given points |
//! | `stored_sweep.rs` | the machine of a sweep, from its stored points |
//! | `find.rs`, `find/` | bisection for the value at which a metric crosses a threshold or another machine's metric |
//! | `seeds.rs` | replications of a run with several seeds |
//! | `points.rs` | the store of finished points of a sweep |
//! | `steadiness.rs` | warnings that results are not those of a steady state |
//! | `threads.rs` | the distribution of runs over threads |
//! | `distribution.rs` | distributions as JSON, and their merging |
//! | `tidy.rs`, `tidy/` | points and messages as tidy data |
//! | `plot.rs`, `plot/` | charts of tidy data, of distributions and of latency over load |
//! | `result_page.rs`, `result_page/` | HTML pages of a user's results |
//! | `constants.rs` | the numeric parameters of a machine, and scaled copies of them |
//! | `whatif.rs`, `whatif/` | the bottleneck, by experiment: the sensitivity of a metric to each resource and parameter |
//! | `uncertainty/` | the uncertainty of a number |
//! | `fit/` | calibration of constants on measured or published numbers |
//!
//! Studies, which combine many experiments and judge their results, are in `study/`.
//!
#![doc = include_str!("example.md")]

#[doc(hidden)]
pub mod candidate;
#[doc(hidden)]
pub mod constants;
mod description;
mod digest;
#[doc(hidden)]
pub mod distribution;
#[doc(hidden)]
pub mod find;
#[doc(hidden)]
pub mod fit;
#[doc(hidden)]
pub mod full_description;
#[doc(hidden)]
pub mod inputs;
#[doc(hidden)]
pub mod json_leaves;
#[doc(hidden)]
pub mod loaded_description;
#[doc(hidden)]
pub mod outcome;
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
pub mod run_summary;
#[doc(hidden)]
pub mod seeds;
mod shared_names;
#[doc(hidden)]
pub mod shell_command;
#[doc(hidden)]
pub mod steadiness;
#[doc(hidden)]
pub mod stored_sweep;
#[doc(hidden)]
pub mod sweep;
#[doc(hidden)]
pub mod threads;
#[doc(hidden)]
pub mod tidy;
#[doc(hidden)]
pub mod uncertainty;
#[doc(hidden)]
pub mod varied_keys;
#[doc(hidden)]
pub mod vary;
#[doc(hidden)]
pub mod whatif;

#[cfg_attr(not(doctest), doc = include_str!("example.md"))]
pub use description::Description;
/// Runs a machine once. `recorder` determines what is recorded.
///
/// ```
/// # extern crate narrows_study as narrows;
/// use narrows::experiment::{Description, run};
/// use narrows_core::engine::Recorder;
///
/// let machine = Description::open("ping-pong")?.set("workload.ping-pong.messages=20").machine()?;
/// let result = run(&machine, Recorder::with_spans_max(1000));
/// assert!(!result.timeline.spans.is_empty());
/// # Ok::<(), narrows_core::Error>(())
/// ```
pub use run::run;

#[cfg_attr(not(doctest), doc = include_str!("example.md"))]
pub use find::{MetricCrossing, Probe};
#[cfg_attr(not(doctest), doc = include_str!("example.md"))]
pub use fit::FitResult;
#[cfg_attr(not(doctest), doc = include_str!("example.md"))]
pub use result_row::ResultRow;
#[cfg_attr(not(doctest), doc = include_str!("example.md"))]
pub use run::RunResult;
#[cfg_attr(not(doctest), doc = include_str!("example.md"))]
pub use sweep::SweepPoint;
#[cfg_attr(not(doctest), doc = include_str!("example.md"))]
pub use whatif::{Gain, WhatIf};

#[doc(hidden)]
pub use candidate::Candidate;
#[doc(hidden)]
pub use record::Record;
