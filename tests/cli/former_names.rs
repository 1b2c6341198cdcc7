//! Tests of keys and metrics under their former names: they are accepted, and each is reported once.

use crate::common::cli::{json, narrows, run_ok, stderr};
use serde_json::Value as Json;

const FORMER_KEY: &str = "--set=workload.stream.deaf=false";
const WARNING: &str = "warning: --set: `workload.stream.deaf` was renamed to `workload.stream.never-poll`\n";

#[test]
fn a_former_key_is_read_with_one_warning() {
    let output = run_ok(&["check", "stream", FORMER_KEY]);
    assert!(stderr(&output).contains(WARNING), "{}", stderr(&output));
    let sweep = [
        "sweep",
        "stream",
        FORMER_KEY,
        "--set=workload.stream.messages=2",
        "--vary=workload.stream.payload=64 B,128 B",
    ];
    let output = stderr(&run_ok(&sweep));
    assert_eq!(output.matches("was renamed to").count(), 1, "the warning is printed once for all points: {output}");
    let machine =
        json(&["run", "stream", FORMER_KEY, "--set=workload.stream.messages=2", "--format=json"])["machine"].clone();
    assert_eq!(machine["workload"]["stream"]["never_poll"], false);
    assert_eq!(machine["workload"]["stream"].get("deaf"), None, "a result has only the present name");
}

#[test]
fn a_former_key_may_be_varied() {
    let vary = "--vary=protocol.none.arrivals=2,4";
    let rows =
        json(&["sweep", "memory-bus", "--set=protocol=none", vary, "--metric=messages.delivered", "--format=json"]);
    assert_eq!(rows["points"].as_array().map(Vec::len), Some(2), "{rows}");
}

#[test]
fn both_names_of_a_key_are_an_error() {
    let output = narrows(&["check", "stream", FORMER_KEY, "--set=workload.stream.never-poll=false"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("`deaf` and `never-poll` are one key"), "{}", stderr(&output));
}

#[test]
fn a_former_metric_is_replaced_with_a_warning() {
    let short = "--set=workload.bursts.cycles=2000";
    let vary = "--vary=run.seed=1,2";
    let output = run_ok(&["sweep", "nifdy", short, vary, "--metric=time.wait_for_room", "--format=json"]);
    assert!(stderr(&output).contains("warning: `time.wait_for_room` was renamed to `time.wait_for_capacity`"));
    let rows: Json = serde_json::from_slice(&output.stdout).expect("JSON");
    assert!(rows["points"][0]["metrics"]["time.wait_for_capacity"]["value"].is_f64(), "{rows}");
}

/// Adds each deprecated key of a schema, with the present key, to `deprecated_keys`.
fn collect_deprecated_keys(schema: &Json, deprecated_keys: &mut Vec<(String, String)>) {
    match schema {
        Json::Object(map) => {
            for (key, value) in map {
                let present_key = value["description"].as_str().and_then(|text| text.strip_prefix("Renamed to `"));
                match present_key.filter(|_| value["deprecated"] == true) {
                    Some(present_key) => {
                        deprecated_keys.push((key.clone(), present_key.trim_end_matches('`').to_owned()))
                    }
                    None => collect_deprecated_keys(value, deprecated_keys),
                }
            }
        }
        Json::Array(list) => list.iter().for_each(|value| collect_deprecated_keys(value, deprecated_keys)),
        _ => {}
    }
}

#[test]
fn the_page_of_renames_lists_every_renamed_key() {
    let page = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/renames.md")).expect("the page");
    let mut deprecated_keys = Vec::new();
    collect_deprecated_keys(&json(&["schema"]), &mut deprecated_keys);
    assert!(deprecated_keys.len() >= 14, "{deprecated_keys:?}");
    for (former_key, present_key) in deprecated_keys {
        assert!(
            page.contains(&format!("| `{former_key}` | `{present_key}` |")),
            "{former_key} was renamed to {present_key}"
        );
    }
}
