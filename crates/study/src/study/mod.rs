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

pub mod builtins;
pub mod calibrated;
mod check;
pub mod claims;
pub mod description;
pub mod experiments;
pub mod export;
pub mod expression;
pub mod figures;
pub mod fit;
pub mod located;
pub mod location;
pub mod meaning;
mod progress;
pub mod reproduce;
pub mod scaffold;
pub mod shipped;
pub mod uncertainty;
pub mod view;

pub use builtins::{BuiltinFn, BuiltinFns};
pub use calibrated::constants;
pub use description::Study;
pub use located::{LocatedStudy, find, papers};
pub use location::Location;
pub use progress::Progress;
pub use reproduce::{Options, reproduce};
