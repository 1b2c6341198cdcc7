//! Parts as specifications: the declarations that every host, interface, protocol, fabric and workload makes before
//! time 0.
//!
//! A part has two forms. Before time 0 it is a *specification*: plain data that was read from a table of a description,
//! that the checks examine, and from which documentation is printed. At time 0 its `start` makes a *runtime object* of
//! it. This folder holds the common parts of the specifications of all families; each family adds a trait of its own
//! (`WorkloadSpec`, `InterfaceSpec`, …) next to its runtime traits.
//!
//! | file | holds |
//! |---|---|
//! | `spec.rs` | the trait that an author implements, and its object-safe form |
//! | `family.rs` | the parts of one family, by key, and the syntax by which a description names one |
//! | `siblings.rs` | sibling tables of a family's members |
//! | `selected.rs` | a specification together with the table that it was read from |
//! | `fabric_features.rs` | features of switches, which fabrics state and protocols ask for |
//! | `result_name.rs` | names in results, with their meanings |
//! | `error.rs` | errors in parameters, each at a key below the part's table |
//!
//! The families themselves, and the registry of all of them, are not in this folder; they are in layers above.

mod error;
mod fabric_features;
mod family;
mod result_name;
mod selected;
mod siblings;
mod spec;

pub use error::ParameterError;
pub use fabric_features::FabricFeatures;
pub use family::{PartEntry, PartFamily};
pub use result_name::{PLACEHOLDERS, ResultKind, ResultName, STATISTICS};
pub use selected::Selected;
pub use siblings::{SiblingTable, SiblingTables};
pub use spec::{Part, PartInfo, PartSpec};
