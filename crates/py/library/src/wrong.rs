//! Problems as exceptions: the same text as on a terminal, with places and hints.

use narrows::Error;
use narrows::text::{Problem, Problems};
use pyo3::create_exception;
use pyo3::exceptions::{PyOSError, PyValueError};
use pyo3::prelude::*;
use std::io;
use std::path::Path;

create_exception!(narrows, DescriptionError, PyValueError, "What was asked makes no sense, and where: bad input.");

/// Problems of a description.
pub fn unsound(problems: Problems) -> PyErr {
    DescriptionError::new_err(format!("\n{problems}"))
}

/// A problem without a place.
pub fn wrong(problem: Problem) -> PyErr {
    unsound(Problems::one(problem))
}

/// Groups of problems, each under its line.
pub fn grouped(groups: Vec<(String, Problems)>) -> PyErr {
    let told = groups.iter().map(|(head, problems)| match head.is_empty() {
        true => problems.to_string(),
        false => format!("{head}\n{problems}"),
    });
    DescriptionError::new_err(format!("\n{}", told.collect::<Vec<_>>().join("\n")))
}

/// A file that cannot be read or written.
pub fn file(path: &Path, error: &io::Error) -> PyErr {
    PyOSError::new_err(format!("`{}`: {error}", path.display()))
}

/// Any error of the library.
pub fn error(error: &Error) -> PyErr {
    grouped(error.groups().map(|(head, problems)| (head.to_owned(), problems.clone())).collect())
}
