//! `narrows completions`: scripts for shell completion.

use super::exit::CommandResult;
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

/// Generate a shell-completion script, which calls `narrows` for examples, parts, papers and keys
#[derive(Args)]
#[group(skip)]
#[command(after_help = EXAMPLES)]
pub struct Options {
    /// Name of the shell
    #[arg(value_name = "SHELL")]
    shell: Shell,
}

/// Runs the command.
pub fn run(options: &Options) -> CommandResult {
    let mut text = Vec::new();
    let shells = Shells::builtins();
    let shell = shells.completer(&options.shell.to_string()).expect("every shell of the option is supported");
    let result = shell.write_registration("COMPLETE", "narrows", "narrows", "narrows", &mut text);
    result.map_err(|error| Problem::new(format!("cannot write the completions: {error}")))?;
    output::print(&String::from_utf8_lossy(&text))
}
