//! `narrows reproduce`: a paper's experiments beside its published numbers.

use super::Format;
use super::ending::{Ended, Failure};
use crate::text::Problem;
use clap::Args;
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  narrows reproduce                          the papers there are, and what each asks
  narrows reproduce trapeze --quick          the same code on smaller inputs
  narrows reproduce trapeze/table-1 --out results
  narrows reproduce trapeze --strict         for scripts: exits with 1 if a claim fails
  narrows reproduce trapeze --constants      what was calibrated, and on what";

/// Reproduces a paper: its experiments beside its published numbers.
#[derive(Args)]
#[group(skip)]
#[command(after_help = EXAMPLES)]
pub struct Options {
    /// The paper, or one table or figure of it; without it, the papers are listed
    #[arg(value_name = "PAPER[/ARTIFACT]")]
    paper: Option<Target>,
    /// Run the same experiments on smaller inputs
    #[arg(long)]
    quick: bool,
    /// How many runs go on at once; by default as many as there are processors
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=1024))]
    jobs: Option<u64>,
    /// The form of the claims on standard output
    #[arg(long, value_enum, default_value_t = Format::Text, value_name = "FORMAT")]
    format: Format,
    /// Write a page with all tables and plots, and their data, into this folder
    #[arg(long, value_name = "FOLDER")]
    out: Option<PathBuf>,
    /// Exit with 1 if a claim fails
    #[arg(long)]
    strict: bool,
    /// Print every calibrated constant instead: its meaning, its value, the claims it was fitted on
    #[arg(long, requires = "paper", conflicts_with_all = ["quick", "jobs", "out", "strict"])]
    constants: bool,
}

/// A paper, or one artifact of it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Target {
    /// The paper's short name.
    pub paper: String,
    /// The artifact's.
    pub artifact: Option<String>,
}

impl std::str::FromStr for Target {
    type Err = String;

    fn from_str(text: &str) -> Result<Target, String> {
        let (paper, artifact) = match text.split_once('/') {
            Some((paper, artifact)) => (paper, Some(artifact)),
            None => (text, None),
        };
        if paper.is_empty() || artifact.is_some_and(|artifact| artifact.is_empty() || artifact.contains('/')) {
            return Err("write PAPER or PAPER/ARTIFACT, such as trapeze/table-1".to_owned());
        }
        Ok(Target { paper: paper.to_owned(), artifact: artifact.map(str::to_owned) })
    }
}

/// The papers there are: name and title.
pub fn papers() -> Vec<(String, String)> {
    // CALL SITE: study::papers()
    Vec::new()
}

/// Reproduces.
pub fn run(options: &Options) -> Ended {
    // CALL SITE: study::reproduce(options, progress), then
    // - `report.text()` or `report.json()` with version and hash to `output::print`,
    // - `report.write(folder)` under `--out`, the folder made sure of before the first run,
    // - `Ending::ClaimFailed` under `--strict` if a claim fails,
    // - `--constants` and no PAPER before any run.
    let Options { paper, quick, jobs, format, out, strict, constants } = options;
    let _ = (quick, jobs, *format == Format::Json, out, strict, constants);
    let asked = paper.as_ref().map_or("any paper", |target| &target.paper);
    Err(Failure::from(Problem::new(format!("cannot reproduce {asked}: no papers are built in yet"))))
}
