//! `narrows check`: the problems of a description, and the properties of a routed fabric.

use super::exit::{CommandResult, ExitStatus, Failure};
use super::{completion_values, input, output};
use clap::Args;
use std::path::{Path, PathBuf};

const EXAMPLES: &str = "\
Examples:
  narrows check cluster.toml
  narrows check machines/*.toml
  narrows check cluster.toml --set run.seed=7 && echo valid";

/// Validate descriptions and report every problem without running them
///
/// For a routed fabric, print its degree, diameter and bisection, and whether its packets can
/// deadlock. For a Myrinet, print whether its source routes can deadlock, and whether its watchdog
/// can drop packets that merely take long to cross their links.
///
/// Exit with 0 if there are no problems, and with 2 otherwise.
#[derive(Args)]
#[group(skip)]
#[command(after_help = EXAMPLES)]
pub struct Options {
    /// Descriptions: names of shipped examples (see `narrows list examples`), files, or results of `run --format json`
    #[arg(value_name = "FILE", required = true, add = completion_values::descriptions())]
    files: Vec<PathBuf>,
    /// Override one value of each description; may be repeated
    #[arg(long = "set", value_name = "KEY=VALUE", add = completion_values::override_values())]
    sets: Vec<String>,
}

/// Runs the command. All descriptions are checked, even if some of them have problems.
pub fn run(options: &Options) -> CommandResult {
    let mut failures = Vec::new();
    for file in &options.files {
        if let Err(failure) = check(file, &options.sets) {
            failures.push(failure);
        }
    }
    match failures.pop() {
        None => Ok(ExitStatus::Done),
        Some(last) => {
            failures.iter().for_each(|failure| _ = failure.report());
            Err(last)
        }
    }
}

fn check(file: &Path, sets: &[String]) -> Result<(), Failure> {
    let subject = input::Options { file: file.to_owned(), sets: Vec::new() }.subject()?;
    let read = subject.read(sets)?;
    if let Some(survey) = read.value.survey() {
        output::print(&format!("{survey}\n"))?;
    }
    if let Some(note) = read.value.note() {
        output::print(&format!("{note}\n"))?;
    }
    eprint_line!("{}: no problems", subject.name());
    Ok(())
}
