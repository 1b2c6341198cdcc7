//! Readers of expressions, templates and loops in the tables of a study. Errors become problems with a source location.

use super::{Expression, ExpressionError, Loop, Template, parse};
use narrows_core::text::origin::Texts;
use narrows_core::text::{Problem, SpannedString, Table};

/// Converts an error of an expression to a problem.
pub fn problem(texts: &Texts, error: &ExpressionError) -> Problem {
    let problem =
        Problem::new(&error.message).with_location(error.source.location_of(texts, &error.span), &*error.label);
    error.help.iter().fold(problem, Problem::help)
}

/// Returns the parsed value, or reports the error and returns `None`.
fn or_report<T>(t: &Table<'_>, parsed: Result<T, ExpressionError>) -> Option<T> {
    parsed.map_err(|error| t.report(problem(t.sources(), &error))).ok()
}

/// Parses a text as an expression. An error is reported, and a placeholder is returned.
pub fn expression(t: &Table<'_>, source: &SpannedString) -> Expression {
    let placeholder = || parse::expression(&SpannedString::without_location("1")).expect("a number is an expression");
    or_report(t, parse::expression(source)).unwrap_or_else(placeholder)
}

/// Parses a text as a template. An error is reported, and an empty template is returned.
pub fn template(t: &Table<'_>, source: &SpannedString) -> Template {
    let placeholder = || parse::template(&SpannedString::without_location("")).expect("an empty text is a template");
    or_report(t, parse::template(source)).unwrap_or_else(placeholder)
}

/// Reads the required key `key` as an expression.
pub fn required_expression(t: &mut Table<'_>, key: &'static str, doc: &'static str) -> Expression {
    let source = t.phrase(key, doc).required();
    expression(t, &source)
}

/// Reads the key `key` as an expression, if it is present.
pub fn optional_expression(t: &mut Table<'_>, key: &'static str, doc: &'static str) -> Option<Expression> {
    t.phrase(key, doc).optional().map(|source| expression(t, &source))
}

/// Reads the required key `key` as a template.
pub fn required_template(t: &mut Table<'_>, key: &'static str, doc: &'static str) -> Template {
    let source = t.phrase(key, doc).required();
    template(t, &source)
}

/// Reads the key `key` as a template, if it is present.
pub fn optional_template(t: &mut Table<'_>, key: &'static str, doc: &'static str) -> Option<Template> {
    t.phrase(key, doc).optional().map(|source| template(t, &source))
}

/// Reads a list of loops, each as `AXIS` or `AXIS in SET`.
pub fn loops(t: &mut Table<'_>, key: &'static str, doc: &'static str) -> Loops {
    let source = t.phrases(key, doc).or(&[]);
    let loops = source
        .iter()
        .filter_map(|source| or_report(t, parse::axis_loop(source)).map(|axis_loop| (source.clone(), axis_loop)));
    Loops(loops.collect())
}

/// Loops, each with the text from which it was read.
#[derive(Clone, Debug, Default)]
pub struct Loops(pub Vec<(SpannedString, Loop)>);
