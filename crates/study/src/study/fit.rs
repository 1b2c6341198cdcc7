//! Calibration of the constants of a study on its claims, by the plan in its `fit.toml`.

pub mod cross_validation;
mod known_numbers;
pub mod plan;

use super::claims::{ClaimStatement, judge};
use super::description::Study;
use super::located::{LocatedStudy, papers};
use super::points::{Draft, Results};
use super::shipped;
use crate::experiment::RunResult;
use crate::experiment::fit::control::{FitControl, FitMonitor, Unmonitored};
use crate::experiment::fit::free_constant::FreeConstant;
use crate::experiment::fit::number::{Datum, PredictionResult, PredictionSource};
use crate::experiment::fit::{FitResult, TOLERANCE_IN_NOISE, fit};
use crate::experiment::record::{digest, inputs_hash, outcome_name};
use crate::experiment::threads::one_task_per_run;
use narrows_core::engine::Outcome;
use narrows_core::machine::Machine;
use narrows_core::text::{Problem, ProblemGroups, Read, SpannedString};
use plan::Plan;
use rayon::prelude::*;
use serde_json::{Value as Json, json};
use std::collections::{BTreeMap, BTreeSet};

/// A fit that is ready to run.
struct PreparedFit<'a> {
    predictor: ClaimPredictor<'a>,
    constants: Vec<FreeConstant>,
    data: Vec<Datum>,
    /// The digest of everything other than the constants on which the numbers depend.
    inputs_digest: String,
}

/// The claims of a plan, and the points by which they are judged.
struct ClaimPredictor<'a> {
    located: &'a LocatedStudy,
    claims: Vec<&'a ClaimStatement>,
    drafts: Vec<Draft>,
    /// For each claim, the indices of its points in `drafts`.
    draft_indices: Vec<Vec<usize>>,
    /// For each draft, the keys of each constant.
    keys: Vec<Vec<Vec<String>>>,
}

/// Fits the constants of a study. A fit is successful if no relative error exceeds `tolerance`, or otherwise the
/// tolerance of the claim.
///
/// # Errors
///
/// Reports a study without a plan, an invalid plan, points that cannot be run, and a state file that cannot be used.
pub fn fit_study(
    located: &LocatedStudy,
    tolerance: Option<f64>,
    control: FitControl<'_>,
) -> Result<FitResult, ProblemGroups> {
    let PreparedFit { predictor, constants, data, inputs_digest } = prepare(located, tolerance, |_, _| Vec::new())?;
    fit(&constants, &data, &predictor, inputs_digest, control).map_err(Problem::into_groups)
}

/// Reads the points of the plan's claims, and then those of the claims that `additional_claims` returns, and finds the
/// constants in the points of the plan.
fn prepare<'a>(
    located: &'a LocatedStudy,
    tolerance: Option<f64>,
    additional_claims: fn(&'a Study, &Plan) -> Vec<&'a ClaimStatement>,
) -> Result<PreparedFit<'a>, ProblemGroups> {
    let study = &located.read.value;
    let Some(plan) = &study.fit else {
        let problem = Problem::new(format!("the study `{}` has no fit.toml", located.location.name()));
        let help = "write one that names the constants to fit, and the claims to fit them on: `narrows fit --help` describes it";
        let has_plan = |name: &str| shipped::paper(&format!("{name}/fit.toml")).is_some();
        let studies_with_plan: Vec<&str> = papers().iter().copied().filter(|name| has_plan(name)).collect();
        let problem =
            problem.help(help).help(format!("shipped studies that have one: {}", studies_with_plan.join(", ")));
        return Err(problem.into_groups());
    };
    let plan_problems = |problems: Vec<Problem>| located.read.problems(problems).into_groups();
    let mut claims = planned_claims(study, plan);
    let plan_claim_count = claims.len();
    claims.extend(additional_claims(study, plan));
    let (drafts, draft_indices) = drafts(located, &claims)?;
    let read_draft = |draft: &Draft| draft.read(&[]).map_err(|problems| vec![(draft.name.clone(), problems)]);
    let machines: Vec<Read<Machine>> = drafts.iter().map(read_draft).collect::<Result<_, _>>()?;
    let is_planned = |draft: usize| draft_indices[..plan_claim_count].iter().any(|indices| indices.contains(&draft));
    let plan_machines: Vec<&Read<Machine>> =
        machines.iter().enumerate().filter(|(draft, _)| is_planned(*draft)).map(|(_, read)| read).collect();
    let constants = free_constants(plan, &plan_machines).map_err(plan_problems)?;
    let keys = machines.iter().map(|read| constants.iter().map(|free| free.keys_in(read)).collect()).collect();
    let datum = |(curve_index, claim): (usize, &&ClaimStatement)| Datum {
        name: claim.id.text.clone(),
        unit: claim.unit.clone(),
        expected: claim.expected().unwrap_or(f64::NAN),
        noise: plan.noise,
        tolerance: tolerance.or(claim.unjudged.tolerance).unwrap_or(TOLERANCE_IN_NOISE * plan.noise),
        curve: curve_index,
    };
    let data: Vec<Datum> = claims.iter().enumerate().map(datum).collect();
    let input_hashes: Vec<_> =
        drafts.iter().zip(&machines).map(|(draft, read)| json!([draft.name, inputs_hash(read)])).collect();
    let inputs_digest = digest(&json!([input_hashes, claims_as_data(located, &claims)]));
    let predictor = ClaimPredictor { located, claims, drafts, draft_indices, keys };
    Ok(PreparedFit { predictor, constants, data, inputs_digest })
}

/// The version of [`claims_as_data`]. It is raised by a change of the form, after which state files of earlier fits are
/// refused.
const CLAIMS_VERSION: u32 = 1;

/// Returns what determines the numbers of the claims in addition to the runs: the claims, by the keys of the study, and
/// the definitions to which they refer.
fn claims_as_data(located: &LocatedStudy, claims: &[&ClaimStatement]) -> Json {
    let study = located.read.resolved();
    let is_fitted = |claim: &&Json| claims.iter().any(|fitted| claim["id"] == fitted.id.text.as_str());
    let claims: Vec<&Json> = study["claim"].as_array().into_iter().flatten().filter(is_fitted).collect();
    let definitions = ["values", "sets", "names"].map(|key| &study[key]);
    json!({ "version": CLAIMS_VERSION, "claims": claims, "definitions": definitions })
}

/// Returns the claims that a plan names. The check of the study has found each of them.
fn planned_claims<'a>(study: &'a Study, plan: &Plan) -> Vec<&'a ClaimStatement> {
    let find = |entry: &SpannedString| study.claims.iter().find(|claim| claim.id.text == entry.text);
    plan.claims.iter().filter_map(find).collect()
}

/// Returns the points of the claims, and for each claim the indices of its points.
fn drafts(located: &LocatedStudy, claims: &[&ClaimStatement]) -> Result<(Vec<Draft>, Vec<Vec<usize>>), ProblemGroups> {
    let points_by_claim: Vec<BTreeSet<String>> = claims.iter().map(|claim| located.points_of_claim(claim)).collect();
    let drafts = located.drafts(&points_by_claim.iter().flatten().cloned().collect(), false)?;
    let draft_indices_of_claim = |points: &BTreeSet<String>| {
        let drafts_of_claim = drafts.iter().enumerate().filter(|(_, draft)| points.contains(&draft.name));
        drafts_of_claim.map(|(index, _)| index).collect()
    };
    let draft_indices = points_by_claim.iter().map(draft_indices_of_claim).collect();
    Ok((drafts, draft_indices))
}

/// Returns the constants that a plan names, as these machines have them.
fn free_constants(plan: &Plan, machines: &[&Read<Machine>]) -> Result<Vec<FreeConstant>, Vec<Problem>> {
    let (constants, problems): (Vec<_>, Vec<_>) =
        plan.constants.iter().map(|declaration| FreeConstant::find(declaration, machines)).partition(Result::is_ok);
    match problems.is_empty() {
        true => Ok(constants.into_iter().flatten().collect()),
        false => Err(problems.into_iter().filter_map(Result::err).collect()),
    }
}

impl ClaimPredictor<'_> {
    /// Runs a point with these values of the constants; an empty value is that of the description.
    fn run(&self, draft_index: usize, constants: &[&str]) -> Result<(String, RunResult), String> {
        let draft = &self.drafts[draft_index];
        let overrides_of_constant = |(keys, value): (&Vec<String>, &&str)| {
            keys.iter().filter(|_| !value.is_empty()).map(|key| format!("{key}={value}")).collect::<Vec<_>>()
        };
        let overrides: Vec<String> =
            self.keys[draft_index].iter().zip(constants).flat_map(overrides_of_constant).collect();
        let read = draft.read(&overrides).map_err(|_| format!("invalid description of `{}`", draft.name))?;
        let result = draft.run(&read);
        match result.outcome {
            Outcome::Done => Ok((draft.name.clone(), result)),
            outcome => Err(format!("{} of `{}`", outcome_name(&outcome), draft.name)),
        }
    }

    /// Runs the points of the claims with these indices, each point once, and returns the number of each claim, or
    /// `None` if the runs were stopped.
    fn numbers(
        &self,
        indices: &[usize],
        constants: &[&str],
        monitor: &dyn FitMonitor,
    ) -> Option<Vec<PredictionResult>> {
        let drafts: BTreeSet<usize> = indices.iter().flat_map(|index| self.draft_indices[*index].clone()).collect();
        monitor.runs_begin(drafts.len(), 0);
        let run = |draft: &usize| {
            let result = (!monitor.is_stopped()).then(|| self.run(*draft, constants));
            monitor.run_ends();
            result
        };
        let drafts: Vec<usize> = drafts.into_iter().collect();
        let results: Vec<_> = one_task_per_run(drafts.par_iter()).map(run).collect();
        let mut completed = Results::new();
        let mut reasons = BTreeMap::<usize, String>::new();
        for (draft, result) in drafts.iter().zip(results) {
            match result? {
                Ok((name, result)) => _ = completed.insert(name, result),
                Err(reason) => _ = reasons.insert(*draft, reason),
            }
        }
        // The error is that of the first failing point, in whatever order the threads finish.
        let number = |index: &usize| {
            let failure = self.draft_indices[*index].iter().find_map(|draft| reasons.get(draft));
            failure.map_or_else(|| self.number(*index, &completed), |reason| Err(reason.clone()))
        };
        Some(indices.iter().map(number).collect())
    }

    /// Returns the number of a claim by the results of its points.
    fn number(&self, datum: usize, results: &Results) -> PredictionResult {
        let numbers = judge::claim_numbers(&self.located.results_view(results), &[self.claims[datum]]);
        let number = numbers.first().copied().filter(|number| number.is_finite());
        number.ok_or_else(|| "the claim has no number".to_owned())
    }
}

impl PredictionSource for ClaimPredictor<'_> {
    fn predict(&self, datum: usize, constants: &[&str]) -> PredictionResult {
        let numbers = self.numbers(&[datum], constants, &Unmonitored).expect("nothing stops the runs");
        numbers.into_iter().next().expect("one claim has one number")
    }

    fn depends_on(&self, datum: usize, constant: usize) -> bool {
        self.draft_indices[datum].iter().any(|draft_index| !self.keys[*draft_index][constant].is_empty())
    }
}
