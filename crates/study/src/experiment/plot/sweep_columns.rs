//! The columns of a sweep by their roles, and the chart of a metric over the varied keys.
//!
//! The columns are those of `tidy`: the varied keys, the outcome, the metrics, and then all others.

use super::PlotSpec;
use crate::experiment::tidy::{OUTCOME, TRANSIENT};
use crate::report::dataset::{BaseUnit, ColumnValues, Dataset, Variable};

/// The columns that may be the first after the metrics.
const AFTER_METRICS: [&str; 2] = ["candidate_kind", TRANSIENT];
/// The ratio of the ends of an axis above which the axis is logarithmic.
const LOG_RATIO_MIN: f64 = 16.0;

/// The varied columns and the metrics of a sweep.
pub struct SweepColumns<'a> {
    /// The columns of keys that have several values.
    pub varied: Vec<&'a Variable>,
    /// All metrics.
    pub metrics: Vec<&'a Variable>,
}

impl<'a> SweepColumns<'a> {
    /// Returns the columns of `rows`. Both lists are empty if the data are not those of a sweep.
    pub fn new(rows: &'a Dataset) -> SweepColumns<'a> {
        let position = |name: &str| rows.variables.iter().position(|variable| variable.name == name);
        let Some(outcome) = position(OUTCOME) else { return SweepColumns { varied: Vec::new(), metrics: Vec::new() } };
        let metrics_end = AFTER_METRICS.into_iter().filter_map(position).min().unwrap_or(rows.variables.len());
        SweepColumns {
            varied: key_columns(rows).filter(|key| varies(key)).collect(),
            metrics: rows.variables[outcome + 1..metrics_end].iter().collect(),
        }
    }

    /// Returns the metrics whose values differ, without texts and statistics of other metrics.
    pub fn main_metrics(&self) -> impl Iterator<Item = &'a Variable> + use<'a, '_> {
        self.metrics.iter().copied().filter(|metric| !is_text_or_statistic(metric) && varies(metric))
    }

    /// Returns the first metric of numbers, preferably one of `main_metrics`.
    pub fn first_metric(&self) -> Option<&'a Variable> {
        let is_number = |metric: &&&Variable| !matches!(metric.values, ColumnValues::Texts(_));
        self.main_metrics().next().or_else(|| self.metrics.iter().find(is_number).copied())
    }

    /// Returns the chart of `metrics` over the first varied column of numbers, or otherwise of text, grouped by the
    /// other varied columns; `None` if nothing is varied.
    pub fn chart(&self, metrics: Vec<String>) -> Option<PlotSpec> {
        let numeric = self.varied.iter().find(|variable| !matches!(variable.values, ColumnValues::Texts(_)));
        let x = *numeric.or(self.varied.first())?;
        let grouping_columns = self.varied.iter().filter(|variable| variable.name != x.name);
        Some(PlotSpec {
            title: None,
            x: x.name.clone(),
            y: metrics,
            by: grouping_columns.map(|variable| variable.name.clone()).collect(),
            log: (is_wide(x), false),
        })
    }

    /// Returns the number of lines of the chart, if all combinations of the other varied columns occur.
    pub fn line_count(&self, spec: &PlotSpec) -> usize {
        let grouping_columns = self.varied.iter().filter(|variable| variable.name != spec.x);
        grouping_columns.map(|variable| distinct_values(variable)).product()
    }
}

/// Returns the columns before the outcome: those of the varied keys.
pub(super) fn key_columns(rows: &Dataset) -> impl Iterator<Item = &Variable> {
    rows.variables.iter().take_while(|variable| variable.name != OUTCOME)
}

/// Returns whether a column has several values.
pub(super) fn varies(column: &Variable) -> bool {
    (1..column.values.len()).any(|row| column.values.text(row) != column.values.text(0))
}

/// Returns the number of different values of a column.
fn distinct_values(variable: &Variable) -> usize {
    let mut texts: Vec<Option<String>> = (0..variable.values.len()).map(|row| variable.values.text(row)).collect();
    texts.sort_unstable();
    texts.dedup();
    texts.len()
}

/// Returns whether a metric is a text, or a statistic of another metric.
fn is_text_or_statistic(metric: &Variable) -> bool {
    let statistic_suffixes = ["_min", "_max", "_p50", "_p90", "_p99", "_p999", "_samples", "_ci95"];
    let plain_name = BaseUnit::from_unit(&metric.unit).map_or(metric.name.as_str(), |base| {
        let unit_suffix = base.unit.replace('/', "_per_");
        metric.name.strip_suffix(&format!("_{unit_suffix}")).unwrap_or(&metric.name)
    });
    matches!(metric.values, ColumnValues::Texts(_))
        || statistic_suffixes.iter().any(|suffix| plain_name.ends_with(suffix))
}

/// Returns whether a column of positive numbers spans a range of at least `LOG_RATIO_MIN`.
fn is_wide(variable: &Variable) -> bool {
    let numbers: Vec<f64> = (0..variable.values.len()).filter_map(|row| variable.values.number(row)).collect();
    let (lowest, highest) =
        numbers.iter().fold((f64::INFINITY, 0.0f64), |(least, most), x| (least.min(*x), most.max(*x)));
    lowest > 0.0 && highest >= LOG_RATIO_MIN * lowest
}
