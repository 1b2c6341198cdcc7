//! Sweeps from Python: in threads of this process, or point by point on an executor, which is Python's
//! (`python/narrows/_sweep.py`). Both read, check, keep and tell points as `narrows sweep` does.

use crate::description::Description;
use crate::table::Table;
use crate::wait::{Watch, work};
use crate::wrong::{DescriptionError, file, grouped, unsound, wrong};
use narrows::engine::Recorder;
use narrows::study::points::{Kept, Points};
use narrows::study::subject::Subject;
use narrows::study::sweep::{self, Checked, Going, Sweep, SweepEvent, SweepPoint, settings, values_of};
use narrows::study::vary::Dimension;
use narrows::study::{Record, tidy};
use narrows::text::{Problem, Problems};
use pyo3::exceptions::{PyOSError, PyValueError};
use pyo3::prelude::*;
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

/// A checked sweep whose points are run elsewhere.
#[pyclass(frozen, module = "narrows._narrows")]
pub struct Planned {
    dimensions: Vec<Dimension>,
    #[pyo3(get)]
    inputs: Vec<String>,
    points: Option<Points>,
    records: Mutex<HashMap<String, Arc<Record>>>,
}

/// What can be wrong with a sweep before it runs.
enum Unsound {
    Points(Vec<(String, Problems)>),
    Metric(Problem),
}

impl From<Unsound> for PyErr {
    fn from(unsound: Unsound) -> PyErr {
        match unsound {
            Unsound::Points(groups) => grouped(groups),
            Unsound::Metric(problem) => wrong(problem),
        }
    }
}

fn dimensions(vary: &[String], sets: &[String]) -> PyResult<Vec<Dimension>> {
    let each = |problems: Vec<Problem>| {
        grouped(problems.into_iter().map(|problem| (String::new(), Problems::one(problem))).collect())
    };
    sweep::dimensions(vary, sets).map_err(each)
}

fn checked<'a>(sweep: Sweep<'a>, metrics: &[String]) -> Result<Checked<'a>, Unsound> {
    let (count, unknown) = (sweep.points(), sweep.unknown_metric(metrics));
    let faults = |found: Vec<sweep::Faulty>| {
        Unsound::Points(found.into_iter().map(|faulty| (faulty.head(count), faulty.problem)).collect())
    };
    let checked = sweep.check().map_err(faults)?;
    unknown.map_or(Ok(checked), |problem| Err(Unsound::Metric(problem)))
}

fn beside(out: Option<&PathBuf>) -> PyResult<Option<Points>> {
    out.map(|out| Points::beside(out).map_err(|error| file(out, &error))).transpose()
}

/// Runs a sweep in threads of this process: its table, how many points were run, and how many were kept before.
#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "each is one of Python's, where they have names")]
pub fn here(
    py: Python<'_>,
    description: &Bound<'_, Description>,
    sets: Vec<String>,
    vary: Vec<String>,
    metrics: Vec<String>,
    out: Option<PathBuf>,
    jobs: Option<usize>,
    progress: Option<Py<PyAny>>,
) -> PyResult<(Table, usize, usize)> {
    let (dimensions, points) = (dimensions(&vary, &sets)?, beside(out.as_ref())?);
    let subject = description.get().subject.clone();
    let kept_before = AtomicUsize::new(0);
    let (rows, run) = work(py, jobs, progress.as_ref(), |watch| {
        let reader = |varied: &[String]| read(&subject, &sets, varied, watch);
        let checked = checked(Sweep { reader: &reader, dimensions: &dimensions }, &metrics)?;
        let tell = |event| {
            if let SweepEvent::Finished { kept } = event {
                kept_before.fetch_add(usize::from(kept), Ordering::Relaxed);
                watch.one();
            }
        };
        let rows = checked.run(&Going { points: points.as_ref(), share: None, lines: None, tell: &tell });
        Ok::<_, Unsound>((rows, checked.points().1))
    })??;
    let rows = rows.map_err(|error| PyOSError::new_err(format!("cannot keep a point: {error}")))?;
    let kept = kept_before.load(Ordering::Relaxed);
    Ok((table(&rows, &metrics)?, run - kept, kept))
}

/// Reads a point, unless nobody waits for it any more.
fn read(
    subject: &Subject,
    sets: &[String],
    varied: &[String],
    watch: &Watch,
) -> Result<narrows::text::Read<narrows::machine::Machine>, Problems> {
    match watch.is_stopped() {
        true => Err(Problems::one(Problem::new("the sweep was stopped"))),
        false => subject.read_varied(sets, varied),
    }
}

fn table(rows: &[SweepPoint], metrics: &[String]) -> PyResult<Table> {
    Table::of(tidy::points(rows, &tidy::metrics(rows, metrics)))
}

/// Checks a sweep whose points are run elsewhere.
#[pyfunction]
pub fn plan(
    py: Python<'_>,
    description: &Bound<'_, Description>,
    sets: Vec<String>,
    vary: Vec<String>,
    metrics: Vec<String>,
    out: Option<PathBuf>,
) -> PyResult<Planned> {
    let (dimensions, points) = (dimensions(&vary, &sets)?, beside(out.as_ref())?);
    let subject = description.get().subject.clone();
    let inputs = work(py, None, None, |watch| {
        let reader = |varied: &[String]| read(&subject, &sets, varied, watch);
        let checked = checked(Sweep { reader: &reader, dimensions: &dimensions }, &metrics)?;
        Ok::<_, Unsound>(checked.inputs().to_vec())
    })??;
    Ok(Planned { dimensions, inputs, points, records: Mutex::default() })
}

#[pymethods]
impl Planned {
    /// The settings of a point, by its number.
    fn settings(&self, point: usize) -> Vec<String> {
        settings(&values_of(&self.dimensions, point))
    }

    /// Whether the result of these inputs was kept; then it is taken.
    fn kept(&self, inputs: &str) -> bool {
        match self.points.as_ref().map(|points| points.find(inputs)) {
            Some(Kept::Whole(record)) => self.put(inputs, record.without_machine()),
            Some(Kept::Absent | Kept::Corrupt(..)) | None => false,
        }
    }

    /// Takes what a worker gave, and keeps it where results are kept.
    fn take(&self, inputs: &str, record: &str) -> PyResult<()> {
        let record = Record::parse(record).map_err(PyValueError::new_err)?;
        if !record.is_whole() || record.inputs() != inputs {
            let why = "a worker gave the result of another point: its files or its version differ from those here";
            return Err(DescriptionError::new_err(why));
        }
        if let Some(points) = &self.points {
            points.keep(inputs, &record).map_err(|error| file(points.folder(), &error))?;
        }
        self.put(inputs, record.without_machine());
        Ok(())
    }

    /// The table of the points whose results were taken, in their order.
    fn table(&self, metrics: Vec<String>) -> PyResult<Table> {
        let records = self.records.lock().expect("nobody panics with it");
        let row = |(number, inputs): (usize, &String)| {
            let record = records.get(inputs)?.clone();
            Some(SweepPoint { values: values_of(&self.dimensions, number), record })
        };
        let rows: Vec<SweepPoint> = self.inputs.iter().enumerate().filter_map(row).collect();
        table(&rows, &metrics)
    }
}

impl Planned {
    fn put(&self, inputs: &str, record: Record) -> bool {
        self.records.lock().expect("nobody panics with it").insert(inputs.to_owned(), Arc::new(record));
        true
    }
}

/// Runs one point: what a worker does.
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
        Ok(Record::of(&read, &narrows::study::run(&read.value, Recorder::off())))
    });
    Ok(record.map_err(unsound)?.pretty())
}
