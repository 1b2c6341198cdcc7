//! Distributions for Python: percentiles, merging over seeds, and charts.

use crate::exceptions::problem_error;
use crate::table::Table;
use narrows::engine::histogram::{Bucket, PERCENTILES};
use narrows::engine::{Distribution as NativeDistribution, SampleUnit};
use narrows::experiment::distribution::{distribution_json, merge_by_name, read_distribution};
use narrows::experiment::plot::{CdfSpec, SampleSet};
use narrows::report::dataset::{ColumnValues, Dataset};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// The distribution of a quantity, as a histogram of whole numbers.
#[pyclass(frozen, module = "narrows._narrows")]
pub struct Distribution(NativeDistribution);

impl Distribution {
    /// Returns a value in the unit of metrics.
    fn value(&self, value: u64) -> f64 {
        value as f64 / self.0.unit.metric_unit().1
    }
}

#[pymethods]
impl Distribution {
    /// Reads the distribution `name` from JSON, in the form that results have.
    #[staticmethod]
    fn of_json(name: &str, text: &str) -> PyResult<Distribution> {
        let json = serde_json::from_str(text).map_err(|error| PyValueError::new_err(error.to_string()))?;
        Ok(Distribution(read_distribution(name, &json).map_err(PyValueError::new_err)?))
    }

    /// Returns the distribution of the samples of all distributions in `all`.
    #[staticmethod]
    fn merged(all: Vec<PyRef<'_, Distribution>>) -> PyResult<Distribution> {
        let Some(first) = all.first() else { return Err(PyValueError::new_err("there is no distribution to merge")) };
        let is_same = |distribution: &PyRef<'_, Distribution>| {
            distribution.0.name == first.0.name && distribution.0.unit == first.0.unit
        };
        if let Some(other) = all.iter().find(|distribution| !is_same(distribution)) {
            let message =
                format!("`{}` and `{}` are distributions of different quantities", first.0.name, other.0.name);
            return Err(PyValueError::new_err(message));
        }
        let merged = merge_by_name(all.iter().map(|distribution| &distribution.0)).into_iter().next();
        merged.map(Distribution).ok_or_else(|| PyValueError::new_err("there is no distribution to merge"))
    }

    #[getter]
    fn name(&self) -> &str {
        &self.0.name
    }

    /// Returns the unit of the values.
    #[getter]
    fn unit(&self) -> &'static str {
        self.0.unit.metric_unit().0
    }

    #[getter]
    fn samples(&self) -> u64 {
        self.0.histogram.samples()
    }

    #[getter]
    fn min(&self) -> Option<f64> {
        self.0.histogram.min().map(|value| self.value(value))
    }

    #[getter]
    fn max(&self) -> Option<f64> {
        self.0.histogram.max().map(|value| self.value(value))
    }

    /// Returns a percentile, or None if there are too few samples.
    fn percentile(&self, percent: f64) -> PyResult<Option<f64>> {
        match (0.0..=100.0).contains(&percent) {
            true => Ok(self.0.histogram.percentile(percent).map(|value| self.value(value))),
            false => Err(PyValueError::new_err(format!("a percentile is from 0 to 100, not {percent}"))),
        }
    }

    /// Returns the percentiles that runs report, each with its percent.
    #[getter]
    fn percentiles(&self) -> Vec<(f64, Option<f64>)> {
        let value = |percent: f64| self.0.histogram.percentile(percent).map(|value| self.value(value));
        PERCENTILES.iter().map(|(_, percent)| (*percent, value(*percent))).collect()
    }

    /// Returns the buckets that have samples, as a table in base units.
    #[getter]
    fn buckets(&self) -> PyResult<Table> {
        let (unit, factor) = match self.0.unit {
            SampleUnit::Picoseconds => ("s", 1e12),
            SampleUnit::Cycles => ("cycles", 1.0),
        };
        let buckets = || self.0.histogram.buckets();
        let values = |bound_of: fn(Bucket) -> u64| {
            ColumnValues::Numbers(buckets().map(|bucket| Some(bound_of(bucket) as f64 / factor)).collect())
        };
        let mut data = Dataset::default();
        data.push("from", unit, values(|bucket| bucket.min));
        data.push("up_to", unit, values(|bucket| bucket.max));
        data.push("count", "", ColumnValues::Counts(buckets().map(|bucket| Some(bucket.count)).collect()));
        Table::new(data)
    }

    /// Returns the distribution as JSON, in the form that results have.
    #[getter]
    fn json(&self) -> String {
        distribution_json(&self.0).to_string()
    }

    fn __eq__(&self, other: &Distribution) -> bool {
        self.0 == other.0
    }
}

/// Returns a chart of cumulative distributions as SVG, with a line for each name.
#[pyfunction]
pub fn cdf(
    named: Vec<(String, PyRef<'_, Distribution>)>,
    log: (bool, bool),
    title: Option<String>,
) -> PyResult<String> {
    let sets: Vec<SampleSet> =
        named.into_iter().map(|(name, distribution)| SampleSet::new(name, &distribution.0)).collect();
    Ok(CdfSpec { title, log }.draw(&sets).map_err(problem_error)?.svg)
}
