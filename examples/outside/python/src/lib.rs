//! Narrows from Python with the parts of `narrows-outside`: install this wheel in place of the one that ships.

use pyo3::prelude::*;

/// What the package `narrows` stands on.
#[pymodule]
fn _narrows(module: &Bound<'_, PyModule>) -> PyResult<()> {
    narrows_py::module(module, narrows_outside::registry())
}
