//! Claims as data: their statements, and how they are judged (`judge.rs`).
//!
//! A claim compares a number with the published one, or is a condition with a text that describes the observation. Both
//! are expressions over the study's values.

pub mod judge;

use super::expression::read::{expression, template};
use super::expression::{Expression, Template};
use crate::report::claim::{self, Claim, ClaimKind, ExpectedFailure, FailureCause, Role};
use crate::report::number;
use narrows_core::text::{Constant, SpannedString, Table};

/// A claim before it is judged.
#[derive(Debug)]
pub struct ClaimStatement {
    /// The name of the claim, with the paper's R-number.
    pub id: SpannedString,
    /// The artifact that the claim belongs to.
    pub artifact: SpannedString,
    source: String,
    statement: String,
    kind: ClaimKind,
    unit: String,
    expected: Constant,
    tolerance: Option<f64>,
    role: Role,
    note: Option<String>,
    /// The failure of the claim, if the study expects it to fail.
    pub fails: Option<ExpectedFailure>,
    /// The names of the claims from whose numbers the number of this claim is computed. Such a claim adds no
    /// information, and is not counted.
    pub restates: Vec<SpannedString>,
    /// The name of the paper's statement that the claim is a part of, if the statement was split into several claims.
    pub part_of: Option<String>,
    /// Whether the claim is also judged with the smaller inputs of `--quick`.
    is_quick: bool,
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

const KINDS: [(&str, ClaimKind); 3] =
    [("number", ClaimKind::Number), ("order", ClaimKind::Order), ("shape", ClaimKind::Shape)];
const ROLES: [(&str, Role); 4] = [
    ("predicted", Role::Predicted),
    ("calibrated", Role::Calibrated),
    ("given", Role::Given),
    ("underdetermined", Role::Underdetermined),
];

const CAUSES: [(&str, FailureCause); 4] = [
    ("model", FailureCause::Model),
    ("unknown-input", FailureCause::UnknownInput),
    ("claim", FailureCause::Claim),
    ("contradiction", FailureCause::Contradiction),
];

impl ClaimStatement {
    /// Reads a claim.
    pub fn read(t: &mut Table<'_>) -> ClaimStatement {
        let claim = ClaimStatement {
            id: t.phrase("id", "Name of the claim").required(),
            artifact: t
                .phrase("artifact", "Artifact that the claim belongs to and whose runs it is judged by")
                .required(),
            source: t.text("source", "Location in the paper, beginning with the paper's own name for it").or(""),
            statement: t.text("statement", "Statement of the claim").required(),
            kind: t.choice("kind", "Kind of statement", &KINDS).required(),
            unit: t.text("unit", "Unit of the number").or(""),
            expected: t.constant("expected", "Published number, or the expected observation as text").required(),
            tolerance: t.number("tolerance", "Allowed relative error of a number").min(0.0).optional(),
            role: t
                .choice("role", "Role of the number: given as input, used for calibration, or predicted", &ROLES)
                .or("predicted"),
            note: t.text("note", "Note for the reader").optional(),
            fails: ClaimStatement::read_failure(t),
            restates: t
                .phrases("restates", "Claims whose numbers this one is computed from; it is shown and not counted")
                .or(&[]),
            part_of: t
                .text("part-of", "Statement of the paper that is split into several claims, this one among them")
                .optional(),
            is_quick: t.flag("quick", "Whether the claim is also judged with the smaller inputs of --quick").or(true),
            method: ObservationMethod::read(t),
        };
        claim.check(t);
        claim
    }

    fn read_failure(t: &mut Table<'_>) -> Option<ExpectedFailure> {
        let cause = t.choice("fails", "Cause for which the claim is expected to fail", &CAUSES).optional();
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
        let is_number = matches!(self.expected, Constant::Number(_));
        if (self.kind == ClaimKind::Number) != is_number {
            t.report_invalid("expected", "a claim of kind \"number\" expects a number, any other a text", "");
        }
        if self.kind == ClaimKind::Number && self.tolerance.is_none() {
            t.report_invalid(
                "",
                "a claim of kind \"number\" needs a `tolerance`",
                "write the allowed relative error, such as 0.1 for 10 %",
            );
        }
        match &self.method {
            ObservationMethod::Expressions { value: None, .. } if self.kind == ClaimKind::Number => {
                t.report_invalid(
                    "",
                    "a claim of kind \"number\" needs a `value`",
                    "write `value`, or `point` and `metric`, or `rust`",
                );
            }
            ObservationMethod::Expressions { holds: None, .. } if self.kind != ClaimKind::Number => {
                t.report_invalid(
                    "",
                    "this claim has no condition",
                    "write `holds`: a condition, such as \"value > 2\"",
                );
            }
            ObservationMethod::Expressions { value: None, words: None, .. } if self.kind != ClaimKind::Number => {
                t.report_invalid(
                    "",
                    "this claim has no description of the observation",
                    "write `words`: a text with placeholders, or `value`",
                );
            }
            ObservationMethod::Metric(..) if self.kind != ClaimKind::Number => {
                t.report_invalid(
                    "point",
                    "`point` and `metric` are for claims of kind \"number\"",
                    "write `value`, `holds` and `words`",
                );
            }
            _ => {}
        }
    }

    /// Returns the published number, or `None` if a text is expected.
    pub fn expected(&self) -> Option<f64> {
        if let Constant::Number(number) = self.expected { Some(number) } else { None }
    }

    /// Returns the row of the paper's table that the number is from, such as `Table 1, row Alcor`.
    pub fn table_row(&self) -> Option<&str> {
        let row = self.source.find(", row ")? + ", row ".len();
        let end = self.source[row..].find(',').map_or(self.source.len(), |comma| row + comma);
        Some(&self.source[..end])
    }

    /// Returns whether the claim is also judged with the smaller inputs of `--quick`.
    pub fn is_quick(&self) -> bool {
        self.is_quick
    }

    /// Returns the unit of the number.
    pub fn unit(&self) -> &str {
        &self.unit
    }

    /// Returns the allowed relative error of the number.
    pub fn tolerance(&self) -> Option<f64> {
        self.tolerance
    }

    /// Returns the role of the claim.
    pub fn role(&self) -> Role {
        self.role
    }

    /// Returns the point whose metric is the number, if the claim names a point.
    pub fn point(&self) -> Option<&str> {
        if let ObservationMethod::Metric(point, _) = &self.method { Some(&point.text) } else { None }
    }

    /// Returns the claim, not yet judged.
    pub fn claim(&self) -> Claim {
        Claim {
            id: self.id.text.clone(),
            source: self.source.clone(),
            statement: self.statement.clone(),
            kind: self.kind,
            unit: number::display_unit(&self.unit),
            expected: match &self.expected {
                Constant::Number(number) => claim::ClaimValue::Number(*number),
                Constant::Text(text) => claim::ClaimValue::Text(text.clone()),
            },
            measured: None,
            tolerance: self.tolerance,
            holds: None,
            role: self.role,
            note: self.note.clone(),
            expected_failure: self.fails.clone(),
            restates: self.restates.iter().map(|id| id.text.clone()).collect(),
            part_of: self.part_of.clone(),
            uncertainty: None,
        }
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
