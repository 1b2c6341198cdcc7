//! Errors as Python exceptions: the same text as on a terminal, with positions and hints.

use narrows::Error;
use narrows::text::{Problem, Problems};
use pyo3::create_exception;
use pyo3::exceptions::{PyOSError, PyValueError};
use pyo3::prelude::*;
use std::io;
use std::path::Path;

create_exception!(narrows, DescriptionError, PyValueError, "Bad input: the errors, with their positions.");

/// Returns the exception for the problems of a description.
pub fn description_error(problems: Problems) -> PyErr {
    DescriptionError::new_err(format!("\n{problems}"))
}

/// Returns the exception for a problem without a position.
pub fn problem_error(problem: Problem) -> PyErr {
    description_error(Problems::from_problem(problem))
}

/// Returns the exception for groups of problems, each under its heading.
pub fn grouped_error(groups: Vec<(String, Problems)>) -> PyErr {
    let texts = groups.iter().map(|(head, problems)| match head.is_empty() {
        true => problems.to_string(),
        false => format!("{head}\n{problems}"),
    });
    DescriptionError::new_err(format!("\n{}", texts.collect::<Vec<_>>().join("\n")))
}

/// Returns the exception for a file that cannot be read or written.
pub fn file_error(path: &Path, error: &io::Error) -> PyErr {
    PyOSError::new_err(format!("`{}`: {error}", path.display()))
}

/// Returns the exception for an error of the library.
pub fn error(error: &Error) -> PyErr {
    grouped_error(error.groups().map(|(head, problems)| (head.to_owned(), problems.clone())).collect())
}
