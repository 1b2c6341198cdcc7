//! Studies: runs, figures and claims that a folder describes, such as the papers.
//!
//! | file | does |
//! |---|---|
//! | `location.rs` | the location of a study, and its files |
//! | `description.rs` | a study as it is described |
//! | `experiments.rs` | the runs behind it |
//! | `export.rs` | a point's description as a file of its own |
//! | `expression/` | the language in which it says what is measured |
//! | `meaning.rs` | where its named values come from |
//! | `builtins.rs` | functions of the program that studies name, for what data cannot say |
//! | `view.rs` | what names in expressions mean, before and after the runs |
//! | `claims.rs`, `claims/` | its claims, judged |
//! | `figures/` | its tables and pictures |
//! | `check.rs` | whether its names go together |
//! | `located.rs` | a study by its name, read and checked |
//! | `reproduce.rs`, `progress.rs` | a study, reproduced, and what is reported meanwhile |
//! | `calibrated.rs` | the constants that its machines were calibrated with |
//! | `uncertainty.rs`, `uncertainty/` | how sure the numbers of its claims are |
//! | `fit.rs`, `fit/` | constants fitted on its claims |
//! | `scaffold.rs` | a small study, to be changed |
//!
//! Leaves out single runs and sweeps, which are in [`experiment`](crate::experiment), and the functions of the shipped
//! papers, which are in [`papers`](crate::papers) and passed in.
//!
#![doc = include_str!("example.md")]

#[doc(hidden)]
pub mod builtins;
#[doc(hidden)]
pub mod calibrated;
mod check;
#[doc(hidden)]
pub mod claims;
#[doc(hidden)]
pub mod description;
#[doc(hidden)]
pub mod experiments;
#[doc(hidden)]
pub mod export;
#[doc(hidden)]
pub mod expression;
#[doc(hidden)]
pub mod figures;
#[doc(hidden)]
pub mod fit;
#[doc(hidden)]
pub mod located;
#[doc(hidden)]
pub mod location;
#[doc(hidden)]
pub mod meaning;
mod progress;
#[doc(hidden)]
pub mod reproduce;
#[doc(hidden)]
pub mod scaffold;
#[doc(hidden)]
pub mod shipped;
#[doc(hidden)]
pub mod uncertainty;
#[doc(hidden)]
pub mod view;

#[doc = include_str!("example.md")]
pub use crate::report::PaperReport;
#[doc = include_str!("example.md")]
pub use builtins::BuiltinFns;
#[doc = include_str!("example.md")]
pub use located::{LocatedStudy, load};
#[doc = include_str!("example.md")]
pub use progress::Progress;
#[doc = include_str!("example.md")]
pub use reproduce::{Options, reproduce};

#[doc(hidden)]
pub use builtins::BuiltinFn;
#[doc(hidden)]
pub use calibrated::constants;
#[doc(hidden)]
pub use description::Study;
#[doc(hidden)]
pub use located::{find, papers};
#[doc(hidden)]
pub use location::Location;
