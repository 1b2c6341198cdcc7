//! A sweep on a result page: a chart of each metric over the varied keys, and a table of all data.

use crate::experiment::plot::{self, SweepColumns};
use crate::experiment::steadiness;
use crate::experiment::tidy::{OUTCOME, TRANSIENT};
use crate::report::dataset::{Dataset, Variable};
use crate::report::number::counted;
use crate::report::{Artifact, Cell, Column, ReportTable};

/// The outcome of a run that completed without saturation.
const OUTCOME_DONE: &str = "done";
/// The column with the reasons for which runs did not complete.
const REASON: &str = "reason";
/// The largest number of lines in a chart.
const LINES_MAX: usize = 12;

/// Returns the charts and the table of a sweep.
pub fn artifacts(rows: &Dataset, name: &str) -> Vec<Artifact> {
    let columns = SweepColumns::new(rows);
    let charts = columns.main_metrics().filter_map(|metric| metric_chart(&columns, rows, metric, name));
    let exception_tables = not_done_table(rows, name).into_iter().chain(transient_table(rows, name));
    exception_tables.chain(charts).chain([data_table(rows, name)]).collect()
}

/// Returns a table of the rows whose runs did not all end as `done`, with the reasons; `None` if all did.
pub fn not_done_table(rows: &Dataset, name: &str) -> Option<Artifact> {
    let outcome = rows.find(OUTCOME)?;
    let is_listed = |row: usize| outcome.values.text(row).is_some_and(|outcome| outcome != OUTCOME_DONE);
    let table = listed_rows(rows, [outcome].into_iter().chain(rows.find(REASON)), is_listed)?;
    let title = format!("{name}: {} of {} points have an outcome other than done", table.rows.len(), rows.rows());
    let caption = "Runs that did not complete measured nothing; the latencies of saturated runs grow with the run.";
    Some(Artifact::of_table("outcomes", title, caption, table))
}

/// Returns a table of the rows whose runs have an initial transient; `None` if no run has one.
fn transient_table(rows: &Dataset, name: &str) -> Option<Artifact> {
    let column = rows.find(TRANSIENT)?;
    let table = listed_rows(rows, [column], |row| steadiness::is_transient(column, row))?;
    let title = format!("{name}: {} of {} points have an initial transient", table.rows.len(), rows.rows());
    let caption = "The values of these runs are not those of a steady state, and depend on the length of the run. Increase \
                   the warm-up; if latencies still grow, the load is too high.";
    Some(Artifact::of_table("transients", title, caption, table))
}

/// Returns a table of the rows for which `is_listed` holds, with the varied columns and `columns`; `None` if there is
/// no such row.
fn listed_rows<'a>(
    rows: &'a Dataset,
    columns: impl IntoIterator<Item = &'a Variable>,
    is_listed: impl Fn(usize) -> bool,
) -> Option<ReportTable> {
    let shown_columns: Vec<&Variable> = SweepColumns::new(rows).varied.iter().copied().chain(columns).collect();
    let mut table =
        ReportTable::new(shown_columns.iter().map(|variable| Column::new(variable.name.as_str())).collect());
    for row in (0..rows.rows()).filter(|row| is_listed(*row)) {
        table.push(
            shown_columns
                .iter()
                .map(|variable| variable.values.text(row).unwrap_or_default().as_str().into())
                .collect(),
        );
    }
    (!table.rows.is_empty()).then_some(table)
}

/// Draws a metric over the varied columns; `None` if the chart would have too many lines.
fn metric_chart(columns: &SweepColumns<'_>, rows: &Dataset, metric: &Variable, name: &str) -> Option<Artifact> {
    let spec = columns.chart(vec![metric.name.clone()])?;
    if columns.line_count(&spec) > LINES_MAX {
        return None;
    }
    let rendered_plot = spec.draw(rows).ok()?;
    let caption = match rendered_plot.left_out {
        0 => String::new(),
        left_out => format!("Left out: {} not measured.", counted(left_out, "value")),
    };
    let title = format!("{name}: {}", plot::axis_name(metric));
    Some(Artifact { id: metric.name.clone(), title, caption, svg: Some(rendered_plot.svg), ..Artifact::default() })
}

/// Returns the table of all data.
fn data_table(rows: &Dataset, name: &str) -> Artifact {
    let column = |variable: &Variable| Column::new(variable.name.as_str());
    let mut table = ReportTable::new(rows.variables.iter().map(column).collect());
    for row in 0..rows.rows() {
        let cell = |variable: &Variable| match variable.values.number(row) {
            Some(number) => Cell::from(number),
            None => variable.values.text(row).unwrap_or_default().as_str().into(),
        };
        table.push(rows.variables.iter().map(cell).collect());
    }
    let caption = "Numbers are in the base units that the names of the columns state.";
    Artifact::of_table("data", format!("{name}: all data"), caption, table)
}
