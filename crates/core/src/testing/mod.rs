//! Laws that hold for every part, for the tests of whoever adds one.
//!
//! [`matrix`] runs a part with every other part that it fits, on small inputs, and reports what breaks a law. A crate
//! with a part of its own has them all in one line:
//!
//! ```
//! # extern crate narrows_core as narrows;
//! use narrows::machine::Registry;
//! use narrows::testing::{Selection, matrix};
//!
//! let report = matrix(Registry::shared(), &Selection { ni: Some("ni/queues"), workload: Some("pair"), ..Selection::ALL });
//! assert!(report.runs > 0 && report.violations.is_empty(), "{report}");
//! ```
//!
//! | file | holds |
//! |---|---|
//! | `matrix.rs` | combinations of parts, run on small inputs by all processors |
//! | `declarations.rs` | what is wrong with how parts declare their keys and examples |
//! | `laws.rs` | the laws, each of one run or of a few |
//! | `observation.rs` | what a run delivered, counted and ended with |
//!
//! Leaves out laws of one kind of part, such as the latency of a stated bus: those are for the part's own tests.

mod declarations;
mod laws;
mod matrix;
mod observation;

pub use declarations::declaration_errors;
pub use laws::{Violation, guarantees_order};
pub use matrix::{HOSTS, MatrixReport, Selection, matrix, small_description};
pub use observation::{DeliveredMessage, RunObservation};
