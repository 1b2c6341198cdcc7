//! Reproducing a paper: its experiments, its claims, its artifacts.

use super::claims::{self, Seen, Stated};
use super::experiment::{Experiments, Results, run_all};
use super::{mukherjee_hill, nifdy, trapeze};
use crate::machine::{self, shipped};
use crate::report::{Artifact, PaperReport};
use crate::text::{Document, Entry};
use serde::Deserialize;
use std::collections::BTreeMap;

/// What is to be reproduced, and how.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// The paper.
    pub paper: String,
    /// One of its artifacts; all if none.
    pub artifact: Option<String>,
    /// Smaller inputs.
    pub quick: bool,
    /// Threads; 0 for as many as there are.
    pub jobs: usize,
}

/// Told how far a reproduction has come; called from several threads.
pub trait Progress: Sync {
    /// So many points are to be run.
    fn begins(&self, points: usize);
    /// This point was run.
    fn done(&self, point: &str);
}

/// What is known of a paper before anything runs.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Paper {
    /// Its title.
    pub title: String,
    /// Authors, place and year.
    pub reference: String,
    /// What it is about.
    pub summary: String,
    /// Its artifacts, each with the experiments it needs.
    pub artifacts: BTreeMap<String, Vec<String>>,
    /// Those of them that take longer than the rest together: they run only when they are named.
    #[serde(default)]
    pub apart: Vec<String>,
}

/// A paper's own code: pictures, and claims that are not one number of one run.
pub trait Study: Sync {
    /// What is seen for the claim `id`, if the results hold what it needs.
    fn seen(&self, id: &str, results: &Results) -> Option<Seen>;
    /// The artifact `id`, drawn; a figure of several parts gives several.
    fn artifact(&self, id: &str, results: &Results, claims: &[Stated]) -> Vec<Artifact>;
    /// The artifacts in the paper's order.
    fn order(&self) -> &'static [&'static str];
    /// How many runs `explore` makes.
    fn explorations(&self, _artifact: &str, _quick: bool) -> usize {
        0
    }
    /// Runs of an artifact that depend on what earlier ones gave, on `jobs` threads, telling `done` of
    /// each.
    fn explore(&self, _artifact: &str, _quick: bool, _jobs: usize, _done: &(dyn Fn(&str) + Sync)) -> Results {
        Results::new()
    }
}

/// The names of the papers.
pub fn papers() -> &'static [&'static str] {
    &["trapeze", "mukherjee-hill", "nifdy"]
}

/// What is known of `name`; none if there is no such paper.
pub fn paper(name: &str) -> Option<Paper> {
    let text = shipped::paper(&format!("{name}/paper.toml"))?;
    Some(toml::from_str(text).unwrap_or_else(|error| panic!("papers/{name}/paper.toml: {error}")))
}

fn study(name: &str) -> &'static dyn Study {
    match name {
        "trapeze" => &trapeze::Trapeze,
        "mukherjee-hill" => &mukherjee_hill::MukherjeeHill,
        "nifdy" => &nifdy::Nifdy,
        other => panic!("{other} is a paper without a study"),
    }
}

/// Reproduces a paper, or one artifact of it. The error says what is not there, and what is.
pub fn reproduce(options: &Options, progress: &dyn Progress) -> Result<PaperReport, String> {
    let paper = paper(&options.paper).ok_or_else(|| among("paper", &options.paper, papers().iter().copied()))?;
    let study = study(&options.paper);
    let artifacts = wanted(&paper, study, options)?;
    let mut experiments: Vec<String> =
        artifacts.iter().flat_map(|artifact| paper.artifacts[*artifact].clone()).collect();
    experiments.sort();
    experiments.dedup();
    let points = Experiments::of(&options.paper).points(&options.paper, &experiments, options.quick);
    let explorations: usize = artifacts.iter().map(|artifact| study.explorations(artifact, options.quick)).sum();
    progress.begins(points.len() + explorations);
    let done = |point: &str| progress.done(point);
    let mut results = run_all(&points, options.jobs, &done);
    for artifact in &artifacts {
        results.extend(study.explore(artifact, options.quick, options.jobs, &done));
    }
    let stated = claims::of(&options.paper);
    let claims = stated.iter().filter(|claim| artifacts.contains(&claim.artifact.as_str()));
    Ok(PaperReport {
        claims: claims.map(|claim| claim.judge(&results, &|id| study.seen(id, &results))).collect(),
        artifacts: artifacts.iter().flat_map(|artifact| study.artifact(artifact, &results, &stated)).collect(),
        paper: options.paper.clone(),
        title: paper.title,
        reference: paper.reference,
        summary: paper.summary,
    })
}

/// The artifacts asked for, in the paper's order; all but those that stand apart if none is named.
fn wanted<'a>(paper: &Paper, study: &'a dyn Study, options: &Options) -> Result<Vec<&'a str>, String> {
    debug_assert!(study.order().iter().all(|id| paper.artifacts.contains_key(*id)));
    match &options.artifact {
        None => Ok(study.order().iter().copied().filter(|id| !paper.apart.iter().any(|apart| apart == id)).collect()),
        Some(one) => {
            let found = study.order().iter().find(|id| **id == one.as_str());
            found.map(|id| vec![*id]).ok_or_else(|| among("artifact", one, study.order().iter().copied()))
        }
    }
}

fn among(what: &str, given: &str, allowed: impl Iterator<Item = &'static str> + Clone) -> String {
    let near = crate::text::suggest::nearest(given, allowed.clone());
    let near = near.map(|near| format!("did you mean `{near}`? ")).unwrap_or_default();
    format!("there is no {what} `{given}`; {near}{what}s: {}", allowed.collect::<Vec<_>>().join(", "))
}

/// A constant that was fitted to the paper.
#[derive(Clone, Debug)]
pub struct Constant {
    /// Where it stands in a description.
    pub path: String,
    /// Its value.
    pub value: String,
    /// What it means.
    pub meaning: String,
    /// What it was fitted on.
    pub fitted_on: String,
}

/// Every constant that a paper's machines were calibrated with, once for each value it has.
pub fn constants(name: &str) -> Vec<Constant> {
    let experiments = Experiments::of(name);
    let mut constants: BTreeMap<(String, String, String), Constant> = BTreeMap::new();
    let mut wanted: Vec<String> =
        paper(name).into_iter().flat_map(|paper| paper.artifacts).flat_map(|of| of.1).collect();
    wanted.sort();
    wanted.dedup();
    for experiment in wanted {
        for (text, sets) in experiments.variety(name, &experiment) {
            let read =
                machine::read(Document::Text(name, text, None), &sets).expect("a paper's descriptions are sound");
            let entries = read.entries();
            let fitted = entries.iter().filter_map(calibrated);
            constants.extend(fitted.map(|constant| {
                let Constant { path, value, fitted_on, .. } = &constant;
                ((path.clone(), value.to_string(), fitted_on.clone()), constant)
            }));
        }
    }
    constants.into_values().collect()
}

fn calibrated(entry: &Entry) -> Option<Constant> {
    let fitted_on = entry.note.as_deref()?.strip_prefix("calibrated:")?.trim().to_owned();
    Some(Constant { path: entry.path.clone(), value: entry.value.clone(), meaning: entry.doc.to_string(), fitted_on })
}
