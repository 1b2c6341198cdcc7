//! Studies found by name or folder, read and checked.

use super::builtins::BuiltinFns;
use super::check;
use super::claims::{ClaimStatement, judge};
use super::description::Study;
use super::location::Location;
use super::points::{Draft, Results};
use super::view::{ValueSource, View};
use narrows_core::Error;
use narrows_core::text::{Problem, ProblemGroups, Problems, Read};
use std::collections::BTreeSet;
use std::path::Path;

/// A study that was read and checked, with its location.
pub struct LocatedStudy {
    /// The description of the study.
    #[doc(hidden)]
    pub read: Read<Study>,
    /// The location of the study's files.
    #[doc(hidden)]
    pub location: Location,
    /// The built-in functions that the study may name.
    #[doc(hidden)]
    pub builtins: BuiltinFns,
}

/// Returns the names of the shipped studies.
pub fn papers() -> &'static [&'static str] {
    &[
        "trapeze",
        "mukherjee-hill",
        "nifdy",
        "e-udp",
        "alewife",
        "pcie-model",
        "pcie-bench",
        "rdma",
        "coherent",
        "questions",
        "atlas",
    ]
}

/// Splits `STUDY/ARTIFACT` into the name or folder of a study, and the name of an artifact if there is one.
pub fn parse_target(target: &str) -> (String, Option<String>) {
    let is_study = |name: &str| papers().contains(&name) || Path::new(name).is_dir();
    match target.rsplit_once('/') {
        _ if is_study(target) => (target.to_owned(), None),
        Some((study, artifact)) if !artifact.is_empty() && (is_study(study) || !study.contains('/')) => {
            (study.to_owned(), Some(artifact.to_owned()))
        }
        _ => (target.to_owned(), None),
    }
}

/// Reads and checks a shipped study, or the study in a folder. The study may name functions of `builtins`.
///
/// # Errors
///
/// Reports an unknown name, and every problem of the study.
pub fn find(name: &str, builtins: &BuiltinFns) -> Result<LocatedStudy, Problems> {
    let is_name = !name.contains(std::path::is_separator) && !Path::new(name).is_dir();
    if is_name && !papers().contains(&name) {
        let problem = Problem::unknown_name("paper", name, papers().iter().copied());
        return Err(Problems::from_problem(problem.help("or name the folder of a study: see `narrows new study`")));
    }
    let location = Location::of(name, builtins.registry());
    let read = Study::load(&location)?;
    check::check(&read, &location, builtins)?;
    Ok(LocatedStudy { read, location, builtins: builtins.clone() })
}

/// Loads and checks a paper by its name, or a study by its folder. The study may name functions of `builtins`.
///
/// # Errors
///
/// Returns every problem of the study's files, each with its position.
pub fn load(name: &str, builtins: &BuiltinFns) -> Result<LocatedStudy, Error> {
    Ok(find(name, builtins)?)
}

impl LocatedStudy {
    /// Returns the names of the study's tables and figures, in the order of the study.
    pub fn artifacts(&self) -> Vec<&str> {
        self.read.value.artifacts.iter().map(|(id, _)| id.text.as_str()).collect()
    }

    /// Returns the artifact `artifact`. Without a name, returns all artifacts in the study's order, except those that
    /// are run only if they are named.
    #[doc(hidden)]
    pub fn select_artifacts(&self, artifact: Option<&str>) -> Result<Vec<&str>, Problem> {
        let study = &self.read.value;
        let artifact_ids = || study.artifacts.iter().map(|(id, _)| id.text.as_str());
        match artifact {
            None => Ok(artifact_ids()
                .filter(|id| !study.artifacts_on_request.iter().any(|on_request| on_request.text == *id))
                .collect()),
            Some(name) => {
                let artifact_id = artifact_ids().find(|id| *id == name);
                artifact_id.map(|id| vec![id]).ok_or_else(|| Problem::unknown_name("artifact", name, artifact_ids()))
            }
        }
    }

    /// Returns the resolver of the study's names, with the values of results.
    #[doc(hidden)]
    pub fn results_view<'a>(&'a self, results: &'a Results) -> View<'a> {
        self.read.value.view(&self.builtins, ValueSource::Ran(results))
    }

    /// Returns the resolver of the study's names before the points `points` are run.
    #[doc(hidden)]
    pub fn planned_view<'a>(&'a self, points: &'a BTreeSet<String>) -> View<'a> {
        self.read.value.view(&self.builtins, ValueSource::Planned(points))
    }
    /// Returns the points by which a claim is judged.
    pub(super) fn points_of_claim(&self, claim: &ClaimStatement) -> BTreeSet<String> {
        judge::points_of(&self.planned_view(&self.read.value.points_of(&claim.artifact.text)), claim)
    }

    /// Returns these points, in the order of their experiments. Their descriptions are not read yet.
    pub(super) fn drafts(&self, points: &BTreeSet<String>, quick: bool) -> Result<Vec<Draft>, ProblemGroups> {
        let experiments: BTreeSet<&str> = points.iter().filter_map(|point| point.split('/').next()).collect();
        let experiments: Vec<&str> = experiments.into_iter().collect();
        let mut drafts = self.read.value.experiments.drafts(&self.location, &experiments, quick)?;
        drafts.retain(|draft| points.contains(&draft.name));
        Ok(drafts)
    }
}
