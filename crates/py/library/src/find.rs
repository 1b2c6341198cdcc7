//! Searches from Python: `narrows sweep --find`.

use crate::description::Description;
use crate::registry;
use crate::sweep::{SweepAsked, read};
use crate::table::Table;
use crate::wait::work;
use crate::wrong::grouped;
use narrows::experiment::find::{FindQuery, PointValues, ProblemGroups, SearchedPoints};
use narrows::experiment::reader::Reader;
use narrows::experiment::sweep::values_of;
use narrows::experiment::vary::Dimension;
use pyo3::prelude::*;

/// What could not be asked, or found.
struct Unanswered(ProblemGroups);

impl From<Unanswered> for PyErr {
    fn from(Unanswered(groups): Unanswered) -> PyErr {
        grouped(groups)
    }
}

/// Searches at each point of what varies: its table, and how many values were looked at. `against` is another
/// description, and what is set in it.
#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "each is one of Python's, where they have names")]
pub fn find(
    py: Python<'_>,
    description: &Bound<'_, Description>,
    asked: SweepAsked,
    what: String,
    over: String,
    against: Option<(Bound<'_, Description>, Vec<String>)>,
    jobs: Option<usize>,
    progress: Option<Py<PyAny>>,
) -> PyResult<(Table, usize)> {
    let subject = description.get().subject.clone();
    let (dimensions, points) = (asked.dimensions(&subject)?, asked.points()?);
    let count: usize = dimensions.iter().map(Dimension::len).product();
    let all: Vec<PointValues> = (0..count).map(|point| values_of(&dimensions, point)).collect();
    let against = against.map(|(other, sets)| (other.get().subject.clone(), sets));
    let (data, looks) = work(py, jobs, progress.as_ref(), |watch| {
        let reader = |varied: &[String]| read(&subject, &asked.sets, varied, watch);
        let other = against.as_ref().map(|(subject, sets)| move |varied: &[String]| read(subject, sets, varied, watch));
        let other = other.as_ref().map(|other| other as Reader<'_>);
        let of_other = against.as_ref().map_or(&[][..], |(_, sets)| &sets[..]);
        let sets = [&asked.sets[..], of_other].concat();
        let among = SearchedPoints { registry: registry(), sets: &sets, first: &all[0] };
        let question = FindQuery::of(&what, &over, other.is_some(), &reader, &among).map_err(Unanswered)?;
        for reader in [Some(&reader as Reader<'_>), other].into_iter().flatten() {
            question.check(&all, reader).map_err(Unanswered)?;
        }
        let rows = question.search(&all, &reader, other, points.as_ref(), &|_| watch.one());
        let rows = rows.map_err(|unfound| Unanswered(unfound.groups()))?;
        Ok::<_, Unanswered>((question.dataset(&rows), rows.iter().map(|(_, found)| found.probes).sum()))
    })??;
    Ok((Table::of(data)?, looks))
}
