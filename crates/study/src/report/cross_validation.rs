//! Cross-validation of a fit: the number of each claim is predicted by a fit without the numbers of its row.

use super::claim::Role;
use super::number::{display_unit, percent, short, signed_percent};
use super::paper::{Artifact, CROSS_VALIDATION};
use super::table::{Column, ReportTable};
use serde::Serialize;

/// The error of a prediction up to which it is counted as close.
const CLOSE_PREDICTION_ERROR: f64 = 0.1;

/// The number of a claim, with its prediction by a fit without the numbers of its row.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct HeldOutNumber {
    /// The name of the claim.
    pub claim: String,
    /// The role of the claim.
    pub role: Role,
    /// The row of the paper's table that was left out, or the name of the claim if it is not from a table; null if the
    /// fit has no number of the row, so that nothing was left out.
    pub left_out: Option<String>,
    /// The unit of the number.
    pub unit: String,
    /// The published number.
    pub expected: f64,
    /// The number after the fit on all numbers; null if the number has no value.
    pub fitted: Option<f64>,
    /// The number after the fit on the numbers of the other rows; null if the number has no value.
    pub predicted: Option<f64>,
}

impl HeldOutNumber {
    /// Returns the relative error of the prediction.
    pub fn error(&self) -> Option<f64> {
        self.predicted.map(|predicted| predicted / self.expected - 1.0)
    }

    fn is_close(&self) -> bool {
        self.error().is_some_and(|error| error.abs() <= CLOSE_PREDICTION_ERROR)
    }

    fn is_prediction(&self) -> bool {
        matches!(self.role, Role::Predicted | Role::Underdetermined)
    }

    /// Returns the texts of a row of the table.
    pub fn cells(&self) -> [String; 7] {
        let number_text = |number: Option<f64>| number.map_or("–".to_owned(), short);
        let unit = display_unit(&self.unit);
        [
            self.claim.clone(),
            self.role.word().to_owned(),
            self.left_out.clone().unwrap_or_else(|| "nothing".to_owned()),
            format!("{} {unit}", short(self.expected)).trim_end().to_owned(),
            number_text(self.fitted),
            number_text(self.predicted),
            self.error().map_or("–".to_owned(), signed_percent),
        ]
    }
}

/// The headings of the columns of the table.
pub const HEADINGS: [&str; 7] = ["number", "role", "left out with it", "published", "fitted", "predicted", "error"];

/// Returns the table of the numbers.
pub fn table(numbers: &[HeldOutNumber]) -> ReportTable {
    let mut table = ReportTable::new(HEADINGS.map(Column::new).to_vec());
    for number in numbers {
        table.push(number.cells().map(Into::into).to_vec());
    }
    table
}

/// Returns sentences that state how many predictions are close to the published numbers.
pub fn finding(numbers: &[HeldOutNumber]) -> String {
    let close_error_text = percent(CLOSE_PREDICTION_ERROR);
    let close_and_total = |is_prediction: bool| {
        let numbers_of_role: Vec<_> = numbers.iter().filter(|number| number.is_prediction() == is_prediction).collect();
        (numbers_of_role.iter().filter(|number| number.is_close()).count(), numbers_of_role.len())
    };
    let (close, total) = close_and_total(false);
    let mut text =
        format!("{close} of {total} numbers are within {close_error_text} when their row is left out of the fit.");
    let (close, total) = close_and_total(true);
    if total > 0 {
        text += &format!(" {close} of {total} predicted numbers are within {close_error_text}.");
    }
    text
}

/// Returns the artifact with the table; `None` if the study has no cross-validation.
pub fn artifact(numbers: &[HeldOutNumber]) -> Option<Artifact> {
    let caption = "Each number that constants were fitted on, the other numbers of its table, and the predicted numbers: \
                   after the fit on all numbers, and as a fit predicts it that leaves out the numbers of its row.";
    let title = "Numbers as predicted without their row";
    let caption = format!("{caption} {}", finding(numbers));
    (!numbers.is_empty()).then(|| Artifact::of_table(CROSS_VALIDATION, title, caption, table(numbers)))
}
