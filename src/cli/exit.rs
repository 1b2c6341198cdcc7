//! The exit status of commands, and the output of their problems.

use crate::reference::EXIT_INTERRUPTED;
use narrows_core::Error;
use narrows_core::text::{Problem, ProblemGroups, Problems};
use std::io::IsTerminal;

/// The result of a command.
pub type CommandResult = Result<ExitStatus, Failure>;

/// The exit status of a command with valid input.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ExitStatus {
    /// The command succeeded.
    Done,
    /// A claim's verdict is not the expected one under `--strict`, or a verdict of `verify` is not as expected.
    ClaimFailed,
    /// A fit does not reach the numbers that it was fitted to.
    FitFailed,
    /// A run ended in a deadlock or livelock, at a limit, or with messages lost.
    Stuck,
    /// The command was stopped by Ctrl-C, and printed the results so far.
    Interrupted,
}

impl ExitStatus {
    /// Returns the exit code.
    pub fn code(self) -> u8 {
        match self {
            ExitStatus::Done => 0,
            ExitStatus::ClaimFailed | ExitStatus::FitFailed => 1,
            ExitStatus::Stuck => 3,
            ExitStatus::Interrupted => EXIT_INTERRUPTED,
        }
    }
}

/// Invalid input: the problems that prevent a command from running.
#[derive(Debug)]
pub struct Failure(Error);

impl Failure {
    /// Returns the failure with these groups of problems, each under its heading, which may be empty.
    pub fn grouped(groups: ProblemGroups) -> Failure {
        Failure(groups.into())
    }

    /// Prints the error on standard error, and returns the exit code.
    pub fn report(&self) -> u8 {
        eprint_line!("{}", self.0.render(colour_on_stderr()));
        2
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
        Problems::from_problem(problem).into()
    }
}

impl From<Vec<Problem>> for Failure {
    fn from(problems: Vec<Problem>) -> Failure {
        Failure::grouped(problems.into_iter().flat_map(Problem::into_groups).collect())
    }
}

/// Returns whether standard error is coloured.
fn colour_on_stderr() -> bool {
    is_coloured(&std::io::stderr())
}

/// Returns whether text on `stream` is coloured: only if it is a terminal and NO_COLOR is unset.
pub(super) fn is_coloured(stream: &impl IsTerminal) -> bool {
    let is_unset = |name: &str| std::env::var_os(name).is_none_or(|value| value.is_empty());
    let is_dumb_terminal = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
    stream.is_terminal() && is_unset("NO_COLOR") && !is_dumb_terminal
}
