//! The extension module of the wheel that ships: `narrows-py` with the parts that ship.

use narrows::machine::Registry;
use pyo3::prelude::*;

/// What `python/narrows` stands on.
#[pymodule]
fn _narrows(module: &Bound<'_, PyModule>) -> PyResult<()> {
    narrows_py::module(module, Registry::shipped())
}
