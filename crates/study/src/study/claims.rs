//! Claims as data: what each states, and how it is judged (`judge.rs`).
//!
//! A claim is a number beside the one published, or a condition with words that say what was seen;
//! both are expressions over the study's values.

pub mod judge;

use super::expression::read::{expression, template};
use super::expression::{Expression, Template};
use crate::report::claim::{self, Claim, Kind, Role};
use crate::report::number;
use narrows_core::text::{Constant, Said, Table};

/// What is known of a claim before anything runs.
#[derive(Debug)]
pub struct ClaimStatement {
    /// Its name, with the paper's R-number.
    pub id: Said,
    /// The artifact it belongs to.
    pub artifact: Said,
    source: String,
    statement: String,
    kind: Kind,
    unit: String,
    expected: Constant,
    tolerance: Option<f64>,
    role: Role,
    note: Option<String>,
    /// Whether the smaller inputs of `--quick` say something of it.
    is_quick: bool,
    how: How,
}

/// How a claim is judged.
#[derive(Debug)]
enum How {
    /// By a metric of a point.
    Metric(Said, Said),
    /// By expressions.
    Data { value: Option<Expression>, holds: Option<Expression>, words: Option<Template> },
    /// By a function of the program, with arguments.
    Rust(Said, Vec<Said>),
}

const KINDS: [(&str, Kind); 3] = [("number", Kind::Number), ("order", Kind::Order), ("shape", Kind::Shape)];
const ROLES: [(&str, Role); 4] = [
    ("predicted", Role::Predicted),
    ("calibrated", Role::Calibrated),
    ("given", Role::Given),
    ("underdetermined", Role::Underdetermined),
];

impl ClaimStatement {
    /// Reads one.
    pub fn read(t: &mut Table<'_>) -> ClaimStatement {
        let stated = ClaimStatement {
            id: t.phrase("id", "Its name").required(),
            artifact: t.phrase("artifact", "The artifact it belongs to, whose runs it is judged by").required(),
            source: t.text("source", "Its place, beginning as the paper names it").or(""),
            statement: t.text("statement", "What is claimed, in words").required(),
            kind: t.choice("kind", "What sort of statement it is", &KINDS).required(),
            unit: t.text("unit", "The unit of the number").or(""),
            expected: t.constant("expected", "What the paper says: a number, or what is asked in words").required(),
            tolerance: t.number("tolerance", "The relative error allowed of a number").min(0.0).optional(),
            role: t.choice("role", "Whether it was put in, settled on, or is left to be said", &ROLES).or("predicted"),
            note: t.text("note", "What a reader must know of it").optional(),
            is_quick: t.flag("quick", "Whether it is judged under --quick, too, on smaller inputs").or(true),
            how: How::read(t),
        };
        stated.check(t);
        stated
    }

    fn check(&self, t: &Table<'_>) {
        let is_number = matches!(self.expected, Constant::Number(_));
        if (self.kind == Kind::Number) != is_number {
            t.wrong("expected", "a number is expected of a claim of kind \"number\", and words of any other", "");
        }
        if self.kind == Kind::Number && self.tolerance.is_none() {
            t.wrong(
                "",
                "a claim of kind \"number\" needs a `tolerance`",
                "write the relative error allowed: 0.1 is 10 %",
            );
        }
        match &self.how {
            How::Data { value: None, .. } if self.kind == Kind::Number => {
                t.wrong("", "a claim of kind \"number\" needs a `value`", "or a `point` and its `metric`, or `rust`");
            }
            How::Data { holds: None, .. } if self.kind != Kind::Number => {
                t.wrong("", "nothing says when this claim holds", "write `holds`: a condition, such as \"value > 2\"");
            }
            How::Data { value: None, words: None, .. } if self.kind != Kind::Number => {
                t.wrong("", "nothing says what was measured", "write `words`: a text with holes, or `value`");
            }
            How::Metric(..) if self.kind != Kind::Number => {
                t.wrong("point", "a point and its metric make a number", "write `value`, `holds` and `words`");
            }
            _ => {}
        }
    }

    /// The published number, if it is one.
    pub fn expected(&self) -> Option<f64> {
        if let Constant::Number(number) = self.expected { Some(number) } else { None }
    }

    /// The unit of its number.
    pub fn unit(&self) -> &str {
        &self.unit
    }

    /// Whether constants were settled on it.
    pub fn role(&self) -> Role {
        self.role
    }

    /// The point that its number is read from, where it is stated by one.
    pub fn point(&self) -> Option<&str> {
        if let How::Metric(point, _) = &self.how { Some(&point.text) } else { None }
    }

    fn claim(&self) -> Claim {
        Claim {
            id: self.id.text.clone(),
            source: self.source.clone(),
            statement: self.statement.clone(),
            kind: self.kind,
            unit: number::unit(&self.unit),
            expected: match &self.expected {
                Constant::Number(number) => claim::ClaimValue::Number(*number),
                Constant::Text(text) => claim::ClaimValue::Text(text.clone()),
            },
            measured: None,
            tolerance: self.tolerance,
            holds: None,
            role: self.role,
            note: self.note.clone(),
            doubt: None,
        }
    }
}

impl How {
    fn read(t: &mut Table<'_>) -> How {
        let point = t.phrase("point", "The point that a number is read from").optional();
        let metric = t.phrase("metric", "The metric of that point").optional();
        let value = t.phrase("value", "What is measured, as an expression").optional();
        let holds = t.phrase("holds", "When it holds, as an expression; `value` is what was measured").optional();
        let words = t.phrase("words", "What was measured in words, with holes for expressions").optional();
        let rust = t.phrase("rust", "A function of the program that judges it, by its name").optional();
        let with = t.phrases("with", "The arguments of that function").or(&[]);
        let is_data = value.is_some() || holds.is_some() || words.is_some();
        match (point, metric, rust) {
            (Some(point), Some(metric), None) if !is_data => How::Metric(point, metric),
            (None, None, Some(rust)) if !is_data => How::Rust(rust, with),
            (None, None, None) => How::Data {
                value: value.map(|said| expression(t, &said)),
                holds: holds.map(|said| expression(t, &said)),
                words: words.map(|said| template(t, &said)),
            },
            _ => {
                let help = "write `point` and `metric`, or `value`, `holds` and `words`, or `rust`";
                t.wrong("", "this claim is judged in several ways, or by half of one", help);
                How::Data { value: None, holds: None, words: None }
            }
        }
    }
}
