//! Runs the program as a process, as its users do, and keeps its files in temporary folders.
#![allow(dead_code)]

use std::fs;
use std::path::PathBuf;
use std::process::{Child, Command, Output};
use std::sync::atomic::{AtomicUsize, Ordering};

/// A temporary folder of a test, removed at its end.
pub struct Folder(pub PathBuf);

/// Number of folders that this process has created.
static FOLDER_COUNT: AtomicUsize = AtomicUsize::new(0);

impl Folder {
    /// Creates an empty folder.
    pub fn new(name: &str) -> Folder {
        let number = FOLDER_COUNT.fetch_add(1, Ordering::Relaxed);
        let path = std::env::temp_dir().join(format!("narrows-{name}-{}-{number}", std::process::id()));
        fs::create_dir_all(&path).expect("the folder can be created");
        Folder(path)
    }

    /// Returns the folder's path.
    pub fn root(&self) -> &str {
        self.0.to_str().expect("the path is UTF-8")
    }

    /// Returns the path of a file in the folder.
    pub fn path(&self, name: &str) -> String {
        format!("{}/{name}", self.root())
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Returns a command that runs the program with these arguments in the system's temporary folder.
pub fn command(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_narrows"));
    command.args(arguments).current_dir(std::env::temp_dir());
    command
}

/// Returns the same command as [`command`], but with the default handling of interrupts. A process that a script runs
/// in the background ignores interrupts, and so do the processes that it starts.
pub fn interruptible(arguments: &[&str]) -> Command {
    let (program, reset_option) = (command(arguments), "--default-signal=INT");
    if !Command::new("env").args([reset_option, "true"]).output().is_ok_and(|output| output.status.success()) {
        return program;
    }
    let mut interruptible = Command::new("env");
    interruptible
        .arg(reset_option)
        .arg(program.get_program())
        .args(program.get_args())
        .current_dir(std::env::temp_dir());
    interruptible
}

/// Interrupts a running program as Ctrl-C does, and returns its output.
pub fn interrupt(child: Child) -> Output {
    let kill_status =
        Command::new("kill").args(["-INT", &child.id().to_string()]).status().expect("the program `kill` runs");
    assert!(kill_status.success());
    child.wait_with_output().expect("the child ends")
}

/// Runs the program.
pub fn narrows(arguments: &[&str]) -> Output {
    command(arguments).output().expect("the program starts")
}

/// Returns the text on standard error.
pub fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// Runs the program, and asserts that it succeeds.
pub fn run_ok(arguments: &[&str]) -> Output {
    let output = narrows(arguments);
    assert_eq!(output.status.code(), Some(0), "{arguments:?}: {}", stderr(&output));
    output
}

/// Runs the program, asserts that it succeeds, and returns its standard output.
pub fn stdout(arguments: &[&str]) -> String {
    String::from_utf8(run_ok(arguments).stdout).expect("the text is UTF-8")
}

/// Returns the standard output of a successful run, read as JSON.
pub fn json(arguments: &[&str]) -> serde_json::Value {
    serde_json::from_str(&stdout(arguments)).expect("the text is JSON")
}

/// Returns the output of a successful run with `--format=json`.
pub fn as_json(arguments: &[&str]) -> serde_json::Value {
    json(&[arguments, &["--format=json"]].concat())
}

/// Returns the files of the finished points that are stored with the result of a sweep.
pub fn stored_point_files(out: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(format!("{out}.points")).into_iter().flatten().flatten().map(|entry| entry.path());
    entries.filter(|path| path.extension().is_some_and(|extension| extension == "json")).collect()
}
