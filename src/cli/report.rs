//! `narrows report`: a page of results, which stands alone.

use super::ending::{Ended, Ending, Failure};
use super::output::{Output, plain};
use clap::Args;
use narrows_core::text::{Problem, Problems};
use narrows_study::experiment::result_page::{self, ResultFile};
use narrows_study::report::html;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

const EXAMPLES: &str = "\
Examples:
  narrows run ping-pong --format json > run.json
  narrows sweep stream --vary 'workload.stream.payload=64 B..8 KiB*2' \\
                       --vary ni.trapeze.policy=store-and-forward,adaptive-cut-through --out s.csv
  narrows report run.json s.csv --title 'Trapeze by policy' --out page.html

Of a run it shows the metrics, where a message's time went and how busy what was; of a sweep each metric over
what was varied, and all of its data. The page needs no other file.";

/// Writes a page of results: pictures and tables, of runs and of sweeps.
#[derive(Args)]
#[group(skip)]
#[command(after_help = EXAMPLES)]
pub struct Options {
    /// Results: the .json of a run or sweep, or the .csv, .jsonl or .parquet of a sweep
    #[arg(value_name = "RESULT", required = true)]
    results: Vec<PathBuf>,
    /// The heading; by default the names of the results
    #[arg(long, value_name = "TEXT")]
    title: Option<String>,
    /// Where the page goes
    #[arg(long, value_name = "F.html")]
    out: PathBuf,
}

/// Writes the page.
pub fn run(options: &Options) -> Ended {
    let read = options.results.iter().map(|path| Ok((name(path), read(path)?)));
    let (results, problems): (Vec<_>, Vec<_>) = read.partition(|read: &Result<_, Problem>| read.is_ok());
    let problems: Vec<Problem> = problems.into_iter().filter_map(Result::err).collect();
    if !problems.is_empty() {
        let told = problems.into_iter().map(|problem| (String::new(), Problems::one(problem)));
        return Err(Failure::grouped(told.collect()));
    }
    let out = Output::prepare(&options.out)?;
    let results: Vec<(String, ResultFile)> = results.into_iter().filter_map(Result::ok).collect();
    let page = html::page(&result_page::of(&results, options.title.as_deref(), command(options)));
    out.write(|file| file.write_all(page.as_bytes()))?;
    tell!("Wrote `{}`.", options.out.display());
    Ok(Ending::Done)
}

/// The command that writes the same, as a shell takes it.
fn command(options: &Options) -> String {
    let quoted = |word: String| match word.chars().all(|c| c.is_alphanumeric() || "._-/".contains(c)) {
        true => word,
        false => format!("'{}'", word.replace('\'', r"'\''")),
    };
    let title = options.title.iter().flat_map(|title| ["--title".to_owned(), quoted(title.clone())]);
    let results = options.results.iter().map(|path| quoted(path.display().to_string()));
    let out = ["--out".to_owned(), quoted(options.out.display().to_string())];
    let words: Vec<String> = results.chain(title).chain(out).collect();
    format!("narrows report {}", words.join(" "))
}

/// What a result is called on its page.
fn name(path: &Path) -> String {
    path.file_stem().unwrap_or(path.as_os_str()).to_string_lossy().into_owned()
}

fn read(path: &Path) -> Result<ResultFile, Problem> {
    let bytes =
        fs::read(path).map_err(|error| Problem::new(format!("cannot read `{}`: {}", path.display(), plain(&error))))?;
    ResultFile::read(bytes, path).map_err(|why| {
        Problem::new(format!("`{}` is no result: {why}", path.display()))
            .help("write one with `narrows run … --format json > F.json` or `narrows sweep … --out F.csv`")
    })
}
