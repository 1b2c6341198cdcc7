//! Readers of expressions, templates and loops in a study's tables. Errors become problems with a source location.

use super::{Expression, ExpressionError, Loop, Template, parse};
use narrows_core::text::origin::Texts;
use narrows_core::text::{Problem, Said, Table};

/// Converts an error of an expression to a problem.
pub fn problem(texts: &Texts, error: &ExpressionError) -> Problem {
    let problem = Problem::new(&error.message).at(error.said.part(texts, &error.span), &*error.label);
    error.help.iter().fold(problem, Problem::help)
}

/// Reports an error and returns `None` for it.
fn or_report<T>(t: &Table<'_>, read: Result<T, ExpressionError>) -> Option<T> {
    read.map_err(|error| t.report(problem(t.sources(), &error))).ok()
}

/// Parses a text as an expression; an error is reported and replaced by a placeholder.
pub fn expression(t: &Table<'_>, said: &Said) -> Expression {
    let placeholder = || parse::expression(&Said::unplaced("1")).expect("a number is an expression");
    or_report(t, parse::expression(said)).unwrap_or_else(placeholder)
}

/// Parses a text as a template; an error is reported and replaced by an empty one.
pub fn template(t: &Table<'_>, said: &Said) -> Template {
    let placeholder = || parse::template(&Said::unplaced("")).expect("an empty text is a template");
    or_report(t, parse::template(said)).unwrap_or_else(placeholder)
}

/// Reads a list of loops, each as `AXIS` or `AXIS in SET`.
pub fn loops(t: &mut Table<'_>, key: &'static str, doc: &'static str) -> Loops {
    let said = t.phrases(key, doc).or(&[]);
    let loops = said.iter().filter_map(|said| or_report(t, parse::axis_loop(said)).map(|over| (said.clone(), over)));
    Loops(loops.collect())
}

/// Loops, each with the text it was read from.
#[derive(Clone, Debug, Default)]
pub struct Loops(pub Vec<(Said, Loop)>);
