//! Tests of the command line's definition and completions.

use super::Cli;
use clap::CommandFactory;
use clap_complete::engine::complete;
use std::ffi::OsString;

#[test]
fn commands_are_well_formed() {
    Cli::command().debug_assert();
}

/// Returns the completions of the last of these words.
fn offered(words: &[&str]) -> Vec<String> {
    let words: Vec<OsString> = ["narrows"].iter().chain(words).map(OsString::from).collect();
    let last = words.len() - 1;
    let found = complete(&mut Cli::command(), words, last, None).expect("candidates");
    found.iter().map(|one| one.get_value().to_string_lossy().into_owned()).collect()
}

#[test]
fn completions_contain_shipped_values() {
    assert_eq!(offered(&["run", "ping-p"]), ["ping-pong"]);
    assert_eq!(offered(&["reproduce", "trapeze/table-1"]), ["trapeze/table-1"]);
    assert_eq!(offered(&["run", "memory-bus", "--set", "ni=cni32qm-"]), ["ni=cni32qm-throttle"]);
    assert_eq!(offered(&["run", "offered-load", "--set", "fabric.router.buffer-f"]), ["fabric.router.buffer-flits="]);
    assert_eq!(offered(&["sweep", "stream", "--vary", "workload.stream.payl"]), ["workload.stream.payload="]);
    assert!(offered(&["swee"]).contains(&"sweep".to_owned()));
}
