//! `narrows completions`: what a shell needs to complete commands.

use super::ending::{Ended, Ending};
use super::output;
use clap::Args;
use clap_complete::Shell;
use clap_complete::env::Shells;
use narrows_core::text::Problem;

const EXAMPLES: &str = "\
Examples:
  narrows completions bash > ~/.local/share/bash-completion/completions/narrows
  narrows completions fish > ~/.config/fish/completions/narrows.fish
  narrows completions zsh > ~/.zfunc/_narrows";

/// Prints the completions of a shell, which then asks this program: for commands, options, examples, parts, papers, keys.
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
    let shells = Shells::builtins();
    let shell = shells.completer(&options.shell.to_string()).expect("every shell that is offered is known");
    let written = shell.write_registration("COMPLETE", "narrows", "narrows", "narrows", &mut text);
    written.map_err(|error| Problem::new(format!("cannot write the completions: {error}")))?;
    output::print(&String::from_utf8_lossy(&text))?;
    Ok(Ending::Done)
}
