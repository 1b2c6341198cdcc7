//! The reproduction of a study: its experiments, claims and artifacts.

use super::builtins::{BuiltinFns, Exploration};
use super::claims::judge;
use super::expression::ExpressionError;
use super::expression::read::problem;
use super::figure_links::FigureLinks;
use super::figures;
use super::held_out;
use super::located::{LocatedStudy, find};
use super::points::{Results, run_all};
use super::progress::Progress;
use super::roles;
use super::seeds;
use super::uncertainty::{add_uncertainty, report};
use crate::experiment::record::{self, VERSION};
use crate::report::claim::Claim;
use crate::report::explorer::DEFAULT_EXPLORER_PAGE;
use crate::report::{Artifact, Cell, Column, PaperReport, Provenance, ReportTable};
use crate::report::{conditioning, cross_validation};
use narrows_core::Error;
use narrows_core::engine::Outcome;
use narrows_core::text::ProblemGroups;

/// The options of a reproduction.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// The name of a shipped study, or the folder of a study.
    pub paper: String,
    /// The artifact to reproduce; `None` for all.
    pub artifact: Option<String>,
    /// Whether smaller inputs are used.
    pub quick: bool,
    /// The number of threads; 0 for one per CPU.
    pub jobs: usize,
    /// Whether the uncertainty of each number is computed.
    pub uncertainty: bool,
    /// The number of seeds with which each point is run: 0 or 1 for that of its description alone.
    pub seeds: u64,
    /// The number that is added to the seed of each point.
    #[doc(hidden)]
    pub seed_offset: u64,
    /// The address of the explorer page that figures link to, relative to the report: empty for no links, `None` for
    /// `explorer/index.html`.
    pub explorer: Option<String>,
}

impl Options {
    /// Returns the command line of this reproduction.
    fn command(&self) -> String {
        let artifact = self.artifact.iter().map(|artifact| format!("/{artifact}")).collect::<String>();
        let quick = if self.quick { " --quick" } else { "" };
        let uncertainty = if self.uncertainty { " --uncertainty" } else { "" };
        let seeds = if self.seeds > 1 { format!(" --seeds {}", self.seeds) } else { String::new() };
        format!("narrows reproduce {}{artifact}{quick}{uncertainty}{seeds} --out FOLDER", self.paper)
    }
}

/// Reproduces a paper or a study, or one artifact of it.
///
/// # Errors
///
/// Returns every problem of the study's files and of its points, and an unknown artifact.
pub fn reproduce(options: &Options, builtins: &BuiltinFns, progress: &dyn Progress) -> Result<PaperReport, Error> {
    find(&options.paper, builtins)?.reproduce(options, progress)
}

/// Returns a table of the points whose runs did not end as `done`, with the reasons; `None` if all did.
fn runs_not_done_table(results: &Results) -> Option<Artifact> {
    let mut table = ReportTable::new(["point", "outcome", "reason"].map(Column::new).into());
    for (point, run) in results.iter().filter(|(_, run)| run.outcome != Outcome::Done) {
        let reason = record::outcome_reason(run).or_else(|| record::outcome_note(run)).unwrap_or_default();
        table.push([point.as_str(), record::outcome_name(&run.outcome), &reason].map(Cell::from).into());
    }
    let caption = "A run that did not complete measured nothing: values that depend on it are missing. The latencies \
                   of a saturated run grow with its length.";
    let title = format!("Runs with an outcome other than done: {} of {}", table.rows.len(), results.len());
    (!table.rows.is_empty()).then(|| Artifact::of_table("runs-not-done", title, caption, table))
}

impl LocatedStudy {
    /// Reproduces the study, or one artifact of it.
    ///
    /// # Errors
    ///
    /// Returns every problem of the study's points, and an unknown artifact.
    pub fn reproduce(&self, options: &Options, progress: &dyn Progress) -> Result<PaperReport, Error> {
        let study = &self.read.value;
        let artifacts = self.select_artifacts(options.artifact.as_deref()).map_err(Error::question)?;
        let results = self.results(&artifacts, options, &[], progress)?;
        let mut claims = self.claims(&artifacts, options, &results)?;
        let (figures, linked_points) = figures::draw(&study.figures, &self.results_view(&results), &artifacts)
            .map_err(|errors| self.expression_error(&errors))?;
        let experiment_names = self.experiments(&artifacts);
        let explorer = options.explorer.clone().unwrap_or_else(|| DEFAULT_EXPLORER_PAGE.to_owned());
        let links = match explorer.is_empty() {
            true => None,
            false => Some(FigureLinks::new(self, &experiment_names, options.quick)?),
        };
        let with_link = |figure: figures::DrawnFigure| Artifact {
            explorer: links.as_ref().and_then(|links| links.fragment(&figure.study_artifact, &figure.used_values)),
            ..figure.artifact
        };
        let mut drawn_artifacts: Vec<Artifact> = figures.into_iter().map(with_link).collect();
        if options.uncertainty {
            let influences = add_uncertainty(self, &artifacts, &mut claims, progress)?;
            drawn_artifacts.extend(report::artifacts(&claims, &influences));
        }
        if options.seeds > 1 {
            let reseeded_claims = (1..options.seeds)
                .map(|number| self.reseeded_claims(&artifacts, options, number, progress))
                .collect::<Result<Vec<_>, Error>>()?;
            drawn_artifacts.push(seeds::artifact(&claims, &reseeded_claims));
        }
        let runs_not_done_table = runs_not_done_table(&results);
        let problems = runs_not_done_table.iter().map(|table| format!("{}.", table.title)).collect();
        drawn_artifacts.splice(0..0, runs_not_done_table);
        drawn_artifacts.extend(conditioning::artifact(&roles::calibration_choices(study)));
        drawn_artifacts.extend(cross_validation::artifact(&held_out::numbers(&study.held_out, &study.claims)));
        let files = study.experiments.descriptions(&self.location, &experiment_names, options.quick, &linked_points)?;
        let mut report = PaperReport {
            files,
            problems,
            claims,
            artifacts: drawn_artifacts,
            paper: self.location.name(),
            title: study.title.clone(),
            reference: study.reference.clone(),
            summary: study.summary.clone(),
            provenance: Provenance::default(),
        };
        let hash = record::digest(&report.json());
        report.provenance = Provenance {
            command: options.command(),
            version: VERSION.to_owned(),
            quick: options.quick,
            hash,
            is_single_file: false,
            explorer,
        };
        Ok(report)
    }

    /// Returns the error of expressions of the study.
    fn expression_error(&self, errors: &[ExpressionError]) -> Error {
        let problems = errors.iter().map(|error| problem(self.read.texts(), error)).collect();
        self.read.problems(problems).into()
    }

    /// Judges the claims of artifacts by results.
    fn claims(&self, artifacts: &[&str], options: &Options, results: &Results) -> Result<Vec<Claim>, Error> {
        judge::judge(&self.results_view(results), artifacts, options.quick)
            .map_err(|errors| self.expression_error(&errors))
    }

    /// Judges the claims of artifacts by the runs of repetition `number`, which is at least 1.
    fn reseeded_claims(
        &self,
        artifacts: &[&str],
        options: &Options,
        number: u64,
        progress: &dyn Progress,
    ) -> Result<Vec<Claim>, Error> {
        let options = Options { seed_offset: number * seeds::OFFSET, ..options.clone() };
        self.claims(artifacts, &options, &self.results(artifacts, &options, &[], progress)?)
    }

    /// Returns the experiments that artifacts need, each once.
    pub(super) fn experiments(&self, artifacts: &[&str]) -> Vec<&str> {
        let study = &self.read.value;
        let mut experiments: Vec<&str> =
            artifacts.iter().flat_map(|id| study.experiments_of(id)).map(|source| source.text.as_str()).collect();
        experiments.sort_unstable();
        experiments.dedup();
        experiments
    }

    /// Runs the points that the artifacts need, with the overrides `extra_overrides` after those of each point.
    #[doc(hidden)]
    pub fn results(
        &self,
        artifacts: &[&str],
        options: &Options,
        extra_overrides: &[String],
        progress: &dyn Progress,
    ) -> Result<Results, ProblemGroups> {
        let (study, quick) = (&self.read.value, options.quick);
        let experiments = self.experiments(artifacts);
        let points =
            study.experiments.points(&self.location, &experiments, quick, extra_overrides, options.seed_offset)?;
        let planned_count: usize = experiments.iter().map(|name| study.experiments.names(name).len()).sum();
        if options.seed_offset == 0 {
            progress.leaves_out(planned_count - points.len());
        }
        let selected_explorations =
            study.explore.iter().filter(|(artifact, _)| artifacts.contains(&artifact.text.as_str()));
        let explorations: Vec<Exploration> =
            selected_explorations.filter_map(|(_, function)| self.builtins.exploration(function).ok()).collect();
        progress.begins(points.len() + explorations.iter().map(|exploration| (exploration.runs)(quick)).sum::<usize>());
        let report_done = |point: &str| progress.done(point);
        let mut results = run_all(&points, options.jobs, &report_done);
        for exploration in explorations {
            results.extend((exploration.explore)(
                &study.experiments,
                &self.location,
                quick,
                options.jobs,
                &report_done,
            ));
        }
        Ok(results)
    }
}
