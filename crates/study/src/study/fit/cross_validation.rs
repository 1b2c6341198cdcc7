//! Cross-validation of a fit: the prediction of each number by a fit without the number's row of the paper's table.
//!
//! The entries of a row usually belong to one machine, so leaving out a single entry would leave the machine's other
//! entries to determine its constants. The constants start from the same values in every fit, and keep their priors.
//!
//! Numbers on which the constants are not fitted are predicted, too. A number of a row of the fit is predicted by the
//! fit without that row, and any other predicted number of the study by the fit on all numbers.

use super::plan::Plan;
use super::{PointProblems, PreparedFit, prepare};
use crate::experiment::fit::control::FitControl;
use crate::experiment::fit::number::{Datum, PredictionResult, PredictionSource};
use crate::experiment::fit::{FitResult, fit};
use crate::report::claim::Role;
use crate::report::cross_validation::HeldOutNumber;
use crate::study::claims::ClaimStatement;
use crate::study::{LocatedStudy, Study};
use narrows_core::text::Problems;

/// A subset of the numbers of a fit.
struct DataSubset<'a> {
    prepared: &'a PreparedFit<'a>,
    indices: Vec<usize>,
}

impl PredictionSource for DataSubset<'_> {
    fn predict(&self, datum: usize, constants: &[&str]) -> PredictionResult {
        self.prepared.predictor.predict(self.indices[datum], constants)
    }

    fn depends_on(&self, datum: usize, constant: usize) -> bool {
        self.prepared.predictor.depends_on(self.indices[datum], constant)
    }
}

/// Fits the constants of a study once on all numbers of its plan, and once without each row. If the fit is stopped, the
/// remaining predictions are those of the steps so far.
///
/// # Errors
///
/// Reports the errors of the fit.
pub fn cross_validate(located: &LocatedStudy, control: FitControl<'_>) -> Result<Vec<HeldOutNumber>, PointProblems> {
    let prepared = prepare(located, None, further_claims)?;
    let claims = &prepared.predictor.claims;
    let rows: Vec<&str> = claims.iter().map(|claim| row_of(claim)).collect();
    let fit_indices: Vec<usize> =
        (0..claims.len()).filter(|index| is_in_fit(&located.read.value, claims[*index])).collect();
    let full_fit = fit_on(&prepared, fit_indices.clone(), control)?;
    let mut fit_rows: Vec<&str> = fit_indices.iter().map(|index| rows[*index]).collect();
    fit_rows.sort_unstable();
    fit_rows.dedup();
    let held_out_number = |index: usize, left_out: Option<&str>, fit_without_row: Option<&FitResult>| HeldOutNumber {
        claim: claims[index].id.text.clone(),
        role: claims[index].role(),
        left_out: left_out.map(str::to_owned),
        unit: claims[index].unit().to_owned(),
        expected: prepared.data[index].expected,
        fitted: number(&prepared, index, Some(&full_fit)),
        predicted: number(&prepared, index, fit_without_row),
    };
    let mut numbers: Vec<(usize, HeldOutNumber)> = Vec::new();
    for row in &fit_rows {
        let remaining_indices: Vec<usize> = fit_indices.iter().copied().filter(|index| rows[*index] != *row).collect();
        // Without other numbers, the constants keep the values of the descriptions.
        let fit_without_row =
            if remaining_indices.is_empty() { None } else { Some(fit_on(&prepared, remaining_indices, control)?) };
        let indices_of_row = (0..claims.len()).filter(|index| rows[*index] == *row);
        numbers
            .extend(indices_of_row.map(|index| (index, held_out_number(index, Some(*row), fit_without_row.as_ref()))));
    }
    let indices_of_other_rows = (0..claims.len()).filter(|index| !fit_rows.contains(&rows[*index]));
    numbers.extend(indices_of_other_rows.map(|index| (index, held_out_number(index, None, Some(&full_fit)))));
    numbers.sort_by_key(|(index, _)| *index);
    Ok(numbers.into_iter().map(|(_, number)| number).collect())
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
        let is_prediction = matches!(claim.role(), Role::Predicted | Role::Underdetermined);
        let is_in_fit_row = claim.role() != Role::Given && rows.contains(&row_of(claim));
        is_run && is_number && (is_prediction || is_in_fit_row) && !is_in_plan(claim)
    };
    study.claims.iter().filter(is_further).collect()
}

fn fit_on(
    prepared: &PreparedFit<'_>,
    indices: Vec<usize>,
    control: FitControl<'_>,
) -> Result<FitResult, PointProblems> {
    // Each number of a study is a curve of its own.
    let datum = |(curve, index): (usize, &usize)| Datum { curve, ..prepared.data[*index].clone() };
    let data: Vec<Datum> = indices.iter().enumerate().map(datum).collect();
    let subset = DataSubset { prepared, indices };
    let control = FitControl { state: None, ..control };
    let fit_result = fit(&prepared.constants, &data, &subset, prepared.inputs_digest.clone(), control);
    fit_result.map_err(|problem| vec![(String::new(), Problems::from_problem(problem))])
}

/// Returns the number with index `index` for the fitted constants, or for those of the descriptions.
fn number(prepared: &PreparedFit<'_>, index: usize, fit_result: Option<&FitResult>) -> Option<f64> {
    let values: Vec<&str> = match fit_result {
        Some(fit_result) => fit_result.constants.iter().map(|constant| constant.rounded_value.as_str()).collect(),
        None => vec![""; prepared.constants.len()],
    };
    prepared.predictor.predict(index, &values).ok()
}
