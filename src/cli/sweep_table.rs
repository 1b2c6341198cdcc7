//! The results of a sweep as a table.

use narrows_study::experiment::sweep::SweepPoint;
use narrows_study::experiment::tidy::MetricName;
use narrows_study::report::{Cell, Column, ReportTable};

// `values` formats the keys and values of one point of a sweep as one line of text.
pub use narrows_study::experiment::sweep::format_values as values;
pub use narrows_study::experiment::sweep::json::json;

/// Returns a row for each point: its values, its outcome and its metrics.
pub fn table(rows: &[SweepPoint], metrics: &[MetricName]) -> ReportTable {
    let keys = rows.first().into_iter().flat_map(|row| &row.values).map(|(key, _)| Column::new(key.as_str()));
    let metric_columns = metrics.iter().map(|(name, unit)| Column::unit(name.as_str(), unit.as_str()));
    let mut table = ReportTable::new(keys.chain([Column::new("outcome")]).chain(metric_columns).collect());
    for row in rows {
        let values = row.values.iter().map(|(_, value)| Cell::from(value.as_str()));
        let metric = |(name, _): &MetricName| row.result.metric(name).map(|(value, _)| value);
        let cells = metrics.iter().map(|name_and_unit| Cell::from(metric(name_and_unit)));
        table.push(values.chain([row.result.marked_outcome().into()]).chain(cells).collect());
    }
    table
}
