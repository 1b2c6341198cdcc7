//! The named values of a study, defined by runs, expressions, tables or built-in functions.
//!
//! [`View`](super::view::View) evaluates them.

use super::expression::read::{expression, template};
use super::expression::{Expression, Segment, Template, Term};
use narrows_core::text::kind::NumberOrText;
use narrows_core::text::{Constant, SpannedString, Table};
use std::sync::Arc;

/// A named value.
#[derive(Debug)]
pub struct NamedValue {
    /// The names of the arguments, in order.
    pub arguments: Vec<Arc<str>>,
    /// The definition of the value.
    pub definition: ValueDefinition,
}

/// The definition of a named value.
#[derive(Debug)]
pub enum ValueDefinition {
    /// The metric of the first of these points that is run. The number is the value for a run that does not report the
    /// metric.
    Metric(Vec<Template>, Template, Option<f64>),
    /// The busy time of a resource in the first of these points that is run, in µs.
    Busy(Vec<Template>, Template),
    /// A fact about the first of these points that is run.
    Fact(Vec<Template>, Fact),
    /// An expression over other values.
    Expression(Expression),
    /// A table that maps arguments to numbers.
    Table(Vec<(String, Constant)>),
    /// A built-in function.
    Builtin(SpannedString),
}

/// A fact about a run that is not a metric.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fact {
    /// The candidate for the bottleneck as a text: a kind of resource, or the longest stage.
    Candidate,
    /// The outcome as a text.
    Outcome,
    /// The simulated time at the end, in µs.
    Time,
    /// Whether the run exists, which means that its parts are compatible.
    Fits,
}

const FACTS: [(&str, Fact); 4] =
    [("candidate", Fact::Candidate), ("outcome", Fact::Outcome), ("time", Fact::Time), ("fits", Fact::Fits)];

impl NamedValue {
    /// Reads a named value.
    pub fn read(t: &mut Table<'_>) -> NamedValue {
        let arguments = t
            .texts(
                "of",
                "Names of the arguments, in order; by default those in the placeholders of the point and the metric",
            )
            .optional();
        let definition = ValueDefinition::read(t);
        let arguments = arguments.map(|names| names.into_iter().map(Arc::from).collect());
        NamedValue { arguments: arguments.unwrap_or_else(|| definition.placeholders()), definition }
    }
}

impl ValueDefinition {
    fn read(t: &mut Table<'_>) -> ValueDefinition {
        let point =
            t.phrase("point", "Point whose run the value is read from, with placeholders for arguments").optional();
        let points = t.phrases("points", "Points of which the first that is run is used").optional();
        let points: Vec<SpannedString> = points.unwrap_or_default().into_iter().chain(point).collect();
        let points: Vec<Template> = points.iter().map(|point| template(t, point).with_key_format()).collect();
        let metric = t.phrase("metric", "Metric of the point").optional();
        let missing =
            t.number("missing", "Value for a completed run that does not report the metric; an error if left out");
        let missing = missing.optional();
        let busy = t.phrase("busy", "Resource whose busy time in the point's run is the value, in us").optional();
        let help = "Fact about the point's run: its candidate for the bottleneck, outcome or end time, or whether its parts are compatible";
        t.renamed_key("tells", "fact");
        let fact = t.choice("fact", help, &FACTS).renamed_word("binds", "candidate").optional();
        let value = t.phrase("value", "Expression over other values").optional();
        let table = t.by_name("table", "Number or text for each argument", NumberOrText).optional();
        let function_name = t.phrase("rust", "Name of a built-in function").optional();
        let has_points = !points.is_empty();
        if missing.is_some() && metric.is_none() {
            t.report_invalid("missing", "only a `metric` can be missing", "leave `missing` out, or write `metric`");
        }
        match (metric, busy, fact, value, table, function_name) {
            (Some(metric), None, None, None, None, None) if has_points => {
                ValueDefinition::Metric(points, template(t, &metric).with_key_format(), missing)
            }
            (None, Some(busy), None, None, None, None) if has_points => {
                ValueDefinition::Busy(points, template(t, &busy).with_key_format())
            }
            (None, None, Some(fact), None, None, None) if has_points => ValueDefinition::Fact(points, fact),
            (None, None, None, Some(value), None, None) if !has_points => {
                ValueDefinition::Expression(expression(t, &value))
            }
            (None, None, None, None, Some(table), None) if !has_points => {
                ValueDefinition::Table(table.into_iter().map(|(key, value)| (key.text, value)).collect())
            }
            (None, None, None, None, None, Some(function_name)) if !has_points => {
                ValueDefinition::Builtin(function_name)
            }
            _ => {
                let help = "write `point` with `metric`, `busy` or `fact`, or `value`, or `table`, or `rust`";
                t.report_invalid("", "this value must be defined in exactly one way", help);
                ValueDefinition::Table(Vec::new())
            }
        }
    }

    /// Returns the names in the placeholders of the point and the metric, in the order in which they first occur.
    fn placeholders(&self) -> Vec<Arc<str>> {
        let (points, name_template) = match self {
            ValueDefinition::Metric(points, name_template, _) | ValueDefinition::Busy(points, name_template) => {
                (points, Some(name_template))
            }
            ValueDefinition::Fact(points, _) => (points, None),
            _ => return Vec::new(),
        };
        let mut names: Vec<Arc<str>> = Vec::new();
        for piece in points.iter().take(1).chain(name_template).flat_map(|template| &template.pieces) {
            if let Segment::Placeholder(tree, _) = piece
                && let Term::Value(name, _) = &tree.node
                && !names.contains(name)
            {
                names.push(name.clone());
            }
        }
        names
    }
}
