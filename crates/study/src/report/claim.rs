//! Claims: a paper's statement, the measured value, and the verdict.
//!
//! | file | holds |
//! |---|---|
//! | `failure.rs` | expected failures and their causes, compared with the verdicts |
//! | `tally.rs` | the number of claims of each verdict |
//! | `text.rs` | claims as text for a terminal |
//!
//! Claims that are not numbers are judged elsewhere; here they already have their verdicts.

mod failure;
mod tally;
mod text;

use super::number;
pub use failure::{ExpectedFailure, FailureCause, unexpected_text};
use serde::{Deserialize, Serialize};
pub use tally::Tally;
pub use text::{claims_text, verdict};

/// The kind of a claim.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ClaimKind {
    /// A number, which must be within a tolerance.
    Number,
    /// An order: one value is above, before or faster than another.
    Order,
    /// A shape, such as a crossover, a knee or a range.
    Shape,
}

impl ClaimKind {
    /// The names used in JSON, in studies and in tables.
    pub const WORDS: [(&'static str, ClaimKind); 3] =
        [("number", ClaimKind::Number), ("order", ClaimKind::Order), ("shape", ClaimKind::Shape)];

    /// Returns the name used in JSON and in tables.
    pub fn word(self) -> &'static str {
        word_of(&ClaimKind::WORDS, self)
    }
}

/// Returns the word for `value`, which `words` contains.
fn word_of<T: Copy + PartialEq>(words: &[(&'static str, T)], value: T) -> &'static str {
    words.iter().find(|(_, word_value)| *word_value == value).expect("each value has a word").0
}

/// The role of a claim: whether its number was an input, was used for calibration, or is predicted by the model.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// A constant was calibrated on the number, by a fit or by hand.
    Calibrated,
    /// The model predicts the number, and its uncertainty is at most its tolerance.
    Predicted,
    /// The number was an input of the model, or follows directly from inputs.
    Given,
    /// The model predicts the number, but its uncertainty exceeds its tolerance.
    Underdetermined,
}

impl Role {
    /// The names used in JSON, in studies and in tables.
    pub const WORDS: [(&'static str, Role); 4] = [
        ("predicted", Role::Predicted),
        ("calibrated", Role::Calibrated),
        ("given", Role::Given),
        ("underdetermined", Role::Underdetermined),
    ];

    /// Returns the name used in JSON and in tables.
    pub fn word(self) -> &'static str {
        word_of(&Role::WORDS, self)
    }
}

/// An expected or measured value: a number for claims of kind `Number`, a text for the others.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(untagged)]
pub enum ClaimValue {
    /// A number in the claim's unit.
    Number(f64),
    /// A text.
    Text(String),
}

impl ClaimValue {
    /// Returns the number, or `None` for a text.
    pub fn number(&self) -> Option<f64> {
        match self {
            ClaimValue::Number(x) => Some(*x),
            ClaimValue::Text(_) => None,
        }
    }

    /// Returns the value as text, without a unit.
    pub fn text(&self) -> String {
        match self {
            ClaimValue::Number(x) => number::short(*x),
            ClaimValue::Text(text) => text.clone(),
        }
    }
}

impl From<f64> for ClaimValue {
    fn from(x: f64) -> ClaimValue {
        ClaimValue::Number(x)
    }
}

impl From<&str> for ClaimValue {
    fn from(text: &str) -> ClaimValue {
        ClaimValue::Text(text.to_owned())
    }
}

impl From<String> for ClaimValue {
    fn from(text: String) -> ClaimValue {
        ClaimValue::Text(text)
    }
}

/// A statement of a paper, with the measured value and the verdict.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Claim {
    /// The name of the claim.
    pub id: String,
    /// The location in the paper. It begins with the paper's own name for the table or figure:
    /// `Table 1, row P6/Natoma, …`.
    pub source: String,
    /// The statement.
    pub statement: String,
    /// The kind of the claim.
    pub kind: ClaimKind,
    /// The paper's unit; empty if it has none.
    pub unit: String,
    /// The paper's value.
    pub expected: ClaimValue,
    /// The measured value; null if not evaluated.
    pub measured: Option<ClaimValue>,
    /// The allowed relative error; null if the value is not a number.
    pub tolerance: Option<f64>,
    /// The verdict; null if not evaluated.
    pub holds: Option<bool>,
    /// The role of the claim.
    pub role: Role,
    /// A note on the claim, such as a contradiction in the paper or a missing digit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// The failure of the claim, if the study expects it to fail.
    #[serde(rename = "fails", default, skip_serializing_if = "Option::is_none")]
    pub expected_failure: Option<ExpectedFailure>,
    /// The claims from whose numbers the number of this claim is computed. Such a claim adds no information, and is not
    /// counted.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub restates: Vec<String>,
    /// The name of the paper's statement that this claim is a part of, if the statement was split into several claims.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub part_of: Option<String>,
    /// The uncertainty of the number, if it was computed.
    #[serde(flatten, default)]
    pub uncertainty: Option<ClaimUncertainty>,
}

/// The uncertainty of a claim's number.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct ClaimUncertainty {
    /// One standard deviation after calibration, as a fraction of the number.
    #[serde(alias = "left_free")]
    pub std_dev: f64,
    /// The error in standard deviations; null if a logarithm is undefined.
    pub z: Option<f64>,
    /// The role that the claim states, if it differs from the claim's role.
    #[serde(skip)]
    pub stated_role: Option<Role>,
    /// The elasticities with respect to the constants, the largest first.
    pub elasticities: Vec<Elasticity>,
}

/// The elasticity of a number with respect to a constant.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Elasticity {
    /// The name of the constant.
    pub constant: String,
    /// d ln(number) / d ln(constant).
    pub elasticity: f64,
}

impl Claim {
    /// Returns `measured ÷ expected − 1` for numbers, or `None` if the expected number is 0.
    pub fn relative_error(&self) -> Option<f64> {
        let expected = self.expected.number().filter(|&x| x != 0.0)?;
        let measured = self.measured.as_ref()?.number()?;
        Some((measured - expected) / expected.abs())
    }

    /// Returns the claim with `holds` set according to the tolerance, if both numbers are known. Rounding of the
    /// quotient is tolerated, so an error of exactly 5 % passes a tolerance of 0.05.
    pub fn judged(mut self) -> Claim {
        if let (Some(error), Some(tolerance)) = (self.relative_error(), self.tolerance) {
            self.holds = Some(error.abs() <= tolerance * (1.0 + 1e-12));
        }
        self
    }

    /// Returns the expected value as text, with its unit.
    pub fn expected_text(&self) -> String {
        with_unit(self.expected.text(), &self.expected, &self.unit)
    }

    /// Returns the measured value as text, with its unit; a dash if not evaluated.
    pub fn measured_text(&self) -> String {
        self.measured.as_ref().map_or("–".to_owned(), |value| with_unit(value.text(), value, &self.unit))
    }
}

fn with_unit(text: String, value: &ClaimValue, unit: &str) -> String {
    match value {
        ClaimValue::Number(_) if !unit.is_empty() => format!("{text} {unit}"),
        _ => text,
    }
}

#[cfg(test)]
pub(crate) mod samples;
#[cfg(test)]
mod tests;
