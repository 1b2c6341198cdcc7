//! `narrows man`: manual pages, generated from the same definitions as `--help`.

use super::Cli;
use super::exit::{CommandResult, ExitStatus, Failure};
use super::output::{self, Output, write_failure};
use clap::{Args, Command, CommandFactory};
use clap_mangen::Man;
use narrows_core::text::Problem;
use std::fs;
use std::io::{self, Write};
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  narrows man | man -l -
  narrows man --out ~/.local/share/man/man1    then: man narrows-run";

/// Print the manual page, or write it and one page for each command
#[derive(Args)]
#[group(skip)]
#[command(after_help = EXAMPLES)]
pub struct Options {
    /// Folder to write narrows.1, narrows-run.1 and the pages of all other commands into
    #[arg(long, value_name = "FOLDER")]
    out: Option<PathBuf>,
}

/// Runs the command.
pub fn run(options: &Options) -> CommandResult {
    let mut cli = Cli::command();
    cli.build();
    let Some(folder) = &options.out else {
        return output::print(&String::from_utf8_lossy(&page(cli)?));
    };
    fs::create_dir_all(folder).map_err(|error| write_failure(folder, &error))?;
    let commands: Vec<Command> = cli.get_subcommands().cloned().collect();
    let count = commands.len() + 1;
    for command in commands {
        let name = format!("narrows-{}", command.get_name());
        write_page(folder.join(format!("{name}.1")), command)?;
    }
    write_page(folder.join("narrows.1"), cli)?;
    eprint_line!("Wrote {count} pages into `{}`.", folder.display());
    Ok(ExitStatus::Done)
}

fn write_page(path: PathBuf, command: Command) -> Result<(), Failure> {
    let page = page(command)?;
    Output::prepare(&path)?.write(|file| file.write_all(&page))
}

fn page(command: Command) -> Result<Vec<u8>, Failure> {
    let mut page = Vec::new();
    let failure = |error: io::Error| Failure::from(Problem::new(format!("cannot write a manual page: {error}")));
    Man::new(command).render(&mut page).map_err(failure)?;
    Ok(page)
}
