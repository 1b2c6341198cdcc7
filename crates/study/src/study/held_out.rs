//! The cross-validation of a study as data (`cross-validation.toml`): the prediction of each number by a fit without
//! the number's row of the paper's table. A fit takes longer than a reproduction, so its results are stored with the
//! study. `narrows fit STUDY --cross-validate --write` writes the file.

use super::claims::ClaimStatement;
use crate::report::cross_validation::HeldOutNumber;
use narrows_core::text::{Problem, SpannedString, Table};

/// The name of the file.
pub const FILE: &str = "cross-validation.toml";

/// The stored prediction of a claim's number.
#[derive(Debug)]
pub struct StoredPrediction {
    /// The name of the claim.
    pub claim: SpannedString,
    left_out: Option<String>,
    fitted: Option<f64>,
    predicted: Option<f64>,
}

impl StoredPrediction {
    /// Reads a prediction.
    pub fn read(t: &mut Table<'_>) -> StoredPrediction {
        StoredPrediction {
            claim: t.phrase("claim", "Claim whose number is predicted").required(),
            left_out: t.text("left-out", "Row that was left out of the fit; nothing if it has no row").optional(),
            fitted: t.number("fitted", "Number after the fit on all numbers").optional(),
            predicted: t.number("predicted", "Number after the fit without the row").optional(),
        }
    }
}

/// Returns the numbers of a stored cross-validation, with the roles, units and expected values of their claims.
pub fn numbers(predictions: &[StoredPrediction], claims: &[ClaimStatement]) -> Vec<HeldOutNumber> {
    let number = |stored: &StoredPrediction| {
        let claim = claims.iter().find(|claim| claim.id.text == stored.claim.text)?;
        Some(HeldOutNumber {
            claim: stored.claim.text.clone(),
            role: claim.unjudged.role,
            left_out: stored.left_out.clone(),
            unit: claim.unit.clone(),
            expected: claim.expected()?,
            fitted: stored.fitted,
            predicted: stored.predicted,
        })
    };
    predictions.iter().filter_map(number).collect()
}

/// Returns a problem for each claim of the fit whose number a stored cross-validation lacks.
pub fn problems<'a>(
    predictions: &[StoredPrediction],
    fit_claims: impl Iterator<Item = &'a SpannedString>,
) -> Vec<Problem> {
    let Some(first) = predictions.first() else { return Vec::new() };
    let is_stored = |id: &str| predictions.iter().any(|stored| stored.claim.text == id);
    let problem = |entry: &SpannedString| {
        let message = format!("the cross-validation has no prediction of `{}`, which fit.toml names", entry.text);
        let problem = Problem::new(message).with_location(first.claim.place.clone(), "one of its predictions");
        problem.help("run `narrows fit STUDY --cross-validate --write` again")
    };
    fit_claims.filter(|entry| !is_stored(&entry.text)).map(problem).collect()
}

/// Returns the text of the file with these numbers, each with four digits.
pub fn text(numbers: &[HeldOutNumber]) -> String {
    let mut text = "# Numbers as a fit predicts them that leaves out their row of the paper's table.\n\
                    # `narrows fit STUDY --cross-validate --write` writes this file.\n"
        .to_owned();
    let rounded = |number: f64| format!("{number:.3e}").parse::<f64>().unwrap_or(number);
    for number in numbers {
        text += &format!("\n[[held-out]]\nclaim = {:?}\n", number.claim);
        if let Some(row) = &number.left_out {
            text += &format!("left-out = {row:?}\n");
        }
        for (key, value) in [("fitted", number.fitted), ("predicted", number.predicted)] {
            if let Some(value) = value {
                text += &format!("{key} = {}\n", rounded(value));
            }
        }
    }
    text
}
