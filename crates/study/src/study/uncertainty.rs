//! The uncertainty of the number claims of a study.
//!
//! The points by which number claims are judged are run again with each constant changed up and down. These runs use
//! the inputs of `--quick`, since elasticities converge faster than the numbers themselves. Claims that are given, or
//! that the fit or a choice names in full, constrain the constants, whichever artifact they belong to. Claims that
//! expect a text, and points that depend on earlier results, are left out.

pub mod report;

use super::claims::{ClaimStatement, judge};
use super::located::LocatedStudy;
use super::points::{Draft, Results};
use super::progress::Progress;
use super::roles::constrains;
use crate::experiment::RunResult;
use crate::experiment::threads::one_task_per_run;
use crate::experiment::uncertainty::posterior::{NOISE, Posterior, z_score};
use crate::experiment::uncertainty::{UncertainConstant, elasticity, unknown};
use crate::report::claim::{Claim, ClaimUncertainty, Elasticity, Role};
use narrows_core::machine::Machine;
use narrows_core::text::{Problem, ProblemGroups, Read};
use rayon::prelude::*;
use std::collections::BTreeSet;

/// The least elasticity that is reported (chosen: with it, a step of 5 % changes a number by 0.01 %).
const ELASTICITY_MIN: f64 = 0.002;

/// Whether the changed runs use the smaller inputs of `--quick`.
const QUICK: bool = true;

/// The uncertain constants of a study's machines.
#[derive(Clone, PartialEq, Debug)]
pub struct ConstantInfluences {
    /// The name of each constant, and the standard deviations of its logarithm before and after calibration.
    pub constants: Vec<(String, f64, f64)>,
    /// The constants that could not be changed up and down for all numbers, each with the reason. Their contribution
    /// to the uncertainty is missing.
    pub failed_changes: Vec<(String, String)>,
}

/// Number claims, and the points by which they are judged, both as drafts and after reading.
struct ClaimRuns<'a> {
    claims: Vec<&'a ClaimStatement>,
    drafts: Vec<Draft>,
    machines: Vec<Read<Machine>>,
}

impl ClaimRuns<'_> {
    fn new<'a>(located: &'a LocatedStudy, artifacts: &[&str]) -> Result<ClaimRuns<'a>, ProblemGroups> {
        let study = &located.read.value;
        let is_used = |claim: &&ClaimStatement| {
            let is_in_scope = artifacts.contains(&claim.artifact.text.as_str()) || constrains(study, claim);
            is_in_scope && claim.expected().is_some()
        };
        let claims: Vec<&ClaimStatement> = study.claims.iter().filter(is_used).collect();
        let used_points: BTreeSet<String> = claims.iter().flat_map(|claim| located.points_of_claim(claim)).collect();
        let mut experiments: Vec<&str> = used_points.iter().filter_map(|point| point.split('/').next()).collect();
        experiments.dedup();
        let mut drafts = study.experiments.drafts(&located.location, &experiments, QUICK)?;
        drafts.retain(|draft| used_points.contains(&draft.name));
        let read = |draft: &Draft| draft.read(&[]).map_err(|problems| vec![(draft.name.clone(), problems)]);
        let machines = drafts.iter().map(read).collect::<Result<_, _>>()?;
        Ok(ClaimRuns { claims, drafts, machines })
    }

    /// Returns the results of all points.
    fn run_base(&self) -> Results {
        let drafts_and_machines: Vec<_> = self.drafts.iter().zip(&self.machines).collect();
        one_task_per_run(drafts_and_machines.into_par_iter())
            .map(|(draft, read)| (draft.name.clone(), draft.run(read)))
            .collect()
    }

    /// Runs the points with these indices and overrides; `None` if one of them is invalid.
    fn run_varied(&self, overrides_by_point: &[(usize, Vec<String>)]) -> Option<Vec<(String, RunResult)>> {
        let run = |(index, overrides): &(usize, Vec<String>)| {
            let draft = &self.drafts[*index];
            Some((draft.name.clone(), draft.run(&draft.read(overrides).ok()?)))
        };
        one_task_per_run(overrides_by_point.par_iter()).map(run).collect()
    }
}

/// Adds the uncertainty of its number to each number claim of these artifacts. Returns the uncertainty of the
/// constants.
pub fn add_uncertainty(
    located: &LocatedStudy,
    artifacts: &[&str],
    claims: &mut [Claim],
    progress: &dyn Progress,
) -> Result<ConstantInfluences, ProblemGroups> {
    let runs = ClaimRuns::new(located, artifacts)?;
    let unknowns = unknown::uncertain_constants(&runs.machines).map_err(|why| Problem::new(why).into_groups())?;
    progress.begins(2 * unknowns.len());
    let base_results = runs.run_base();
    let base_numbers = judge::claim_numbers(&located.results_view(&base_results), &runs.claims);
    let numbers_with = |overrides_by_point: &[(usize, Vec<String>)]| -> Result<Option<Vec<f64>>, String> {
        let Some(varied_results) = runs.run_varied(overrides_by_point) else { return Ok(None) };
        let mut results = base_results.clone();
        results.extend(varied_results);
        Ok(Some(judge::claim_numbers(&located.results_view(&results), &runs.claims)))
    };
    let machines: Vec<&Read<Machine>> = runs.machines.iter().collect();
    let elasticities_by_constant =
        elasticity::elasticities_of_constants(&unknowns, &machines, &base_numbers, &numbers_with, &|| {
            progress.done("a constant changed")
        });
    let elasticities_of_claim =
        |claim: usize| elasticities_by_constant.iter().map(|constant| constant.numbers[claim]).collect::<Vec<f64>>();
    let rows: Vec<Vec<f64>> = (0..runs.claims.len()).map(elasticities_of_claim).collect();
    let constraining_rows = runs.claims.iter().zip(&rows).filter(|(claim, _)| constrains(&located.read.value, claim));
    let constraining_rows: Vec<_> = constraining_rows.map(|(_, row)| (row.as_slice(), NOISE)).collect();
    let posterior = Posterior::new(&unknown::priors(&unknowns), &constraining_rows);
    for (statement, row) in runs.claims.iter().zip(&rows) {
        let judged_claim = claims.iter_mut().find(|claim| claim.id == statement.id.text);
        judged_claim.into_iter().for_each(|claim| add_to_claim(claim, row, &unknowns, &posterior));
    }
    let constant_std_devs = |(index, unknown): (usize, &UncertainConstant)| {
        (unknown.name(), unknown.prior, posterior.constant_std_dev(index))
    };
    Ok(ConstantInfluences {
        constants: unknowns.iter().enumerate().map(constant_std_devs).collect(),
        failed_changes: elasticity::failed_changes(&unknowns, &elasticities_by_constant),
    })
}

/// Adds the uncertainty to a claim, and decides by the uncertainty whether the claim is predicted or underdetermined.
fn add_to_claim(claim: &mut Claim, row: &[f64], unknowns: &[UncertainConstant], posterior: &Posterior) {
    let std_dev = posterior.std_dev(row);
    let reported_elasticity = |(unknown, elasticity): (&UncertainConstant, &f64)| {
        (elasticity.abs() >= ELASTICITY_MIN).then(|| Elasticity { constant: unknown.name(), elasticity: *elasticity })
    };
    let mut elasticities: Vec<Elasticity> = unknowns.iter().zip(row).filter_map(reported_elasticity).collect();
    elasticities.sort_by(|a, b| b.elasticity.abs().total_cmp(&a.elasticity.abs()));
    let measured = claim.measured.as_ref().and_then(|measured| measured.number());
    let z = measured.zip(claim.expected.number()).and_then(|(measured, expected)| z_score(measured, expected, std_dev));
    let stated_role = claim.role;
    if let (Role::Predicted | Role::Underdetermined, Some(tolerance)) = (claim.role, claim.tolerance) {
        claim.role = if std_dev > tolerance { Role::Underdetermined } else { Role::Predicted };
    }
    let stated_role = (stated_role != claim.role).then_some(stated_role);
    claim.uncertainty = Some(ClaimUncertainty { std_dev, z, stated_role, elasticities });
}
