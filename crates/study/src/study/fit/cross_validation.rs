//! Cross-validation of a fit: the prediction of each number by a fit without the number's row of the paper's table.
//!
//! The entries of a row usually belong to one machine, so leaving out a single entry would leave the machine's other
//! entries to determine its constants. The constants start from the same values in every fit, and keep their priors.
//!
//! Numbers on which the constants are not fitted are predicted, too. A number of a row of the fit is predicted by the
//! fit without that row, and any other predicted number of the study by the fit on all numbers.

use super::known_numbers::KnownNumbers;
use super::plan::Plan;
use super::{PreparedFit, prepare};
use crate::experiment::fit::FitResult;
use crate::experiment::fit::control::FitControl;
use crate::report::claim::Role;
use crate::report::cross_validation::HeldOutNumber;
use crate::study::claims::ClaimStatement;
use crate::study::{LocatedStudy, Study};
use narrows_core::text::{Problem, ProblemGroups};
use std::collections::BTreeSet;

/// The fits of a cross-validation: on all numbers, and without each row.
struct Fits<'a> {
    on_all: FitResult,
    /// For each row, the fit without it; `None` if it would have no numbers, so that the constants keep their values.
    without_row: Vec<(&'a str, Option<FitResult>)>,
}

/// Fits the constants of a study once on all numbers of its plan, and once without each row. Returns `None` if the
/// cross-validation was stopped; with a state file, it resumes from there.
///
/// # Errors
///
/// Reports the errors of the fits, and a state file that cannot be used.
pub fn cross_validate(
    located: &LocatedStudy,
    control: FitControl<'_>,
) -> Result<Option<Vec<HeldOutNumber>>, ProblemGroups> {
    let prepared = prepare(located, None, further_claims)?;
    let known_numbers = KnownNumbers::open(&prepared, control).map_err(Problem::into_groups)?;
    let rows: Vec<&str> = prepared.predictor.claims.iter().map(|claim| row_of(claim)).collect();
    let Some(fits) = fits(&known_numbers, &located.read.value, &rows).map_err(Problem::into_groups)? else {
        return Ok(None);
    };
    let row_of_fit = |index: &usize| fits.without_row.iter().find(|(row, _)| *row == rows[*index]);
    let all_indices: Vec<usize> = (0..rows.len()).collect();
    known_numbers.run_points(&all_indices, &values(&prepared, Some(&fits.on_all)));
    for (row, fit_without_row) in &fits.without_row {
        let indices: Vec<usize> = all_indices.iter().copied().filter(|index| rows[*index] == *row).collect();
        known_numbers.run_points(&indices, &values(&prepared, fit_without_row.as_ref()));
    }
    if known_numbers.is_stopped().map_err(Problem::into_groups)? {
        return Ok(None);
    }
    let held_out_number = |index: &usize| {
        let claim = prepared.predictor.claims[*index];
        let left_out = row_of_fit(index);
        let predicting_fit = left_out.map_or(Some(&fits.on_all), |(_, fit_without_row)| fit_without_row.as_ref());
        HeldOutNumber {
            claim: claim.id.text.clone(),
            role: claim.unjudged.role,
            left_out: left_out.map(|(row, _)| (*row).to_owned()),
            unit: claim.unit.clone(),
            expected: prepared.data[*index].expected,
            fitted: known_numbers.number(*index, &values(&prepared, Some(&fits.on_all))),
            predicted: known_numbers.number(*index, &values(&prepared, predicting_fit)),
        }
    };
    Ok(Some(all_indices.iter().map(held_out_number).collect()))
}

/// Fits the constants on all numbers, and without each row. Returns `None` if the series was stopped.
fn fits<'a>(known_numbers: &KnownNumbers<'_>, study: &Study, rows: &[&'a str]) -> Result<Option<Fits<'a>>, Problem> {
    let claims = &known_numbers.prepared.predictor.claims;
    let fit_indices: Vec<usize> = (0..rows.len()).filter(|index| is_in_fit(study, claims[*index])).collect();
    let fit_rows: BTreeSet<&str> = fit_indices.iter().map(|index| rows[*index]).collect();
    let monitor = known_numbers.control.monitor;
    let fit_count = fit_rows.len() + 1;
    monitor.fit_of_series_begins(1, fit_count, "on all numbers");
    let Some(on_all) = known_numbers.fit(fit_indices.clone())? else { return Ok(None) };
    let mut without_row = Vec::new();
    for (index, row) in fit_rows.into_iter().enumerate() {
        let remaining_indices: Vec<usize> = fit_indices.iter().copied().filter(|index| rows[*index] != row).collect();
        if remaining_indices.is_empty() {
            without_row.push((row, None));
            continue;
        }
        monitor.fit_of_series_begins(index + 2, fit_count, &format!("without `{row}`"));
        let Some(fit_without_row) = known_numbers.fit(remaining_indices)? else { return Ok(None) };
        without_row.push((row, Some(fit_without_row)));
    }
    Ok(Some(Fits { on_all, without_row }))
}

/// Returns the fitted values of the constants, or empty texts for the values of the descriptions.
fn values<'a>(prepared: &PreparedFit<'_>, fit_result: Option<&'a FitResult>) -> Vec<&'a str> {
    match fit_result {
        Some(fit_result) => fit_result.constants.iter().map(|constant| constant.rounded_value.as_str()).collect(),
        None => vec![""; prepared.constants.len()],
    }
}

/// Returns the row of the paper's table that a claim's number is from, or the claim's name.
fn row_of(claim: &ClaimStatement) -> &str {
    claim.table_row().unwrap_or(&claim.id.text)
}

fn is_in_fit(study: &Study, claim: &ClaimStatement) -> bool {
    study.fit.iter().flat_map(|plan| &plan.claims).any(|entry| entry.text == claim.id.text)
}

/// Returns the other number claims of a study that a cross-validation predicts: those of the rows of the fit, and those
/// with the role of a prediction. Given and restated numbers, and artifacts that are run only if named, are left out.
fn further_claims<'a>(study: &'a Study, plan: &Plan) -> Vec<&'a ClaimStatement> {
    let is_in_plan = |claim: &&ClaimStatement| plan.claims.iter().any(|entry| entry.text == claim.id.text);
    let rows: Vec<&str> = study.claims.iter().filter(is_in_plan).map(row_of).collect();
    let is_further = |claim: &&ClaimStatement| {
        let is_run = !study.artifacts_on_request.iter().any(|on_request| on_request.text == claim.artifact.text);
        let is_number = claim.expected().is_some_and(|expected| expected != 0.0) && claim.restates.is_empty();
        let is_prediction = matches!(claim.unjudged.role, Role::Predicted | Role::Underdetermined);
        let is_in_fit_row = claim.unjudged.role != Role::Given && rows.contains(&row_of(claim));
        is_run && is_number && (is_prediction || is_in_fit_row) && !is_in_plan(claim)
    };
    study.claims.iter().filter(is_further).collect()
}
