//! `narrows check`: the problems of a description, and nothing else.

use super::ending::{Ended, Ending};
use super::subject;
use clap::Args;

const EXAMPLES: &str = "\
Examples:
  narrows check cluster.toml
  narrows check cluster.toml --set run.seed=7 && echo sound";

/// Tells all problems of a description, and runs nothing.
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
    subject.read(&options.subject.sets)?;
    eprintln!("{}: no problems", subject.name());
    Ok(Ending::Done)
}
