//! `narrows reproduce`: a paper's experiments beside its published numbers.

use super::Format;
use super::ending::{Ended, Ending};
use super::output::print;
use crate::report::{Column, PaperReport, Table};
use crate::study;
use crate::text::Problem;
use clap::Args;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::fs;
use std::path::PathBuf;
use std::sync::OnceLock;

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
    /// The paper, or one table or figure of it; without it, the papers are listed, with what runs only
    /// when it is named
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
    let title = |name: &str| study::reproduce::paper(name).map(|paper| paper.title).unwrap_or_default();
    study::papers().iter().map(|name| (name.to_string(), title(name))).collect()
}

/// Reproduces.
pub fn run(options: &Options) -> Ended {
    let Some(target) = &options.paper else { return overview() };
    if options.constants {
        return constants(target, options.format);
    }
    if let Some(folder) = &options.out {
        fs::create_dir_all(folder)
            .map_err(|error| Problem::new(format!("cannot write into `{}`: {error}", folder.display())))?;
    }
    let wanted = study::Options {
        paper: target.paper.clone(),
        artifact: target.artifact.clone(),
        quick: options.quick,
        jobs: options.jobs.unwrap_or(0) as usize,
    };
    let report = study::reproduce(&wanted, &Bar::default()).map_err(Problem::new)?;
    match options.format {
        Format::Text => print(&report.text())?,
        Format::Json => print(&json(&report))?,
    }
    if let Some(folder) = &options.out {
        report
            .write(folder)
            .map_err(|error| Problem::new(format!("cannot write into `{}`: {error}", folder.display())))?;
        eprintln!("written: {}", folder.join("report.html").display());
    }
    let failed = report.claims.iter().any(|claim| claim.holds == Some(false));
    Ok(if options.strict && failed { Ending::ClaimFailed } else { Ending::Done })
}

fn json(report: &PaperReport) -> String {
    let mut json = report.json();
    json["version"] = env!("CARGO_PKG_VERSION").into();
    format!("{json:#}\n")
}

/// What papers there are, and what each asks.
fn overview() -> Ended {
    let mut text = String::new();
    for name in study::papers() {
        let paper = study::reproduce::paper(name).expect("a listed paper is there");
        let (apart, artifacts): (Vec<&str>, Vec<&str>) =
            paper.artifacts.keys().map(String::as_str).partition(|id| paper.apart.iter().any(|apart| apart == id));
        text += &format!("{name}: {}\n  {}\n  {}\n", paper.title, paper.reference, paper.summary);
        text += &format!("  artifacts: {}\n", artifacts.join(", "));
        if !apart.is_empty() {
            text += &format!("  only when named, as PAPER/ARTIFACT, for they take long: {}\n", apart.join(", "));
        }
    }
    print(&text)?;
    Ok(Ending::Done)
}

/// Every calibrated constant of a paper.
fn constants(target: &Target, format: Format) -> Ended {
    let name = &target.paper;
    if study::reproduce::paper(name).is_none() {
        let papers = study::papers().join(", ");
        return Err(Problem::new(format!("there is no paper `{name}`; papers: {papers}")).into());
    }
    let constants = study::constants(name);
    if format == Format::Json {
        let list: Vec<_> = constants.iter().map(|c| {
            serde_json::json!({"constant": c.path, "value": c.value, "meaning": c.meaning, "fitted_on": c.fitted_on})
        }).collect();
        print(&format!("{:#}\n", serde_json::Value::from(list)))?;
        return Ok(Ending::Done);
    }
    let mut table = Table::new(["constant", "value", "meaning", "fitted on"].map(Column::new).into());
    for c in &constants {
        table.push([&c.path, &c.value, &c.meaning, &c.fitted_on].map(|text| text.as_str().into()).into());
    }
    print(&format!("{}\n{} calibrated constants\n", table.text(), constants.len()))?;
    Ok(Ending::Done)
}

/// A progress bar on standard error, where that is a terminal.
#[derive(Default)]
struct Bar(OnceLock<ProgressBar>);

impl study::Progress for Bar {
    fn begins(&self, points: usize) {
        let bar = ProgressBar::with_draw_target(Some(points as u64), ProgressDrawTarget::stderr());
        let style = ProgressStyle::with_template("{bar:30} {pos}/{len} {msg}").expect("the template is sound");
        bar.set_style(style);
        let _ = self.0.set(bar);
    }

    fn done(&self, point: &str) {
        if let Some(bar) = self.0.get() {
            bar.set_message(point.to_owned());
            bar.inc(1);
            if bar.position() == bar.length().unwrap_or(0) {
                bar.finish_and_clear();
            }
        }
    }
}
