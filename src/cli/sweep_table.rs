//! The results of a sweep as a table and as JSON.

use narrows_study::experiment::distribution;
use narrows_study::experiment::record::{CANDIDATE_KEY, VERSION, digest};
use narrows_study::experiment::sweep::SweepPoint;
use narrows_study::experiment::tidy::MetricName;
use narrows_study::report::{Cell, Column, ReportTable};
use serde_json::{Map, Value as Json, json};

// Formats the keys and values of a point in one line.
pub use narrows_study::experiment::sweep::format_values as values;

/// Returns a row for each point: its values, its outcome and its metrics.
pub fn table(rows: &[SweepPoint], metrics: &[MetricName]) -> ReportTable {
    let keys = rows.first().into_iter().flat_map(|row| &row.values).map(|(key, _)| Column::new(key.as_str()));
    let heads = metrics.iter().map(|(name, unit)| Column::unit(name.as_str(), unit.as_str()));
    let mut table = ReportTable::new(keys.chain([Column::new("outcome")]).chain(heads).collect());
    for row in rows {
        let values = row.values.iter().map(|(_, value)| Cell::from(value.as_str()));
        let metric = |(name, _): &MetricName| row.result.metric(name).map(|(value, _)| value);
        let cells = metrics.iter().map(|named| Cell::from(metric(named)));
        table.push(values.chain([row.result.marked_outcome().into()]).chain(cells).collect());
    }
    table
}

/// Returns the results as JSON; the `hash` of a point is the hash of its result.
pub fn json(rows: &[SweepPoint], metrics: &[MetricName]) -> String {
    let points: Json = rows.iter().map(|row| point(row, metrics)).collect();
    let mut json = Map::new();
    json.insert("points".into(), points);
    json.insert("version".into(), VERSION.into());
    let hash = digest(&json);
    json.insert("hash".into(), hash.into());
    distribution::pretty(&json)
}

fn point(row: &SweepPoint, metrics: &[MetricName]) -> Json {
    let values: Map<String, Json> = row.values.iter().map(|(key, value)| (key.clone(), json!(value))).collect();
    let metric = |name: &str| row.result.metric(name).map(|(value, unit)| json!({ "value": value, "unit": unit }));
    let metrics: Map<String, Json> = metrics.iter().map(|(name, _)| (name.clone(), metric(name).into())).collect();
    let mut point = Map::new();
    point.insert("values".into(), values.into());
    point.insert("outcome".into(), json!(&*row.result.outcome));
    if let Some(reason) = &row.result.reason {
        point.insert("reason".into(), json!(&**reason));
    }
    point.insert("metrics".into(), metrics.into());
    point.insert("distributions".into(), distribution::json(&row.result.distributions));
    point.insert("initial_transient".into(), json!(row.result.is_transient()));
    point.insert(CANDIDATE_KEY.into(), row.result.bottleneck_json());
    point.insert("seed".into(), json!(row.result.seed));
    point.insert("hash".into(), json!(&*row.result.hash));
    Json::Object(point)
}
