//! `narrows new`: a minimal working project.

use super::exit::CommandResult;
use super::output::{folder_problem, print};
use clap::{Args, Subcommand};
use narrows_core::text::Problem;
use narrows_study::study::scaffold;
use std::fs;
use std::path::{Path, PathBuf};

const EXAMPLES: &str = "\
Examples:
  narrows new study my-study                  create a study of two policies
  narrows reproduce my-study --out results    run it, write a page";

/// Create a minimal working project to start from
#[derive(Args)]
#[group(skip)]
#[command(after_help = EXAMPLES)]
pub struct Options {
    #[command(subcommand)]
    item: NewItem,
}

#[derive(Subcommand)]
enum NewItem {
    /// Create a study with a sweep, a figure, and claims that hold
    Study {
        /// Folder to write into; created if necessary
        #[arg(value_name = "FOLDER")]
        folder: PathBuf,
    },
}

/// Runs the command.
pub fn run(options: &Options) -> CommandResult {
    let NewItem::Study { folder } = &options.item;
    study(folder)?;
    let shown_path = folder.display();
    let study_argument =
        if folder.components().count() == 1 { format!("./{shown_path}") } else { shown_path.to_string() };
    print(&format!("Created a study in {shown_path}; run it with `narrows reproduce {study_argument}`.\n"))
}

/// Writes the files, or none if one of them exists.
fn study(folder: &Path) -> Result<(), Problem> {
    let existing = scaffold::FILES.iter().map(|(name, _)| folder.join(name)).find(|path| path.exists());
    if let Some(path) = existing {
        let problem = Problem::new(format!("`{}` exists already, and is not overwritten", path.display()));
        return Err(problem.help("name another folder"));
    }
    fs::create_dir_all(folder).map_err(|error| folder_problem(folder, &error))?;
    for (name, text) in scaffold::FILES {
        let path = folder.join(name);
        fs::write(&path, text).map_err(|error| folder_problem(&path, &error))?;
    }
    Ok(())
}
