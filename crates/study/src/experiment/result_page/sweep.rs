//! A sweep on a result page: a chart of each metric over the varied keys, and a table of all data.

use crate::experiment::plot::{self, SweepColumns};
use crate::experiment::steadiness;
use crate::experiment::tidy::TRANSIENT;
use crate::report::dataset::{Dataset, Variable};
use crate::report::{Artifact, Cell, Column, ReportTable};

/// The column of the outcomes.
const OUTCOME: &str = "outcome";
/// The outcome of a run that completed without saturation.
const OUTCOME_DONE: &str = "done";
/// The column with the reasons for which runs did not complete.
const REASON: &str = "reason";
/// The largest number of lines in a chart.
const LINES_MAX: usize = 12;

/// Returns the charts and the table of a sweep.
pub fn artifacts(rows: &Dataset, name: &str) -> Vec<Artifact> {
    let columns = SweepColumns::new(rows);
    let drawn = columns.main_metrics().filter_map(|metric| draw(&columns, rows, metric, name));
    let exceptions = not_done(&columns, rows, name).into_iter().chain(transient(&columns, rows, name));
    exceptions.chain(drawn).chain([table(rows, name)]).collect()
}

/// Returns a table of the rows whose runs did not all end as `done`, with the reasons; `None` if all did.
fn not_done(columns: &SweepColumns<'_>, rows: &Dataset, name: &str) -> Option<Artifact> {
    let outcome = rows.find(OUTCOME)?;
    let shown = columns.varied.iter().copied().chain([outcome]).chain(rows.find(REASON));
    let shown: Vec<&Variable> = shown.collect();
    let mut table = ReportTable::new(shown.iter().map(|variable| Column::new(variable.name.as_str())).collect());
    for row in (0..rows.rows()).filter(|row| outcome.values.text(*row).is_some_and(|outcome| outcome != OUTCOME_DONE)) {
        table
            .push(shown.iter().map(|variable| variable.values.text(row).unwrap_or_default().as_str().into()).collect());
    }
    let caption = "Runs that did not complete measured nothing; the latencies of saturated runs grow with the run.";
    (!table.rows.is_empty()).then(|| Artifact {
        id: "outcomes".into(),
        title: format!("{name}: {} of {} points did not end as done", table.rows.len(), rows.rows()),
        caption: caption.to_owned(),
        svg: None,
        table: Some(table),
    })
}

/// Returns a table of the rows whose runs have an initial transient; `None` if no run has.
fn transient(columns: &SweepColumns<'_>, rows: &Dataset, name: &str) -> Option<Artifact> {
    let column = rows.find(TRANSIENT)?;
    let shown: Vec<&Variable> = columns.varied.iter().copied().chain([column]).collect();
    let mut table = ReportTable::new(shown.iter().map(|variable| Column::new(variable.name.as_str())).collect());
    for row in (0..rows.rows()).filter(|row| steadiness::is_transient(column, *row)) {
        table
            .push(shown.iter().map(|variable| variable.values.text(row).unwrap_or_default().as_str().into()).collect());
    }
    let caption = "The values of these runs are not those of a steady state, and depend on the length of the run. Increase \
                   the warm-up; if latencies still grow, the load is too high.";
    (!table.rows.is_empty()).then(|| Artifact {
        id: "transients".into(),
        title: format!("{name}: {} of {} points have an initial transient", table.rows.len(), rows.rows()),
        caption: caption.to_owned(),
        svg: None,
        table: Some(table),
    })
}

/// Draws a metric over the varied columns; `None` if the chart would have too many lines.
fn draw(columns: &SweepColumns<'_>, rows: &Dataset, metric: &Variable, name: &str) -> Option<Artifact> {
    let spec = columns.chart(vec![metric.name.clone()])?;
    if columns.lines(&spec) > LINES_MAX {
        return None;
    }
    let drawn = spec.draw(rows).ok()?;
    let caption = match drawn.left_out {
        0 => String::new(),
        left_out => format!("{left_out} values that were not measured are left out."),
    };
    let title = format!("{name}: {}", plot::name_in_words(metric));
    Some(Artifact { id: metric.name.clone(), title, caption, svg: Some(drawn.svg), table: None })
}

/// Returns the table of all data.
fn table(rows: &Dataset, name: &str) -> Artifact {
    let head = |variable: &Variable| Column::new(variable.name.as_str());
    let mut table = ReportTable::new(rows.variables.iter().map(head).collect());
    for row in 0..rows.rows() {
        let cell = |variable: &Variable| match variable.values.number(row) {
            Some(number) => Cell::from(number),
            None => variable.values.text(row).unwrap_or_default().as_str().into(),
        };
        table.push(rows.variables.iter().map(cell).collect());
    }
    let caption = "Numbers are in the base units that the names of the columns state.".to_owned();
    Artifact { id: "data".into(), title: format!("{name}: all data"), caption, svg: None, table: Some(table) }
}
