//! The program as its users start it.
#![allow(dead_code)]

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output};
use std::sync::atomic::{AtomicUsize, Ordering};

/// A folder of a test's own, gone at its end.
pub struct Folder(pub PathBuf);

/// How many this process made.
static FOLDERS: AtomicUsize = AtomicUsize::new(0);

impl Folder {
    /// An empty one.
    pub fn new(name: &str) -> Folder {
        let number = FOLDERS.fetch_add(1, Ordering::Relaxed);
        let path = std::env::temp_dir().join(format!("narrows-{name}-{}-{number}", std::process::id()));
        fs::create_dir_all(&path).expect("a folder");
        Folder(path)
    }

    /// Its own path.
    pub fn root(&self) -> &str {
        self.0.to_str().expect("a path in UTF-8")
    }

    /// The path of a file in it.
    pub fn path(&self, name: &str) -> String {
        format!("{}/{name}", self.root())
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// The program, with these arguments; nothing is left in the project.
pub fn command(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_narrows"));
    command.args(arguments).current_dir(std::env::temp_dir());
    command
}

/// Runs it.
pub fn narrows(arguments: &[&str]) -> Output {
    command(arguments).output().expect("the program starts")
}

/// What it said beside its results.
pub fn stderr(ran: &Output) -> String {
    String::from_utf8_lossy(&ran.stderr).into_owned()
}

/// Runs it; it succeeds.
pub fn done(arguments: &[&str]) -> Output {
    let ran = narrows(arguments);
    assert_eq!(ran.status.code(), Some(0), "{arguments:?}: {}", stderr(&ran));
    ran
}

/// What it prints when it succeeds.
pub fn stdout(arguments: &[&str]) -> String {
    String::from_utf8(done(arguments).stdout).expect("UTF-8")
}

/// The same, as JSON.
pub fn json(arguments: &[&str]) -> serde_json::Value {
    serde_json::from_str(&stdout(arguments)).expect("JSON")
}

/// The same, of what is asked for JSON.
pub fn as_json(arguments: &[&str]) -> serde_json::Value {
    json(&[arguments, &["--format=json"]].concat())
}

/// The finished points that are kept beside the result of a sweep.
pub fn points_kept(out: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(format!("{out}.points")).into_iter().flatten().flatten().map(|entry| entry.path());
    entries.filter(|path| path.extension().is_some_and(|ending| ending == "json")).collect()
}
