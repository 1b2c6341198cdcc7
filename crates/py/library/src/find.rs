//! Searches from Python: `narrows sweep --find`.

use crate::description::Description;
use crate::exceptions::{grouped_error, warn_notice};
use crate::registry;
use crate::sweep::{SweepRequest, read};
use crate::table::Table;
use crate::wait::run_with_progress;
use narrows::experiment::find::{FindQuery, PointValues, SearchContext};
use narrows::experiment::reader::Reader;
use narrows::experiment::sweep::values_of;
use narrows::experiment::vary::Dimension;
use narrows::text::ProblemGroups;
use pyo3::prelude::*;

/// The errors of a search: in the query, or at a point.
struct SearchError(ProblemGroups);

impl From<SearchError> for PyErr {
    fn from(SearchError(groups): SearchError) -> PyErr {
        grouped_error(groups)
    }
}

/// Searches at each point of the varied keys, and returns the table and the number of runs. `against` is another
/// description with its settings.
#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "each is one of Python's, where they have names")]
pub fn find(
    py: Python<'_>,
    description: &Bound<'_, Description>,
    request: SweepRequest,
    what: String,
    over: String,
    against: Option<(Bound<'_, Description>, Vec<String>)>,
    jobs: Option<usize>,
    progress: Option<Py<PyAny>>,
) -> PyResult<(Table, usize)> {
    let subject = description.get().subject.clone();
    let (dimensions, points) = (request.dimensions(&subject)?, request.points()?);
    let count: usize = dimensions.iter().map(Dimension::len).product();
    let all_points: Vec<PointValues> = (0..count).map(|point| values_of(&dimensions, point)).collect();
    let against = against.map(|(other, sets)| (other.get().subject.clone(), sets));
    let (data, probe_count) = run_with_progress(py, jobs, progress.as_ref(), |watch| {
        let reader = |overrides: &[String]| read(&subject, &request.settings, overrides, watch);
        let other_read =
            against.as_ref().map(|(subject, sets)| move |overrides: &[String]| read(subject, sets, overrides, watch));
        let other_reader = other_read.as_ref().map(|other| other as Reader<'_>);
        let other_settings = against.as_ref().map_or(&[][..], |(_, sets)| &sets[..]);
        let sets = [&request.settings[..], other_settings].concat();
        let context = SearchContext { registry: registry(), base_overrides: &sets, first_values: &all_points[0] };
        let query = FindQuery::parse(&what, &over, other_reader.is_some(), &reader, &context).map_err(SearchError)?;
        for reader in [Some(&reader as Reader<'_>), other_reader].into_iter().flatten() {
            let warnings = query.check(&all_points, reader).map_err(SearchError)?;
            warnings.iter().for_each(|warning| warn_notice(warning));
        }
        let rows = query.search(&all_points, &reader, other_reader, points.as_ref(), &|_| watch.count_finished());
        let rows = rows.map_err(|error| SearchError(error.groups()))?;
        Ok::<_, SearchError>((query.dataset(&rows), rows.iter().map(|(_, crossing)| crossing.probes).sum()))
    })??;
    Ok((Table::new(data)?, probe_count))
}
