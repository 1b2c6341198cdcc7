//! The values of nested tables of a result, such as its machine, with their keys.

use serde_json::Value as Json;

/// Returns the values of `json` in its order, each with its key below `path`. An empty table, such as a selected
/// variant without keys, also counts as a value.
pub fn leaves(path: &str, json: &Json) -> Vec<(String, String)> {
    let mut values = Vec::new();
    collect_leaves(path.to_owned(), json, &mut values);
    values
}

fn collect_leaves(path: String, json: &Json, values: &mut Vec<(String, String)>) {
    let child_path = |key: &str| if path.is_empty() { key.to_owned() } else { format!("{path}.{key}") };
    match json {
        Json::Object(table) if !table.is_empty() => {
            table.iter().for_each(|(key, json)| collect_leaves(child_path(key), json, values))
        }
        Json::Object(_) => values.push((path, "chosen".to_owned())),
        Json::String(text) => values.push((path, text.clone())),
        other => values.push((path, other.to_string())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_value_has_the_key_of_its_tables() {
        let json = serde_json::json!({ "ni": { "none": {} }, "run": { "seed": 1, "note": "x" } });
        let keys: Vec<String> = leaves("", &json).iter().map(|(key, value)| format!("{key}={value}")).collect();
        assert_eq!(keys, ["ni.none=chosen", "run.seed=1", "run.note=x"]);
        assert_eq!(leaves("contents of", &serde_json::json!({ "a": "b" }))[0].0, "contents of.a");
    }
}
