//! The PROMELA models, run by Spin: `spin -a`, a C compiler, and the verifier for each formula.
//!
//! Both programs are the user's; without them nothing is run, and that is told. The verifier's own words
//! are read for one thing: whether it found an error.

use super::check::verdict;
use super::firmware::Firmware;
use super::promela::{FORMULAS, promela};
use narrows_core::ni::mcp::threads::Rule;
use narrows_core::text::Problem;
use serde_json::{Value as Json, json};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// How deep a run may be: far more than any is.
const DEPTH_MAX: &str = "-m100000";

/// What Spin found of a formula.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Judged {
    /// The firmware.
    pub firmware: &'static str,
    /// The formula, or `asserts`: assertions, and that no run stops short.
    pub formula: &'static str,
    says: &'static str,
    holds: bool,
    expected: bool,
}

impl Judged {
    /// Whether it is as it should be.
    pub fn is_as_expected(&self) -> bool {
        self.holds == self.expected
    }

    pub(super) fn line(&self) -> String {
        format!("  Spin: {:<15} {:<21} {}\n", self.formula, verdict(self.holds, self.expected), self.says)
    }

    pub(super) fn json(&self) -> Json {
        json!({"formula": self.formula, "says": self.says, "holds": self.holds, "expected": self.expected})
    }
}

/// What of what Spin needs is not installed.
pub fn missing() -> Option<&'static str> {
    let runs = |program: &str, version: &str| {
        let ran = Command::new(program).arg(version).stdin(Stdio::null()).output();
        ran.is_ok_and(|ran| ran.status.success())
    };
    [("spin", "-V"), ("gcc", "--version")].into_iter().find(|(program, version)| !runs(program, version)).map(|of| of.0)
}

/// Writes the models of firmwares into a folder: their paths.
pub fn write(folder: &Path, firmwares: &[&Firmware], without: Option<Rule>) -> Result<Vec<PathBuf>, Problem> {
    let cannot = |error| Problem::new(format!("cannot write into `{}`: {error}", folder.display()));
    fs::create_dir_all(folder).map_err(cannot)?;
    let one = |firmware: &&Firmware| {
        let path = folder.join(format!("{}.pml", firmware.name));
        fs::write(&path, promela(firmware, without)).map(|()| path)
    };
    firmwares.iter().map(one).collect::<Result<_, _>>().map_err(cannot)
}

/// Has Spin judge firmwares.
pub fn judge(firmwares: &[&Firmware], without: Option<Rule>) -> Result<Vec<Judged>, Problem> {
    let mut all = Vec::new();
    for firmware in firmwares {
        let folder = Scratch::new(firmware.name)?;
        all.extend(folder.judge(firmware, without)?);
    }
    Ok(all)
}

/// A folder for what Spin writes, gone at its end.
struct Scratch(PathBuf);

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

impl Scratch {
    fn new(name: &str) -> Result<Scratch, Problem> {
        let path = std::env::temp_dir().join(format!("narrows-spin-{name}-{}", std::process::id()));
        fs::create_dir_all(&path)
            .map_err(|error| Problem::new(format!("cannot write into `{}`: {error}", path.display())))?;
        Ok(Scratch(path))
    }

    fn judge(&self, firmware: &Firmware, without: Option<Rule>) -> Result<Vec<Judged>, Problem> {
        write(&self.0, &[firmware], without)?;
        let model = format!("{}.pml", firmware.name);
        self.run("spin", &["-DPLAIN", "-a", &model])?;
        self.run("gcc", &["-O1", "-w", "-o", "claims", "pan.c"])?;
        self.run("spin", &["-a", &model])?;
        self.run("gcc", &["-O1", "-w", "-DNOCLAIM", "-DSAFETY", "-o", "asserts", "pan.c"])?;
        let judged =
            |formula, says, holds, expected| Judged { firmware: firmware.name, formula, says, holds, expected };
        let mut all = Vec::new();
        for formula in &FORMULAS {
            let holds = self.holds("claims", &["-a", "-N", formula.name, DEPTH_MAX])?;
            all.push(judged(formula.name, formula.says, holds, formula.is_expected(firmware)));
        }
        let holds = self.holds("asserts", &[DEPTH_MAX])?;
        all.push(judged("asserts", "every assertion, and no run stops short", holds, true));
        Ok(all)
    }

    /// Whether a verifier finds no error.
    fn holds(&self, verifier: &str, arguments: &[&str]) -> Result<bool, Problem> {
        let path = self.0.join(verifier);
        let told = self.run(&path.display().to_string(), arguments)?;
        let failed = || Problem::new(format!("Spin's verifier did not finish: {}", told.lines().next().unwrap_or("")));
        if told.contains("search depth too small") {
            return Err(failed());
        }
        match told.split_once("errors: ").map(|(_, rest)| rest.trim_start().starts_with('0')) {
            Some(holds) => Ok(holds),
            None => Err(failed()),
        }
    }

    /// What a program that ran well told.
    fn run(&self, program: &str, arguments: &[&str]) -> Result<String, Problem> {
        let ran = Command::new(program).args(arguments).current_dir(&self.0).stdin(Stdio::null()).output();
        let ran = ran.map_err(|error| Problem::new(format!("cannot run `{program}`: {error}")))?;
        let told = String::from_utf8_lossy(&ran.stdout).into_owned();
        match ran.status.success() {
            true => Ok(told),
            false => Err(Problem::new(format!("`{program}` failed: {}{told}", String::from_utf8_lossy(&ran.stderr)))),
        }
    }
}
