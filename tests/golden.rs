//! Checks that results stay the same byte for byte: every shipped example, the schema, the lists and quick studies are
//! run, and the SHA-256 of their output is compared with `golden/hashes.txt`.
//!
//! A change that is meant to change results runs `NARROWS_GOLDEN=write cargo test --test all golden::` and commits the
//! file with its reason. Invalid input is not tested here; `wrong.rs` compares its messages word for word. The studies
//! that take minutes are tested only with `cargo test --release --test all golden:: -- --ignored`.

use crate::common::cli::{Folder, run_ok, stdout};
use narrows::machine::shipped;
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

fn hash(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Compares results, by name, with the hashes in `file`, or writes that file if `NARROWS_GOLDEN` is `write`.
#[track_caller]
fn compare_hashes(file: &str, found: &BTreeMap<String, String>) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(file);
    let lines: String = found.iter().map(|(name, hash)| format!("{hash}  {name}\n")).collect();
    if std::env::var_os("NARROWS_GOLDEN").is_some_and(|value| value == "write") {
        return fs::write(&path, lines).expect("the file of hashes can be written");
    }
    let known = fs::read_to_string(&path).expect("the file of hashes is there");
    let changed: Vec<&str> = lines.lines().filter(|line| !known.lines().any(|known| known == *line)).collect();
    let gone: Vec<&str> = known.lines().filter(|line| !lines.lines().any(|found| found == *line)).collect();
    assert!(changed.is_empty() && gone.is_empty(), "results differ: now {changed:#?}, before {gone:#?}");
}

#[test]
fn outputs_of_examples_schema_and_lists_are_unchanged() {
    let mut found = BTreeMap::new();
    for name in shipped::examples() {
        let result = stdout(&["run", name, "--format=json", "--no-host"]);
        found.insert(format!("run {name}"), hash(result.as_bytes()));
    }
    for command in ["schema", "schema --keys", "list --format=json", "list combinations --format=json"] {
        let arguments: Vec<&str> = command.split(' ').collect();
        found.insert(command.to_owned(), hash(stdout(&arguments).as_bytes()));
    }
    compare_hashes("hashes.txt", &found);
}

/// Adds the files of a study's quick run, by name, to `found`; none of them holds measured times.
fn study(paper: &str, found: &mut BTreeMap<String, String>) {
    let folder = Folder::new("golden");
    run_ok(&["reproduce", paper, "--quick", "--out", folder.root()]);
    let mut folders = vec![folder.0.clone()];
    while let Some(within) = folders.pop() {
        for entry in fs::read_dir(&within).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let name = path.strip_prefix(&folder.0).expect("within the folder").display();
            found.insert(format!("{paper}/{name}"), hash(&fs::read(&path).expect("a file")));
        }
    }
}

#[test]
fn results_of_quick_studies_of_seconds_are_unchanged() {
    let mut found = BTreeMap::new();
    ["trapeze", "e-udp"].iter().for_each(|paper| study(paper, &mut found));
    compare_hashes("studies.txt", &found);
}

#[test]
#[ignore = "minutes, with optimisation"]
fn results_of_quick_studies_of_minutes_are_unchanged() {
    let mut found = BTreeMap::new();
    ["alewife", "mukherjee-hill", "nifdy"].iter().for_each(|paper| study(paper, &mut found));
    compare_hashes("long-studies.txt", &found);
}
