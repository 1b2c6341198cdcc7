//! The rule for roles: a claim is calibrated if and only if the fit or a choice names it.
//!
//! A claim is in sight of a constant that was fitted on it, and of a value or mechanism that was chosen by hand with
//! its result known. A claim in sight is not a prediction, however well it holds. A claim that is given, or that a run
//! can only confirm, cannot have been in sight of a choice: it has one role.

use super::choice::{HandChoice, names};
use super::claims::ClaimStatement;
use super::description::Study;
use super::held_out;
use crate::report::claim::Role;
use crate::report::conditioning::Conditioning;
use narrows_core::text::{Problem, SpannedString, suggest};

/// A source of calibration, which had claims in sight.
#[derive(Clone, Copy)]
enum Calibration<'a> {
    Fit,
    Choice(&'a HandChoice),
}

impl Calibration<'_> {
    /// Returns what a message calls it, after "by".
    fn name(self) -> String {
        match self {
            Calibration::Fit => "the fit".to_owned(),
            Calibration::Choice(choice) => format!("the choice of {}", choice.what.text),
        }
    }

    fn names(self, entry: &SpannedString, id: &str) -> bool {
        match self {
            Calibration::Fit => entry.text == id,
            Calibration::Choice(_) => names(entry, id),
        }
    }
}

/// Returns every entry of the fit and of the choices, with where it is from.
fn entries(study: &Study) -> impl Iterator<Item = (Calibration<'_>, &SpannedString)> {
    let fitted = study.fit.iter().flat_map(|plan| &plan.claims).map(|entry| (Calibration::Fit, entry));
    let chosen = study
        .choices
        .iter()
        .flat_map(|choice| choice.chosen_with.iter().map(move |entry| (Calibration::Choice(choice), entry)));
    fitted.chain(chosen)
}

/// Returns the errors of the roles of a study's claims, and of the names in its choices.
pub fn problems(study: &Study) -> Vec<Problem> {
    let ids = || study.claims.iter().map(|claim| claim.id.text.as_str());
    let unknown = entries(study).filter(|(by, entry)| !ids().any(|id| by.names(entry, id)));
    let restated = study.claims.iter().flat_map(|claim| &claim.restates);
    let named = restated.chain(study.held_out.iter().map(|stored| &stored.claim));
    let unknown = unknown.map(|(_, entry)| entry).chain(named.filter(|entry| !ids().any(|id| id == entry.text)));
    let mut problems: Vec<Problem> = unknown.map(|entry| unknown_claim(entry, ids())).collect();
    problems.extend(study.fit.iter().flat_map(|plan| &plan.claims).filter_map(|entry| unfit_number(study, entry)));
    problems.extend(study.claims.iter().filter_map(|claim| wrong_role(study, claim)));
    problems.extend(held_out::problems(&study.held_out, study.fit.iter().flat_map(|plan| &plan.claims)));
    problems
}

fn unknown_claim<'a>(entry: &SpannedString, ids: impl Iterator<Item = &'a str>) -> Problem {
    let nearest = suggest::nearest(&entry.text, ids);
    let label = nearest.map_or("no claim has this id".to_owned(), |nearest| format!("did you mean `{nearest}`?"));
    Problem::new(format!("there is no claim `{}`", entry.text)).with_location(entry.place.clone(), label)
}

/// Returns the error of an entry of the fit whose claim has no number that can be fitted on.
fn unfit_number(study: &Study, entry: &SpannedString) -> Option<Problem> {
    let claim = study.claims.iter().find(|claim| claim.id.text == entry.text)?;
    let wrong = |message, label: &str| Some(Problem::new(message).with_location(entry.place.clone(), label));
    match claim.expected() {
        None => wrong(format!("`{}` is not a number", entry.text), "name claims of kind \"number\""),
        Some(number) if number <= 0.0 => {
            wrong(format!("`{}` expects {number}", entry.text), "a fit needs numbers above 0")
        }
        Some(_) => None,
    }
}

/// Returns the error of a claim whose role is not the one that the fit and the choices give it.
fn wrong_role(study: &Study, claim: &ClaimStatement) -> Option<Problem> {
    let (id, role) = (&claim.id.text, claim.role());
    let found = entries(study).find(|(by, entry)| by.names(entry, id));
    let at_claim = |message: String, label: String| Problem::new(message).with_location(claim.id.place.clone(), label);
    match (role, found) {
        (Role::Calibrated, Some(_)) | (Role::Given | Role::Predicted | Role::Underdetermined, None) => None,
        (Role::Calibrated, None) => Some(
            at_claim(
                format!("`{id}` is calibrated, but neither the fit nor a choice names it"),
                "this claim".to_owned(),
            )
            .help("add it to `claims` of fit.toml, or to `chosen-with` of a [[choice]] in study.toml"),
        ),
        (Role::Given, Some((by, entry))) => {
            let problem = at_claim(
                format!("`{id}` has two roles: it is given, and calibrated by {}", by.name()),
                "given here".to_owned(),
            );
            Some(related(problem, entry).help("a given number is an input: remove one of the two"))
        }
        (Role::Predicted | Role::Underdetermined, Some((by, entry))) => {
            let problem = at_claim(
                format!("`{id}` is called {}, but was in sight of {}", role.word(), by.name()),
                format!("{} here", role.word()),
            );
            let help = "write role = \"calibrated\" in the claim, unless its result was not known at that choice";
            Some(related(problem, entry).help(help))
        }
    }
}

fn related(problem: Problem, entry: &SpannedString) -> Problem {
    entry.place.iter().fold(problem, |problem, place| problem.related(place.clone(), "calibrated here"))
}

/// Returns whether a claim constrains the constants: it is given, or the fit or a choice names it in full. A pattern of
/// names is a table in sight, whose entries no constant was fitted on.
pub fn constrains(study: &Study, claim: &ClaimStatement) -> bool {
    claim.role() == Role::Given || entries(study).any(|(_, entry)| entry.text == claim.id.text)
}

/// Returns the conditioning of a study's claims: the fit, then each choice, in the order of the files.
pub fn conditioning(study: &Study) -> Vec<Conditioning> {
    let predicted = |is_dependent: &dyn Fn(&ClaimStatement) -> bool| -> Vec<String> {
        let claims = study.claims.iter().filter(|claim| claim.role() == Role::Predicted && claim.restates.is_empty());
        claims.filter(|claim| is_dependent(claim)).map(|claim| claim.id.text.clone()).collect()
    };
    let all = predicted(&|_| true).len();
    let texts = |list: &[SpannedString]| list.iter().map(|entry| entry.text.clone()).collect();
    let fit = study.fit.iter().map(|plan| Conditioning {
        choice: format!("fit of {} constants", plan.constants.len()),
        location: "fit.toml".to_owned(),
        value: String::new(),
        why: "least squares".to_owned(),
        chosen_with: texts(&plan.claims),
        predicted: predicted(&|_| true),
        predicted_in_study: all,
    });
    let chosen = study.choices.iter().map(|choice| Conditioning {
        choice: choice.what.text.clone(),
        location: choice.location.clone(),
        value: choice.value.clone(),
        why: choice.why.clone(),
        chosen_with: texts(&choice.chosen_with),
        predicted: predicted(&|claim| {
            choice.artifacts.is_empty() || choice.artifacts.iter().any(|artifact| artifact.text == claim.artifact.text)
        }),
        predicted_in_study: all,
    });
    fit.chain(chosen).collect()
}
