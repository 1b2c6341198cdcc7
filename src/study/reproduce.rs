//! Reproducing a study: its experiments, its claims, its artifacts.

use super::claims;
use super::description::{Study, problem};
use super::experiment::{FaultyPoints, Results, run_all};
use super::expression::Mistake;
use super::home::Home;
use super::record::{self, VERSION};
use super::uncertainty::paper::doubt;
use super::uncertainty::sureness;
use super::{check, figures, own};
use crate::machine;
use crate::report::{Made, PaperReport};
use crate::text::{Document, Entry, Problem, Problems, Read};
use std::collections::BTreeMap;
use std::path::Path;

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

/// Told how far a reproduction has come; called from several threads.
pub trait Progress: Sync {
    /// So many points are to be run.
    fn begins(&self, points: usize);
    /// This point was run.
    fn done(&self, point: &str);
    /// So many points are left out, since their parts do not fit together.
    fn leaves_out(&self, _points: usize) {}
}

/// A study that was read and checked, and where it lies.
pub struct Located {
    /// The study.
    pub read: Read<Study>,
    /// Where it lies.
    pub home: Home,
}

/// The names of the papers.
pub fn papers() -> &'static [&'static str] {
    &["trapeze", "mukherjee-hill", "nifdy", "e-udp", "alewife", "atlas"]
}

/// A paper or folder, and an artifact of it if one is named behind it.
pub fn target(given: &str) -> (String, Option<String>) {
    let is_study = |name: &str| papers().contains(&name) || Path::new(name).is_dir();
    match given.rsplit_once('/') {
        _ if is_study(given) => (given.to_owned(), None),
        Some((study, artifact)) if !artifact.is_empty() && (is_study(study) || !study.contains('/')) => {
            (study.to_owned(), Some(artifact.to_owned()))
        }
        _ => (given.to_owned(), None),
    }
}

/// Reads and checks a paper or a folder.
pub fn find(name: &str, quick: bool) -> Result<Located, Problems> {
    let is_name = !name.contains(std::path::is_separator) && !Path::new(name).is_dir();
    if is_name && !papers().contains(&name) {
        let problem = Problem::unknown_name("paper", name, papers().iter().copied());
        return Err(Problems::one(problem.help("or name the folder of a study: see `narrows new study`")));
    }
    let home = Home::of(name);
    let read = home.read()?;
    check::check(&read, &home, quick)?;
    Ok(Located { read, home })
}

fn alone(problems: Problems) -> FaultyPoints {
    vec![(String::new(), problems)]
}

/// Reproduces a paper, or one artifact of it. The error says what is wrong, and where.
pub fn reproduce(options: &Options, progress: &dyn Progress) -> Result<PaperReport, FaultyPoints> {
    find(&options.paper, options.quick).map_err(alone)?.reproduce(options, progress)
}

impl Located {
    /// Reproduces it, or one artifact of it.
    pub fn reproduce(&self, options: &Options, progress: &dyn Progress) -> Result<PaperReport, FaultyPoints> {
        let study = &self.read.value;
        let artifacts = self.wanted(options).map_err(|problem| alone(Problems::one(problem)))?;
        let results = self.results(&artifacts, options, &[], progress)?;
        let told = |faults: Vec<Mistake>| {
            let problems = faults.iter().map(|fault| problem(self.read.texts(), fault)).collect();
            alone(self.read.problems(problems))
        };
        let mut claims = claims::judge(study, &artifacts, &results, options.quick).map_err(told)?;
        let (mut drawn, linked) = figures::draw(study, &artifacts, &results).map_err(told)?;
        if options.uncertainty {
            let doubts = doubt(self, options, &mut claims, progress)?;
            drawn.extend(sureness::artifacts(&claims, &doubts));
        }
        let wanted = self.experiments(&artifacts);
        let files = study.experiments.descriptions(&self.home, &wanted, options.quick, &linked)?;
        let mut report = PaperReport {
            files,
            claims,
            artifacts: drawn,
            paper: self.home.name(),
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
    pub fn results(
        &self,
        artifacts: &[&str],
        options: &Options,
        more: &[String],
        progress: &dyn Progress,
    ) -> Result<Results, FaultyPoints> {
        let (study, quick) = (&self.read.value, options.quick);
        let experiments = self.experiments(artifacts);
        let points = study.experiments.points(&self.home, &experiments, quick, more)?;
        let planned: usize = experiments.iter().map(|name| study.experiments.names(name, quick).len()).sum();
        progress.leaves_out(planned - points.len());
        let explored = study.explore.iter().filter(|(artifact, _)| artifacts.contains(&artifact.text.as_str()));
        let explorations: Vec<own::Exploration> =
            explored.filter_map(|(_, function)| own::exploration(function).ok()).collect();
        progress.begins(points.len() + explorations.iter().map(|of| (of.runs)(quick)).sum::<usize>());
        let done = |point: &str| progress.done(point);
        let mut results = run_all(&points, options.jobs, &done);
        for exploration in explorations {
            results.extend((exploration.explore)(study, &self.home, quick, options.jobs, &done));
        }
        Ok(results)
    }

    /// The artifacts asked for, in the study's order; all but those that stand apart if none is named.
    pub fn wanted(&self, options: &Options) -> Result<Vec<&str>, Problem> {
        let study = &self.read.value;
        let all = || study.artifacts.iter().map(|(id, _)| id.text.as_str());
        match &options.artifact {
            None => Ok(all().filter(|id| !study.apart.iter().any(|apart| apart.text == *id)).collect()),
            Some(one) => {
                let found = all().find(|id| id == one);
                found.map(|id| vec![id]).ok_or_else(|| Problem::unknown_name("artifact", one, all()))
            }
        }
    }
}

/// A constant that was fitted to the paper.
#[derive(Clone, Debug)]
pub struct Calibrated {
    /// Where it stands in a description.
    pub path: String,
    /// Its value.
    pub value: String,
    /// What it means.
    pub meaning: String,
    /// What it was fitted on.
    pub fitted_on: String,
}

/// Every constant that a study's machines were calibrated with, once for each value it has.
pub fn constants(found: &Located) -> Vec<Calibrated> {
    let study = &found.read.value;
    let mut constants: BTreeMap<(String, String, String), Calibrated> = BTreeMap::new();
    let mut wanted: Vec<&str> = study.artifacts.iter().flat_map(|(_, of)| of).map(|said| said.text.as_str()).collect();
    wanted.sort_unstable();
    wanted.dedup();
    for (name, experiment) in wanted.iter().filter_map(|name| Some((*name, study.experiments.find(name)?))) {
        let Ok(base) = found.home.file(&experiment.base) else { continue };
        for sets in study.experiments.variety(name) {
            let document = Document::Text(&base.name, &base.text, base.folder.as_deref());
            let Ok(read) = machine::read(document, &sets) else { continue };
            let entries = read.entries();
            let fitted = entries.iter().filter_map(calibrated);
            constants.extend(fitted.map(|constant| {
                let Calibrated { path, value, fitted_on, .. } = &constant;
                ((path.clone(), value.to_string(), fitted_on.clone()), constant)
            }));
        }
    }
    constants.into_values().collect()
}

fn calibrated(entry: &Entry) -> Option<Calibrated> {
    // A prior may stand behind the word: `calibrated ±50 %: on what`.
    let (kind, fitted_on) = entry.note.as_deref()?.split_once(':')?;
    let fitted_on = fitted_on.trim().to_owned();
    if kind.split_whitespace().next() != Some("calibrated") {
        return None;
    }
    Some(Calibrated { path: entry.path.clone(), value: entry.value.clone(), meaning: entry.doc.to_string(), fitted_on })
}
