//! Whether the names in a study go together, before anything is run: experiments and axes that are
//! there, claims and figures over points that are run, no name twice.

use super::builtins::BuiltinFns;
use super::claims::judge;
use super::description::Study;
use super::experiments::Experiment;
use super::expression::read::problem;
use super::expression::{Mistake, Stop};
use super::figures;
use super::location::Location;
use super::meaning::{From, Meaning};
use super::view::ValueSource;
use narrows_core::text::{Problem, Problems, Read, Said, suggest};
use std::collections::HashSet;
use std::sync::Arc;

/// Everything that is wrong with a study.
pub fn check(read: &Read<Study>, location: &Location, builtins: &BuiltinFns, quick: bool) -> Result<(), Problems> {
    let study = &read.value;
    let mut faults: Vec<Mistake> = Vec::new();
    for (name, experiment) in &study.experiments.all {
        faults.extend(of_experiment(study, name, experiment));
    }
    faults.extend(of_artifacts(study, builtins));
    faults.extend(study.values.iter().filter_map(|(_, meaning)| of_value(meaning, builtins)));
    let mut problems: Vec<Problem> = faults.iter().map(|fault| problem(read.texts(), fault)).collect();
    for (_, experiment) in &study.experiments.all {
        let base = location.file(&experiment.base).err();
        problems.extend(
            base.into_iter()
                .flat_map(|base| base.list().to_vec())
                .map(|base| base.at(experiment.base.place.clone(), "this names a description in the study's folder")),
        );
    }
    // What is asked of runs can only be told where it is known which they are.
    if problems.is_empty() {
        problems.extend(of_results(study, builtins, quick).iter().map(|fault| problem(read.texts(), fault)));
    }
    if problems.is_empty() { Ok(()) } else { Err(read.problems(problems)) }
}

/// A name that is not among those known.
fn stranger<'a>(said: &Said, what: &str, known: impl Iterator<Item = &'a str> + Clone) -> Option<Mistake> {
    if known.clone().any(|known| known == said.text) {
        return None;
    }
    let near = suggest::nearest(&said.text, known.clone());
    let label = near.map_or("nothing has this name".to_owned(), |near| format!("did you mean `{near}`?"));
    let fault = Mistake::new(said, 0..said.text.len(), format!("there is no {what} `{}`", said.text), label);
    Some(fault.help(format!("there is {}", suggest::phrase(known))))
}

/// Names that stand twice.
fn twice<'a>(what: &str, all: impl Iterator<Item = &'a Said>) -> Vec<Mistake> {
    let mut known = HashSet::new();
    let again = all.filter(|said| !known.insert(said.text.as_str()));
    let told = |said: &Said| {
        Mistake::new(said, 0..said.text.len(), format!("two {what} are called `{}`", said.text), "this is the second")
    };
    again.map(told).collect()
}

fn of_experiment(study: &Study, name: &str, experiment: &Experiment) -> Vec<Mistake> {
    let axes = study.experiments.axes.iter().map(|(axis, _)| axis.text.as_str());
    let mut faults: Vec<Mistake> =
        experiment.axes.iter().filter_map(|axis| stranger(axis, "axis", axes.clone())).collect();
    faults.extend(twice("axes of an experiment", experiment.axes.iter()));
    if faults.is_empty() && study.experiments.count(experiment).is_none() {
        let message = format!("the experiment `{name}` has more points than anybody waits for");
        faults.push(Mistake::new(&experiment.base, 0..0, message, "of this description"));
    }
    faults.extend(unfilled(experiment));
    faults
}

/// `<AXIS>` of an axis that the experiment does not have stays as it stands.
fn unfilled(experiment: &Experiment) -> Vec<Mistake> {
    let mut faults = Vec::new();
    for set in &experiment.set {
        for (start, _) in set.text.match_indices('<') {
            let Some(long) = set.text[start..].find('>') else { continue };
            let name = &set.text[start + 1..start + long];
            let axes = experiment.axes.iter().map(|axis| axis.text.as_str());
            let said = Said { text: name.to_owned(), place: None };
            if let Some(fault) = stranger(&said, "axis of this experiment", axes) {
                faults.push(Mistake { said: Arc::new(set.clone()), span: start..start + long + 1, ..fault });
            }
        }
    }
    faults
}

fn of_artifacts(study: &Study, builtins: &BuiltinFns) -> Vec<Mistake> {
    let experiments = study.experiments.all.iter().map(|(name, _)| name.as_str());
    let artifacts = study.artifacts.iter().map(|(id, _)| id.text.as_str());
    let named = study.artifacts.iter().flat_map(|(_, experiments)| experiments);
    let mut faults: Vec<Mistake> = named.filter_map(|said| stranger(said, "experiment", experiments.clone())).collect();
    let asked = study.apart.iter().chain(study.explore.iter().map(|(artifact, _)| artifact));
    let asked = asked.chain(study.claims.iter().map(|claim| &claim.artifact));
    let asked = asked.chain(study.figures.iter().map(|figure| &figure.artifact));
    faults.extend(asked.filter_map(|said| stranger(said, "artifact", artifacts.clone())));
    faults.extend(twice("claims", study.claims.iter().map(|claim| &claim.id)));
    for (id, _) in study.artifacts.iter().filter(|(_, experiments)| experiments.is_empty()) {
        if !study.explore.iter().any(|(artifact, _)| artifact.text == id.text) {
            let fault = Mistake::new(id, 0..id.text.len(), format!("the artifact `{}` runs nothing", id.text), "here");
            faults.push(fault.help("name the experiments it needs, as in latency = [\"latency\"]"));
        }
    }
    for (_, function) in &study.explore {
        if let Err(Stop::Wrong(fault)) = builtins.exploration(function).map_err(|stop| stop.at(function)) {
            faults.push(*fault);
        }
    }
    faults
}

/// A value whose function is not there.
fn of_value(meaning: &Meaning, builtins: &BuiltinFns) -> Option<Mistake> {
    let From::Rust(rust) = &meaning.from else { return None };
    stranger(rust, "function", builtins.value_names())
}

/// Claims and figures that ask for what is not run.
fn of_results(study: &Study, builtins: &BuiltinFns, quick: bool) -> Vec<Mistake> {
    let (mut faults, mut ids) = (Vec::new(), HashSet::new());
    for (artifact, _) in &study.artifacts {
        let points = study.points_of(&artifact.text, quick);
        let view = study.view(builtins, ValueSource::Planned(&points));
        let claims = study.claims.iter().filter(|claim| claim.artifact.text == artifact.text);
        faults.extend(claims.filter_map(|claim| judge::planned(&view, claim)));
        for figure in study.figures.iter().filter(|figure| figure.artifact.text == artifact.text) {
            let (named, wrong) = figures::planned(figure, &view);
            faults.extend(wrong);
            for id in named {
                let is_file = !id.is_empty() && id.chars().all(|c| c.is_alphanumeric() || "-_.".contains(c));
                let fault = |message: String| {
                    Mistake::new(
                        &figure.artifact,
                        0..figure.artifact.text.len(),
                        message,
                        "by a figure of this artifact",
                    )
                };
                if !is_file {
                    faults.push(
                        fault(format!("`{id}` cannot be the name of a file")).help("letters, digits, `-`, `_`, `.`"),
                    );
                } else if !ids.insert(id.clone()) {
                    faults.push(fault(format!("two figures are called `{id}`")).help("give one an `id` of its own"));
                }
            }
        }
    }
    faults
}
