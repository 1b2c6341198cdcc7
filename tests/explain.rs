//! Checks `narrows explain` and `narrows doctor`: every name in the results of the shipped examples has an explanation,
//! and a mistyped name yields a suggestion.

use crate::common::cli::{Folder, as_json, json, narrows, stderr, stdout};
use narrows::machine::{Registry, shipped};
use narrows::part::ResultKind;
use narrows::study::scaffold;
use std::collections::BTreeSet;
use std::fs;

/// Returns the names in the result of an example that have no explanation, each with its kind.
fn unexplained_names(example: &str) -> BTreeSet<String> {
    let result = as_json(&["run", example]);
    let metrics = result["metrics"].as_object().expect("metrics").keys().cloned();
    let names_in = |rows: &serde_json::Value, key: &str| -> Vec<String> {
        let rows = rows.as_array().into_iter().flatten();
        rows.map(|row| row[key].as_str().expect("a name").to_owned()).collect()
    };
    let stages = names_in(&result["ledger"]["stages"], "stage");
    let resources = names_in(&result["resources"], "resource");
    let names = metrics.map(|name| (ResultKind::Metric, name));
    let names = names.chain(stages.into_iter().map(|name| (ResultKind::Stage, name)));
    let names = names.chain(resources.into_iter().map(|name| (ResultKind::Resource, name)));
    let is_known = |(kind, name): &(ResultKind, String)| Registry::shared().describe_result(*kind, name).is_some();
    names.filter(|name| !is_known(name)).map(|(kind, name)| format!("{example}: {} {name}", kind.name())).collect()
}

#[test]
fn every_name_in_results_of_examples_is_explained() {
    let unexplained: BTreeSet<String> = shipped::examples().into_iter().flat_map(unexplained_names).collect();
    assert!(unexplained.is_empty(), "{unexplained:#?}");
}

/// Headings of columns of tables.
const HEADINGS: [&str; 30] = [
    "ratio",
    "elasticity",
    "slower: ratio",
    "from",
    "to",
    "other setting",
    "metric",
    "value",
    "unit",
    "± 95 %",
    "runs",
    "share",
    "busy [µs]",
    "active [µs]",
    "utilisation",
    "constant",
    "before",
    "fit",
    "after",
    "prior",
    "uncertainty",
    "number",
    "expected",
    "error",
    "correlation",
    "most sensitive to",
    "holds in longer run",
    "mean",
    "p99.9",
    "samples",
];

/// Adds the keys of a JSON value, down to those below which are names of keys, metrics or constants.
fn add_fields(json: &serde_json::Value, fields: &mut BTreeSet<String>) {
    const NAMED: [&str; 7] = ["metrics", "machine", "values", "uncertainty", "distributions", "outcomes", "changes"];
    match json {
        serde_json::Value::Object(map) => {
            for (key, value) in map {
                fields.insert(key.clone());
                match NAMED.contains(&key.as_str()) {
                    true if key == "machine" => {}
                    true => value
                        .as_object()
                        .into_iter()
                        .flat_map(|named| named.values())
                        .for_each(|value| add_fields(value, fields)),
                    false => add_fields(value, fields),
                }
            }
        }
        serde_json::Value::Array(list) => list.iter().for_each(|value| add_fields(value, fields)),
        _ => {}
    }
}

const FEW_MESSAGES: &str = "--set=workload.ping-pong.messages=4";
const NO_WARM_UP: &str = "--set=workload.ping-pong.warm-up=0";

/// Commands whose results have all fields of JSON.
const COMMANDS: [&[&str]; 9] = [
    &["run", "ping-pong", "--uncertainty", FEW_MESSAGES, NO_WARM_UP],
    &["whatif", "ping-pong", FEW_MESSAGES, NO_WARM_UP],
    &["run", "ping-pong", "--seeds", "2"],
    &["sweep", "ping-pong", "--vary", "run.seed=1,2"],
    &["sweep", "stream", "--find", "message.bandwidth >= 60 MB/s", "--over", "workload.stream.payload=64 B..8 KiB*2"],
    &["list"],
    &["explain", "waiting"],
    &["reproduce", "e-udp", "--quick"],
    &["reproduce", "e-udp", "--constants"],
];

/// Returns the results of commands about a small study: a fit with a range of errors that exceed the tolerance, a
/// cross-validation, and a reproduction with uncertainties.
fn results_of_small_study() -> Vec<serde_json::Value> {
    let folder = Folder::new("explain-study");
    for (file, text) in scaffold::FILES {
        let text = text.replacen("tolerance = 0.1", "tolerance = 0.1\nrole = \"calibrated\"", 1);
        let text = text.replace("ping-pong.messages=20\"", "ping-pong.messages=2\", \"workload.ping-pong.warm-up=0\"");
        fs::write(folder.path(file), text).expect("the folder can be written to");
    }
    let fit = "[fit]\nclaims = [\"latency-8K\"]\n\n[[fit.constant]]\nkey = \"messaging.send\"\n";
    fs::write(folder.path("fit.toml"), fit).expect("the folder can be written to");
    let result = |arguments: &[&str]| {
        let output = narrows(&[arguments, &["--format", "json"]].concat());
        serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {}", stderr(&output)))
    };
    let failed_fit: serde_json::Value = result(&["fit", folder.root(), "--tolerance", "0.1"]);
    assert_eq!((&failed_fit["reached"], failed_fit["failed"].as_array().map(Vec::len)), (&false.into(), Some(1)));
    let cross_validation = result(&["fit", folder.root(), "--cross-validate"]);
    vec![failed_fit, cross_validation, result(&["reproduce", folder.root(), "--uncertainty"])]
}

#[test]
fn every_field_of_json_and_every_column_is_explained() {
    let mut names = BTreeSet::new();
    for command in COMMANDS {
        add_fields(&json(&[command, &["--format", "json"]].concat()), &mut names);
    }
    results_of_small_study().iter().for_each(|result| add_fields(result, &mut names));
    for field in ["undetermined", "left_out", "z", "fails", "fitted_on"] {
        assert!(names.contains(field), "no result has {field}: {names:?}");
    }
    names.extend(HEADINGS.map(str::to_owned));
    let words = narrows::reference::vocabulary(Registry::shared());
    let unexplained: Vec<&String> =
        names.iter().filter(|name| narrows::reference::matching(&words, name).is_empty()).collect();
    assert!(unexplained.is_empty(), "{unexplained:#?}");
    let text = stdout(&["explain", "ratio"]);
    assert!(text.contains("ratio  (column or field)") && text.contains("printed by: whatif"), "{text}");
    // A column does not hide the keys of the same name.
    assert!(stdout(&["explain", "from"]).contains("workload.ping-pong.from  (key)"));
}

#[test]
fn a_key_a_metric_and_an_outcome_are_explained() {
    let text = stdout(&["explain", "workload.ping-pong.payload"]);
    assert!(text.starts_with("workload.ping-pong.payload  (key)\n") && text.contains("default: "), "{text}");
    assert!(stdout(&["explain", "message.latency_one_way_p99"]).contains("unit: us"));
    assert!(stdout(&["explain", "receive:", "poll"]).contains("(stage)"));
    assert!(stdout(&["explain", "deadlock"]).contains("exit code: 3"));
    let words = json(&["explain", "--format", "json"]);
    let kinds: BTreeSet<&str> =
        words.as_array().expect("a list").iter().filter_map(|word| word["kind"].as_str()).collect();
    for kind in ["key", "metric", "stage", "resource", "outcome", "exit code", "term"] {
        assert!(kinds.contains(kind), "{kind}");
    }
}

#[test]
fn an_unknown_name_is_refused_with_a_suggestion() {
    let output = narrows(&["explain", "paylod"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("did you mean `payload`?"), "{}", stderr(&output));
}

#[test]
fn the_program_without_a_command_shows_next_steps_that_work() {
    let text = stdout(&[]);
    let steps: Vec<&str> = text.lines().filter_map(|line| line.strip_prefix("  narrows ")).collect();
    assert_eq!(steps.len(), 4, "{text}");
    for step in &steps {
        let arguments = step.split("  ").next().unwrap_or_default();
        let words = ["narrows"].into_iter().chain(arguments.split(' '));
        assert!(narrows::cli::command().try_get_matches_from(words).is_ok(), "{step}");
    }
    assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
}

#[test]
fn lists_fit_eighty_columns() {
    let text = stdout(&["list"]);
    let long_lines: Vec<&str> = text.lines().filter(|line| line.chars().count() > 80 && line.contains("  ")).collect();
    assert!(long_lines.is_empty(), "{long_lines:#?}");
}

#[test]
fn doctor_succeeds_whatever_is_missing() {
    let mut doctor = crate::common::cli::command(&["doctor", "--format", "json"]);
    let output = doctor.env("PATH", "").output().expect("the program runs");
    assert!(output.status.success(), "{}", stderr(&output));
    let findings: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let missing = findings.as_array().expect("a list").iter().filter(|finding| finding["found"].is_null());
    assert!(missing.clone().any(|finding| finding["name"] == "tshark"), "{findings}");
    assert!(missing.into_iter().all(|finding| finding["remedy"] != ""), "{findings}");
}
