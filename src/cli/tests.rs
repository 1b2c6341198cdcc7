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
fn candidates(words: &[&str]) -> Vec<String> {
    let arguments: Vec<OsString> = ["narrows"].iter().chain(words).map(OsString::from).collect();
    let last = arguments.len() - 1;
    let completions = complete(&mut Cli::command(), arguments, last, None).expect("the completion has candidates");
    completions.iter().map(|completion| completion.get_value().to_string_lossy().into_owned()).collect()
}

#[test]
fn completions_contain_shipped_values() {
    assert_eq!(candidates(&["run", "ping-p"]), ["ping-pong"]);
    assert_eq!(candidates(&["reproduce", "trapeze/table-1"]), ["trapeze/table-1"]);
    assert_eq!(candidates(&["run", "memory-bus", "--set", "ni=cni32qm-"]), ["ni=cni32qm-throttle"]);
    assert_eq!(
        candidates(&["run", "offered-load", "--set", "fabric.router.buffer-f"]),
        ["fabric.router.buffer-flits="]
    );
    assert_eq!(candidates(&["sweep", "stream", "--vary", "workload.stream.payl"]), ["workload.stream.payload="]);
    assert!(candidates(&["swee"]).contains(&"sweep".to_owned()));
}

#[test]
fn help_of_uncertain_constants_names_every_source() {
    for name in ["run", "fit"] {
        let mut command = Cli::command();
        let help = command.find_subcommand_mut(name).expect("the command exists").render_long_help().to_string();
        for source in narrows_study::experiment::uncertainty::unknown::UNCERTAIN_SOURCES {
            assert!(help.contains(source), "{name}: {source}");
        }
    }
}
