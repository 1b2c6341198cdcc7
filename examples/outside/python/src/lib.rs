//! Narrows from Python with the parts of `narrows-outside`: install this wheel instead of the shipped one.

use pyo3::prelude::*;

/// Defines the extension module that the Python package `narrows` imports.
#[pymodule]
fn _narrows(module: &Bound<'_, PyModule>) -> PyResult<()> {
    narrows_py::module(module, narrows_outside::registry())
}
