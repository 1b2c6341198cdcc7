//! Narrows as a module of Python: the same functions as the command line, without a process between.
//!
//! | file | holds |
//! |---|---|
//! | `description.rs` | a description: check, show, run, ask, fit |
//! | `sweep.rs` | many runs, here or on somebody's executor |
//! | `distribution.rs` | distributions: percentiles, merging, charts |
//! | `find.rs` | where along a key a metric passes a value |
//! | `table.rs` | tidy data, handed over as Arrow lies in memory |
//! | `picture.rs` | pictures as files |
//! | `study.rs` | a study, reproduced |
//! | `wrong.rs` | problems as exceptions |
//! | `wait.rs` | long work without the interpreter's lock, which Ctrl-C stops |
//!
//! A wheel is a crate of a few lines that calls [`module`] with the parts of its registry: that which ships is above this
//! one, in `crates/py`. Leaves out what reads better in Python (`python/narrows`): classes for users, executors, how
//! results look.

mod description;
mod distribution;
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

/// The parts that descriptions may name, set when the module is made.
static REGISTRY: OnceLock<Arc<Registry>> = OnceLock::new();

/// Returns the parts that descriptions may name.
fn registry() -> &'static Arc<Registry> {
    REGISTRY.get().unwrap_or_else(|| Registry::shared())
}

/// Adds what `python/narrows` stands on to the extension module `_narrows` of a wheel, whose descriptions may name the
/// parts of `registry`.
///
/// # Errors
///
/// Returns the exception of Python where an object cannot be added.
///
/// # Panics
///
/// Panics if it is called twice: a process has one registry of parts.
pub fn module(module: &Bound<'_, PyModule>, registry: Registry) -> PyResult<()> {
    assert!(REGISTRY.set(Arc::new(registry)).is_ok(), "a process has one registry of parts");
    module.add_class::<description::Description>()?;
    module.add_class::<description::Ran>()?;
    module.add_class::<distribution::Distribution>()?;
    module.add_class::<study::Reproduced>()?;
    module.add_class::<sweep::Planned>()?;
    module.add_class::<table::Table>()?;
    module.add_function(wrap_pyfunction!(distribution::cdf, module)?)?;
    module.add_function(wrap_pyfunction!(find::find, module)?)?;
    module.add_function(wrap_pyfunction!(picture::write_picture, module)?)?;
    module.add_function(wrap_pyfunction!(study::reproduce, module)?)?;
    module.add_function(wrap_pyfunction!(sweep::here, module)?)?;
    module.add_function(wrap_pyfunction!(sweep::plan, module)?)?;
    module.add_function(wrap_pyfunction!(sweep::run_point, module)?)?;
    module.add("DescriptionError", module.py().get_type::<wrong::DescriptionError>())?;
    module.add("VERSION", narrows::experiment::record::VERSION)
}
