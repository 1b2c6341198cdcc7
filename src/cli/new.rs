//! `narrows new`: something small that works, to be changed.

use super::ending::{Ended, Ending};
use super::output::print;
use clap::{Args, Subcommand};
use narrows_core::text::Problem;
use narrows_study::study::scaffold;
use std::fs;
use std::path::{Path, PathBuf};

const EXAMPLES: &str = "\
Examples:
  narrows new study my-study                 writes a study of two policies into the folder my-study
  narrows reproduce my-study --out results   runs it: claims, and a page with its figures";

/// Writes something small that works, to be changed.
#[derive(Args)]
#[group(skip)]
#[command(after_help = EXAMPLES)]
pub struct Options {
    #[command(subcommand)]
    what: What,
}

#[derive(Subcommand)]
enum What {
    /// A study: a sweep, a figure, and claims that hold
    Study {
        /// The folder to write it into; made if missing
        #[arg(value_name = "FOLDER")]
        folder: PathBuf,
    },
}

/// Writes.
pub fn run(options: &Options) -> Ended {
    let What::Study { folder } = &options.what;
    study(folder)?;
    let shown = folder.display();
    let given = if folder.components().count() == 1 { format!("./{shown}") } else { shown.to_string() };
    print(&format!("A study is in {shown}; `narrows reproduce {given}` runs it.\n"))?;
    Ok(Ending::Done)
}

/// Writes the files, or none if one of them is there.
fn study(folder: &Path) -> Result<(), Problem> {
    let failed =
        |path: &Path, error: std::io::Error| Problem::new(format!("cannot write into `{}`: {error}", path.display()));
    let there = scaffold::FILES.iter().map(|(name, _)| folder.join(name)).find(|path| path.exists());
    if let Some(path) = there {
        let problem = Problem::new(format!("`{}` is there already, and is left as it is", path.display()));
        return Err(problem.help("name another folder"));
    }
    fs::create_dir_all(folder).map_err(|error| failed(folder, error))?;
    for (name, text) in scaffold::FILES {
        let path = folder.join(name);
        fs::write(&path, text).map_err(|error| failed(&path, error))?;
    }
    Ok(())
}
