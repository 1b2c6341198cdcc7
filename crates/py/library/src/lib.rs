//! Narrows as a Python module: the functions of the command line, called without a process in between.
//!
//! | file | holds |
//! |---|---|
//! | `description.rs` | a description: check, show, run, analyse, fit |
//! | `sweep.rs` | sweeps, in this process or on an executor |
//! | `distribution.rs` | distributions: percentiles, merging, charts |
//! | `find.rs` | searches for the value of a key at which a metric passes a bound |
//! | `table.rs` | tidy data, passed on without copying |
//! | `arrow.rs` | tidy data as Arrow arrays |
//! | `picture.rs` | pictures as files |
//! | `study.rs` | a study, reproduced |
//! | `command.rs` | the command line, and the meaning of names |
//! | `exceptions.rs` | errors as Python exceptions |
//! | `wait.rs` | long work without the interpreter's lock, which Ctrl-C stops |
//!
//! A wheel is a crate of a few lines that calls [`module`] with the parts of its registry; the shipped one is in
//! `crates/py`. The classes for users, executors, and the display of results are written in Python (`python/narrows`).

mod arrow;
mod command;
mod description;
mod distribution;
mod exceptions;
mod find;
mod picture;
mod study;
mod sweep;
mod table;
mod wait;

use narrows::machine::Registry;
use pyo3::prelude::*;
use std::sync::{Arc, OnceLock};

/// The parts that descriptions may name, set when the module is created.
static REGISTRY: OnceLock<Arc<Registry>> = OnceLock::new();

/// Returns the parts that descriptions may name.
fn registry() -> &'static Arc<Registry> {
    REGISTRY.get().unwrap_or_else(|| Registry::shared())
}

/// Adds the classes and functions that `python/narrows` uses to the extension module `_narrows` of a wheel, whose
/// descriptions may name the parts of `registry`.
///
/// # Errors
///
/// Returns the Python exception if an object cannot be added.
///
/// # Panics
///
/// Panics if it is called twice, because a process has one registry of parts.
pub fn module(module: &Bound<'_, PyModule>, registry: Registry) -> PyResult<()> {
    assert!(REGISTRY.set(Arc::new(registry)).is_ok(), "a process has one registry of parts");
    module.add_class::<description::Description>()?;
    module.add_class::<description::RunOutput>()?;
    module.add_class::<distribution::Distribution>()?;
    module.add_class::<study::StudyReport>()?;
    module.add_class::<sweep::PlannedSweep>()?;
    module.add_class::<table::Table>()?;
    module.add_function(wrap_pyfunction!(command::explain, module)?)?;
    module.add_function(wrap_pyfunction!(command::run_command, module)?)?;
    module.add_function(wrap_pyfunction!(distribution::cdf, module)?)?;
    module.add_function(wrap_pyfunction!(find::find, module)?)?;
    module.add_function(wrap_pyfunction!(picture::write_picture, module)?)?;
    module.add_function(wrap_pyfunction!(study::reproduce, module)?)?;
    module.add_function(wrap_pyfunction!(sweep::run_in_threads, module)?)?;
    module.add_function(wrap_pyfunction!(sweep::plan, module)?)?;
    module.add_function(wrap_pyfunction!(sweep::run_point, module)?)?;
    module.add("DescriptionError", module.py().get_type::<exceptions::DescriptionError>())?;
    module.add("NarrowsWarning", module.py().get_type::<exceptions::NarrowsWarning>())?;
    module.add("VERSION", narrows::experiment::record::VERSION)
}
