//! The check of a study's references before any run: experiments and axes must exist, claims and figures must use
//! points that are run, and no name may be defined twice.

use super::builtins::BuiltinFns;
use super::claims::judge;
use super::description::Study;
use super::experiments::{Experiment, POINTS_MAX};
use super::expression::read::problem;
use super::expression::{ExpressionError, ReferenceError};
use super::figures;
use super::location::Location;
use super::named_value::{NamedValue, ValueDefinition};
use super::roles;
use super::view::ValueSource;
use narrows_core::text::{Problem, Problems, Read, SpannedString};
use std::collections::HashSet;
use std::sync::Arc;

/// Checks a study.
///
/// # Errors
///
/// Returns every problem of the study.
pub fn check(read: &Read<Study>, location: &Location, builtins: &BuiltinFns) -> Result<(), Problems> {
    let study = &read.value;
    let mut errors: Vec<ExpressionError> = Vec::new();
    for (name, experiment) in &study.experiments.all {
        errors.extend(experiment_errors(study, name, experiment));
    }
    errors.extend(artifact_errors(study, builtins));
    errors.extend(study.values.iter().filter_map(|(_, named)| value_error(named, builtins)));
    let mut problems: Vec<Problem> = errors.iter().map(|error| problem(read.texts(), error)).collect();
    problems.extend(roles::problems(study));
    for (_, experiment) in &study.experiments.all {
        let base_problems = location.file(&experiment.base).err();
        problems.extend(base_problems.into_iter().flat_map(|problems| problems.list().to_vec()).map(|problem| {
            problem.with_location(experiment.base.place.clone(), "this names a description in the study's folder")
        }));
    }
    // Uses of points can be checked only when the points are known.
    if problems.is_empty() {
        problems.extend(result_errors(study, builtins).iter().map(|error| problem(read.texts(), error)));
    }
    if problems.is_empty() { Ok(()) } else { Err(read.problems(problems)) }
}

/// Returns the error of a name that is not among `known_names`. `kind_of_name` is the kind of name that is expected.
fn unknown_name<'a>(
    source: &SpannedString,
    kind_of_name: &str,
    known_names: impl Iterator<Item = &'a str> + Clone,
) -> Option<ExpressionError> {
    if known_names.clone().any(|known_name| known_name == source.text) {
        return None;
    }
    let known = ("known names", known_names);
    Some(ReferenceError::unknown_name(kind_of_name, &source.text, "no such name", known).of_text(source))
}

/// Returns an error for each name that occurs a second time.
fn duplicate_names<'a>(kind_of_name: &str, names: impl Iterator<Item = &'a SpannedString>) -> Vec<ExpressionError> {
    let mut earlier_names = HashSet::new();
    let duplicates = names.filter(|source| !earlier_names.insert(source.text.as_str()));
    let error = |source: &SpannedString| {
        let message = format!("two {kind_of_name} are called `{}`", source.text);
        ExpressionError::of_text(source, message, "this is the second")
    };
    duplicates.map(error).collect()
}

fn experiment_errors(study: &Study, name: &str, experiment: &Experiment) -> Vec<ExpressionError> {
    let axes = study.experiments.axes.iter().map(|(axis, _)| axis.text.as_str());
    let mut errors: Vec<ExpressionError> =
        experiment.axes.iter().filter_map(|axis| unknown_name(axis, "axis", axes.clone())).collect();
    errors.extend(duplicate_names("axes of an experiment", experiment.axes.iter()));
    if errors.is_empty() && study.experiments.count(experiment).is_none() {
        let message = format!("the experiment `{name}` has more than {POINTS_MAX} points");
        errors.push(ExpressionError::new(&experiment.base, 0..0, message, "of this description"));
    }
    errors.extend(unknown_placeholders(experiment));
    errors
}

/// Returns an error for each `<AXIS>` in an override that is not an axis of the experiment.
fn unknown_placeholders(experiment: &Experiment) -> Vec<ExpressionError> {
    let mut errors = Vec::new();
    for setting in &experiment.overrides {
        for (start, _) in setting.text.match_indices('<') {
            let Some(length) = setting.text[start..].find('>') else { continue };
            let name = &setting.text[start + 1..start + length];
            let axes = experiment.axes.iter().map(|axis| axis.text.as_str());
            let source = SpannedString { text: name.to_owned(), place: None };
            if let Some(error) = unknown_name(&source, "axis of this experiment", axes) {
                errors.push(ExpressionError {
                    source: Arc::new(setting.clone()),
                    span: start..start + length + 1,
                    ..error
                });
            }
        }
    }
    errors
}

fn artifact_errors(study: &Study, builtins: &BuiltinFns) -> Vec<ExpressionError> {
    let experiments = study.experiments.all.iter().map(|(name, _)| name.as_str());
    let artifacts = study.artifacts.iter().map(|(id, _)| id.text.as_str());
    let experiment_references = study.artifacts.iter().flat_map(|(_, experiments)| experiments);
    let mut errors: Vec<ExpressionError> =
        experiment_references.filter_map(|source| unknown_name(source, "experiment", experiments.clone())).collect();
    let artifact_references =
        study.artifacts_on_request.iter().chain(study.explore.iter().map(|(artifact, _)| artifact));
    let artifact_references = artifact_references.chain(study.claims.iter().map(|claim| &claim.artifact));
    let artifact_references = artifact_references.chain(study.figures.iter().map(|figure| &figure.artifact));
    let artifact_references = artifact_references.chain(study.choices.iter().flat_map(|choice| &choice.artifacts));
    errors.extend(artifact_references.filter_map(|source| unknown_name(source, "artifact", artifacts.clone())));
    errors.extend(duplicate_names("claims", study.claims.iter().map(|claim| &claim.id)));
    for (id, _) in study.artifacts.iter().filter(|(_, experiments)| experiments.is_empty()) {
        if !study.explore.iter().any(|(artifact, _)| artifact.text == id.text) {
            let error = ExpressionError::of_text(id, format!("the artifact `{}` runs nothing", id.text), "here");
            errors.push(error.help("name the experiments it needs, as in latency = [\"latency\"]"));
        }
    }
    let invalid_exploration =
        |(_, function): &(SpannedString, SpannedString)| Some(builtins.exploration(function).err()?.of_text(function));
    errors.extend(study.explore.iter().filter_map(invalid_exploration));
    errors
}

/// Returns the error of a value if its built-in function does not exist.
fn value_error(named: &NamedValue, builtins: &BuiltinFns) -> Option<ExpressionError> {
    let ValueDefinition::Builtin(function_name) = &named.definition else { return None };
    unknown_name(function_name, "function", builtins.value_names())
}

/// Returns the errors of claims and figures that use points which are not run.
fn result_errors(study: &Study, builtins: &BuiltinFns) -> Vec<ExpressionError> {
    let (mut errors, mut ids) = (Vec::new(), HashSet::new());
    for (artifact, _) in &study.artifacts {
        let points = study.points_of(&artifact.text);
        let view = study.view(builtins, ValueSource::Planned(&points));
        let claims = study.claims.iter().filter(|claim| claim.artifact.text == artifact.text);
        errors.extend(claims.filter_map(|claim| judge::planned_error(&view, claim)));
        for figure in study.figures.iter().filter(|figure| figure.artifact.text == artifact.text) {
            let (chart_names, figure_errors) = figures::planned_charts(figure, &view);
            errors.extend(figure_errors);
            for id in chart_names {
                let is_file = !id.is_empty() && id.chars().all(|c| c.is_alphanumeric() || "-_.".contains(c));
                let error = |message: String| {
                    ExpressionError::of_text(&figure.artifact, message, "by a figure of this artifact")
                };
                if !is_file {
                    errors.push(
                        error(format!("`{id}` cannot be the name of a file"))
                            .help("use letters, digits, `-`, `_` and `.`"),
                    );
                } else if !ids.insert(id.clone()) {
                    errors.push(error(format!("two figures are called `{id}`")).help("give one of them another `id`"));
                }
            }
        }
    }
    errors
}
