//! How a command ends: its exit code, and how what went wrong is told.

use narrows_core::Error;
use narrows_core::text::{Problem, Problems};
use std::io::IsTerminal;
use std::process::ExitCode;

/// What a command gives.
pub type Ended = Result<Ending, Failure>;

/// How a command ended that did what it was asked.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ending {
    /// All well.
    Done,
    /// A claim failed under `--strict`, or a verdict of `verify` is not as it should be.
    ClaimFailed,
    /// A run ended stuck.
    Stuck,
}

impl From<Ending> for ExitCode {
    fn from(ending: Ending) -> ExitCode {
        ExitCode::from(match ending {
            Ending::Done => 0,
            Ending::ClaimFailed => 1,
            Ending::Stuck => 3,
        })
    }
}

/// Bad input: why a command could not do what it was asked.
#[derive(Debug)]
pub struct Failure(Error);

impl Failure {
    /// Returns the failure with these groups of problems, each under its line, which may be empty.
    pub fn grouped(groups: Vec<(String, Problems)>) -> Failure {
        Failure(groups.into())
    }

    /// Prints the error on standard error.
    pub fn tell(&self) -> ExitCode {
        tell!("{}", self.0.render(colour_on_stderr()));
        ExitCode::from(2)
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Failure {
        Failure(error)
    }
}

impl From<Problems> for Failure {
    fn from(problems: Problems) -> Failure {
        Failure(problems.into())
    }
}

impl From<Problem> for Failure {
    fn from(problem: Problem) -> Failure {
        Problems::one(problem).into()
    }
}

/// Whether standard error shows colours: to a terminal only, and not against NO_COLOR.
fn colour_on_stderr() -> bool {
    let unset = |name: &str| std::env::var_os(name).is_none_or(|value| value.is_empty());
    let dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
    std::io::stderr().is_terminal() && unset("NO_COLOR") && !dumb
}
