//! The meanings of a study's named values: from which runs, expressions, tables or functions they come.
//!
//! Leaves out their evaluation, which [`View`](super::view::View) does.

use super::expression::read::{expression, template};
use super::expression::{Expression, Segment, Template, Term};
use narrows_core::text::kind::NumberOrText;
use narrows_core::text::{Constant, Said, Table};

/// What a named value is.
#[derive(Debug)]
pub struct Meaning {
    /// Its arguments, in order.
    pub of: Vec<String>,
    /// Where it comes from.
    pub from: From,
}

/// Where a named value comes from.
#[derive(Debug)]
pub enum From {
    /// A metric of a run, of the first of these points that is run; and what it is of runs that tell none such.
    Metric(Vec<Template>, Template, Option<f64>),
    /// How long a resource was busy in a run, in µs.
    Busy(Vec<Template>, Template),
    /// What a run tells beside its metrics, of the first of these points that is run.
    Told(Vec<Template>, Fact),
    /// Other values.
    Value(Expression),
    /// A table.
    Table(Vec<(String, Constant)>),
    /// A function of the program.
    Rust(Said),
}

/// What a run tells beside its metrics.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fact {
    /// What holds it back: a kind of resource, or the longest stage; a text.
    Binds,
    /// How it ended; a text.
    Outcome,
    /// The simulated time at which it ended, in µs.
    Time,
    /// Whether there is one: it was not left out because its parts do not fit.
    Fits,
}

const FACTS: [(&str, Fact); 4] =
    [("binds", Fact::Binds), ("outcome", Fact::Outcome), ("time", Fact::Time), ("fits", Fact::Fits)];

impl Meaning {
    /// Reads one.
    pub fn read(t: &mut Table<'_>) -> Meaning {
        let of =
            t.texts("of", "Its arguments, in order; of a metric those in the names of its point and itself").optional();
        let from = From::read(t);
        let said = || from.holes();
        Meaning { of: of.unwrap_or_else(said), from }
    }
}

impl From {
    fn read(t: &mut Table<'_>) -> From {
        let point = t.phrase("point", "The point whose run it is read from, with holes for arguments").optional();
        let points = t.phrases("points", "Points of which the first that is run counts").optional();
        let points: Vec<Said> = points.unwrap_or_default().into_iter().chain(point).collect();
        let points: Vec<Template> = points.iter().map(|point| template(t, point)).collect();
        let metric = t.phrase("metric", "The metric of that point").optional();
        let missing =
            t.number("missing", "What it is of a run that ended and tells no such metric; else that is an error");
        let missing = missing.optional();
        let busy = t.phrase("busy", "The resource of that point whose busy time it is, in us").optional();
        let told = "What that point's run tells: what holds it back, how or when it ended, whether its parts fit";
        let told = t.choice("tells", told, &FACTS).optional();
        let value = t.phrase("value", "An expression of other values").optional();
        let table = t.by_name("table", "A number or text for each argument", NumberOrText).optional();
        let rust = t.phrase("rust", "A function of the program, by its name").optional();
        let has_points = !points.is_empty();
        if missing.is_some() && metric.is_none() {
            t.wrong("missing", "only a `metric` can be missing", "leave `missing` out, or write `metric`");
        }
        match (metric, busy, told, value, table, rust) {
            (Some(metric), None, None, None, None, None) if has_points => {
                From::Metric(points, template(t, &metric), missing)
            }
            (None, Some(busy), None, None, None, None) if has_points => From::Busy(points, template(t, &busy)),
            (None, None, Some(told), None, None, None) if has_points => From::Told(points, told),
            (None, None, None, Some(value), None, None) if !has_points => From::Value(expression(t, &value)),
            (None, None, None, None, Some(table), None) if !has_points => {
                From::Table(table.into_iter().map(|(key, value)| (key.text, value)).collect())
            }
            (None, None, None, None, None, Some(rust)) if !has_points => From::Rust(rust),
            _ => {
                let help = "write `point` with `metric`, `busy` or `tells`, or `value`, or `table`, or `rust`";
                t.wrong("", "this value is said in no way, or in several", help);
                From::Table(Vec::new())
            }
        }
    }

    /// The names in the holes of a metric's point and itself, in the order in which they first stand.
    fn holes(&self) -> Vec<String> {
        let (points, what) = match self {
            From::Metric(points, what, _) | From::Busy(points, what) => (points, Some(what)),
            From::Told(points, _) => (points, None),
            _ => return Vec::new(),
        };
        let mut names: Vec<String> = Vec::new();
        for piece in points.iter().take(1).chain(what).flat_map(|template| &template.pieces) {
            if let Segment::Hole(tree, _) = piece
                && let Term::Value(name, _) = &tree.node
                && !names.contains(name)
            {
                names.push(name.clone());
            }
        }
        names
    }
}
