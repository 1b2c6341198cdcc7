//! A study's constants, fitted on its claims as its `fit.toml` says.

pub mod plan;

use super::claims::{ClaimStatement, judge};
use super::description::Study;
use super::experiments::{Draft, FaultyPoints, Results};
use super::located::LocatedStudy;
use super::progress::Progress;
use crate::experiment::fit::free::Free;
use crate::experiment::fit::solve::{Answers, Datum};
use crate::experiment::fit::{Fitted, fit};
use crate::report::claim::Role;
use narrows_core::machine::Machine;
use narrows_core::text::{Problem, Problems, Read, Said, suggest};
use plan::Plan;
use std::collections::BTreeSet;

/// The claims of a plan, with the points that they are judged by.
struct Fitting<'a> {
    found: &'a LocatedStudy,
    claims: Vec<&'a ClaimStatement>,
    drafts: Vec<Draft>,
    /// For each claim the places of its points among the drafts.
    points: Vec<Vec<usize>>,
    /// For each draft the keys of each constant.
    keys: Vec<Vec<Vec<String>>>,
    progress: &'a dyn Progress,
}

/// Fits.
pub fn of_study(found: &LocatedStudy, progress: &dyn Progress) -> Result<Fitted, FaultyPoints> {
    let study = &found.read.value;
    let alone = |problems: Problems| vec![(String::new(), problems)];
    let Some(plan) = &study.fit else {
        let problem = Problem::new(format!("the study `{}` has no fit.toml", found.location.name()));
        let help = "it names claims and constants: docs/fitting.md says how";
        return Err(alone(Problems::one(problem.help(help))));
    };
    let told = |problems: Vec<Problem>| alone(found.read.problems(problems));
    let claims = named(study, plan).map_err(told)?;
    let (drafts, points) = drafts(found, &claims)?;
    let read = |draft: &Draft| draft.read(&[]).map_err(|problems| vec![(draft.name.clone(), problems)]);
    let reads: Vec<Read<Machine>> = drafts.iter().map(read).collect::<Result<_, _>>()?;
    let all: Vec<&Read<Machine>> = reads.iter().collect();
    let frees = frees(plan, &all).map_err(told)?;
    let keys = reads.iter().map(|read| frees.iter().map(|free| free.keys_in(read)).collect()).collect();
    let datum = |claim: &&ClaimStatement| Datum {
        name: claim.id.text.clone(),
        unit: claim.unit().to_owned(),
        expected: claim.expected().unwrap_or(f64::NAN),
        noise: plan.noise,
    };
    let data: Vec<Datum> = claims.iter().map(datum).collect();
    progress.begins(0);
    let fitting = Fitting { found, claims, drafts, points, keys, progress };
    fit(&frees, &data, &fitting).map_err(|problem| alone(Problems::one(problem)))
}

/// The claims that a plan names.
fn named<'a>(study: &'a Study, plan: &Plan) -> Result<Vec<&'a ClaimStatement>, Vec<Problem>> {
    let of = |said: &Said| {
        let wrong = |message: String, label: String| Problem::new(message).at(said.place.clone(), label);
        let ids = study.claims.iter().map(|claim| claim.id.text.as_str());
        let Some(claim) = study.claims.iter().find(|claim| claim.id.text == said.text) else {
            let near = suggest::nearest(&said.text, ids);
            let label = near.map_or("no claim has this id".to_owned(), |near| format!("did you mean `{near}`?"));
            return Err(wrong(format!("there is no claim `{}`", said.text), label));
        };
        match claim.expected() {
            None => {
                Err(wrong(format!("`{}` is no number", said.text), "fitted on are claims of kind \"number\"".into()))
            }
            Some(number) if number <= 0.0 => {
                Err(wrong(format!("`{}` is to be {number}", said.text), "logarithms are of numbers above 0".into()))
            }
            Some(_) if claim.role() != Role::Calibrated => {
                let label = "a number that is fitted on is not predicted".to_owned();
                let problem = wrong(format!("`{}` is {}", said.text, claim.role().word()), label);
                Err(problem.help("write role = \"calibrated\" where the claim stands, or leave it out here"))
            }
            Some(_) => Ok(claim),
        }
    };
    let (found, wrong): (Vec<_>, Vec<_>) = plan.claims.iter().map(of).partition(Result::is_ok);
    match wrong.is_empty() {
        true => Ok(found.into_iter().flatten().collect()),
        false => Err(wrong.into_iter().filter_map(Result::err).collect()),
    }
}

/// The points of claims, and for each claim the places of its own.
fn drafts(found: &LocatedStudy, claims: &[&ClaimStatement]) -> Result<(Vec<Draft>, Vec<Vec<usize>>), FaultyPoints> {
    let study = &found.read.value;
    let of = |claim: &&ClaimStatement| {
        judge::points_of(&found.planned(&study.points_of(&claim.artifact.text, false)), claim)
    };
    let each: Vec<BTreeSet<String>> = claims.iter().map(of).collect();
    let experiments: BTreeSet<&str> = each.iter().flatten().filter_map(|point| point.split('/').next()).collect();
    let experiments: Vec<&str> = experiments.into_iter().collect();
    let mut drafts = study.experiments.drafts(&found.location, &experiments, false)?;
    drafts.retain(|draft| each.iter().any(|points| points.contains(&draft.name)));
    let places = |points: &BTreeSet<String>| {
        let own = drafts.iter().enumerate().filter(|(_, draft)| points.contains(&draft.name));
        own.map(|(place, _)| place).collect()
    };
    let points = each.iter().map(places).collect();
    Ok((drafts, points))
}

/// The constants that a plan names, as they stand in these machines.
fn frees(plan: &Plan, machines: &[&Read<Machine>]) -> Result<Vec<Free>, Vec<Problem>> {
    let (found, wrong): (Vec<_>, Vec<_>) =
        plan.constants.iter().map(|wanted| Free::find(wanted, machines)).partition(Result::is_ok);
    match wrong.is_empty() {
        true => Ok(found.into_iter().flatten().collect()),
        false => Err(wrong.into_iter().filter_map(Result::err).collect()),
    }
}

impl Answers for Fitting<'_> {
    fn number(&self, datum: usize, constants: &[&str]) -> Option<f64> {
        let mut results = Results::new();
        for point in &self.points[datum] {
            let draft = &self.drafts[*point];
            let of = |(keys, value): (&Vec<String>, &&str)| {
                keys.iter().filter(|_| !value.is_empty()).map(|key| format!("{key}={value}")).collect::<Vec<_>>()
            };
            let sets: Vec<String> = self.keys[*point].iter().zip(constants).flat_map(of).collect();
            results.insert(draft.name.clone(), draft.run(&draft.read(&sets).ok()?));
        }
        judge::numbers(&self.found.over(&results), &[self.claims[datum]]).first().copied()
    }

    fn asks(&self, datum: usize, constant: usize) -> bool {
        self.points[datum].iter().any(|point| !self.keys[*point][constant].is_empty())
    }

    fn done(&self) {
        self.progress.done("a number at other constants");
    }
}
