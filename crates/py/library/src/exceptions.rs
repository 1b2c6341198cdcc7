//! Errors as Python exceptions: the same text as on a terminal, with positions and hints.

use narrows::Error;
use narrows::text::{Problem, Problems};
use pyo3::PyTypeInfo;
use pyo3::create_exception;
use pyo3::exceptions::{PyOSError, PyUserWarning, PyValueError};
use pyo3::prelude::*;
use std::ffi::CString;
use std::io;
use std::path::Path;

create_exception!(narrows, DescriptionError, PyValueError, "Bad input: the errors, with their positions.");

create_exception!(
    narrows,
    NarrowsWarning,
    PyUserWarning,
    "A description is valid, but probably not as intended, such as a host that no node uses."
);

/// Issues a warning of the category `T`. It may be called without the interpreter's lock, from any thread that reads a
/// description.
pub fn warn<T: PyTypeInfo>(text: &str) {
    Python::attach(|py| {
        let text = CString::new(text.replace('\0', " ")).expect("no zero byte is left");
        if let Err(error) = PyErr::warn(py, &py.get_type::<T>(), &text, 1) {
            error.write_unraisable(py, None);
        }
    });
}

/// Issues a `NarrowsWarning` with the text of a warning or note of the command line.
pub fn warn_notice(notice: &str) {
    warn::<NarrowsWarning>(notice.trim_start_matches("warning: ").trim_start_matches("note: "));
}

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
