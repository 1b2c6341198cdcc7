//! Studies: folders that describe runs, figures and claims, such as the shipped papers.
//!
//! | file | holds |
//! |---|---|
//! | `location.rs` | the location of a study, and its files |
//! | `description.rs` | the description of a study |
//! | `experiments.rs` | its experiments and their points |
//! | `export.rs` | the export of a point's description to a file |
//! | `expression/` | the expression language of studies |
//! | `named_value.rs` | the definitions of its named values |
//! | `builtins.rs` | the built-in functions that studies can name |
//! | `view.rs` | the resolution of names in expressions, before and after the runs |
//! | `claims.rs`, `claims/` | its claims, and their judgement |
//! | `figures/` | its tables and charts |
//! | `check.rs` | the check of its references before any run |
//! | `located.rs` | a study found by name, read and checked |
//! | `reproduce.rs`, `progress.rs` | the reproduction of a study, and its progress events |
//! | `calibrated.rs` | the calibrated constants of its machines |
//! | `uncertainty.rs`, `uncertainty/` | the uncertainty of its number claims |
//! | `fit.rs`, `fit/` | the calibration of constants on its claims |
//! | `scaffold.rs` | a minimal study to start from |
//!
//! Single runs and sweeps are in [`experiment`](crate::experiment). The built-in functions of the shipped papers are in
//! [`papers`](crate::papers) and are passed in.

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
pub mod named_value;
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
