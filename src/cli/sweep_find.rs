//! `narrows sweep --find`: where along a key a metric passes a value, or that of another description.

use super::ending::{Ended, Ending, Failure};
use super::output::Output;
use super::progress::Progress;
use super::subject::Subject;
use super::sweep_form::{self, Format};
use super::sweep_runs::{happened, points, pool};
use narrows_core::text::Problem;
use narrows_study::experiment::find::{Condition, FindQuery, FoundRow, PointValues, Probe};
use narrows_study::experiment::points::Points;
use narrows_study::experiment::reader::Reader;
use narrows_study::experiment::sweep::values_of;
use narrows_study::experiment::vary::Dimension;
use narrows_study::report::{Cell, Column, ReportTable};
use serde_json::{Map, Value as Json, json};
use std::path::Path;

/// What is to be found, and how.
pub struct FindOptions<'a> {
    /// The metric and the value that it passes; of two descriptions the metric alone.
    pub find: &'a str,
    /// The key that the search goes over, and its range.
    pub over: &'a str,
    /// The settings of the description.
    pub sets: &'a [String],
    /// The other description, and its settings.
    pub against: Option<(Subject, &'a [String])>,
    /// Number of runs at once; as many as there are processors by default.
    pub jobs: Option<u64>,
    /// The file that the result goes to; standard output by default.
    pub out: Option<&'a Path>,
    /// The form of the result.
    pub form: Format,
}

/// Searches at each point of the dimensions.
pub fn run(options: &FindOptions<'_>, subject: &Subject, dimensions: &[Dimension]) -> Ended {
    let FindOptions { find, over, sets, against, jobs, out, form } = options;
    let reader = |varied: &[String]| subject.read_varied(sets, varied);
    let other = against.as_ref().map(|(subject, sets)| move |varied: &[String]| subject.read_varied(sets, varied));
    let other = other.as_ref().map(|other| other as Reader<'_>);
    let count: usize = dimensions.iter().map(Dimension::len).product();
    let all: Vec<PointValues> = (0..count).map(|point| values_of(dimensions, point)).collect();
    let asked = FindQuery::of(find, over, other.is_some(), &reader, &all[0]).map_err(Failure::grouped)?;
    for reader in [Some(&reader as Reader<'_>), other].into_iter().flatten() {
        asked.check(&all, reader).map_err(Failure::grouped)?;
    }
    let file = out.map(Output::prepare).transpose()?;
    let kept = out.map(points).transpose()?;
    let looks = count * asked.over.looks() * if other.is_some() { 2 } else { 1 };
    let progress = Progress::begin("runs at most", looks, kept.as_ref().map(Points::folder));
    let tell = |event| happened(&progress, event);
    let pool = pool(*jobs)?;
    let rows = pool.install(|| asked.search(&all, &reader, other, kept.as_ref(), &tell));
    progress.end();
    let rows = rows.map_err(|unfound| Failure::grouped(unfound.groups()))?;
    let bytes = match (form.encoding(), form) {
        (Some(encoding), _) => asked.dataset(&rows).bytes(encoding).map_err(Problem::new)?,
        (None, Format::Json) => as_json(&asked, &rows).into_bytes(),
        (None, _) => text(&asked, &rows).into_bytes(),
    };
    sweep_form::put(&bytes, file)?;
    Ok(Ending::Done)
}

/// A row for each point.
fn table(asked: &FindQuery, rows: &[FoundRow]) -> ReportTable {
    let keys = rows.first().into_iter().flat_map(|(values, _)| values).map(|(key, _)| Column::new(key.as_str()));
    let mut heads: Vec<Column> = keys.chain([Column::new("holds")]).collect();
    for before in ["", "beside: "] {
        heads.push(Column::new(format!("{before}{}", asked.over.key)));
        heads.push(Column::unit(format!("{before}{}", asked.metric), asked.unit.as_str()));
        if asked.condition.is_none() {
            heads.push(Column::unit(format!("{before}{} of the other", asked.metric), asked.unit.as_str()));
        }
    }
    let mut table = ReportTable::new(heads);
    for (values, found) in rows {
        let mut cells: Vec<Cell> = values.iter().map(|(_, value)| value.as_str().into()).collect();
        cells.push(asked.place(found).into());
        for seen in asked.ends(found) {
            cells.extend([Cell::from(seen.value.as_str()), Cell::from(seen.metric)]);
            cells.extend(asked.condition.is_none().then(|| Cell::from(seen.other)));
        }
        table.push(cells);
    }
    table
}

fn text(asked: &FindQuery, rows: &[FoundRow]) -> String {
    let what = match &asked.condition {
        Some(condition) => condition.text(),
        None => format!("{} less than the other's", asked.metric),
    };
    let looks: usize = rows.iter().map(|(_, found)| found.looks).sum();
    format!("{what}, over {}: {looks} values looked at\n\n{}", asked.over.key, table(asked, rows).text())
}

fn as_json(asked: &FindQuery, rows: &[FoundRow]) -> String {
    let seen =
        |seen: &Probe| json!({ "value": seen.value, "metric": seen.metric, "other": seen.other, "holds": seen.holds });
    let row = |(values, found): &FoundRow| {
        let values: Map<String, Json> = values.iter().map(|(key, value)| (key.clone(), json!(value))).collect();
        let ends = [&found.below, &found.above].map(seen);
        json!({ "values": values, "holds": asked.place(found), "between": ends, "looks": found.looks })
    };
    let found: Vec<Json> = rows.iter().map(row).collect();
    let whole = json!({
        "find": asked.condition.as_ref().map_or(asked.metric.clone(), Condition::text),
        "over": asked.over.key,
        "metric": asked.metric,
        "unit": asked.unit,
        "found": found,
    });
    format!("{whole:#}\n")
}
