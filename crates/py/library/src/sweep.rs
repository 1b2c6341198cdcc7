//! Sweeps from Python: in threads of this process, or point by point on an executor of Python
//! (`python/narrows/_sweep.py`). Both kinds read, check and store points, and report progress, as `narrows sweep` does.

use crate::description::Description;
use crate::exceptions::{DescriptionError, description_error, file_error, grouped_error, problem_error, warn_notice};
use crate::registry;
use crate::table::Table;
use crate::wait::{Watch, run_with_progress};
use narrows::engine::Recorder;
use narrows::experiment::loaded_description::LoadedDescription;
use narrows::experiment::points::{PointStore, StoredPoint};
use narrows::experiment::seeds::{self, SEEDS_MAX};
use narrows::experiment::sweep::plan::SweepPlan;
use narrows::experiment::sweep::{self, CheckedSweep, RunOptions, Sweep, SweepEvent, settings, values_of};
use narrows::experiment::vary::Dimension;
use narrows::experiment::{Record, ResultRow};
use narrows::text::{Problem, Problems};
use pyo3::exceptions::{PyOSError, PyValueError};
use pyo3::prelude::*;
use std::collections::{HashMap, HashSet};
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

/// The arguments of a sweep.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct SweepRequest {
    /// Settings `KEY=VALUE`, as with `--set` of `narrows sweep`.
    #[pyo3(item("sets"))]
    pub settings: Vec<String>,
    /// Varied keys, as with `--vary` of `narrows sweep`.
    vary: Vec<String>,
    metrics: Vec<String>,
    seeds: Option<u64>,
    stop_at_saturation: bool,
    out: Option<PathBuf>,
}

/// A checked sweep whose points are run by an executor.
#[pyclass(frozen, module = "narrows._narrows")]
pub struct PlannedSweep {
    plan: SweepPlan,
    points: Option<PointStore>,
    results: Mutex<HashMap<String, Arc<ResultRow>>>,
}

/// An error in a sweep that is found before it runs.
enum SweepError {
    Points(Vec<(String, Problems)>),
    Metric(Problem),
}

impl From<SweepError> for PyErr {
    fn from(error: SweepError) -> PyErr {
        match error {
            SweepError::Points(groups) => grouped_error(groups),
            SweepError::Metric(problem) => problem_error(problem),
        }
    }
}

impl SweepRequest {
    /// Returns the varied dimensions; if there are several seeds, they are the last dimension.
    pub fn dimensions(&self, subject: &LoadedDescription) -> PyResult<Vec<Dimension>> {
        let ungrouped_error =
            |problems: Vec<Problem>| grouped_error(problems.into_iter().flat_map(Problem::into_groups).collect());
        let mut dimensions =
            sweep::dimensions(registry(), None, &self.vary, &self.settings).map_err(ungrouped_error)?;
        if let Some(count) = self.seeds {
            if !(2..=SEEDS_MAX).contains(&count) {
                return Err(problem_error(Problem::new(format!("`seeds` is from 2 to {SEEDS_MAX}, not {count}"))));
            }
            let reader = |overrides: &[String]| subject.read_varied(&self.settings, overrides);
            dimensions.push(seeds::dimension(&reader, &dimensions, count).map_err(problem_error)?);
        }
        Ok(dimensions)
    }

    fn plan(&self, dimensions: &[Dimension], inputs: &[String]) -> SweepPlan {
        SweepPlan::new(dimensions, inputs, (self.seeds, self.stop_at_saturation), &self.metrics)
    }

    /// Returns the store of finished points, if the sweep has an output file.
    pub fn points(&self) -> PyResult<Option<PointStore>> {
        point_store(self.out.as_ref())
    }
}

fn check_sweep<'a>(sweep: Sweep<'a>, metrics: &[String]) -> Result<CheckedSweep<'a>, SweepError> {
    let unknown_metric = sweep.unknown_metric(metrics);
    let checked = sweep.check().map_err(SweepError::Points)?;
    if let Some(problem) = unknown_metric {
        return Err(SweepError::Metric(problem));
    }
    checked.warnings().iter().for_each(|warning| warn_notice(warning));
    Ok(checked)
}

fn point_store(output: Option<&PathBuf>) -> PyResult<Option<PointStore>> {
    output.map(|out| PointStore::create(out).map_err(|error| file_error(out, &error))).transpose()
}

/// Runs a sweep in threads of this process. Returns its table, the number of runs, and the number of points that were
/// already stored.
#[pyfunction]
pub fn run_in_threads(
    py: Python<'_>,
    description: &Bound<'_, Description>,
    request: SweepRequest,
    jobs: Option<usize>,
    progress: Option<Py<PyAny>>,
) -> PyResult<(Table, usize, usize)> {
    let subject = description.get().subject.clone();
    let (dimensions, points) = (request.dimensions(&subject)?, request.points()?);
    let (points_stored, points_run) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let (rows, plan) = run_with_progress(py, jobs, progress.as_ref(), |watch| {
        let reader = |overrides: &[String]| read(&subject, &request.settings, overrides, watch);
        let checked = check_sweep(Sweep { reader: &reader, dimensions: &dimensions }, &request.metrics)?;
        let plan = request.plan(&dimensions, checked.input_hashes());
        let on_event = |event| {
            if let SweepEvent::Finished { from_store: was_stored } = event {
                let count = if was_stored { &points_stored } else { &points_run };
                count.fetch_add(1, Ordering::Relaxed);
                watch.count_finished();
            }
        };
        let options = RunOptions { store: points.as_ref(), shard: None, lines: plan.lines, on_event: &on_event };
        Ok::<_, SweepError>((checked.run(&options), plan))
    })??;
    let rows = rows.map_err(|error| PyOSError::new_err(format!("cannot keep a point: {error}")))?;
    Ok((Table::new(plan.dataset(&rows))?, points_run.into_inner(), points_stored.into_inner()))
}

/// Reads a point, unless the sweep was stopped.
pub fn read(
    subject: &LoadedDescription,
    sets: &[String],
    overrides: &[String],
    watch: &Watch,
) -> Result<narrows::text::Read<narrows::machine::Machine>, Problems> {
    match watch.is_stopped() {
        true => Err(Problems::from_problem(Problem::new("the sweep was stopped"))),
        false => subject.read_varied(sets, overrides),
    }
}

/// Checks a sweep whose points an executor runs.
#[pyfunction]
pub fn plan(py: Python<'_>, description: &Bound<'_, Description>, request: SweepRequest) -> PyResult<PlannedSweep> {
    let subject = description.get().subject.clone();
    let (dimensions, points) = (request.dimensions(&subject)?, request.points()?);
    let inputs = run_with_progress(py, None, None, |watch| {
        let reader = |overrides: &[String]| read(&subject, &request.settings, overrides, watch);
        let checked = check_sweep(Sweep { reader: &reader, dimensions: &dimensions }, &request.metrics)?;
        Ok::<_, SweepError>(checked.input_hashes().to_vec())
    })??;
    Ok(PlannedSweep { plan: request.plan(&dimensions, &inputs), points, results: Mutex::default() })
}

#[pymethods]
impl PlannedSweep {
    /// Returns the numbers of the points to run next. If several points have the same inputs, only one of them is
    /// returned.
    fn next_points(&self) -> Vec<usize> {
        let results = self.results.lock().expect("no thread panicked while it held the lock");
        let mut seen_inputs = HashSet::new();
        let mut missing_points = self.plan.next_points(|inputs| results.get(inputs).cloned());
        missing_points.retain(|point| seen_inputs.insert(&self.plan.input_hashes[*point]));
        missing_points
    }

    /// Returns the settings of a point.
    fn settings(&self, point: usize) -> Vec<String> {
        settings(&values_of(&self.plan.dimensions, point))
    }

    /// Loads the stored result of a point, and returns whether there is one.
    fn load_stored(&self, point: usize) -> bool {
        let inputs = &self.plan.input_hashes[point];
        match self.points.as_ref().map(|points| points.find(inputs)) {
            Some(StoredPoint::Valid(record)) => {
                self.insert_result(inputs, &record);
                true
            }
            Some(StoredPoint::Absent | StoredPoint::Corrupt(..)) | None => false,
        }
    }

    /// Accepts a worker's result of a point, and stores it if the sweep has an output file.
    fn accept_result(&self, point: usize, record: &str) -> PyResult<()> {
        let inputs = &self.plan.input_hashes[point];
        let record = Record::parse(record).map_err(PyValueError::new_err)?;
        if !record.is_intact() || record.inputs_hash() != *inputs {
            let message = "a worker returned the result of another point: its files or its version of Narrows differ \
                           from those of this process";
            return Err(DescriptionError::new_err(message));
        }
        if let Some(points) = &self.points {
            points.store(inputs, &record).map_err(|error| file_error(points.folder(), &error))?;
        }
        self.insert_result(inputs, &record);
        Ok(())
    }

    /// Returns the table of the finished points in their order; with several seeds, the table contains the points whose
    /// runs have all finished.
    fn table(&self) -> PyResult<Table> {
        let results = self.results.lock().expect("no thread panicked while it held the lock");
        let gathered = self.plan.gather_from(|inputs| results.get(inputs).cloned());
        Table::new(self.plan.dataset(&gathered.points))
    }
}

impl PlannedSweep {
    fn insert_result(&self, inputs: &str, record: &Record) {
        let row = Arc::new(ResultRow::new(record));
        self.results.lock().expect("no thread panicked while it held the lock").insert(inputs.to_owned(), row);
    }
}

/// Runs one point, as the task of a worker.
#[pyfunction]
pub fn run_point(
    py: Python<'_>,
    description: &Bound<'_, Description>,
    sets: Vec<String>,
    varied: Vec<String>,
) -> PyResult<String> {
    let subject = description.get().subject.clone();
    let record = py.detach(|| {
        let read = subject.read_varied(&sets, &varied)?;
        Ok(Record::new(&read, &narrows::experiment::run(&read.value, Recorder::off())))
    });
    Ok(record.map_err(description_error)?.pretty())
}
