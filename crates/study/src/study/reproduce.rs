//! Reproducing a study: its experiments, its claims, its artifacts.

use super::builtins::{BuiltinFns, Exploration};
use super::claims::judge;
use super::experiments::{FaultyPoints, Results, run_all};
use super::expression::Mistake;
use super::expression::read::problem;
use super::figures;
use super::located::{LocatedStudy, find};
use super::progress::Progress;
use super::uncertainty::{doubt, report};
use crate::experiment::record::{self, VERSION};
use crate::report::{Made, PaperReport};
use narrows_core::Error;

/// What is to be reproduced, and how.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// The paper, or the folder of a study.
    pub paper: String,
    /// One of its artifacts; all if none.
    pub artifact: Option<String>,
    /// Smaller inputs.
    pub quick: bool,
    /// Threads; 0 for as many as there are.
    pub jobs: usize,
    /// Whether each number says how sure it is.
    pub uncertainty: bool,
}

impl Options {
    /// The command that reproduces the same.
    fn command(&self) -> String {
        let artifact = self.artifact.iter().map(|artifact| format!("/{artifact}")).collect::<String>();
        let quick = if self.quick { " --quick" } else { "" };
        let uncertainty = if self.uncertainty { " --uncertainty" } else { "" };
        format!("narrows reproduce {}{artifact}{quick}{uncertainty} --out FOLDER", self.paper)
    }
}

/// Reproduces a paper or a study, or one artifact of it.
///
/// # Errors
///
/// Returns every problem of the study's files, of its points, and of the artifact that is asked for.
pub fn reproduce(options: &Options, builtins: &BuiltinFns, progress: &dyn Progress) -> Result<PaperReport, Error> {
    find(&options.paper, options.quick, builtins)?.reproduce(options, progress)
}

impl LocatedStudy {
    /// Reproduces the study, or one artifact of it.
    ///
    /// # Errors
    ///
    /// Returns every problem of its points, and of the artifact that is asked for.
    pub fn reproduce(&self, options: &Options, progress: &dyn Progress) -> Result<PaperReport, Error> {
        let study = &self.read.value;
        let artifacts = self.wanted(options.artifact.as_deref()).map_err(Error::question)?;
        let results = self.results(&artifacts, options, &[], progress)?;
        let told = |faults: Vec<Mistake>| {
            let problems = faults.iter().map(|fault| problem(self.read.texts(), fault)).collect();
            Error::from(self.read.problems(problems))
        };
        let mut claims = judge::judge(&self.over(&results), &artifacts, options.quick).map_err(told)?;
        let (mut drawn, linked) = figures::draw(&study.figures, &self.over(&results), &artifacts).map_err(told)?;
        if options.uncertainty {
            let doubts = doubt(self, &artifacts, &mut claims, progress)?;
            drawn.extend(report::artifacts(&claims, &doubts));
        }
        let wanted = self.experiments(&artifacts);
        let files = study.experiments.descriptions(&self.location, &wanted, options.quick, &linked)?;
        let mut report = PaperReport {
            files,
            claims,
            artifacts: drawn,
            paper: self.location.name(),
            title: study.title.clone(),
            reference: study.reference.clone(),
            summary: study.summary.clone(),
            made: Made::default(),
        };
        let hash = record::digest(&report.json());
        report.made =
            Made { command: options.command(), version: VERSION.to_owned(), quick: options.quick, hash, alone: false };
        Ok(report)
    }

    /// The experiments that artifacts need, each once.
    fn experiments(&self, artifacts: &[&str]) -> Vec<&str> {
        let study = &self.read.value;
        let mut experiments: Vec<&str> =
            artifacts.iter().flat_map(|id| study.experiments_of(id)).map(|said| said.text.as_str()).collect();
        experiments.sort_unstable();
        experiments.dedup();
        experiments
    }

    /// Runs what the artifacts need, with `more` settings over every point's.
    #[doc(hidden)]
    pub fn results(
        &self,
        artifacts: &[&str],
        options: &Options,
        more: &[String],
        progress: &dyn Progress,
    ) -> Result<Results, FaultyPoints> {
        let (study, quick) = (&self.read.value, options.quick);
        let experiments = self.experiments(artifacts);
        let points = study.experiments.points(&self.location, &experiments, quick, more)?;
        let planned: usize = experiments.iter().map(|name| study.experiments.names(name, quick).len()).sum();
        progress.leaves_out(planned - points.len());
        let explored = study.explore.iter().filter(|(artifact, _)| artifacts.contains(&artifact.text.as_str()));
        let explorations: Vec<Exploration> =
            explored.filter_map(|(_, function)| self.builtins.exploration(function).ok()).collect();
        progress.begins(points.len() + explorations.iter().map(|of| (of.runs)(quick)).sum::<usize>());
        let done = |point: &str| progress.done(point);
        let mut results = run_all(&points, options.jobs, &done);
        for exploration in explorations {
            results.extend((exploration.explore)(&study.experiments, &self.location, quick, options.jobs, &done));
        }
        Ok(results)
    }
}
