//! Writes pictures as files, in the format of the file's extension.

use crate::exceptions::{file_error, problem_error};
use narrows::report::files::write_atomically;
use narrows::report::image::ImageFormat;
use narrows::text::Problem;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use std::path::PathBuf;

/// Writes a picture that is given as SVG.
#[pyfunction]
pub fn write_picture(svg: &str, path: PathBuf) -> PyResult<()> {
    let form = ImageFormat::from_path(&path).ok_or_else(|| {
        let endings: Vec<String> =
            ImageFormat::EXTENSIONS.iter().map(|(extension, _)| format!("`.{extension}`")).collect();
        let problem = Problem::new(format!("`{}`: pictures are not drawn in this form", path.display()));
        problem_error(problem.help(format!("name a file that ends in one of {}", endings.join(", "))))
    })?;
    let bytes = form.bytes(svg).map_err(PyValueError::new_err)?;
    write_atomically(&path, &bytes).map_err(|error| file_error(&path, &error))
}
