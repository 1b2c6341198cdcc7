//! `narrows completions`: what a shell needs to complete commands.

use super::ending::{Ended, Ending};
use super::{Cli, output};
use clap::{Args, CommandFactory};
use clap_complete::{Shell, generate};

const EXAMPLES: &str = "\
Examples:
  narrows completions bash > ~/.local/share/bash-completion/completions/narrows
  narrows completions fish > ~/.config/fish/completions/narrows.fish
  narrows completions zsh > ~/.zfunc/_narrows";

/// Prints the completions of a shell.
#[derive(Args)]
#[group(skip)]
#[command(after_help = EXAMPLES)]
pub struct Options {
    /// The shell
    #[arg(value_name = "SHELL")]
    shell: Shell,
}

/// Prints them.
pub fn run(options: &Options) -> Ended {
    let mut text = Vec::new();
    generate(options.shell, &mut Cli::command(), "narrows", &mut text);
    output::print(&String::from_utf8_lossy(&text))?;
    Ok(Ending::Done)
}
