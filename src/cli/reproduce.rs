//! `narrows reproduce`: the experiments of a study, compared with the published values.

use super::exit::{CommandResult, ExitStatus};
use super::explore::opening::{escaped_name, outside_folder_error};
use super::explore::serving::{ServedPage, serve};
use super::live_page::LivePage;
use super::output::{folder_problem, print, print_result};
use super::progress::Progress;
use super::{Format, completion_values, registry};
use clap::Args;
use narrows_core::text::Problem;
use narrows_study::papers::builtins;
use narrows_study::report::explorer::DEFAULT_EXPLORER_PAGE;
use narrows_study::report::number::counted;
use narrows_study::report::{Column, PaperReport, ReportTable};
use narrows_study::study;
use narrows_study::study::calibrated::CalibratedConstant;
use serde_json::{Value as Json, json};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

const EXAMPLES: &str = "\
Examples:
  narrows reproduce                           list the papers
  narrows reproduce trapeze --quick           reproduce one with smaller inputs
  narrows reproduce trapeze/table-1 --out results
  narrows reproduce trapeze --strict          exit with 1 if a verdict differs
  narrows reproduce trapeze --constants       list the calibrated constants
  narrows reproduce trapeze --live            change them, and watch the claims
  narrows reproduce trapeze --live --out trapeze.html
                                              the same as a page in one file
  narrows reproduce trapeze --uncertainty     compute the uncertainty of numbers
  narrows reproduce nifdy --quick --seeds 3   judge the claims with three seeds
  narrows new study my-study                  create a study of your own
  narrows reproduce my-study --out results    run it

A study is a folder of study.toml (artifacts, names, values), experiments.toml
(the runs), figures.toml (the charts), claims.toml (the expected values), and
descriptions. All of it is checked before any run, and every error is reported
with its location.";

/// Reproduce a paper or a study of your own, and compare its results with the expected ones
#[derive(Args)]
#[group(skip)]
#[command(after_help = EXAMPLES)]
pub struct Options {
    /// Paper, folder of a study, or one table or figure of either [default: list the papers]
    ///
    /// A paper takes precedence over a folder of the same name: write ./NAME for the folder.
    #[arg(value_name = "PAPER|FOLDER[/ARTIFACT]", add = completion_values::studies())]
    paper: Option<String>,
    /// Use smaller inputs
    #[arg(long)]
    quick: bool,
    /// Number of parallel jobs [default: CPU count]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=1024))]
    jobs: Option<u64>,
    /// Output format
    #[arg(long, value_enum, default_value_t = Format::Text, value_name = "FORMAT")]
    format: Format,
    /// Folder to write a page with all tables, charts and data into; with --live, the file of the page
    #[arg(long, value_name = "FOLDER|FILE")]
    out: Option<PathBuf>,
    /// Address of the explorer page that figures link to; empty for no links
    #[arg(long, value_name = "URL", default_value = DEFAULT_EXPLORER_PAGE, requires = "out", conflicts_with = "live")]
    explorer: String,
    /// Compute the uncertainty of each number, and the constants that it depends on
    ///
    /// Each constant that is marked as derived, calibrated, chosen, or remembered (no source was read) is
    /// changed up and down by its standard deviation, at most 25 %, and the runs of all claims of kind `number` are repeated. A
    /// number whose uncertainty exceeds its tolerance is underdetermined.
    #[arg(long)]
    uncertainty: bool,
    /// Judge the claims with N seeds, and list the verdicts that depend on the seed
    ///
    /// The first seed of each point is that of its description, and each further one is 1000 more.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(2..=100))]
    #[arg(requires = "paper", conflicts_with_all = ["live", "constants"])]
    seeds: Option<u64>,
    /// Open a page in which a calibrated constant is changed and the claims are judged again
    ///
    /// The page is served to this computer until Ctrl-C, as that of `narrows explore` is. It judges the
    /// claims that need few runs, with the smaller inputs of --quick, and names the others. With --out FILE.html,
    /// the page of a paper is written as one file, which holds the simulator and needs neither server nor network.
    #[arg(long, requires = "paper", conflicts_with_all = ["uncertainty", "strict", "constants"])]
    live: bool,
    /// With --live, print the address and do not open a browser
    #[arg(long, requires = "live", conflicts_with = "out")]
    no_browser: bool,
    /// With --live and --out, folder with study.html, the prebuilt page that holds the simulator as
    /// WebAssembly [default: `web` next to the folder of the program]
    #[arg(long, value_name = "FOLDER", requires_all = ["live", "out"])]
    module: Option<PathBuf>,
    /// Exit with 1 if a claim fails unexpectedly, or a claim that is expected to fail holds
    #[arg(long)]
    strict: bool,
    /// Print only the calibrated constants, with the data they were fitted on, and the choices made by hand
    ///
    /// Each choice lists the claims whose results were known when it was made.
    #[arg(long, requires = "paper", conflicts_with_all = ["quick", "jobs", "out", "strict", "uncertainty"])]
    constants: bool,
}

/// Returns the names and titles of the papers.
pub fn papers() -> Vec<(String, String)> {
    let title = |name: &str| shipped_study(name).title.clone();
    study::papers().iter().map(|name| (name.to_string(), title(name))).collect()
}

/// Runs the command.
pub fn run(options: &Options) -> CommandResult {
    let Some(target) = &options.paper else { return print_papers() };
    let (paper, artifact) = study::located::parse_target(target);
    if study::papers().contains(&paper.as_str()) && Path::new(&paper).is_dir() {
        eprint_line!("Using the paper `{paper}`, not the folder of that name; write `./{paper}` for the folder.");
    }
    let located = study::find(&paper, &builtins(registry()))?;
    if options.live {
        return match &options.out {
            Some(file) => write_live_page(&located, file, options),
            None => serve_live_page(&located, options),
        };
    }
    if options.constants {
        return print_constants(&located, options.format);
    }
    if let Some(folder) = &options.out {
        let is_study =
            |study: &Path| study.canonicalize().ok().is_some_and(|study| folder.canonicalize().ok() == Some(study));
        if located.location.folder().is_some_and(is_study) {
            let problem =
                Problem::new(format!("cannot write into `{}`: the study itself is in this folder", folder.display()));
            return Err(problem.help("name another folder, such as one in it").into());
        }
        fs::create_dir_all(folder).map_err(|error| folder_problem(folder, &error))?;
    }
    let study_options = study::Options {
        paper,
        artifact,
        quick: options.quick,
        jobs: options.jobs.unwrap_or(0) as usize,
        uncertainty: options.uncertainty,
        seeds: options.seeds.unwrap_or(1),
        seed_offset: 0,
        // Only pages have links.
        explorer: Some(if options.out.is_some() { options.explorer.clone() } else { String::new() }),
    };
    located.select_artifacts(study_options.artifact.as_deref())?;
    let report = located.reproduce(&study_options, &StudyProgress::default())?;
    let status = print_result(options.format, || report.text(), || json(&report))?;
    if let Some(folder) = &options.out {
        report.write(folder).map_err(|error| folder_problem(folder, &error))?;
        eprint_line!("Wrote `{}`.", folder.join("report.html").display());
    }
    let is_unexpected = report.claims.iter().any(|claim| claim.is_unexpected());
    Ok(if options.strict && is_unexpected { ExitStatus::ClaimFailed } else { status })
}

fn json(report: &PaperReport) -> Json {
    let mut json = report.json();
    json["version"] = env!("CARGO_PKG_VERSION").into();
    json
}

/// The longest time in which the claims of one artifact are judged on the page.
const LIVE_TIME_MAX: Duration = Duration::from_secs(600);
/// The largest memory of the runs of one artifact on the page, in GiB.
const LIVE_MEMORY_MAX: u64 = 4;

/// Serves the page of a study whose constants can be changed.
fn serve_live_page(located: &study::LocatedStudy, options: &Options) -> CommandResult {
    let name = match located.location.folder() {
        None => located.location.name(),
        Some(folder) if narrows_web::is_inside(folder) => folder.to_string_lossy().into_owned(),
        Some(folder) => {
            return Err(outside_folder_error(folder, "start the command in the folder above the study").into());
        }
    };
    serve(ServedPage {
        page: "study.html",
        fragment: Some(escaped_name(&name)),
        opens_browser: !options.no_browser,
        is_embedded: false,
        port: 0,
        jobs: options.jobs,
        time_max: LIVE_TIME_MAX,
        memory_max: LIVE_MEMORY_MAX,
    })
}

/// Writes the page of a study whose constants can be changed into one file.
fn write_live_page(located: &study::LocatedStudy, file: &Path, options: &Options) -> CommandResult {
    if let Some(folder) = located.location.folder() {
        let problem = Problem::new(format!(
            "`{}` is a folder: a page in one file contains the studies of the shipped papers alone",
            folder.display()
        ));
        return Err(problem.help("leave out --out, and the page is served with the study of the folder").into());
    }
    if options.jobs.is_some() {
        let problem = Problem::new("`--jobs` has no effect on a page in one file".to_owned());
        return Err(problem.help("such a page runs as many Web Workers as the computer has processors").into());
    }
    LivePage::find(options.module.as_deref())?.write(&located.location.name(), file)?;
    eprint_line!("Wrote `{}`.", file.display());
    Ok(ExitStatus::Done)
}

/// Returns a shipped study.
fn shipped_study(name: &str) -> study::Study {
    let read = study::Study::load(&study::Location::of(name, registry()));
    read.unwrap_or_else(|problems| panic!("papers/{name} must be valid:\n{problems}")).value
}

/// Prints the papers with their summaries and artifacts.
fn print_papers() -> CommandResult {
    let mut text = String::new();
    for name in study::papers() {
        let paper = shipped_study(name);
        let ids = paper.artifacts.iter().map(|(id, _)| id.text.as_str());
        let (on_request, artifacts): (Vec<&str>, Vec<&str>) =
            ids.partition(|id| paper.artifacts_on_request.iter().any(|artifact| artifact.text == *id));
        text += &format!("{name}: {}\n  {}\n  {}\n", paper.title, paper.reference, paper.summary);
        text += &format!("  artifacts: {}\n", artifacts.join(", "));
        if !on_request.is_empty() {
            text += &format!("  long-running, only run when named as PAPER/ARTIFACT: {}\n", on_request.join(", "));
        }
    }
    print(&text)
}

/// Prints the calibrated constants of a study.
fn print_constants(located: &study::LocatedStudy, format: Format) -> CommandResult {
    let constants = study::constants(located);
    let constant_json = |constant: &CalibratedConstant| json!({"constant": constant.path, "value": constant.value, "meaning": constant.meaning, "fitted_on": constant.fitted_on});
    print_result(format, || constants_text(located, &constants), || constants.iter().map(constant_json).collect())
}

/// Returns the calibrated constants of a study, and the choices made by hand, as text.
fn constants_text(located: &study::LocatedStudy, constants: &[CalibratedConstant]) -> String {
    let mut table = ReportTable::new(["constant", "value", "meaning", "fitted on"].map(Column::new).into());
    for constant in constants {
        table.push(
            [&constant.path, &constant.value, &constant.meaning, &constant.fitted_on]
                .map(|text| text.as_str().into())
                .into(),
        );
    }
    let mut text = format!("{}\n{} calibrated constants\n", table.text(), constants.len());
    for row in study::roles::calibration_choices(&located.read.value) {
        text += &format!("\n{} ({})\n", row.choice, row.location);
        let parts =
            [("value", row.value.clone()), ("why", row.why.clone()), ("chosen with", row.chosen_with.join(", "))];
        for (head, words) in parts.iter().filter(|(_, words)| !words.is_empty()) {
            text += &format!("  {head}: {words}\n");
        }
        text += &format!("  predicted after it: {}\n", row.predicted_text());
    }
    text
}

/// The progress display on standard error.
#[derive(Default)]
struct StudyProgress(Mutex<Option<Progress>>);

impl StudyProgress {
    /// Ends the current display, and replaces it by `next`.
    fn replace(&self, next: Option<Progress>) {
        let previous = std::mem::replace(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner), next);
        previous.map(Progress::finish);
    }
}

impl study::Progress for StudyProgress {
    fn begins(&self, points: usize) {
        self.replace(None);
        self.replace(Some(Progress::start("points", points, None)));
    }

    fn leaves_out(&self, points: usize) {
        if points > 0 {
            eprint_line!("Left out: {}, since their parts are incompatible.", counted(points, "point"));
        }
    }

    fn done(&self, _point: &str) {
        if let Some(progress) = &*self.0.lock().unwrap_or_else(PoisonError::into_inner) {
            progress.count_finished(false);
        }
    }
}

impl Drop for StudyProgress {
    fn drop(&mut self) {
        self.replace(None);
    }
}
