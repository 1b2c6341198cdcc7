//! Reader of the output of `narrows sweep --format json` as tidy data: the values, the outcome with its reason, and the
//! metrics.

use super::{OUTCOME, TRANSIENT, push_number, values};
use crate::report::dataset::{ColumnValues, Dataset};
use serde_json::Value as Json;

/// Returns a row for each point.
///
/// # Errors
///
/// Returns a sentence that states why the text is not the result of a sweep.
pub fn read(text: &str) -> Result<Dataset, String> {
    let json: Json = serde_json::from_str(text).map_err(|error| format!("it is not JSON: {error}"))?;
    let points = json["points"].as_array().ok_or("it is JSON, but not the result of a sweep: it has no `points`")?;
    let rows: Vec<Vec<(String, String)>> = points.iter().map(point).collect();
    if rows.iter().any(|row| row.iter().map(|(key, _)| key).ne(rows[0].iter().map(|(key, _)| key))) {
        return Err("its points have different keys".to_owned());
    }
    let mut data = Dataset::default();
    values::push_columns(&mut data, &rows.iter().map(Vec::as_slice).collect::<Vec<_>>());
    let outcome = |point: &Json| point["outcome"].as_str().map(str::to_owned);
    data.push(OUTCOME, "", ColumnValues::Texts(points.iter().map(outcome).collect()));
    let reason = |point: &Json| point["reason"].as_str().map(str::to_owned);
    let reasons: Vec<Option<String>> = points.iter().map(reason).collect();
    if reasons.iter().any(Option::is_some) {
        data.push("reason", "", ColumnValues::Texts(reasons));
    }
    let mut names: Vec<(&str, &str)> = Vec::new();
    for (name, metric) in points.iter().filter_map(|point| point["metrics"].as_object()).flatten() {
        if names.iter().all(|(present, _)| present != name) {
            names.push((name, metric["unit"].as_str().unwrap_or_default()));
        }
    }
    for (name, unit) in names {
        let values = points.iter().map(|point| point["metrics"][name]["value"].as_f64());
        push_number(&mut data, name, unit, values.collect());
    }
    let is_transient = |point: &Json| {
        point["initial_transients"].as_u64().or_else(|| Some(u64::from(point["initial_transient"].as_bool()?)))
    };
    let transients: Vec<Option<u64>> = points.iter().map(is_transient).collect();
    if transients.iter().any(Option::is_some) {
        data.push(TRANSIENT, "", ColumnValues::Counts(transients));
    }
    Ok(data)
}

fn point(point: &Json) -> Vec<(String, String)> {
    let text = |value: &Json| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    let values = point["values"].as_object();
    values.into_iter().flatten().map(|(key, value)| (key.clone(), text(value))).collect()
}
