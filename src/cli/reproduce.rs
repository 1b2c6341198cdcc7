//! `narrows reproduce`: a study's experiments beside what is expected of them.

use super::ending::{Ended, Ending};
use super::output::print;
use super::progress::Progress;
use super::{Format, candidates, registry};
use clap::Args;
use narrows_core::text::Problem;
use narrows_study::papers::builtins;
use narrows_study::report::{Column, PaperReport, ReportTable};
use narrows_study::study;
use std::fs;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

const EXAMPLES: &str = "\
Examples:
  narrows reproduce                          the papers there are, and what each asks
  narrows reproduce trapeze --quick          the same code on smaller inputs
  narrows reproduce trapeze/table-1 --out results
  narrows reproduce trapeze --strict         for scripts: exits with 1 if a claim fails
  narrows reproduce trapeze --constants      what was calibrated, and on what
  narrows reproduce trapeze --uncertainty    how sure each number is
  narrows new study my-study                 a study of your own, as data; then
  narrows reproduce my-study --out results   the same for it as for a paper

A study is a folder: study.toml (artifacts, names, values), experiments.toml (what is run),
figures.toml (what is drawn), claims.toml (what is expected), and descriptions. All of it is
checked before anything runs: what is wrong is told with its place.";

/// Reproduces a paper, or a study of your own: its experiments beside what is expected of them.
#[derive(Args)]
#[group(skip)]
#[command(after_help = EXAMPLES)]
pub struct Options {
    /// The paper, or the folder of a study, or one table or figure of it; without it, the papers are
    /// listed, with what runs only when it is named
    ///
    /// A name is a paper's before it is a folder's: write ./NAME for the folder.
    #[arg(value_name = "PAPER|FOLDER[/ARTIFACT]", add = candidates::studies())]
    paper: Option<String>,
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
    /// Say of each number how sure it is: to which constants it answers, what they leave free of it
    ///
    /// The runs behind number claims are made again with each constant that is derived, calibrated or
    /// chosen up and down by 5 %. A number that is left freer than its tolerance is underdetermined.
    #[arg(long)]
    uncertainty: bool,
    /// Exit with 1 if a claim fails
    #[arg(long)]
    strict: bool,
    /// Print every calibrated constant instead: its meaning, its value, the claims it was fitted on
    #[arg(long, requires = "paper", conflicts_with_all = ["quick", "jobs", "out", "strict", "uncertainty"])]
    constants: bool,
}

/// The papers there are: name and title.
pub fn papers() -> Vec<(String, String)> {
    let title = |name: &str| shipped(name).title.clone();
    study::papers().iter().map(|name| (name.to_string(), title(name))).collect()
}

/// Reproduces.
pub fn run(options: &Options) -> Ended {
    let Some(target) = &options.paper else { return overview() };
    let (paper, artifact) = study::located::target(target);
    if study::papers().contains(&paper.as_str()) && std::path::Path::new(&paper).is_dir() {
        tell!("Taking the paper `{paper}`, not the folder of that name: write `./{paper}` for that.");
    }
    let found = study::find(&paper, options.quick, &builtins(registry()))?;
    if options.constants {
        return constants(&found, options.format);
    }
    if let Some(folder) = &options.out {
        fs::create_dir_all(folder)
            .map_err(|error| Problem::new(format!("cannot write into `{}`: {error}", folder.display())))?;
    }
    let wanted = study::Options {
        paper,
        artifact,
        quick: options.quick,
        jobs: options.jobs.unwrap_or(0) as usize,
        uncertainty: options.uncertainty,
    };
    found.wanted(wanted.artifact.as_deref())?;
    let report = found.reproduce(&wanted, &Bar::default())?;
    match options.format {
        Format::Text => print(&report.text())?,
        Format::Json => print(&json(&report))?,
    }
    if let Some(folder) = &options.out {
        report
            .write(folder)
            .map_err(|error| Problem::new(format!("cannot write into `{}`: {error}", folder.display())))?;
        tell!("written: {}", folder.join("report.html").display());
    }
    let failed = report.claims.iter().any(|claim| claim.holds == Some(false));
    Ok(if options.strict && failed { Ending::ClaimFailed } else { Ending::Done })
}

fn json(report: &PaperReport) -> String {
    let mut json = report.json();
    json["version"] = env!("CARGO_PKG_VERSION").into();
    format!("{json:#}\n")
}

/// A paper that the program carries.
fn shipped(name: &str) -> study::Study {
    let read = study::Study::load(&study::Location::of(name, registry()));
    read.unwrap_or_else(|problems| panic!("papers/{name} is sound:\n{problems}")).value
}

/// What papers there are, and what each asks.
fn overview() -> Ended {
    let mut text = String::new();
    for name in study::papers() {
        let paper = shipped(name);
        let all = paper.artifacts.iter().map(|(id, _)| id.text.as_str());
        let (apart, artifacts): (Vec<&str>, Vec<&str>) =
            all.partition(|id| paper.apart.iter().any(|apart| apart.text == *id));
        text += &format!("{name}: {}\n  {}\n  {}\n", paper.title, paper.reference, paper.summary);
        text += &format!("  artifacts: {}\n", artifacts.join(", "));
        if !apart.is_empty() {
            text += &format!("  only when named, as PAPER/ARTIFACT, for they take long: {}\n", apart.join(", "));
        }
    }
    print(&text)?;
    Ok(Ending::Done)
}

/// Every calibrated constant of a study.
fn constants(found: &study::LocatedStudy, format: Format) -> Ended {
    let constants = study::constants(found);
    if format == Format::Json {
        let list: Vec<_> = constants.iter().map(|c| {
            serde_json::json!({"constant": c.path, "value": c.value, "meaning": c.meaning, "fitted_on": c.fitted_on})
        }).collect();
        print(&format!("{:#}\n", serde_json::Value::from(list)))?;
        return Ok(Ending::Done);
    }
    let mut table = ReportTable::new(["constant", "value", "meaning", "fitted on"].map(Column::new).into());
    for c in &constants {
        table.push([&c.path, &c.value, &c.meaning, &c.fitted_on].map(|text| text.as_str().into()).into());
    }
    print(&format!("{}\n{} calibrated constants\n", table.text(), constants.len()))?;
    Ok(Ending::Done)
}

/// How far it is, on standard error.
#[derive(Default)]
struct Bar(Mutex<Option<Progress>>);

impl Bar {
    /// What is told of these runs, after what was told of others.
    fn turn(&self, next: Option<Progress>) {
        let before = std::mem::replace(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner), next);
        before.map(Progress::end);
    }
}

impl study::Progress for Bar {
    fn begins(&self, points: usize) {
        self.turn(None);
        self.turn(Some(Progress::begin("points", points, None)));
    }

    fn leaves_out(&self, points: usize) {
        if points > 0 {
            tell!("{points} points are left out: their parts do not fit together");
        }
    }

    fn done(&self, _point: &str) {
        if let Some(progress) = &*self.0.lock().unwrap_or_else(PoisonError::into_inner) {
            progress.finished(false);
        }
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        self.turn(None);
    }
}
