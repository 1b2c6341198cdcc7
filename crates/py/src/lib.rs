//! Narrows as a module of Python: the same functions as the command line, without a process between.
//!
//! | file | holds |
//! |---|---|
//! | `description.rs` | a description: check, show, run, ask, fit |
//! | `sweep.rs` | many runs, here or on somebody's executor |
//! | `find.rs` | where along a key a metric passes a value |
//! | `table.rs` | tidy data, handed over as Arrow lies in memory |
//! | `picture.rs` | pictures as files |
//! | `study.rs` | a study, reproduced |
//! | `wrong.rs` | problems as exceptions |
//! | `wait.rs` | long work without the interpreter's lock, which Ctrl-C stops |
//!
//! Leaves out what reads better in Python (`python/narrows`): classes for users, executors, how results look.

mod description;
mod find;
mod picture;
mod study;
mod sweep;
mod table;
mod wait;
mod wrong;

use narrows::machine::Registry;
use pyo3::prelude::*;
use std::sync::{Arc, OnceLock};

/// The parts that descriptions may name; those that ship, unless an extension module set others.
static REGISTRY: OnceLock<Arc<Registry>> = OnceLock::new();

/// Returns the parts that descriptions may name.
fn registry() -> &'static Arc<Registry> {
    REGISTRY.get().unwrap_or_else(|| Registry::shared())
}

/// Sets the parts that descriptions may name: the first call of an extension module with parts of its own.
///
/// # Panics
///
/// Panics if it is called twice.
pub fn set_registry(registry: Registry) {
    assert!(REGISTRY.set(Arc::new(registry)).is_ok(), "a process has one registry of parts");
}

/// What `python/narrows` stands on.
#[pymodule]
mod _narrows {
    #[pymodule_export]
    use super::description::{Description, Ran};
    #[pymodule_export]
    use super::find::find;
    #[pymodule_export]
    use super::picture::write_picture;
    #[pymodule_export]
    use super::study::{Reproduced, reproduce};
    #[pymodule_export]
    use super::sweep::{Planned, here, plan, run_point};
    #[pymodule_export]
    use super::table::Table;
    #[pymodule_export]
    use super::wrong::DescriptionError;
    use pyo3::prelude::*;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("VERSION", narrows::experiment::record::VERSION)
    }
}
