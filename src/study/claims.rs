//! Claims as data, judged against results: a pure function of the two.
//!
//! A claim is a number beside the one published, or a condition with words that say what was seen;
//! both are expressions over the study's values. Leaves out which claims are asked for.

use super::description::{self, Study};
use super::experiment::Results;
use super::expression::{self, Expression, Mistake, Scope, Stop, Template, Value};
use super::own;
use super::view::{Source, View};
use crate::report::claim::{self, Claim, Kind, Role};
use crate::report::number;
use crate::text::{Constant, Said, Table};
use std::cell::RefCell;
use std::collections::BTreeSet;

/// What is known of a claim before anything runs.
#[derive(Debug)]
pub struct Stated {
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

/// What was seen for a claim.
pub enum Seen {
    /// A number, judged by the claim's tolerance.
    Number(f64),
    /// What was seen, in words, and whether the claim holds.
    Words(String, bool),
}

const KINDS: [(&str, Kind); 3] = [("number", Kind::Number), ("order", Kind::Order), ("shape", Kind::Shape)];
const ROLES: [(&str, Role); 4] = [
    ("predicted", Role::Predicted),
    ("calibrated", Role::Calibrated),
    ("given", Role::Given),
    ("underdetermined", Role::Underdetermined),
];

impl Stated {
    /// Reads one.
    pub fn read(t: &mut Table<'_>) -> Stated {
        let stated = Stated {
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

    /// What is seen over a source.
    fn seen(&self, view: &View) -> Result<Seen, Stop> {
        match &self.how {
            How::Metric(point, metric) => self.metric(view, point, metric),
            How::Data { value, holds, words } => self.data(view, value.as_ref(), holds.as_ref(), words.as_ref()),
            How::Rust(rust, arguments) => {
                let judge = own::judge(rust).map_err(|stop| placed(stop, rust))?;
                let arguments: Vec<&str> = arguments.iter().map(|said| said.text.as_str()).collect();
                let absent = || Stop::Absent("the runs that it is judged by are not there".to_owned());
                match view.source {
                    Source::Planned(_) => Err(absent()),
                    Source::Ran(results) => judge(results, &arguments).ok_or_else(absent),
                }
            }
        }
    }

    fn metric(&self, view: &View, point: &Said, metric: &Said) -> Result<Seen, Stop> {
        let run = view.run(&point.text).map_err(|stop| placed(stop, point))?;
        match run {
            Some(run) => {
                let value = run.metric(&metric.text).ok_or_else(|| super::view::no_metric(run, &metric.text));
                value.map(Seen::Number).map_err(|stop| placed(stop, metric))
            }
            None if view.is_planned() => Ok(Seen::Number(1.0)),
            None => Err(Stop::Absent(format!("`{}` was not run", point.text))),
        }
    }

    fn data(
        &self,
        view: &View,
        value: Option<&Expression>,
        holds: Option<&Expression>,
        words: Option<&Template>,
    ) -> Result<Seen, Stop> {
        let mut scope = Scope::new(view);
        if let Some(value) = value {
            let value = scope.value(value)?;
            scope = scope.with("value", value);
        }
        let holds = holds.map(|holds| scope.flag(holds)).transpose()?;
        let words = words.map(|words| scope.words(words)).transpose()?;
        match (scope.bound.pop(), holds) {
            (value, Some(holds)) => {
                let told = || value.map(|(_, value)| self.with_unit(&value)).unwrap_or_default();
                Ok(Seen::Words(words.unwrap_or_else(told), holds))
            }
            (Some((_, number)), None) => {
                let given = value.expect("it was just evaluated");
                let fault = || Mistake::new(&given.said, given.tree.span.clone(), "a number is needed", number.what());
                number.number().map(Seen::Number).ok_or_else(|| Stop::Wrong(Box::new(fault())))
            }
            (None, None) => Err(Stop::Absent("nothing says how it is judged".to_owned())),
        }
    }

    fn with_unit(&self, value: &Value) -> String {
        let unit = if self.unit.is_empty() { String::new() } else { format!(" {}", number::unit(&self.unit)) };
        format!("{}{unit}", expression::Format::default().words(value))
    }

    /// Judges the claim.
    fn judge(&self, view: &View) -> Result<Claim, Mistake> {
        let mut claim = self.claim();
        match self.seen(view) {
            Ok(Seen::Number(number)) if number.is_finite() => {
                claim.measured = Some(claim::ClaimValue::Number(number));
                claim = claim.judged();
            }
            Ok(Seen::Number(_)) => {
                (claim.measured, claim.holds) =
                    (Some("no number: something is divided by nothing".into()), Some(false));
            }
            Ok(Seen::Words(words, holds)) => {
                claim.measured = Some(claim::ClaimValue::Text(words));
                claim.holds = Some(holds);
            }
            Err(Stop::Absent(_)) => {}
            Err(Stop::Unmeasured(what)) => (claim.measured, claim.holds) = (Some(what.as_str().into()), Some(false)),
            Err(Stop::Wrong(fault)) => {
                return Err(fault.help(format!("it is asked for by the claim `{}`", self.id.text)));
            }
            Err(stop @ Stop::Asked(..)) => {
                if let Stop::Wrong(fault) = placed(stop, &self.id) {
                    return Err(*fault);
                }
            }
        }
        Ok(claim)
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
                value: value.map(|said| description::expression(t, &said)),
                holds: holds.map(|said| description::expression(t, &said)),
                words: words.map(|said| description::template(t, &said)),
            },
            _ => {
                let help = "write `point` and `metric`, or `value`, `holds` and `words`, or `rust`";
                t.wrong("", "this claim is judged in several ways, or by half of one", help);
                How::Data { value: None, holds: None, words: None }
            }
        }
    }
}

/// What is asked for is wrong: told at this text.
pub fn placed(stop: Stop, said: &Said) -> Stop {
    match stop {
        Stop::Asked(message, label, help) => {
            let fault = Mistake::new(said, 0..said.text.len(), message, label);
            Stop::Wrong(Box::new(help.into_iter().fold(fault, Mistake::help)))
        }
        other => other,
    }
}

/// The claims of the artifacts, judged; a metric that a run does not give is a fault.
/// Under `--quick` a claim on which smaller inputs say nothing tells what was measured, and is not judged.
pub fn judge(study: &Study, artifacts: &[&str], results: &Results, quick: bool) -> Result<Vec<Claim>, Vec<Mistake>> {
    let view = View { study, source: Source::Ran(results), gaps: false, asked: None };
    let (mut judged, mut faults) = (Vec::new(), Vec::new());
    for claim in study.claims.iter().filter(|claim| artifacts.contains(&claim.artifact.text.as_str())) {
        let is_judged = claim.is_quick || !quick;
        match claim.judge(&view) {
            Ok(claim) => judged.push(Claim { holds: claim.holds.filter(|_| is_judged), ..claim }),
            Err(fault) => faults.push(fault),
        }
    }
    if faults.is_empty() { Ok(judged) } else { Err(faults) }
}

/// The numbers that claims measure; not a number where one is not given.
pub fn numbers(study: &Study, claims: &[&Stated], results: &Results) -> Vec<f64> {
    let view = View { study, source: Source::Ran(results), gaps: false, asked: None };
    let number = |claim: &&Stated| match claim.seen(&view) {
        Ok(Seen::Number(number)) => number,
        _ => f64::NAN,
    };
    claims.iter().map(number).collect()
}

/// The points that a claim is judged by, of these.
pub fn points_of(study: &Study, claim: &Stated, points: &BTreeSet<String>) -> BTreeSet<String> {
    let asked = RefCell::default();
    let view = View { study, source: Source::Planned(points), gaps: false, asked: Some(&asked) };
    // What is wrong with it was told before.
    let _ = claim.seen(&view);
    asked.into_inner()
}

/// What is wrong with a claim whose artifact runs these points.
pub fn planned(study: &Study, claim: &Stated, points: &BTreeSet<String>) -> Option<Mistake> {
    let view = View { study, source: Source::Planned(points), gaps: false, asked: None };
    match claim.seen(&view) {
        Err(Stop::Absent(what)) if !matches!(claim.how, How::Rust(..)) => {
            Some(Mistake::new(&claim.id, 0..claim.id.text.len(), "this claim can never be judged", what))
        }
        _ => claim.judge(&view).err(),
    }
}
