//! Checks that results stay the same byte for byte: the shipped examples and the quick studies are run, the schema and
//! the lists are printed, and the SHA-256 of each output is compared with the files of `golden/`.
//!
//! After an intended change of results, run `NARROWS_GOLDEN=write cargo test --test all golden::`, and commit the new
//! hashes with the reason of the change. Invalid input is not tested here; `wrong.rs` compares its messages word for
//! word. The studies that take minutes are tested only with `cargo test --release --test all golden:: -- --ignored`.

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
fn compare_hashes(file: &str, hashes: &BTreeMap<String, String>) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(file);
    let lines: String = hashes.iter().map(|(name, hash)| format!("{hash}  {name}\n")).collect();
    if std::env::var_os("NARROWS_GOLDEN").is_some_and(|value| value == "write") {
        return fs::write(&path, lines).expect("the file of hashes can be written");
    }
    let stored = fs::read_to_string(&path).expect("the file of hashes exists");
    let added_lines: Vec<&str> = lines.lines().filter(|line| !stored.lines().any(|known| known == *line)).collect();
    let removed_lines: Vec<&str> =
        stored.lines().filter(|line| !lines.lines().any(|current| current == *line)).collect();
    assert!(
        added_lines.is_empty() && removed_lines.is_empty(),
        "results differ: now {added_lines:#?}, before {removed_lines:#?}"
    );
}

#[test]
fn outputs_of_examples_schema_and_lists_are_unchanged() {
    let mut hashes = BTreeMap::new();
    for name in shipped::examples() {
        let result = stdout(&["run", name, "--format=json", "--no-host"]);
        hashes.insert(format!("run {name}"), hash(result.as_bytes()));
    }
    for command in ["schema", "schema --keys", "list --format=json", "list combinations --format=json"] {
        let arguments: Vec<&str> = command.split(' ').collect();
        hashes.insert(command.to_owned(), hash(stdout(&arguments).as_bytes()));
    }
    compare_hashes("hashes.txt", &hashes);
}

/// Adds the files of a study's quick run, by name, to `hashes`; none of them holds measured times.
fn add_study_hashes(paper: &str, hashes: &mut BTreeMap<String, String>) {
    let folder = Folder::new("golden");
    run_ok(&["reproduce", paper, "--quick", "--out", folder.root()]);
    let mut folders = vec![folder.0.clone()];
    while let Some(current_folder) = folders.pop() {
        for entry in fs::read_dir(&current_folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let name = path.strip_prefix(&folder.0).expect("within the folder").display();
            hashes.insert(format!("{paper}/{name}"), hash(&fs::read(&path).expect("a file")));
        }
    }
}

#[test]
fn results_of_quick_studies_of_seconds_are_unchanged() {
    let mut hashes = BTreeMap::new();
    ["trapeze", "e-udp"].iter().for_each(|paper| add_study_hashes(paper, &mut hashes));
    compare_hashes("studies.txt", &hashes);
}

#[test]
#[ignore = "minutes, with optimisation"]
fn results_of_quick_studies_of_minutes_are_unchanged() {
    let mut hashes = BTreeMap::new();
    ["alewife", "mukherjee-hill", "nifdy"].iter().for_each(|paper| add_study_hashes(paper, &mut hashes));
    compare_hashes("long-studies.txt", &hashes);
}
