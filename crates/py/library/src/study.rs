//! Reproduces studies from Python: a paper, or a user's folder.

use crate::exceptions::{description_error, error, file_error, problem_error};
use crate::registry;
use crate::wait::{Watch, run_with_progress};
use narrows::experiment::record::VERSION;
use narrows::papers::builtins;
use narrows::report::PaperReport;
use narrows::study::{Options, Progress, find, located};
use pyo3::prelude::*;
use std::path::PathBuf;

/// A study's claims and figures.
#[pyclass(frozen, module = "narrows._narrows")]
pub struct StudyReport(PaperReport);

#[pymethods]
impl StudyReport {
    /// Returns the JSON of the study, as `narrows reproduce --format json` prints it.
    #[getter]
    fn json(&self) -> String {
        let mut json = self.0.json();
        json["version"] = VERSION.into();
        json.to_string()
    }

    #[getter]
    fn text(&self) -> String {
        self.0.text()
    }

    /// Returns the study as one HTML page.
    #[getter]
    fn page(&self) -> String {
        narrows::report::html::page(&self.0)
    }

    /// Returns the pictures, each as name, title and SVG.
    #[getter]
    fn figures(&self) -> Vec<(&str, &str, &str)> {
        let is_drawn = |artifact: &'_ narrows::report::Artifact| artifact.svg.is_some();
        let drawn_artifacts = self.0.artifacts.iter().filter(|artifact| is_drawn(artifact));
        drawn_artifacts
            .map(|artifact| {
                (artifact.id.as_str(), artifact.title.as_str(), artifact.svg.as_deref().unwrap_or_default())
            })
            .collect()
    }

    fn write(&self, folder: PathBuf) -> PyResult<()> {
        std::fs::create_dir_all(&folder)
            .and_then(|()| self.0.write(&folder))
            .map_err(|error| file_error(&folder, &error))
    }
}

/// Reports finished points as progress.
struct PointCounter<'a>(&'a Watch);

impl Progress for PointCounter<'_> {
    fn begins(&self, _points: usize) {}

    fn done(&self, _point: &str) {
        self.0.count_finished();
    }
}

/// Reproduces a paper, `PAPER/ARTIFACT`, or the folder of a study.
#[pyfunction]
pub fn reproduce(
    py: Python<'_>,
    target: &str,
    quick: bool,
    jobs: Option<usize>,
    uncertainty: bool,
    seeds: u64,
    progress: Option<Py<PyAny>>,
) -> PyResult<StudyReport> {
    let (paper, artifact) = located::parse_target(target);
    let located = find(&paper, &builtins(registry())).map_err(description_error)?;
    let options = Options { paper, artifact, quick, jobs: jobs.unwrap_or(0), uncertainty, seeds, ..Options::default() };
    located.select_artifacts(options.artifact.as_deref()).map_err(problem_error)?;
    let report =
        run_with_progress(py, jobs, progress.as_ref(), |watch| located.reproduce(&options, &PointCounter(watch)))?;
    Ok(StudyReport(report.map_err(|problem| error(&problem))?))
}
