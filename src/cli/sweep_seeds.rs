//! The results of a sweep with several seeds per point, as a table and as JSON.

use narrows_study::experiment::record::seal;
use narrows_study::experiment::tidy::{MetricName, ReplicatedPoint};
use narrows_study::experiment::{distribution, seeds};
use narrows_study::report::{Cell, Column, ReportTable};
use serde_json::{Map, Value as Json, json};

/// Returns a row for each point: its values, the outcomes of its runs, and the mean of each metric with its interval. A
/// metric that is the same for all seeds has no column of intervals.
pub fn table(rows: &[ReplicatedPoint<'_>], metrics: &[MetricName]) -> ReportTable {
    let differs = |name: &str| {
        rows.iter()
            .filter_map(|row| row.metric(name))
            .any(|metric| metric.half_width.is_some_and(|half_width| half_width > 0.0))
    };
    let keys = rows.first().into_iter().flat_map(|row| &row.values).map(|(key, _)| Column::new(key.as_str()));
    let mut columns: Vec<Column> = keys.chain([Column::new("outcome")]).collect();
    let metrics_shown: Vec<(&MetricName, bool)> = metrics.iter().map(|metric| (metric, differs(&metric.0))).collect();
    for ((name, unit), with_interval) in &metrics_shown {
        columns.push(Column::unit(name.as_str(), unit.as_str()));
        columns.extend(with_interval.then(|| Column::unit(format!("± {name}"), unit.as_str())));
    }
    let mut table = ReportTable::new(columns);
    for row in rows {
        let mut cells: Vec<Cell> = row.values.iter().map(|(_, value)| value.as_str().into()).collect();
        cells.push(row.marked_outcome().into());
        for ((name, _), with_interval) in &metrics_shown {
            let metric = row.metric(name);
            cells.push(metric.map(|metric| metric.value).into());
            cells.extend(with_interval.then(|| Cell::from(metric.and_then(|metric| metric.half_width))));
        }
        table.push(cells);
    }
    table
}

/// Returns the results as JSON, in which `hashes` holds the hash of each run's result.
pub fn json(rows: &[ReplicatedPoint<'_>]) -> String {
    let mut json = Map::new();
    json.insert("points".into(), rows.iter().map(point).collect());
    seal(&mut json);
    distribution::pretty(&json)
}

fn point(row: &ReplicatedPoint<'_>) -> Json {
    let values: Map<String, Json> = row.values.iter().map(|(key, value)| (key.clone(), json!(value))).collect();
    let seeds: Vec<_> = row.runs.iter().map(|run| run.result.seed).collect();
    let hashes: Vec<_> = row.runs.iter().map(|run| &*run.result.hash).collect();
    json!({
        "values": values,
        "outcome": row.outcome,
        "metrics": seeds::json(&row.metrics),
        "distributions": distribution::json(&row.distributions),
        "initial_transients": row.transients(),
        "seeds": seeds,
        "hashes": hashes,
    })
}
