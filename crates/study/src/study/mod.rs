//! Studies: folders that describe runs, figures and claims, such as the shipped papers.
//!
//! | file | holds |
//! |---|---|
//! | `location.rs` | the location of a study, and its files |
//! | `description.rs` | the description of a study |
//! | `experiments.rs` | its experiments and the combinations of their axes |
//! | `points.rs` | the points of experiments, before and after they are read, and their runs |
//! | `shared_problem.rs` | problems that several points share |
//! | `export.rs` | the export of a point's description to a file |
//! | `expression/` | the expression language of studies |
//! | `named_value.rs` | the definitions of its named values |
//! | `builtins.rs` | the built-in functions that studies can name |
//! | `view.rs` | the resolution of names in expressions, before and after the runs |
//! | `claims.rs`, `claims/` | its claims, and their judgement |
//! | `figures/` | its tables and charts |
//! | `figure_links.rs` | the links from figures to the explorer page |
//! | `check.rs` | the check of its references before any run |
//! | `choice.rs` | the choices made by hand with claims in sight |
//! | `roles.rs` | the check of the claims' roles, and the choices on which predictions depend |
//! | `located.rs` | a study found by name, read and checked |
//! | `reproduce.rs`, `progress.rs` | the reproduction of a study, and its progress events |
//! | `seeds.rs` | the verdicts with several seeds |
//! | `live.rs` | the claims that a page judges again after each change |
//! | `calibrated.rs` | the calibrated constants of its machines |
//! | `uncertainty.rs`, `uncertainty/` | the uncertainty of its number claims |
//! | `fit.rs`, `fit/` | the calibration of constants on its claims |
//! | `held_out.rs` | the stored cross-validation of its fit |
//! | `scaffold.rs` | a minimal study to start from |
//!
//! Single runs and sweeps are in [`experiment`](crate::experiment). The built-in functions of the shipped papers are in
//! [`papers`](crate::papers) and are passed in.
//!
#![doc = include_str!("example.md")]

#[doc(hidden)]
pub mod builtins;
#[doc(hidden)]
pub mod calibrated;
mod check;
#[doc(hidden)]
pub mod choice;
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
mod figure_links;
#[doc(hidden)]
pub mod figures;
#[doc(hidden)]
pub mod fit;
#[doc(hidden)]
pub mod held_out;
#[doc(hidden)]
pub mod live;
#[doc(hidden)]
pub mod located;
#[doc(hidden)]
pub mod location;
#[doc(hidden)]
pub mod named_value;
#[doc(hidden)]
pub mod points;
mod progress;
#[doc(hidden)]
pub mod reproduce;
#[doc(hidden)]
pub mod roles;
#[doc(hidden)]
pub mod scaffold;
mod seeds;
mod shared_problem;
#[doc(hidden)]
pub mod shipped;
#[doc(hidden)]
pub mod uncertainty;
#[doc(hidden)]
pub mod view;

#[cfg_attr(not(doctest), doc = include_str!("example.md"))]
pub use crate::report::PaperReport;
#[cfg_attr(not(doctest), doc = include_str!("example.md"))]
pub use builtins::BuiltinFns;
#[cfg_attr(not(doctest), doc = include_str!("example.md"))]
pub use located::{LocatedStudy, load};
#[cfg_attr(not(doctest), doc = include_str!("example.md"))]
pub use progress::Progress;
#[cfg_attr(not(doctest), doc = include_str!("example.md"))]
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
