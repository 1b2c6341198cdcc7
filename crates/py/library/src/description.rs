//! A description for Python: found by name, file or text; checked, shown, run, analysed and fitted.

use crate::exceptions::{DescriptionError, description_error, problem_error, warn, warn_notice};
use crate::registry;
use crate::table::Table;
use crate::wait::{Watch, run_with_progress};
use narrows::engine::Recorder;
use narrows::experiment::fit::control::{FitControl, FitMonitor};
use narrows::experiment::fit::curve::Curve;
use narrows::experiment::fit::curve_fit::CurveFit;
use narrows::experiment::loaded_description::LoadedDescription;
use narrows::experiment::uncertainty::single;
use narrows::experiment::whatif::{WhatIfError, WhatIfQuery};
use narrows::experiment::{Record, tidy};
use narrows::report::MeanLedger;
use pyo3::exceptions::PyFutureWarning;
use pyo3::prelude::*;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

/// A description whose text was read. It is pickled with its text.
#[pyclass(frozen, module = "narrows._narrows")]
pub struct Description {
    /// The description, with its name, text and folder.
    pub subject: Arc<LoadedDescription>,
}

/// The pickled state of a description: its name, its text, and the folder to which its paths are relative.
type PickledDescription = (String, String, Option<PathBuf>);

/// Returns the description with warnings of Python: a `FutureWarning` for each renamed key, and a `NarrowsWarning` for
/// each notice.
fn with_warnings(subject: LoadedDescription) -> Description {
    Description { subject: Arc::new(subject.on_renamed_key(warn::<PyFutureWarning>).on_notice(warn_notice)) }
}

/// The output of a run.
#[pyclass(frozen, module = "narrows._narrows")]
pub struct RunOutput {
    record: Record,
    chart: Option<String>,
    messages: Option<Py<Table>>,
}

#[pymethods]
impl RunOutput {
    /// Returns the JSON of the result, as `narrows run --format json` prints it.
    #[getter]
    fn record(&self) -> String {
        self.record.pretty()
    }

    /// Returns a chart of the mean ledger, or None if no message has one.
    #[getter]
    fn chart(&self) -> Option<&str> {
        self.chart.as_deref()
    }

    #[getter]
    fn messages(&self, py: Python<'_>) -> Option<Py<Table>> {
        self.messages.as_ref().map(|table| table.clone_ref(py))
    }
}

#[pymethods]
impl Description {
    /// Opens a shipped example, a file, or the machine of a result.
    #[staticmethod]
    fn find(path: PathBuf) -> PyResult<Description> {
        let subject = LoadedDescription::find(registry(), &path).map_err(problem_error)?;
        Ok(with_warnings(subject))
    }

    /// Makes a description of a text. Messages refer to the text by `name`.
    #[staticmethod]
    fn of_text(name: String, text: String, folder: Option<PathBuf>) -> Description {
        with_warnings(LoadedDescription::new(registry(), name, text, folder))
    }

    fn __reduce__(slf: &Bound<'_, Self>) -> PyResult<(Py<PyAny>, PickledDescription)> {
        let subject = &slf.get().subject;
        let folder = subject.folder().map(Path::to_path_buf);
        let constructor = slf.get_type().getattr("of_text")?.unbind();
        Ok((constructor, (subject.name().to_owned(), subject.text().to_owned(), folder)))
    }

    #[getter]
    fn name(&self) -> &str {
        self.subject.name()
    }

    #[getter]
    fn text(&self) -> &str {
        self.subject.text()
    }

    /// Checks the description, and returns its note, if it has one.
    fn check(&self, py: Python<'_>, sets: Vec<String>) -> PyResult<Option<String>> {
        let read = py.detach(|| self.subject.read(&sets)).map_err(description_error)?;
        Ok(read.value.note())
    }

    /// Returns every value of the machine, as JSON.
    fn show(&self, py: Python<'_>, sets: Vec<String>) -> PyResult<String> {
        let read = py.detach(|| self.subject.read(&sets)).map_err(description_error)?;
        Ok(read.resolved().to_string())
    }

    /// Runs the machine once.
    fn run(&self, py: Python<'_>, sets: Vec<String>, messages: bool) -> PyResult<RunOutput> {
        let recorder = if messages { Recorder::off().with_messages() } else { Recorder::off() };
        let (record, chart, data) = run_with_progress(py, Some(1), None, |_| {
            let read = self.subject.read(&sets)?;
            read.value.warnings().iter().for_each(|warning| warn_notice(&warning.to_string()));
            let start = Instant::now();
            let result = narrows::experiment::run(&read.value, recorder);
            let wall_s = start.elapsed().as_secs_f64();
            let ledger = MeanLedger::new(&result.ledger);
            let chart = (ledger.messages > 0).then(|| ledger.chart("Where a message's time goes").svg());
            let names = read.value.endpoint_names();
            let data = messages.then(|| tidy::messages_dataset(&result.deliveries, &names));
            Ok((Record::new(&read, &result).with_run_cost(wall_s, result.events).with_folder(&read), chart, data))
        })?
        .map_err(description_error)?;
        let messages = data.map(|data| Py::new(py, Table::new(data)?)).transpose()?;
        Ok(RunOutput { record, chart, messages })
    }

    /// Analyses the sensitivity to each number of the machine, and returns the result as JSON.
    #[pyo3(signature = (sets, metric, by, jobs))]
    fn whatif(
        &self,
        py: Python<'_>,
        sets: Vec<String>,
        metric: Option<String>,
        by: f64,
        jobs: Option<usize>,
    ) -> PyResult<String> {
        if !(1.001..=1000.0).contains(&by) {
            return Err(DescriptionError::new_err("`by` must be more than 1, and at most 1000"));
        }
        let reader = |overrides: &[String]| self.subject.read_varied(&sets, overrides);
        let query = WhatIfQuery { reader: &reader, metric: metric.as_deref(), factor: by, thorough: false };
        match run_with_progress(py, jobs, None, |_| query.run(&|_| ()))? {
            Ok(analysis) => Ok(analysis.json().to_string()),
            Err(WhatIfError::Invalid(problems)) => Err(description_error(problems)),
            Err(WhatIfError::Unmeasurable(problem)) => Err(problem_error(problem)),
        }
    }

    /// Returns the record of a run with the uncertainty of each metric, as JSON.
    fn uncertainty(&self, py: Python<'_>, sets: Vec<String>, jobs: Option<usize>) -> PyResult<String> {
        let reader = |overrides: &[String]| self.subject.read_varied(&sets, overrides);
        let record = run_with_progress(py, jobs, None, |_| {
            let read = self.subject.read(&sets)?;
            let result = narrows::experiment::run(&read.value, Recorder::off());
            let uncertainties = single::uncertainties(&reader, &result, &|_| (), &|| ())?;
            Ok(Record::new(&read, &result).with_uncertainty(&uncertainties))
        })?;
        Ok(record.map_err(description_error)?.pretty())
    }

    /// Fits constants to curves, each given as a name and a text, and returns the result as JSON.
    #[pyo3(signature = (sets, curves, constants, prior, noise, tolerance, state, jobs))]
    #[expect(clippy::too_many_arguments, reason = "each is one of Python's, where they have names")]
    fn fit(
        &self,
        py: Python<'_>,
        sets: Vec<String>,
        curves: Vec<(String, String)>,
        constants: Vec<String>,
        prior: Option<f64>,
        noise: f64,
        tolerance: Option<f64>,
        state: Option<PathBuf>,
        jobs: Option<usize>,
    ) -> PyResult<String> {
        let read_curve =
            |(name, text): &(String, String)| Curve::read(Path::new(name), text).map_err(description_error);
        let curves: Vec<Curve> = curves.iter().map(read_curve).collect::<PyResult<_>>()?;
        let reader = |overrides: &[String]| self.subject.read_varied(&sets, overrides);
        let result = run_with_progress(py, jobs, None, |watch| {
            let control = FitControl { monitor: &FitWatch(watch), state: state.as_deref() };
            let (curves, constants) = (&curves[..], &constants[..]);
            CurveFit { reader: &reader, curves, constants, prior, noise, tolerance, control }.fit()
        })?;
        Ok(result.map_err(description_error)?.json().to_string())
    }
}

/// Stops a fit on Ctrl-C; its state file keeps the runs so far.
struct FitWatch<'a>(&'a Watch);

impl FitMonitor for FitWatch<'_> {
    fn is_stopped(&self) -> bool {
        self.0.is_stopped()
    }
}
