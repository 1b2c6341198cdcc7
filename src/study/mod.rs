//! One run, sweeps, and studies: runs, figures and claims that a folder describes, such as the papers.
//!
//! | file | does |
//! |---|---|
//! | `run.rs` | one description, run: its metrics, ledger, resources and outcome |
//! | `subject.rs` | the description that is asked about, by name, file or text |
//! | `binds.rs` | what holds a run back |
//! | `record.rs` | the result of a run as JSON, with its hash |
//! | `result_row.rs` | the small part of it that tables tell |
//! | `sweep.rs`, `sweep/` | many runs: the cross product of varied keys, shares of it, its metrics |
//! | `vary.rs`, `vary/` | `KEY=V1,V2,…`, and ranges |
//! | `families.rs` | shipped parts by name: `ni=cni32qm` |
//! | `find.rs`, `find/` | where a metric passes a value, or another machine's |
//! | `seeds.rs` | the same run with several seeds |
//! | `points.rs` | finished points of a sweep, kept |
//! | `tidy.rs`, `tidy/` | points and messages as rows of data |
//! | `plot.rs` | a picture of them |
//! | `pages.rs`, `pages/` | a page of results |
//! | `constants.rs` | the numbers of a machine, made larger or smaller |
//! | `whatif.rs` | what would change if one of them were another |
//! | `uncertainty/` | how sure a number is |
//! | `fit/` | constants fitted on numbers |
//! | `home.rs` | where a study lies, and its files |
//! | `description.rs` | a study as it is described |
//! | `experiment.rs` | the runs behind it |
//! | `written.rs` | a point's description as a file of its own |
//! | `expression/` | the language in which it says what is measured |
//! | `view.rs` | what names in expressions mean, before and after the runs |
//! | `claims.rs` | its claims, judged |
//! | `figures/` | its tables and pictures |
//! | `check.rs` | whether its names go together |
//! | `reproduce.rs` | a study, reproduced |
//! | `template.rs` | a small study, to be changed |
//! | `own.rs` | functions that studies name, for what data cannot say |
//! | `e_udp/` | Jin et al. (2005): time-flow charts, and the analytic model |
//! | `threads.rs` | how runs are spread over threads |
//! | `trapeze.rs` | Yocum et al. (1997): statistics of traced transfers |
//! | `nifdy/` | Callahan and Goldstein (1995): its search, volumes and piles |

pub mod binds;
mod check;
pub mod claims;
pub mod constants;
pub mod description;
mod e_udp;
pub mod experiment;
pub mod expression;
pub mod families;
pub mod figures;
pub mod find;
pub mod fit;
pub mod home;
mod nifdy;
mod own;
pub mod pages;
pub mod plot;
pub mod points;
pub mod record;
pub mod reproduce;
pub mod result_row;
pub mod run;
pub mod seeds;
pub mod subject;
pub mod sweep;
pub mod template;
pub mod threads;
pub mod tidy;
mod trapeze;
pub mod uncertainty;
pub mod vary;
mod view;
pub mod whatif;
pub mod written;

pub use binds::Binds;
pub use record::Record;
pub use reproduce::{Options, Progress, constants, papers, reproduce};
pub use result_row::ResultRow;
pub use run::{RunResult, run};
