//! Cross-validation of a fit: each number as it is predicted when it and its row of the paper's table are left out.
//!
//! The entries of a row usually belong to one machine, so leaving out a single entry would leave the machine's other
//! entries to determine its constants. The constants start from the same values in every fit, and keep their priors.

use super::{PointProblems, PreparedFit, prepare};
use crate::experiment::fit::control::FitControl;
use crate::experiment::fit::number::{Datum, PredictionResult, PredictionSource};
use crate::experiment::fit::{FitResult, fit};
use crate::study::LocatedStudy;
use narrows_core::text::Problems;
use serde::Serialize;

/// A number of a fit, with its prediction by a fit from which it was left out.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct HeldOutNumber {
    /// The name of the claim.
    pub claim: String,
    /// The row of the paper's table that was left out, or the name of the claim if it is not from a table.
    pub left_out: String,
    /// The unit of the number.
    pub unit: String,
    /// The published number.
    pub expected: f64,
    /// The number after the fit on all numbers; null if the number has no value.
    pub fitted: Option<f64>,
    /// The number after the fit on those of the other rows; null if the number has no value.
    pub predicted: Option<f64>,
}

/// Some numbers of a fit.
struct Subset<'a> {
    prepared: &'a PreparedFit<'a>,
    indices: Vec<usize>,
}

impl PredictionSource for Subset<'_> {
    fn predict(&self, datum: usize, constants: &[&str]) -> PredictionResult {
        self.prepared.fitting.predict(self.indices[datum], constants)
    }

    fn depends_on(&self, datum: usize, constant: usize) -> bool {
        self.prepared.fitting.depends_on(self.indices[datum], constant)
    }
}

/// Fits the constants of a study once on all numbers of its plan, and once without each row. If the fit is stopped, the
/// remaining predictions are those of the steps so far.
///
/// # Errors
///
/// Reports the errors of the fit.
pub fn cross_validate(located: &LocatedStudy, control: FitControl<'_>) -> Result<Vec<HeldOutNumber>, PointProblems> {
    let prepared = prepare(located, None)?;
    let claims = &prepared.fitting.claims;
    let rows: Vec<&str> = claims.iter().map(|claim| claim.table_row().unwrap_or(&claim.id.text)).collect();
    let all = fit_on(&prepared, (0..rows.len()).collect(), control)?;
    let mut distinct = rows.clone();
    distinct.sort_unstable();
    distinct.dedup();
    let mut numbers: Vec<HeldOutNumber> = Vec::new();
    for row in distinct {
        let (left_out, kept): (Vec<usize>, Vec<usize>) = (0..rows.len()).partition(|index| rows[*index] == row);
        // Without other numbers, the constants keep the values of the descriptions.
        let others = if kept.is_empty() { None } else { Some(fit_on(&prepared, kept, control)?) };
        numbers.extend(left_out.into_iter().map(|index| HeldOutNumber {
            claim: claims[index].id.text.clone(),
            left_out: row.to_owned(),
            unit: claims[index].unit().to_owned(),
            expected: prepared.data[index].expected,
            fitted: number(&prepared, index, Some(&all)),
            predicted: number(&prepared, index, others.as_ref()),
        }));
    }
    let position = |number: &HeldOutNumber| claims.iter().position(|claim| claim.id.text == number.claim);
    numbers.sort_by_key(position);
    Ok(numbers)
}

fn fit_on(
    prepared: &PreparedFit<'_>,
    indices: Vec<usize>,
    control: FitControl<'_>,
) -> Result<FitResult, PointProblems> {
    // Each number of a study is a curve of its own.
    let at = |(curve, index): (usize, &usize)| Datum { curve, ..prepared.data[*index].clone() };
    let data: Vec<Datum> = indices.iter().enumerate().map(at).collect();
    let subset = Subset { prepared, indices };
    let control = FitControl { state: None, ..control };
    let fitted = fit(&prepared.constants, &data, &subset, prepared.description.clone(), control);
    fitted.map_err(|problem| vec![(String::new(), Problems::from_problem(problem))])
}

/// Returns the number with index `index` for the fitted constants, or for those of the descriptions.
fn number(prepared: &PreparedFit<'_>, index: usize, fitted: Option<&FitResult>) -> Option<f64> {
    let values: Vec<&str> = match fitted {
        Some(fitted) => fitted.constants.iter().map(|constant| constant.rounded_value.as_str()).collect(),
        None => vec![""; prepared.constants.len()],
    };
    prepared.fitting.predict(index, &values).ok()
}
