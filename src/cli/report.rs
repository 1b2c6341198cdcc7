//! `narrows report`: a self-contained page of results.

use super::exit::{CommandResult, ExitStatus};
use super::output::{Output, check_distinct, is_page, read_bytes};
use clap::Args;
use narrows_core::text::Problem;
use narrows_study::experiment::result_page::{self, ResultFile};
use narrows_study::report::explorer::DEFAULT_EXPLORER_PAGE;
use narrows_study::report::html;
use std::io::Write;
use std::path::{Path, PathBuf};

const EXAMPLES: &str = "\
Examples:
  narrows run ping-pong --format json > run.json
  narrows sweep stream \\
      --vary 'workload.stream.payload=64 B..8 KiB*2' \\
      --vary ni.trapeze.policy=store-and-forward,adaptive-cut-through \\
      --out s.csv
  narrows report run.json s.csv --title 'Trapeze by policy' --out page.html

A run is shown with its metrics, the latency by stage and the utilisation of
resources; a sweep with each metric over the varied keys, and all data. The page
needs no other files.";

/// Write a page of charts and tables of runs and sweeps
#[derive(Args)]
#[group(skip)]
#[command(after_help = EXAMPLES)]
pub struct Options {
    /// Result files: the .json of a run or sweep, or the .csv, .jsonl or .parquet of a sweep
    #[arg(value_name = "RESULT", required = true)]
    results: Vec<PathBuf>,
    /// Title of the page [default: names of the results]
    #[arg(long, value_name = "TEXT")]
    title: Option<String>,
    /// Address of the explorer page that figures of runs link to; empty for no links
    #[arg(long, value_name = "URL", default_value = DEFAULT_EXPLORER_PAGE)]
    explorer: String,
    /// Output file
    #[arg(long, value_name = "F.html")]
    out: PathBuf,
}

/// Runs the command.
pub fn run(options: &Options) -> CommandResult {
    let read_results = options.results.iter().map(|path| Ok((result_name(path), read(path)?)));
    let (results, problems): (Vec<_>, Vec<_>) = read_results.partition(|result: &Result<_, Problem>| result.is_ok());
    let problems: Vec<Problem> = problems.into_iter().filter_map(Result::err).collect();
    if !problems.is_empty() {
        return Err(problems.into());
    }
    if !is_page(&options.out) {
        let problem = Problem::new(format!("`{}`: a page must be an HTML file", options.out.display()));
        return Err(problem.help("name a file that ends in `.html`").into());
    }
    check_distinct(&options.results, &[Some(options.out.as_path())])?;
    let output = Output::prepare(&options.out)?;
    let results: Vec<(String, ResultFile)> = results.into_iter().filter_map(Result::ok).collect();
    let title = options.title.as_deref();
    let page = html::page(&result_page::page_of_results(&results, title, repeat_command(options), &options.explorer));
    output.write(|file| file.write_all(page.as_bytes()))?;
    for (name, result) in &results {
        result.warnings().iter().for_each(|warning| eprint_line!("{name}: {warning}"));
    }
    eprint_line!("Wrote `{}`.", options.out.display());
    Ok(ExitStatus::Done)
}

/// Returns the command line that writes the same page.
fn repeat_command(options: &Options) -> String {
    let quoted = |word: String| match word.chars().all(|c| c.is_alphanumeric() || "._-/".contains(c)) {
        true => word,
        false => format!("'{}'", word.replace('\'', r"'\''")),
    };
    let title = options.title.iter().flat_map(|title| ["--title".to_owned(), quoted(title.clone())]);
    let results = options.results.iter().map(|path| quoted(path.display().to_string()));
    let explorer = Some(&options.explorer).filter(|explorer| *explorer != DEFAULT_EXPLORER_PAGE).into_iter();
    let explorer = explorer.flat_map(|explorer| ["--explorer".to_owned(), quoted(explorer.clone())]);
    let output_arguments = ["--out".to_owned(), quoted(options.out.display().to_string())];
    let arguments: Vec<String> = results.chain(title).chain(explorer).chain(output_arguments).collect();
    format!("narrows report {}", arguments.join(" "))
}

/// Returns the name of a result on the page.
fn result_name(path: &Path) -> String {
    path.file_stem().unwrap_or(path.as_os_str()).to_string_lossy().into_owned()
}

fn read(path: &Path) -> Result<ResultFile, Problem> {
    ResultFile::read(read_bytes(path)?, path).map_err(|reason| {
        Problem::new(format!("`{}` is not a result: {reason}", path.display()))
            .help("write one with `narrows run … --format json > F.json` or `narrows sweep … --out F.csv`")
    })
}
