//! Laws that hold for every part, for the tests of authors who add a part.
//!
//! [`matrix`] runs a part in all valid combinations with other parts, on small inputs, and reports the laws that are
//! broken. A crate with a part of its own checks all laws with one line:
//!
//! ```
//! # extern crate narrows_core as narrows;
//! use narrows::Registry;
//! use narrows::testing::{Selection, matrix};
//!
//! let report = matrix(Registry::shared(), &Selection { ni: Some("ni/queues"), workload: Some("pair"), ..Selection::ALL });
//! assert!(report.runs > 0 && report.violations.is_empty(), "{report}");
//! ```
//!
//! | file | holds |
//! |---|---|
//! | `matrix.rs` | combinations of parts, run on small inputs by all processors |
//! | `declarations.rs` | errors in the keys and examples that parts declare |
//! | `laws.rs` | the laws, each of one run or of a few |
//! | `observation.rs` | the deliveries, counts and outcome of a run |
//!
//! Laws of one kind of part, such as the latency of a stated bus, are left to the part's own tests.

mod declarations;
mod laws;
mod matrix;
mod observation;

/// Finds keys that a part reads twice, and examples of parts that do not run.
///
/// ```
/// # extern crate narrows_core as narrows;
/// use narrows::Registry;
/// use narrows::testing::declaration_errors;
///
/// assert!(declaration_errors(Registry::shared()).is_empty());
/// ```
pub use declarations::declaration_errors;

/// The laws of every part, run on all combinations of parts that a selection allows.
///
/// ```
/// # extern crate narrows_core as narrows;
/// use narrows::Registry;
/// use narrows::testing::{MatrixReport, Selection, matrix};
///
/// let selection = Selection {
///     ni: Some("ni/queues"),
///     fabric: Some("fabrics/ideal-1998"),
///     workload: Some("pair"),
///     ..Selection::ALL
/// };
/// let report: MatrixReport = matrix(Registry::shared(), &selection);
/// assert!(report.runs > 0 && report.violations.is_empty(), "{report}");
/// ```
pub use matrix::{MatrixReport, Selection, matrix};

/// Deliveries, counts and outcome of a run of a machine.
///
/// ```
/// # extern crate narrows_core as narrows;
/// use narrows::Machine;
/// use narrows::engine::{Outcome, Recorder};
/// use narrows::testing::RunObservation;
///
/// let machine = Machine::parse(
///     r#"
///     parts = ["hosts/memory-bus-1998", "ni/ni2w", "fabrics/ideal-1998"]
///     [nodes]
///     a.host = "memory-bus-1998"
///     b.host = "memory-bus-1998"
///     [workload.ping-pong]
///     payload = "8 B"
///     messages = 10
///     "#,
/// )?;
/// let observation = RunObservation::of(&machine, Recorder::off());
/// assert_eq!(observation.outcome, Outcome::Done);
/// assert_eq!(observation.metric("messages.sent"), observation.metric("messages.delivered"));
/// # Ok::<(), narrows::Error>(())
/// ```
pub use observation::RunObservation;

#[doc(hidden)]
pub use laws::{Violation, guarantees_order};
#[doc(hidden)]
pub use matrix::{HOSTS, small_description};
#[doc(hidden)]
pub use observation::DeliveredMessage;
