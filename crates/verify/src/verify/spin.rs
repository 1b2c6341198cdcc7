//! Verification of the PROMELA models with Spin: `spin -a`, a C compiler, and the verifier for each formula.
//!
//! Spin and gcc must be installed. Only the number of errors is read from the output of the verifier.

use super::check::verdict;
use super::firmware::Firmware;
use super::promela::{FORMULAS, promela};
use narrows_core::ni::mcp::threads::Rule;
use narrows_core::text::Problem;
use serde_json::{Value as Json, json};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};

/// The search depth limit, far above the length of any run.
const DEPTH_MAX: &str = "-m100000";
/// The binary logarithm of the number of slots of the verifier's hash table: as many as the largest model has states.
/// Each run clears the table, which takes longer than most formulas if it has the default size.
const HASH_TABLE: &str = "-w22";

/// Spin's verdict on a formula.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SpinVerdict {
    /// The name of the firmware.
    pub firmware: &'static str,
    /// The name of the formula. `asserts` covers all assertions and the absence of deadlocks.
    pub formula: &'static str,
    description: &'static str,
    /// Whether Spin found no error.
    pub holds: bool,
    expected: bool,
}

impl SpinVerdict {
    /// Returns whether the verdict matches the expectation.
    pub fn is_as_expected(&self) -> bool {
        self.holds == self.expected
    }

    pub(super) fn line(&self) -> String {
        format!("  Spin: {:<15} {:<21} {}\n", self.formula, verdict(self.holds, self.expected), self.description)
    }

    pub(super) fn json(&self) -> Json {
        json!({"formula": self.formula, "says": self.description, "holds": self.holds, "expected": self.expected})
    }
}

/// Returns the first required program that is not installed.
pub fn missing_program() -> Option<&'static str> {
    let is_installed = |program: &str, version: &str| {
        let output = Command::new(program).arg(version).stdin(Stdio::null()).output();
        output.is_ok_and(|output| output.status.success())
    };
    [("spin", "-V"), ("gcc", "--version")]
        .into_iter()
        .find(|(program, version)| !is_installed(program, version))
        .map(|program_version| program_version.0)
}

/// Writes the models of firmwares into a folder, and returns their paths.
pub fn write(folder: &Path, firmwares: &[&Firmware], disabled_rule: Option<Rule>) -> Result<Vec<PathBuf>, Problem> {
    let write_problem = |error| Problem::new(format!("cannot write into `{}`: {error}", folder.display()));
    fs::create_dir_all(folder).map_err(write_problem)?;
    let write_model = |firmware: &&Firmware| {
        let path = folder.join(format!("{}.pml", firmware.name));
        fs::write(&path, promela(firmware, disabled_rule)).map(|()| path)
    };
    firmwares.iter().map(write_model).collect::<Result<_, _>>().map_err(write_problem)
}

/// Verifies firmwares with Spin.
pub fn verify(firmwares: &[&Firmware], disabled_rule: Option<Rule>) -> Result<Vec<SpinVerdict>, Problem> {
    let mut verdicts = Vec::new();
    for firmware in firmwares {
        let folder = TempFolder::new()?;
        verdicts.extend(folder.verify(firmware, disabled_rule)?);
    }
    Ok(verdicts)
}

/// A temporary folder for the files of Spin. It is removed on drop.
struct TempFolder(PathBuf);

impl Drop for TempFolder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

impl TempFolder {
    fn new() -> Result<TempFolder, Problem> {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let path = std::env::temp_dir().join(format!("narrows-spin-{}-{number}", std::process::id()));
        fs::create_dir_all(&path)
            .map_err(|error| Problem::new(format!("cannot write into `{}`: {error}", path.display())))?;
        Ok(TempFolder(path))
    }

    fn verify(&self, firmware: &Firmware, disabled_rule: Option<Rule>) -> Result<Vec<SpinVerdict>, Problem> {
        write(&self.0, &[firmware], disabled_rule)?;
        let model = format!("{}.pml", firmware.name);
        self.run("spin", &["-DPLAIN", "-a", &model])?;
        self.run("gcc", &["-O1", "-w", "-o", "claims", "pan.c"])?;
        self.run("spin", &["-a", &model])?;
        self.run("gcc", &["-O1", "-w", "-DNOCLAIM", "-DSAFETY", "-o", "asserts", "pan.c"])?;
        let verdict = |formula, description, holds, expected| SpinVerdict {
            firmware: firmware.name,
            formula,
            description,
            holds,
            expected,
        };
        let mut verdicts = Vec::new();
        for formula in &FORMULAS {
            let holds = self.finds_no_error("claims", &["-a", "-N", formula.name, DEPTH_MAX, HASH_TABLE])?;
            verdicts.push(verdict(formula.name, formula.description, holds, formula.is_expected(firmware)));
        }
        let holds = self.finds_no_error("asserts", &[DEPTH_MAX, HASH_TABLE])?;
        verdicts.push(verdict("asserts", "every assertion, and no run ends early", holds, true));
        Ok(verdicts)
    }

    /// Returns whether a verifier finds no error.
    fn finds_no_error(&self, verifier: &str, arguments: &[&str]) -> Result<bool, Problem> {
        let path = self.0.join(verifier);
        let output = self.run(&path.display().to_string(), arguments)?;
        let unfinished_problem =
            || Problem::new(format!("Spin's verifier did not finish: {}", output.lines().next().unwrap_or("")));
        if output.contains("search depth too small") {
            return Err(unfinished_problem());
        }
        match output.split_once("errors: ").map(|(_, rest)| rest.trim_start().starts_with('0')) {
            Some(holds) => Ok(holds),
            None => Err(unfinished_problem()),
        }
    }

    /// Runs a program and returns its output.
    fn run(&self, program: &str, arguments: &[&str]) -> Result<String, Problem> {
        let output = Command::new(program).args(arguments).current_dir(&self.0).stdin(Stdio::null()).output();
        let output = output.map_err(|error| Problem::new(format!("cannot run `{program}`: {error}")))?;
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        match output.status.success() {
            true => Ok(text),
            false => {
                Err(Problem::new(format!("`{program}` failed: {}{text}", String::from_utf8_lossy(&output.stderr))))
            }
        }
    }
}
