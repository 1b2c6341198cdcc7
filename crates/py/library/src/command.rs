//! The command line and the meaning of names, for the `narrows` command of the wheel and for `narrows.help`.

use crate::exceptions::problem_error;
use crate::registry;
use narrows::{cli, reference};
use pyo3::prelude::*;
use std::ffi::OsString;
use std::sync::Arc;

/// Runs the command that `arguments` name, of which the first is the name of the program, and returns the exit code.
/// `own_command` starts the process again, up to the name of the command. It can be called once in a process.
#[pyfunction]
pub fn run_command(py: Python<'_>, arguments: Vec<OsString>, own_command: Vec<OsString>) -> u8 {
    py.detach(|| cli::run_arguments(Arc::clone(registry()), arguments, own_command))
}

/// Returns the meaning of a name, as `narrows explain` prints it.
#[pyfunction]
pub fn explain(name: &str) -> PyResult<String> {
    reference::explain(registry(), name).map_err(problem_error)
}
