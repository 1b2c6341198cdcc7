//! The rule for roles: a claim is calibrated if and only if the fit or a choice names it.
//!
//! A claim is in sight if a constant was fitted on it, or if a value or mechanism was chosen by hand when its result
//! was known. A claim in sight is not a prediction, even if it holds exactly. A claim that is given, or that a run can
//! only confirm, cannot have been in sight of a choice, because each claim has one role.

use super::choice::{HandChoice, matches_claim};
use super::claims::ClaimStatement;
use super::description::Study;
use super::held_out;
use crate::report::claim::Role;
use crate::report::conditioning::CalibrationChoice;
use narrows_core::text::{Problem, SpannedString, suggest};

/// A source of calibration, which names the claims that were in sight.
#[derive(Clone, Copy)]
enum Calibration<'a> {
    Fit,
    Choice(&'a HandChoice),
}

impl Calibration<'_> {
    /// Returns the name of the source, as it follows the word "by" in a message.
    fn name(self) -> String {
        match self {
            Calibration::Fit => "the fit".to_owned(),
            Calibration::Choice(choice) => format!("the choice of {}", choice.subject.text),
        }
    }

    fn matches_claim(self, entry: &SpannedString, id: &str) -> bool {
        match self {
            Calibration::Fit => entry.text == id,
            Calibration::Choice(_) => matches_claim(entry, id),
        }
    }
}

/// Returns every entry of the fit and of the choices, each with its source.
fn entries(study: &Study) -> impl Iterator<Item = (Calibration<'_>, &SpannedString)> {
    let fit_entries = study.fit.iter().flat_map(|plan| &plan.claims).map(|entry| (Calibration::Fit, entry));
    let choice_entries = study
        .choices
        .iter()
        .flat_map(|choice| choice.chosen_with.iter().map(move |entry| (Calibration::Choice(choice), entry)));
    fit_entries.chain(choice_entries)
}

/// Returns the errors of the roles of a study's claims, and of the names in its choices.
pub fn problems(study: &Study) -> Vec<Problem> {
    let ids = || study.claims.iter().map(|claim| claim.id.text.as_str());
    let unknown_entries =
        entries(study).filter(|(calibration, entry)| !ids().any(|id| calibration.matches_claim(entry, id)));
    let restated = study.claims.iter().flat_map(|claim| &claim.restates);
    let referenced = restated.chain(study.held_out.iter().map(|stored| &stored.claim));
    let unknown_entries =
        unknown_entries.map(|(_, entry)| entry).chain(referenced.filter(|entry| !ids().any(|id| id == entry.text)));
    let mut problems: Vec<Problem> = unknown_entries.map(|entry| unknown_claim(entry, ids())).collect();
    problems.extend(study.fit.iter().flat_map(|plan| &plan.claims).filter_map(|entry| fit_number_error(study, entry)));
    problems.extend(study.claims.iter().filter_map(|claim| role_error(study, claim)));
    problems.extend(held_out::problems(&study.held_out, study.fit.iter().flat_map(|plan| &plan.claims)));
    problems
}

fn unknown_claim<'a>(entry: &SpannedString, ids: impl Iterator<Item = &'a str>) -> Problem {
    let label = suggest::label(&entry.text, ids, "no claim has this id");
    Problem::new(format!("there is no claim `{}`", entry.text)).with_location(entry.place.clone(), label)
}

/// Returns the error of an entry of the fit whose claim has no number that can be fitted on.
fn fit_number_error(study: &Study, entry: &SpannedString) -> Option<Problem> {
    let claim = study.claims.iter().find(|claim| claim.id.text == entry.text)?;
    let problem_at_entry = |message, label: &str| Some(Problem::new(message).with_location(entry.place.clone(), label));
    match claim.expected() {
        None => problem_at_entry(format!("`{}` is not a number", entry.text), "name claims of kind \"number\""),
        Some(number) if number <= 0.0 => {
            problem_at_entry(format!("`{}` expects {number}", entry.text), "a fit needs numbers above 0")
        }
        Some(_) => None,
    }
}

/// Returns the error of a claim whose role is not the one that the fit and the choices give it.
fn role_error(study: &Study, claim: &ClaimStatement) -> Option<Problem> {
    let (id, role) = (&claim.id.text, claim.unjudged.role);
    let calibration_entry = entries(study).find(|(calibration, entry)| calibration.matches_claim(entry, id));
    let at_claim = |message: String, label: String| Problem::new(message).with_location(claim.id.place.clone(), label);
    match (role, calibration_entry) {
        (Role::Calibrated, Some(_)) | (Role::Given | Role::Predicted | Role::Underdetermined, None) => None,
        (Role::Calibrated, None) => Some(
            at_claim(
                format!("`{id}` is calibrated, but neither the fit nor a choice names it"),
                "this claim".to_owned(),
            )
            .help("add it to `claims` of fit.toml, or to `chosen-with` of a [[choice]] in study.toml"),
        ),
        (Role::Given, Some((calibration, entry))) => {
            let problem = at_claim(
                format!("`{id}` has two roles: it is given, and calibrated by {}", calibration.name()),
                "given here".to_owned(),
            );
            Some(with_calibration_location(problem, entry).help("a given number is an input: remove one of the two"))
        }
        (Role::Predicted | Role::Underdetermined, Some((calibration, entry))) => {
            let problem = at_claim(
                format!("`{id}` is called {}, but was in sight of {}", role.word(), calibration.name()),
                format!("{} here", role.word()),
            );
            let help = "write role = \"calibrated\" in the claim, unless its result was not known at that choice";
            Some(with_calibration_location(problem, entry).help(help))
        }
    }
}

fn with_calibration_location(problem: Problem, entry: &SpannedString) -> Problem {
    entry.place.iter().fold(problem, |problem, place| problem.related(place.clone(), "calibrated here"))
}

/// Returns whether a claim constrains the constants: it is given, or the fit or a choice names it in full. Claims that
/// only a pattern matches do not, since no constant was fitted on them.
pub fn constrains(study: &Study, claim: &ClaimStatement) -> bool {
    claim.unjudged.role == Role::Given || entries(study).any(|(_, entry)| entry.text == claim.id.text)
}

/// Returns the choices on which a study's predictions depend: the fit, then each choice made by hand, in the order of
/// the files.
pub fn calibration_choices(study: &Study) -> Vec<CalibrationChoice> {
    let predicted_claims = |is_dependent: &dyn Fn(&ClaimStatement) -> bool| -> Vec<String> {
        let claims =
            study.claims.iter().filter(|claim| claim.unjudged.role == Role::Predicted && claim.restates.is_empty());
        claims.filter(|claim| is_dependent(claim)).map(|claim| claim.id.text.clone()).collect()
    };
    let predicted_count = predicted_claims(&|_| true).len();
    let entry_texts = |list: &[SpannedString]| list.iter().map(|entry| entry.text.clone()).collect();
    let fit_choice = study.fit.iter().map(|plan| CalibrationChoice {
        choice: format!("fit of {} constants", plan.constants.len()),
        location: "fit.toml".to_owned(),
        value: String::new(),
        why: "least squares".to_owned(),
        chosen_with: entry_texts(&plan.claims),
        predicted: predicted_claims(&|_| true),
        predicted_in_study: predicted_count,
    });
    let hand_choices = study.choices.iter().map(|choice| CalibrationChoice {
        choice: choice.subject.text.clone(),
        location: choice.location.clone(),
        value: choice.value.clone(),
        why: choice.why.clone(),
        chosen_with: entry_texts(&choice.chosen_with),
        predicted: predicted_claims(&|claim| {
            choice.artifacts.is_empty() || choice.artifacts.iter().any(|artifact| artifact.text == claim.artifact.text)
        }),
        predicted_in_study: predicted_count,
    });
    fit_choice.chain(hand_choices).collect()
}
