//! The inputs of a run, and their hash: the resolved description with its seed, the files that it names, and the version
//! of the program.

use super::digest::{digest, sha256};
use narrows_core::machine::{Machine, shipped};
use narrows_core::text::Read;
use serde_json::{Map, Value as Json};
use std::fs;
use std::path::{Path, PathBuf};

/// The version of the program, which is in every result.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

/// The description of a run, with its values as JSON, of which both the hash and the record of the run are made.
pub struct RunInputs {
    /// The description.
    pub description: Read<Machine>,
    machine: Json,
}

impl RunInputs {
    /// Returns the inputs of a run of `description`.
    pub fn new(description: Read<Machine>) -> RunInputs {
        let machine = description.resolved();
        RunInputs { description, machine }
    }

    /// Returns the hash of the inputs.
    pub fn hash(&self) -> String {
        hash_of_inputs(&self.machine, &file_hashes(&self.description), VERSION)
    }

    /// Returns the description, and its values as JSON.
    pub fn into_parts(self) -> (Read<Machine>, Json) {
        (self.description, self.machine)
    }
}

/// Returns the hash of the inputs of a run of `description`: the resolved description with its seed, the files it
/// names, and the version of the program.
pub fn inputs_hash(description: &Read<Machine>) -> String {
    hash_of_inputs(&description.resolved(), &file_hashes(description), VERSION)
}

pub(super) fn hash_of_inputs(machine: &Json, file_hashes: &Json, version: &str) -> String {
    digest(&Inputs { machine, files: file_hashes, version })
}

/// The inputs of a run, in the order in which they are hashed.
#[derive(serde::Serialize)]
struct Inputs<'a> {
    machine: &'a Json,
    #[serde(skip_serializing_if = "Json::is_null")]
    files: &'a Json,
    version: &'a str,
}

/// Returns the files that the description names, by key. Shipped traces are left out, since the version of the program
/// determines them.
fn user_files(description: &Read<Machine>) -> impl Iterator<Item = &(String, PathBuf)> {
    description.files().iter().filter(|(_, file)| !file.starts_with(shipped::SHIPPED))
}

/// Returns the hash of each file that the description names, by key, or null if it names no file.
pub fn file_hashes(description: &Read<Machine>) -> Json {
    let hash = |(key, file): &(String, PathBuf)| Some((key.clone(), sha256(&fs::read(file).ok()?).into()));
    let hashes: Map<String, Json> = user_files(description).filter_map(hash).collect();
    if hashes.is_empty() { Json::Null } else { hashes.into() }
}

/// Returns the folder to which the paths of the description's files are relative; `None` if there are no files, or
/// their paths are absolute.
pub(super) fn folder(description: &Read<Machine>) -> Option<PathBuf> {
    let mut files = user_files(description).peekable();
    // Most descriptions name no file, so their many entries need not be listed.
    files.peek()?;
    let entries = description.entries();
    files.find_map(|(key, file)| {
        let value = entries.iter().find(|entry| entry.path == *key)?.value.trim_matches('"');
        let depth = Path::new(value).components().count();
        let folder = Path::new(value).is_relative().then(|| file.ancestors().nth(depth))??;
        fs::canonicalize(if folder.as_os_str().is_empty() { Path::new(".") } else { folder }).ok()
    })
}
