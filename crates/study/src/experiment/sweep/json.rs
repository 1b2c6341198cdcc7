//! The results of a sweep as JSON.

use super::SweepPoint;
use crate::experiment::distribution;
use crate::experiment::record::{CANDIDATE_KEY, seal};
use crate::experiment::tidy::MetricName;
use serde_json::{Map, Value as Json, json};

/// Returns the results as JSON; the `hash` of a point is the hash of its result.
pub fn json(rows: &[SweepPoint], metrics: &[MetricName]) -> String {
    let points: Json = rows.iter().map(|row| point_json(row, metrics)).collect();
    let mut json = Map::new();
    json.insert("points".into(), points);
    seal(&mut json);
    distribution::pretty(&json)
}

fn point_json(row: &SweepPoint, metrics: &[MetricName]) -> Json {
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
    if let Some(finding) = &row.result.transient_finding {
        point.insert("transient_finding".into(), json!(&**finding));
    }
    point.insert(CANDIDATE_KEY.into(), row.result.bottleneck_json());
    point.insert("seed".into(), json!(row.result.seed));
    point.insert("hash".into(), json!(&*row.result.hash));
    Json::Object(point)
}
