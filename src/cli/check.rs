//! `narrows check`: the problems of a description; of a routed fabric also what it is like.

use super::ending::{Ended, Ending};
use super::{output, subject};
use clap::Args;

const EXAMPLES: &str = "\
Examples:
  narrows check cluster.toml
  narrows check cluster.toml --set run.seed=7 && echo sound";

/// Tells all problems of a description, and runs nothing.
///
/// Of a fabric of routers it also tells degree, diameter, bisection and whether packets can wait for
/// one another in a circle; of a Myrinet it tells whether its source routes can, and whether its watchdog
/// drops packets that hold their links only for as long as they take to cross them.
///
/// Exits with 0 if there are none, and with 2 otherwise.
#[derive(Args)]
#[group(skip)]
#[command(after_help = EXAMPLES)]
pub struct Options {
    #[command(flatten)]
    subject: subject::Options,
}

/// Reads and checks, no more.
pub fn run(options: &Options) -> Ended {
    let subject = options.subject.subject()?;
    let read = subject.read(&options.subject.sets)?;
    if let Some(survey) = read.value.survey() {
        output::print(&format!("{survey}\n"))?;
    }
    if let Some(note) = read.value.note() {
        output::print(&format!("{note}\n"))?;
    }
    tell!("{}: no problems", subject.name());
    Ok(Ending::Done)
}
