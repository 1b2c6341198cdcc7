//! The functions behind the wheel's command `narrows`, and behind `narrows.help`.

use crate::exceptions::problem_error;
use crate::registry;
use narrows::{cli, reference};
use pyo3::prelude::*;
use std::ffi::OsString;
use std::sync::Arc;

/// Runs the command line `arguments`, whose first element is the name of the program, and returns the exit code.
/// `restart_command` is the command line that starts this program again, without a subcommand. This function can be
/// called only once per process.
#[pyfunction]
pub fn run_command(py: Python<'_>, arguments: Vec<OsString>, restart_command: Vec<OsString>) -> u8 {
    py.detach(|| cli::run_arguments(Arc::clone(registry()), arguments, restart_command))
}

/// Returns the meaning of a name, as `narrows explain` prints it.
#[pyfunction]
pub fn explain(name: &str) -> PyResult<String> {
    reference::explain(registry(), name).map_err(problem_error)
}
