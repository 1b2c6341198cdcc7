//! How a command ends: its exit code, and how what went wrong is told.

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
pub struct Failure {
    /// The problems, each group under a line that says where they are met, which may be empty.
    groups: Vec<(String, Problems)>,
}

impl Failure {
    /// Groups of problems, each under its line.
    pub fn grouped(groups: Vec<(String, Problems)>) -> Failure {
        Failure { groups }
    }

    /// Tells all on standard error.
    pub fn tell(&self) -> ExitCode {
        let coloured = colour_on_stderr();
        for (n, (head, problems)) in self.groups.iter().enumerate() {
            let gap = if n > 0 { "\n" } else { "" };
            let head = if head.is_empty() { String::new() } else { format!("{head}\n") };
            tell!("{gap}{head}{}", problems.render(coloured));
        }
        let count: usize = self.groups.iter().map(|(_, problems)| problems.list().len()).sum();
        if count > 1 {
            tell!("\n{count} problems");
        }
        ExitCode::from(2)
    }
}

impl From<Problems> for Failure {
    fn from(problems: Problems) -> Failure {
        Failure { groups: vec![(String::new(), problems)] }
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
