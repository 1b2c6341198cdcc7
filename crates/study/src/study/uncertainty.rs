//! How sure the numbers of a study's claims are.
//!
//! The points that number claims are judged by are run again with each constant up and down, as long
//! as under `--quick`: how a number answers to a constant is settled long before the number is. Claims
//! calibrated on, or put in, condition the rest, whatever artifact they belong to. Leaves out claims in
//! words, and points that depend on what earlier ones gave.

pub mod report;

use super::claims::{ClaimStatement, judge};
use super::experiments::{Draft, FaultyPoints, Results};
use super::located::LocatedStudy;
use super::progress::Progress;
use crate::experiment::RunResult;
use crate::experiment::threads::one_by_one;
use crate::experiment::uncertainty::posterior::{NOISE, Posterior, z};
use crate::experiment::uncertainty::{Unknown, elasticity, unknown};
use crate::report::claim::{Claim, Doubt, Elasticity, Role};
use narrows_core::machine::Machine;
use narrows_core::text::{Problem, Problems, Read};
use rayon::prelude::*;
use std::collections::BTreeSet;

/// An elasticity below this is not told (chosen: a step of 5 % then moves a number by less than 0.01 %).
const TOLD: f64 = 0.002;

/// What is varied are the shorter runs.
const QUICK: bool = true;

/// What is not known of a study's machines, and what it leaves free.
#[derive(Clone, PartialEq, Debug)]
pub struct ConstantInfluences {
    /// Each constant's name, prior, and standard deviation once the calibration holds.
    pub constants: Vec<(String, f64, f64)>,
}

/// Number claims, the points they are judged by, and these as they are read.
struct ClaimRuns<'a> {
    claims: Vec<&'a ClaimStatement>,
    drafts: Vec<Draft>,
    reads: Vec<Read<Machine>>,
}

impl ClaimRuns<'_> {
    fn of<'a>(found: &'a LocatedStudy, artifacts: &[&str]) -> Result<ClaimRuns<'a>, FaultyPoints> {
        let study = &found.read.value;
        let is_asked = |claim: &&ClaimStatement| {
            let within = artifacts.contains(&claim.artifact.text.as_str()) || is_known(claim);
            within && claim.expected().is_some()
        };
        let claims: Vec<&ClaimStatement> = study.claims.iter().filter(is_asked).collect();
        let of = |claim: &&ClaimStatement| {
            judge::points_of(&found.planned(&study.points_of(&claim.artifact.text, QUICK)), claim)
        };
        let used: BTreeSet<String> = claims.iter().flat_map(of).collect();
        let mut experiments: Vec<&str> = used.iter().filter_map(|point| point.split('/').next()).collect();
        experiments.dedup();
        let mut drafts = study.experiments.drafts(&found.location, &experiments, QUICK)?;
        drafts.retain(|draft| used.contains(&draft.name));
        let read = |draft: &Draft| draft.read(&[]).map_err(|problems| vec![(draft.name.clone(), problems)]);
        let reads = drafts.iter().map(read).collect::<Result<_, _>>()?;
        Ok(ClaimRuns { claims, drafts, reads })
    }

    /// The results of all points.
    fn base(&self) -> Results {
        let pairs: Vec<_> = self.drafts.iter().zip(&self.reads).collect();
        one_by_one(pairs.into_par_iter()).map(|(draft, read)| (draft.name.clone(), draft.run(read))).collect()
    }

    /// The points at these places with settings over them, run; none if one is not sound so.
    fn varied(&self, sets: &[(usize, Vec<String>)]) -> Option<Vec<(String, RunResult)>> {
        let run = |(place, sets): &(usize, Vec<String>)| {
            let draft = &self.drafts[*place];
            Some((draft.name.clone(), draft.run(&draft.read(sets).ok()?)))
        };
        one_by_one(sets.par_iter()).map(run).collect()
    }
}

/// Adds to each number claim of these artifacts its uncertainty; returns what is known of the constants.
pub fn doubt(
    found: &LocatedStudy,
    artifacts: &[&str],
    claims: &mut [Claim],
    progress: &dyn Progress,
) -> Result<ConstantInfluences, FaultyPoints> {
    let wrong = |why: String| vec![(String::new(), Problems::one(Problem::new(why)))];
    let asked = ClaimRuns::of(found, artifacts)?;
    let unknowns = unknown::of(&asked.reads).map_err(wrong)?;
    progress.begins(2 * unknowns.len());
    let base = asked.base();
    let middle = judge::numbers(&found.over(&base), &asked.claims);
    let numbers = |sets: &[(usize, Vec<String>)]| {
        let mut results = base.clone();
        results.extend(asked.varied(sets)?);
        Some(judge::numbers(&found.over(&results), &asked.claims))
    };
    let reads: Vec<&Read<Machine>> = asked.reads.iter().collect();
    let by_constant = elasticity::all(&unknowns, &reads, &middle, &numbers, &|| progress.done("a constant changed"));
    let row = |claim: usize| by_constant.iter().map(|numbers| numbers[claim]).collect::<Vec<f64>>();
    let rows: Vec<Vec<f64>> = (0..asked.claims.len()).map(row).collect();
    let fitted = asked.claims.iter().zip(&rows).filter(|(claim, _)| is_known(claim));
    let fitted: Vec<_> = fitted.map(|(_, row)| (row.as_slice(), NOISE)).collect();
    let posterior = Posterior::of(&unknown::priors(&unknowns), &fitted);
    for (stated, row) in asked.claims.iter().zip(&rows) {
        let told = claims.iter_mut().find(|claim| claim.id == stated.id.text);
        told.into_iter().for_each(|claim| add(claim, row, &unknowns, &posterior));
    }
    let constant = |(index, unknown): (usize, &Unknown)| (unknown.name(), unknown.prior, posterior.constant(index));
    Ok(ConstantInfluences { constants: unknowns.iter().enumerate().map(constant).collect() })
}

/// Whether the constants are such that the claim holds: they were settled on it, or it was put in.
fn is_known(claim: &ClaimStatement) -> bool {
    matches!(claim.role(), Role::Calibrated | Role::Given)
}

/// Adds its doubt to a claim, which decides whether it is predicted or underdetermined.
fn add(claim: &mut Claim, row: &[f64], unknowns: &[Unknown], posterior: &Posterior) {
    let left_free = posterior.left_free(row);
    let told = |(unknown, elasticity): (&Unknown, &f64)| {
        (elasticity.abs() >= TOLD).then(|| Elasticity { constant: unknown.name(), elasticity: *elasticity })
    };
    let mut elasticities: Vec<Elasticity> = unknowns.iter().zip(row).filter_map(told).collect();
    elasticities.sort_by(|a, b| b.elasticity.abs().total_cmp(&a.elasticity.abs()));
    let measured = claim.measured.as_ref().and_then(|measured| measured.number());
    let z = measured.zip(claim.expected.number()).and_then(|(measured, expected)| z(measured, expected, left_free));
    let stated = claim.role;
    if let (Role::Predicted | Role::Underdetermined, Some(tolerance)) = (claim.role, claim.tolerance) {
        claim.role = if left_free > tolerance { Role::Underdetermined } else { Role::Predicted };
    }
    let stated = (stated != claim.role).then_some(stated);
    claim.doubt = Some(Doubt { left_free, z, stated, elasticities });
}
