//! Claims: what a paper says beside what was measured, and whether it holds.
//!
//! Leaves out where claims come from and how shapes are judged; a claim here is a finished verdict.

mod text;

use super::number;
use serde::{Deserialize, Serialize};
pub use text::{claims_text, verdict};

/// What sort of statement a claim is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// A number within a tolerance.
    Number,
    /// One thing above, before or faster than another.
    Order,
    /// A crossover, a knee, a range.
    Shape,
}

impl Kind {
    /// The word used in JSON and in tables.
    pub fn word(self) -> &'static str {
        match self {
            Kind::Number => "number",
            Kind::Order => "order",
            Kind::Shape => "shape",
        }
    }
}

/// What a claim says of the model: whether it was put in, fitted on, or said by it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// A constant was settled on it, by a fit or by hand.
    Calibrated,
    /// The model said it unaided, and what is not known of its constants leaves it within its tolerance.
    Predicted,
    /// It was put in, or counts what was put in.
    Given,
    /// The model said it, but what is not known of its constants leaves it freer than its tolerance.
    Underdetermined,
}

impl Role {
    /// The word used in JSON and in tables.
    pub fn word(self) -> &'static str {
        match self {
            Role::Calibrated => "calibrated",
            Role::Predicted => "predicted",
            Role::Given => "given",
            Role::Underdetermined => "underdetermined",
        }
    }
}

/// What was expected or seen: a number for number claims, words for the others.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(untagged)]
pub enum ClaimValue {
    /// A number in the claim's unit.
    Number(f64),
    /// Words.
    Text(String),
}

impl ClaimValue {
    /// The number, if it is one.
    pub fn number(&self) -> Option<f64> {
        match self {
            ClaimValue::Number(x) => Some(*x),
            ClaimValue::Text(_) => None,
        }
    }

    /// As text without unit.
    pub fn text(&self) -> String {
        match self {
            ClaimValue::Number(x) => number::short(*x),
            ClaimValue::Text(words) => words.clone(),
        }
    }
}

impl From<f64> for ClaimValue {
    fn from(x: f64) -> ClaimValue {
        ClaimValue::Number(x)
    }
}

impl From<&str> for ClaimValue {
    fn from(words: &str) -> ClaimValue {
        ClaimValue::Text(words.to_owned())
    }
}

impl From<String> for ClaimValue {
    fn from(words: String) -> ClaimValue {
        ClaimValue::Text(words)
    }
}

/// One statement of a paper beside what was measured.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Claim {
    /// Its published name.
    pub id: String,
    /// Its place, beginning as the paper names it: `Table 1, row P6/Natoma, …`.
    pub source: String,
    /// What is claimed, in words.
    pub statement: String,
    /// What sort of statement it is.
    pub kind: Kind,
    /// The paper's unit; empty for what has none.
    pub unit: String,
    /// What the paper says.
    pub expected: ClaimValue,
    /// What was measured; null when not evaluated.
    pub measured: Option<ClaimValue>,
    /// The relative error allowed; null for what is not a number.
    pub tolerance: Option<f64>,
    /// The verdict; null when not evaluated.
    pub holds: Option<bool>,
    /// Whether a constant was fitted on it.
    pub role: Role,
    /// What a reader must know: a contradiction in the paper, a digit lost.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// How sure the number is, where that was asked.
    #[serde(flatten, default)]
    pub doubt: Option<Doubt>,
}

/// How sure a number is.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Doubt {
    /// What the constants leave free of it once the calibration holds: a standard deviation, as a part.
    pub left_free: f64,
    /// How many standard deviations it misses what is expected by; null where either is nothing.
    pub z: Option<f64>,
    /// The role that the claim states, where it has another.
    #[serde(skip)]
    pub stated: Option<Role>,
    /// How it answers to constants, the largest first: a per cent of the constant gives so many.
    pub elasticities: Vec<Elasticity>,
}

/// How a number answers to a constant.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Elasticity {
    /// The constant.
    pub constant: String,
    /// d ln(number) / d ln(constant).
    pub elasticity: f64,
}

impl Claim {
    /// `measured ÷ expected − 1`, for numbers; nothing where the expected number is zero.
    pub fn relative_error(&self) -> Option<f64> {
        let expected = self.expected.number().filter(|&x| x != 0.0)?;
        let measured = self.measured.as_ref()?.number()?;
        Some((measured - expected) / expected.abs())
    }

    /// The same claim with `holds` set from the tolerance, for numbers with both sides known.
    /// The last bit of a quotient does not decide: 5 % passes a tolerance of 0.05.
    pub fn judged(mut self) -> Claim {
        if let (Some(error), Some(tolerance)) = (self.relative_error(), self.tolerance) {
            self.holds = Some(error.abs() <= tolerance * (1.0 + 1e-12));
        }
        self
    }

    /// Expected, in words with its unit.
    pub fn expected_text(&self) -> String {
        with_unit(self.expected.text(), &self.expected, &self.unit)
    }

    /// Measured, in words with its unit; a dash when not evaluated.
    pub fn measured_text(&self) -> String {
        self.measured.as_ref().map_or("–".to_owned(), |seen| with_unit(seen.text(), seen, &self.unit))
    }
}

fn with_unit(text: String, value: &ClaimValue, unit: &str) -> String {
    match value {
        ClaimValue::Number(_) if !unit.is_empty() => format!("{text} {unit}"),
        _ => text,
    }
}

/// How many claims there are of each verdict.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Tally {
    /// Those that hold.
    pub hold: usize,
    /// Those that fail.
    pub fail: usize,
    /// Those not evaluated.
    pub open: usize,
}

impl Tally {
    /// Counts `claims`.
    pub fn of(claims: &[Claim]) -> Tally {
        let count = |verdict| claims.iter().filter(|claim| claim.holds == verdict).count();
        Tally { hold: count(Some(true)), fail: count(Some(false)), open: count(None) }
    }

    /// `47 of 50 claims hold, 2 fail, 1 not evaluated`.
    pub fn text(&self) -> String {
        let all = self.hold + self.fail + self.open;
        let mut text = format!("{} of {all} claims hold, {} fail", self.hold, self.fail);
        if self.open > 0 {
            text += &format!(", {} not evaluated", self.open);
        }
        text
    }
}

#[cfg(test)]
pub(crate) mod samples;
#[cfg(test)]
mod tests;
