//! Values for shell completion: examples, parts, papers and keys. The shell calls the program, so that all shipped
//! values are known.

use super::registry;
use clap_complete::engine::{ArgValueCompleter, CompletionCandidate, PathCompleter, ValueCompleter};
use narrows_core::machine::shipped;
use narrows_study::experiment::part_overrides;
use narrows_study::study;
use std::ffi::OsStr;

/// Completes a description: an example or a file.
pub fn descriptions() -> ArgValueCompleter {
    ArgValueCompleter::new(|current: &OsStr| candidates_and_files(current, shipped::examples()))
}

/// Completes a study: a paper, `PAPER/ARTIFACT`, or a folder.
pub fn studies() -> ArgValueCompleter {
    ArgValueCompleter::new(|current: &OsStr| {
        let artifact_ids = |paper: &&str| -> Vec<String> {
            let study = study::Study::load(&study::Location::of(paper, registry()));
            study.map_or_else(
                |_| Vec::new(),
                |read| read.value.artifacts.iter().map(|(id, _)| id.text.clone()).collect(),
            )
        };
        let text = current.to_string_lossy();
        let Some((paper, _)) = text.split_once('/') else {
            return candidates_and_files(current, study::papers().to_vec());
        };
        let known_paper = study::papers().iter().find(|known_paper| **known_paper == paper);
        let artifacts = known_paper.map(artifact_ids).unwrap_or_default().into_iter().map(|id| format!("{paper}/{id}"));
        candidates_and_files(current, artifacts.collect())
    })
}

/// Completes an override: `KEY=`, and the names of shipped parts for keys that select one.
pub fn override_values() -> ArgValueCompleter {
    ArgValueCompleter::new(|current: &OsStr| with_prefix(current, all_override_values()))
}

fn all_override_values() -> Vec<String> {
    let lines = registry().schema().lines();
    let keys = lines.into_iter().map(|line| line.path).filter(|path| !path.contains(char::is_uppercase));
    part_overrides::all_selections().chain(keys.map(|key| format!("{key}="))).collect()
}

/// Returns the names that begin with `current`, and the matching files.
fn candidates_and_files<T: Into<String>>(current: &OsStr, names: Vec<T>) -> Vec<CompletionCandidate> {
    let mut values = with_prefix(current, names);
    values.extend(PathCompleter::any().complete(current));
    values
}

fn with_prefix<T: Into<String>>(current: &OsStr, names: Vec<T>) -> Vec<CompletionCandidate> {
    let text = current.to_string_lossy();
    let matching = names.into_iter().map(T::into).filter(|name| name.starts_with(&*text));
    matching.map(CompletionCandidate::new).collect()
}
