//! `narrows check`: the problems of a description, and the properties of a routed fabric.

use super::exit::{CommandResult, ExitStatus};
use super::{input, output};
use clap::Args;

const EXAMPLES: &str = "\
Examples:
  narrows check cluster.toml
  narrows check cluster.toml --set run.seed=7 && echo valid";

/// Validate a description and report every problem without running it
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
    #[command(flatten)]
    subject: input::Options,
}

/// Runs the command.
pub fn run(options: &Options) -> CommandResult {
    let subject = options.subject.subject()?;
    let read = subject.read(&options.subject.sets)?;
    if let Some(survey) = read.value.survey() {
        output::print(&format!("{survey}\n"))?;
    }
    if let Some(note) = read.value.note() {
        output::print(&format!("{note}\n"))?;
    }
    eprint_line!("{}: no problems", subject.name());
    Ok(ExitStatus::Done)
}
