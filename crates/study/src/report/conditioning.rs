//! The artifact that lists the choices on which a study's claims are conditioned: the fit, and the choices made by
//! hand. Each is listed with the claims whose results were known at that time, and the claims that the model predicts
//! afterwards.

use super::paper::{Artifact, CONDITIONING};
use super::table::{Column, ReportTable};

/// A fit, or a choice made by hand, with the claims before and after it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CalibrationChoice {
    /// The value or mechanism that was chosen.
    pub choice: String,
    /// The keys, files or programs that contain the value or mechanism.
    pub location: String,
    /// The value that was chosen, and the values that were tried.
    pub value: String,
    /// The reason for the choice.
    pub why: String,
    /// The claims whose results were known when the choice was made, as the study names them.
    pub chosen_with: Vec<String>,
    /// The claims that depend on the choice and are predicted.
    pub predicted: Vec<String>,
    /// The number of predicted claims of the study.
    pub predicted_in_study: usize,
}

impl CalibrationChoice {
    /// Returns the claims that are predicted after the choice, as text.
    pub fn predicted_text(&self) -> String {
        match self.predicted.len() {
            0 => "no predicted claim".to_owned(),
            count if count == self.predicted_in_study => format!("all {count} predicted claims"),
            _ => self.predicted.join(", "),
        }
    }
}

/// Returns the table of the choices.
pub fn table(rows: &[CalibrationChoice]) -> ReportTable {
    let headings = ["choice", "where", "value", "why", "chosen with", "predicted after it"];
    let mut table = ReportTable::new(headings.map(Column::new).to_vec());
    for row in rows {
        let (chosen_with, predicted) = (row.chosen_with.join(", "), row.predicted_text());
        let cells = [&row.choice, &row.location, &row.value, &row.why, &chosen_with, &predicted];
        table.push(cells.map(|text| text.as_str().into()).to_vec());
    }
    table
}

/// Returns the artifact with the table; `None` if `rows` is empty.
pub fn artifact(rows: &[CalibrationChoice]) -> Option<Artifact> {
    let caption = "Each constant or mechanism that was fitted, or chosen by hand with results in sight, the claims that it \
                   was chosen with, which are calibrated, and the claims that depend on it and are predicted.";
    let title = "What the claims are conditioned on";
    (!rows.is_empty()).then(|| Artifact::of_table(CONDITIONING, title, caption, table(rows)))
}
