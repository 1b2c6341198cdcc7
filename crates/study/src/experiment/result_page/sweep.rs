//! A sweep on a result page: a chart of each metric over the varied keys, and a table of all data.
//!
//! The columns are those of `tidy`: the varied keys, the outcome, the metrics, and then all others.

use crate::experiment::plot::{self, PlotSpec};
use crate::report::dataset::{BaseUnit, ColumnValues, Dataset, Variable};
use crate::report::{Artifact, Cell, Column, ReportTable};

/// The column between the varied keys and the metrics.
const OUTCOME: &str = "outcome";
/// The outcome of a run that completed without saturation.
const OUTCOME_DONE: &str = "done";
/// The column with the reasons for which runs did not complete.
const REASON: &str = "reason";
/// The first column after the metrics.
const FIRST_AFTER_METRICS: &str = "candidate_kind";
/// The ratio of the ends of an axis above which the axis is logarithmic.
const LOG_FROM: f64 = 16.0;
/// The largest number of lines in a chart.
const LINES_MAX: usize = 12;

/// Returns the charts and the table of a sweep.
pub fn artifacts(rows: &Dataset, name: &str) -> Vec<Artifact> {
    let columns = SweepColumns::new(rows);
    let drawn = columns.metrics.iter().filter_map(|metric| columns.draw(rows, metric, name));
    columns.not_done(rows, name).into_iter().chain(drawn).chain([table(rows, name)]).collect()
}

/// The varied columns and the metrics of a sweep.
struct SweepColumns<'a> {
    varied: Vec<&'a Variable>,
    metrics: Vec<&'a Variable>,
}

impl SweepColumns<'_> {
    /// Returns a table of the rows whose runs did not all end as `done`, with the reasons; `None` if all did.
    fn not_done(&self, rows: &Dataset, name: &str) -> Option<Artifact> {
        let outcome = rows.find(OUTCOME)?;
        let shown = self.varied.iter().copied().chain([outcome]).chain(rows.find(REASON));
        let shown: Vec<&Variable> = shown.collect();
        let mut table = ReportTable::new(shown.iter().map(|variable| Column::new(variable.name.as_str())).collect());
        for row in
            (0..rows.rows()).filter(|row| outcome.values.text(*row).is_some_and(|outcome| outcome != OUTCOME_DONE))
        {
            table.push(
                shown.iter().map(|variable| variable.values.text(row).unwrap_or_default().as_str().into()).collect(),
            );
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

    fn new(rows: &Dataset) -> SweepColumns<'_> {
        let column_of = |name: &str| rows.variables.iter().position(|variable| variable.name == name);
        let columns = rows.variables.len();
        let outcome = column_of(OUTCOME).unwrap_or(0);
        let metrics = &rows.variables[(outcome + usize::from(column_of(OUTCOME).is_some())).min(columns)
            ..column_of(FIRST_AFTER_METRICS).unwrap_or(columns)];
        SweepColumns {
            varied: rows.variables[..outcome].iter().filter(|variable| distinct_values(variable) > 1).collect(),
            metrics: metrics.iter().filter(|metric| is_shown(metric)).collect(),
        }
    }

    /// Draws a metric over the first varied column of numbers, or otherwise of text, grouped by the other varied
    /// columns.
    fn draw(&self, rows: &Dataset, metric: &Variable, name: &str) -> Option<Artifact> {
        let numeric = self.varied.iter().find(|variable| !matches!(variable.values, ColumnValues::Texts(_)));
        let x = *numeric.or(self.varied.first())?;
        let group_columns: Vec<&&Variable> = self.varied.iter().filter(|variable| variable.name != x.name).collect();
        if group_columns.iter().map(|variable| distinct_values(variable)).product::<usize>() > LINES_MAX {
            return None;
        }
        let spec = PlotSpec {
            title: None,
            x: x.name.clone(),
            y: vec![metric.name.clone()],
            by: group_columns.iter().map(|variable| variable.name.clone()).collect(),
            log: (is_wide(x), false),
        };
        let drawn = spec.draw(rows).ok()?;
        let caption = match drawn.left_out {
            0 => String::new(),
            left_out => format!("{left_out} values that were not measured are left out."),
        };
        let title = format!("{name}: {}", plot::axis_name(metric));
        Some(Artifact { id: metric.name.clone(), title, caption, svg: Some(drawn.svg), table: None })
    }
}

/// Returns the number of different values of a column.
fn distinct_values(variable: &Variable) -> usize {
    let mut texts: Vec<Option<String>> = (0..variable.values.len()).map(|row| variable.values.text(row)).collect();
    texts.sort_unstable();
    texts.dedup();
    texts.len()
}

/// Returns whether a metric has a chart: its values must differ, and it must not be a statistic of another metric.
fn is_shown(metric: &Variable) -> bool {
    let details = ["_min", "_max", "_p50", "_p90", "_p99", "_p999", "_samples", "_ci95"];
    let plain_name = BaseUnit::from_unit(&metric.unit).map_or(metric.name.as_str(), |base| {
        let unit_suffix = base.unit.replace('/', "_per_");
        metric.name.strip_suffix(&format!("_{unit_suffix}")).unwrap_or(&metric.name)
    });
    let is_detail = details.iter().any(|detail| plain_name.ends_with(detail));
    !is_detail && !matches!(metric.values, ColumnValues::Texts(_)) && distinct_values(metric) > 1
}

/// Returns whether a column of positive numbers spans a range of at least `LOG_FROM`.
fn is_wide(variable: &Variable) -> bool {
    let numbers: Vec<f64> = (0..variable.values.len()).filter_map(|row| variable.values.number(row)).collect();
    let (lowest, highest) =
        numbers.iter().fold((f64::INFINITY, 0.0f64), |(least, most), x| (least.min(*x), most.max(*x)));
    lowest > 0.0 && highest >= LOG_FROM * lowest
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
