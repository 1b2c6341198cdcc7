//! Claims that a study expects to fail, each with its cause, and the comparison of these with the verdicts of a run.

use super::{Claim, word_of};
use serde::{Deserialize, Serialize};

/// The class of the cause for which a claim fails.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FailureCause {
    /// The model lacks a mechanism of the real system, or has another one.
    Model,
    /// The paper does not state an input, a constant or a detail of a program.
    UnknownInput,
    /// The claim asks for more than the paper states, or for a different result.
    Claim,
    /// The paper contradicts itself.
    Contradiction,
}

impl FailureCause {
    /// The names used in JSON, in studies and in tables.
    pub const WORDS: [(&'static str, FailureCause); 4] = [
        ("model", FailureCause::Model),
        ("unknown-input", FailureCause::UnknownInput),
        ("claim", FailureCause::Claim),
        ("contradiction", FailureCause::Contradiction),
    ];

    /// Returns the name used in JSON, in studies and in tables.
    pub fn word(self) -> &'static str {
        word_of(&FailureCause::WORDS, self)
    }
}

/// The failure of a claim that a study expects.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct ExpectedFailure {
    /// The class of the cause.
    pub cause: FailureCause,
    /// The reason.
    pub reason: String,
}

impl Claim {
    /// Returns whether the verdict differs from the one that the study expects; false if the claim is not evaluated.
    pub fn is_unexpected(&self) -> bool {
        self.holds.is_some_and(|holds| holds == self.expected_failure.is_some())
    }
}

/// Returns the claims whose verdicts differ from those that the study expects, as a line of text; `None` if there are
/// none.
pub fn unexpected_text(claims: &[Claim]) -> Option<String> {
    let unexpected_ids = |verdict| {
        let unexpected = claims.iter().filter(|claim| claim.is_unexpected() && claim.holds == Some(verdict));
        unexpected.map(|claim| claim.id.as_str()).collect::<Vec<_>>().join(", ")
    };
    let (failing_ids, holding_ids) = (unexpected_ids(false), unexpected_ids(true));
    let parts = [
        ("fails, which the study does not expect", failing_ids),
        ("holds, which the study expects to fail", holding_ids),
    ];
    let parts: Vec<String> =
        parts.into_iter().filter(|(_, ids)| !ids.is_empty()).map(|(text, ids)| format!("{text}: {ids}")).collect();
    (!parts.is_empty()).then(|| format!("Not as expected: {}", parts.join("; ")))
}

#[cfg(test)]
mod tests {
    use super::super::samples::shape;
    use super::*;

    #[test]
    fn verdicts_are_compared_with_the_expected_ones_in_both_directions() {
        let failure = || Some(ExpectedFailure { cause: FailureCause::Model, reason: "no queue".to_owned() });
        let expected = |id, holds| Claim { expected_failure: failure(), ..shape(id, holds) };
        let as_expected =
            [shape("R1", Some(true)), expected("R2", Some(false)), expected("R3", None), shape("R4", None)];
        assert_eq!(unexpected_text(&as_expected), None);
        let text =
            "Not as expected: fails, which the study does not expect: R5; holds, which the study expects to fail: R6";
        assert_eq!(unexpected_text(&[shape("R5", Some(false)), expected("R6", Some(true))]).as_deref(), Some(text));
    }
}
