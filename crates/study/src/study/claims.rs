//! Claims as data: their statements, and how they are judged (`judge.rs`).
//!
//! A claim compares a number with the published one, or is a condition with a text that describes the observation. Both
//! are expressions over the study's values.

pub mod judge;

use super::expression::read::{expression, template};
use super::expression::{Expression, Template};
use crate::report::claim::{Claim, ClaimKind, ExpectedFailure, FailureCause, Role};
use crate::report::number;
use narrows_core::text::{Constant, SpannedString, Table};

/// A claim before it is judged.
#[derive(Debug)]
pub struct ClaimStatement {
    /// The name of the claim, with the paper's R-number.
    pub id: SpannedString,
    /// The artifact that the claim belongs to.
    pub artifact: SpannedString,
    /// The claim, not yet judged.
    pub unjudged: Claim,
    /// The unit of the number, as the study writes it.
    pub unit: String,
    /// The names of the claims from whose numbers the number of this claim is computed.
    pub restates: Vec<SpannedString>,
    /// Whether the claim is also judged with the smaller inputs of `--quick`.
    pub is_quick: bool,
    method: ObservationMethod,
}

/// The method of the observation by which a claim is judged.
#[derive(Debug)]
enum ObservationMethod {
    /// The metric of a point.
    Metric(SpannedString, SpannedString),
    /// Expressions over the study's values.
    Expressions { value: Option<Expression>, holds: Option<Expression>, words: Option<Template> },
    /// A built-in function, with its arguments.
    Builtin(SpannedString, Vec<SpannedString>),
}

impl ClaimStatement {
    /// Reads a claim.
    pub fn read(t: &mut Table<'_>) -> ClaimStatement {
        let id = t.phrase("id", "Name of the claim").required();
        let artifact =
            t.phrase("artifact", "Artifact that the claim belongs to and whose runs it is judged by").required();
        let mut unjudged = Claim {
            id: id.text.clone(),
            source: t.text("source", "Location in the paper, beginning with the paper's own name for it").or(""),
            statement: t.text("statement", "Statement of the claim").required(),
            kind: t.choice("kind", "Kind of statement", &ClaimKind::WORDS).required(),
            unit: t.text("unit", "Unit of the number").or(""),
            expected: match t.constant("expected", "Published number, or the expected observation as text").required() {
                Constant::Number(number) => number.into(),
                Constant::Text(text) => text.into(),
            },
            measured: None,
            tolerance: t.number("tolerance", "Allowed relative error of a number").min(0.0).optional(),
            holds: None,
            role: t
                .choice("role", "Role of the number: given as input, used for calibration, or predicted", &Role::WORDS)
                .or("predicted"),
            note: t.text("note", "Note for the reader").optional(),
            expected_failure: ClaimStatement::read_failure(t),
            restates: Vec::new(),
            part_of: None,
            uncertainty: None,
        };
        let restates = t
            .phrases("restates", "Claims whose numbers this one is computed from; it is shown and not counted")
            .or(&[]);
        unjudged.restates = restates.iter().map(|id| id.text.clone()).collect();
        unjudged.part_of = t
            .text("part-of", "Statement of the paper that is split into several claims, this one among them")
            .optional();
        let unit = unjudged.unit.clone();
        unjudged.unit = number::display_unit(&unit);
        let is_quick = t.flag("quick", "Whether the claim is also judged with the smaller inputs of --quick").or(true);
        let method = ObservationMethod::read(t);
        let claim = ClaimStatement { id, artifact, unjudged, unit, restates, is_quick, method };
        claim.check(t);
        claim
    }

    fn read_failure(t: &mut Table<'_>) -> Option<ExpectedFailure> {
        let cause = t.choice("fails", "Cause for which the claim is expected to fail", &FailureCause::WORDS).optional();
        let reason = t.text("fails-because", "Reason for which the claim is expected to fail").optional();
        match (cause, reason) {
            (Some(cause), Some(reason)) => Some(ExpectedFailure { cause, reason }),
            (Some(_), None) => {
                t.report_invalid("fails", "an expected failure needs a reason", "write `fails-because`");
                None
            }
            (None, Some(_)) => {
                t.report_invalid("fails-because", "this reason has no cause", "write `fails`: the class of the cause");
                None
            }
            (None, None) => None,
        }
    }

    fn check(&self, t: &Table<'_>) {
        let Claim { kind, expected, tolerance, .. } = &self.unjudged;
        let is_number = *kind == ClaimKind::Number;
        if is_number != expected.number().is_some() {
            t.report_invalid("expected", "a claim of kind \"number\" expects a number, any other a text", "");
        }
        if is_number && tolerance.is_none() {
            t.report_invalid(
                "",
                "a claim of kind \"number\" needs a `tolerance`",
                "write the allowed relative error, such as 0.1 for 10 %",
            );
        }
        let (key, message, help) = match (is_number, &self.method) {
            (true, ObservationMethod::Expressions { value: None, .. }) => {
                ("", "a claim of kind \"number\" needs a `value`", "write `value`, or `point` and `metric`, or `rust`")
            }
            (false, ObservationMethod::Expressions { holds: None, .. }) => {
                ("", "this claim has no condition", "write `holds`: a condition, such as \"value > 2\"")
            }
            (false, ObservationMethod::Expressions { value: None, words: None, .. }) => (
                "",
                "this claim has no description of the observation",
                "write `words`: a text with placeholders, or `value`",
            ),
            (false, ObservationMethod::Metric(..)) => (
                "point",
                "`point` and `metric` are for claims of kind \"number\"",
                "write `value`, `holds` and `words`",
            ),
            _ => return,
        };
        t.report_invalid(key, message, help);
    }

    /// Returns the published number, or `None` if a text is expected.
    pub fn expected(&self) -> Option<f64> {
        self.unjudged.expected.number()
    }

    /// Returns the row of the paper's table that the number is from, such as `Table 1, row Alcor`.
    pub fn table_row(&self) -> Option<&str> {
        let source = &self.unjudged.source;
        let row = source.find(", row ")? + ", row ".len();
        let end = source[row..].find(',').map_or(source.len(), |comma| row + comma);
        Some(&source[..end])
    }

    /// Returns the point whose metric is the number, if the claim names a point.
    pub fn point(&self) -> Option<&str> {
        if let ObservationMethod::Metric(point, _) = &self.method { Some(&point.text) } else { None }
    }
}

impl ObservationMethod {
    fn read(t: &mut Table<'_>) -> ObservationMethod {
        let point = t.phrase("point", "Point whose metric is the number").optional();
        let metric = t.phrase("metric", "Metric of the point").optional();
        let value = t.phrase("value", "Measured value, as an expression").optional();
        let holds = t
            .phrase("holds", "Condition under which the claim holds, as an expression; `value` is the measured value")
            .optional();
        let words = t.phrase("words", "Description of the observation, with placeholders for expressions").optional();
        let function_name = t.phrase("rust", "Name of the built-in function that judges the claim").optional();
        let arguments = t.phrases("with", "Arguments of the built-in function").or(&[]);
        let has_expressions = value.is_some() || holds.is_some() || words.is_some();
        match (point, metric, function_name) {
            (Some(point), Some(metric), None) if !has_expressions => ObservationMethod::Metric(point, metric),
            (None, None, Some(function_name)) if !has_expressions => {
                ObservationMethod::Builtin(function_name, arguments)
            }
            (None, None, None) => ObservationMethod::Expressions {
                value: value.map(|source| expression(t, &source)),
                holds: holds.map(|source| expression(t, &source)),
                words: words.map(|source| template(t, &source)),
            },
            _ => {
                let help = "write `point` and `metric`, or `value`, `holds` and `words`, or `rust`";
                t.report_invalid("", "this claim must be judged in exactly one way", help);
                ObservationMethod::Expressions { value: None, holds: None, words: None }
            }
        }
    }
}
