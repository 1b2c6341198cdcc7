//! Compares the messages about invalid input with snapshots.
//!
//! Every case of `tests/wrong/` is a description `NAME.toml`, arguments `NAME.args` (one on each line; the first may
//! name a command other than `check`), or both. `NAME.stderr` is the exact text on standard error. `UPDATE=1` writes
//! the present text to that file; read the file before it is committed.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

const COMMANDS: [&str; 11] =
    ["run", "sweep", "merge", "plot", "report", "show", "check", "compare", "list", "reproduce", "fit"];

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/wrong")
}

fn cases() -> BTreeSet<String> {
    let files = fs::read_dir(folder()).expect("the folder of cases can be read").flatten().map(|entry| entry.path());
    let is_case = |path: &PathBuf| path.extension().is_some_and(|ending| ending == "toml" || ending == "args");
    files
        .filter(is_case)
        .map(|path| path.file_stem().expect("the path has a name").to_string_lossy().into_owned())
        .collect()
}

/// Returns the arguments of a case.
fn arguments(case: &str) -> Vec<String> {
    let case_arguments = fs::read_to_string(folder().join(format!("{case}.args"))).unwrap_or_default();
    let mut case_arguments: Vec<String> = case_arguments.lines().map(str::to_owned).collect();
    let command = match case_arguments.first() {
        Some(first) if COMMANDS.contains(&first.as_str()) => case_arguments.remove(0),
        _ => "check".to_owned(),
    };
    let file = format!("{case}.toml");
    let file = folder().join(&file).exists().then_some(file);
    [command].into_iter().chain(file).chain(case_arguments).collect()
}

/// Returns how the message of a case differs from its snapshot, if it does.
fn difference(case: &str) -> Option<String> {
    let output = Command::new(env!("CARGO_BIN_EXE_narrows"))
        .args(arguments(case))
        .current_dir(folder())
        .env_remove("RUST_BACKTRACE")
        .output()
        .expect("the program starts");
    let printed = String::from_utf8_lossy(&output.stderr).into_owned();
    let path = folder().join(format!("{case}.stderr"));
    if std::env::var_os("UPDATE").is_some_and(|value| value == "1") {
        fs::write(&path, &printed).expect("the folder can be written");
    }
    if output.status.code() != Some(2) {
        return Some(format!("{case}: ended with {:?}, not 2:\n{printed}", output.status));
    }
    if !output.stdout.is_empty() {
        return Some(format!("{case}: wrote to standard output"));
    }
    let expected = fs::read_to_string(&path).unwrap_or_default();
    (printed != expected).then(|| format!("{case} prints:\n{printed}\ninstead of:\n{expected}"))
}

#[test]
fn error_messages_match_their_snapshots() {
    let cases = cases();
    assert!(cases.len() >= 20, "the cases are missing");
    let differences: Vec<String> = cases.iter().filter_map(|case| difference(case)).collect();
    assert!(differences.is_empty(), "{}", differences.join("\n\n"));
}

#[test]
fn every_snapshot_has_its_case() {
    let cases = cases();
    for entry in fs::read_dir(folder()).expect("the folder of cases can be read").flatten() {
        let path = entry.path();
        let name = path.file_stem().expect("the path has a name").to_string_lossy().into_owned();
        let is_expectation = path.extension().is_some_and(|ending| ending == "stderr");
        assert!(!is_expectation || cases.contains(&name), "{} belongs to no case", path.display());
    }
}
