//! The extension module of the shipped wheel: `narrows-py` with the shipped parts.

use narrows::machine::Registry;
use pyo3::prelude::*;

/// Defines the extension module that `python/narrows` imports.
#[pymodule]
fn _narrows(module: &Bound<'_, PyModule>) -> PyResult<()> {
    narrows_py::module(module, Registry::shipped())
}
