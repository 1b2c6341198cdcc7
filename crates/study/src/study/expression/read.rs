//! Expressions, templates and loops, read from a study's tables; mistakes become problems with their source location.

use super::{Expression, Loop, Mistake, Template, parse};
use narrows_core::text::origin::Texts;
use narrows_core::text::{Problem, Said, Table};

/// Returns a mistake as a problem.
pub fn problem(texts: &Texts, fault: &Mistake) -> Problem {
    let problem = Problem::new(&fault.message).at(fault.said.part(texts, &fault.span), &*fault.label);
    fault.help.iter().fold(problem, Problem::help)
}

/// Reports a mistake, and returns nothing in its place.
fn sound<T>(t: &Table<'_>, read: Result<T, Mistake>) -> Option<T> {
    read.map_err(|fault| t.report(problem(t.sources(), &fault))).ok()
}

/// A text as an expression.
pub fn expression(t: &Table<'_>, said: &Said) -> Expression {
    let made_up = || parse::expression(&Said::unplaced("1")).expect("a number is an expression");
    sound(t, parse::expression(said)).unwrap_or_else(made_up)
}

/// A text with holes.
pub fn template(t: &Table<'_>, said: &Said) -> Template {
    let made_up = || parse::template(&Said::unplaced("")).expect("nothing has no holes");
    sound(t, parse::template(said)).unwrap_or_else(made_up)
}

/// Axes to range over, each as `AXIS` or `AXIS in SET`.
pub fn loops(t: &mut Table<'_>, key: &'static str, doc: &'static str) -> Loops {
    let said = t.phrases(key, doc).or(&[]);
    let loops = said.iter().filter_map(|said| sound(t, parse::looped(said)).map(|over| (said.clone(), over)));
    Loops(loops.collect())
}

/// Axes to range over, with the texts that say so.
#[derive(Clone, Debug, Default)]
pub struct Loops(pub Vec<(Said, Loop)>);
