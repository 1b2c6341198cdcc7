//! Writes pictures as files, in the format of the file's extension.

use crate::exceptions::{file_error, problem_error};
use narrows::report::files::write_atomically;
use narrows::report::image::ImageFormat;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use std::path::PathBuf;

/// Writes a picture that is given as SVG.
#[pyfunction]
pub fn write_picture(svg: &str, path: PathBuf) -> PyResult<()> {
    let image_format = ImageFormat::from_path(&path).map_err(problem_error)?;
    let bytes = image_format.bytes(svg).map_err(PyValueError::new_err)?;
    write_atomically(&path, &bytes).map_err(|error| file_error(&path, &error))
}
