//! Tidy data for other libraries: the Arrow PyCapsule interface, by which pandas, polars and pyarrow read the columns
//! without copying.
//!
//! Computations on tables are left to those libraries.

use crate::arrow::record_batch;
use crate::exceptions::{file_error, problem_error};
use arrow_array::RecordBatch;
use arrow_array::RecordBatchIterator;
use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_schema::ffi::FFI_ArrowSchema;
use narrows::experiment::plot::{self, CdfSpec, LatencyLoadSpec, PlotSpec};
use narrows::experiment::tidy;
use narrows::report::dataset::{ColumnValues, Dataset, Encoding};
use narrows::report::files::write_atomically;
use narrows::text::Problem;
use pyo3::exceptions::{PyKeyError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyList};
use std::path::PathBuf;

/// A table with a row for each observation and a column for each variable, in base units.
#[pyclass(frozen, module = "narrows._narrows")]
pub struct Table {
    data: Dataset,
    batch: RecordBatch,
}

impl Table {
    /// Makes the table of a dataset.
    pub fn new(data: Dataset) -> PyResult<Table> {
        let batch =
            record_batch(&data).map_err(|error| PyValueError::new_err(format!("it is not a valid table: {error}")))?;
        Ok(Table { data, batch })
    }
}

/// The values of a column that is made in Python. A column without any value has numbers.
#[derive(FromPyObject)]
enum PythonColumn {
    Numbers(Vec<Option<f64>>),
    Texts(Vec<Option<String>>),
}

#[pymethods]
impl Table {
    /// Makes a table of columns of equal lengths, each with its name and its unit.
    #[staticmethod]
    fn of_columns(columns: Vec<(String, String, PythonColumn)>) -> PyResult<Table> {
        let mut data = Dataset::default();
        for (name, unit, values) in columns {
            let values = match values {
                PythonColumn::Numbers(values) => ColumnValues::Numbers(values),
                PythonColumn::Texts(values) => ColumnValues::Texts(values),
            };
            data.push(&name, &unit, values);
        }
        Table::new(data)
    }

    /// Reads the output of a sweep or of `narrows run --messages`.
    #[staticmethod]
    fn read(path: PathBuf) -> PyResult<Table> {
        let bytes = std::fs::read(&path).map_err(|error| file_error(&path, &error))?;
        let not_a_table_error =
            |why: String| problem_error(Problem::new(format!("`{}` holds no table: {why}", path.display())));
        let data = match Encoding::from_path(&path) {
            Some(encoding) => Dataset::read(bytes, encoding),
            None if path.extension().is_some_and(|extension| extension == "json") => {
                tidy::dataset_from_json(&String::from_utf8_lossy(&bytes))
            }
            None => return Err(problem_error(format_error(&path))),
        };
        Table::new(data.map_err(not_a_table_error)?)
    }

    fn __len__(&self) -> usize {
        self.data.rows()
    }

    #[getter]
    fn columns(&self) -> Vec<&str> {
        self.data.variables.iter().map(|variable| variable.name.as_str()).collect()
    }

    #[getter]
    fn units(&self) -> Vec<(&str, &str)> {
        self.data.variables.iter().map(|variable| (variable.name.as_str(), variable.unit.as_str())).collect()
    }

    /// Returns the values of a column, with None where nothing was measured.
    fn column<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyList>> {
        let variable = self.data.find(name).ok_or_else(|| PyKeyError::new_err(name.to_owned()))?;
        match &variable.values {
            ColumnValues::Texts(values) => PyList::new(py, values),
            ColumnValues::Counts(values) => PyList::new(py, values),
            ColumnValues::Numbers(values) => PyList::new(py, values),
        }
    }

    fn write(&self, path: PathBuf) -> PyResult<()> {
        let encoding = Encoding::from_path(&path).ok_or_else(|| problem_error(format_error(&path)))?;
        let bytes = self.data.bytes(encoding).map_err(PyValueError::new_err)?;
        write_atomically(&path, &bytes).map_err(|error| file_error(&path, &error))
    }

    /// Returns a chart as SVG, and the number of missing values that the chart leaves out.
    fn plot(
        &self,
        x: String,
        y: Vec<String>,
        by: Vec<String>,
        log: (bool, bool),
        title: Option<String>,
    ) -> PyResult<(String, usize)> {
        let plot = PlotSpec { title, x, y, by, log }.draw(&self.data).map_err(problem_error)?;
        Ok((plot.svg, plot.left_out))
    }

    /// Returns a chart of the cumulative distribution of a column as SVG.
    fn cdf(&self, column: &str, by: Vec<String>, log: (bool, bool), title: Option<String>) -> PyResult<String> {
        let sets = plot::samples_from_dataset(&self.data, column, &by).map_err(problem_error)?;
        Ok(CdfSpec { title, log }.draw(&sets).map_err(problem_error)?.svg)
    }

    /// Returns a chart of latency over offered load as SVG.
    fn latency_load(&self, by: Vec<String>, log_x: bool, title: Option<String>) -> PyResult<String> {
        Ok(LatencyLoadSpec { title, by, log_x }.draw(&self.data).map_err(problem_error)?.svg)
    }

    #[pyo3(signature = (requested_schema = None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        // The interface permits a producer to ignore the requested schema.
        let _ = requested_schema;
        let batches = RecordBatchIterator::new([Ok(self.batch.clone())], self.batch.schema());
        let stream = FFI_ArrowArrayStream::new(Box::new(batches));
        PyCapsule::new_with_value(py, stream, c"arrow_array_stream")
    }

    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        let schema = FFI_ArrowSchema::try_from(self.batch.schema().as_ref());
        let schema = schema.map_err(|error| PyValueError::new_err(error.to_string()))?;
        PyCapsule::new_with_value(py, schema, c"arrow_schema")
    }
}

fn format_error(path: &std::path::Path) -> Problem {
    let problem = Problem::new(format!("`{}`: unsupported format for a table", path.display()));
    problem.help("name a file that ends in `.csv`, `.jsonl` or `.parquet`")
}
