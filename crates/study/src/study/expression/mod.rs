//! The expression language in which a study defines its values, figures and claims.
//!
//! An expression is arithmetic on named values of the study:
//!
//! ```text
//! 1 - latency[{system}/8K/pure] / latency[{system}/8K/whole]     values, their arguments in brackets
//! gain[{system}] for system                                       a list: one element for each
//! max(rate[{a}/{b}] for a for b in small if a != b)               over two axes, some left out
//! all(rising(rate[{policy}/{size}] for size, 0.02) for policy)    functions of lists
//! if(x > 1, 'more', 'less: {x:2}')                                texts with placeholders
//! ```
//!
//! Claims and figures describe observations in templates: texts with placeholders (`{EXPRESSION:FORMAT}`).
//!
//! | file | holds |
//! |---|---|
//! | `mod.rs` | the syntax tree |
//! | `parse.rs`, `read.rs` | the parser, and the reader of expressions in a study's tables |
//! | `value.rs` | the values of expressions |
//! | `eval.rs` | the evaluator; `eval/functions.rs`: the functions |
//! | `format.rs` | the formats of values in text |

mod eval;
mod format;
mod parse;
pub mod read;
mod value;

pub use eval::{Binding, EvalError, FUNCTIONS, NameResolver, Scope};
pub use format::Format;
pub use parse::{axis_loop, expression, template};
pub use value::{Element, Key, Value};

use narrows_core::text::{SpannedString, suggest};
use std::ops::Range;
use std::sync::Arc;

/// An error in an expression, with its location.
#[derive(Clone, Debug)]
pub struct ExpressionError {
    /// The text of the expression.
    pub source: Arc<SpannedString>,
    /// The location in the text.
    pub span: Range<usize>,
    /// The description of the error.
    pub message: String,
    /// The label at the location.
    pub label: String,
    /// Hints at allowed or probably intended expressions.
    pub help: Vec<String>,
}

/// An error in a name to which an expression or a table refers, before its location is known.
#[derive(Clone, Debug)]
pub struct ReferenceError {
    /// The description of the error.
    pub message: String,
    /// The label at the location.
    pub label: String,
    /// A hint at the allowed names.
    pub help: String,
}

/// An expression of a study.
#[derive(Clone, Debug)]
pub struct Expression {
    /// The text from which it was read.
    pub source: Arc<SpannedString>,
    /// The syntax tree.
    pub tree: Syntax,
}

impl Expression {
    /// Returns an error of the whole expression.
    pub fn error(&self, message: impl Into<String>, label: impl Into<String>) -> ExpressionError {
        ExpressionError::new(&self.source, self.tree.span.clone(), message, label)
    }
}

/// A text with placeholders.
#[derive(Clone, Debug)]
pub struct Template {
    /// The text from which it was read.
    pub source: Arc<SpannedString>,
    /// The literal texts and placeholders in order.
    pub pieces: Vec<Segment>,
}

impl Template {
    /// Returns this template with the format `key` for each placeholder, as in the names of points.
    pub fn with_key_format(self) -> Template {
        let key = |piece| match piece {
            Segment::Placeholder(tree, _) => Segment::Placeholder(tree, Format::parse("key")),
            words => words,
        };
        Template { source: self.source, pieces: self.pieces.into_iter().map(key).collect() }
    }
}

/// A part of a text with placeholders.
#[derive(Clone, Debug)]
pub enum Segment {
    /// A text without placeholders.
    Literal(String),
    /// A placeholder: an expression, and the format of its value.
    Placeholder(Syntax, Format),
}

/// A node of the syntax tree, and its location.
#[derive(Clone, Debug)]
pub struct Syntax {
    /// The kind of the node, with its children.
    pub node: Term,
    /// The location in the text.
    pub span: Range<usize>,
}

/// The kind of a node.
#[derive(Clone, Debug)]
pub enum Term {
    /// A number.
    Number(f64),
    /// `true` or `false`.
    Flag(bool),
    /// A text with placeholders.
    Text(Vec<Segment>),
    /// A value of the study with its arguments. Without arguments, it may be a bound name.
    Value(Arc<str>, Vec<Vec<Segment>>),
    /// A unary operation, `-x` or `not x`.
    Unary(Unary, Box<Syntax>),
    /// A binary operation, such as `a + b`.
    Binary(Binary, Box<Syntax>, Box<Syntax>),
    /// A call of a function.
    Call(String, Vec<Syntax>),
    /// A list with one element for each combination of values of the loops that satisfies the condition.
    Each(Box<Syntax>, Vec<Loop>, Option<Box<Syntax>>),
}

/// A unary operator.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Unary {
    /// `-`
    Minus,
    /// `not`
    Not,
}

/// A binary operator.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Binary {
    /// `+`
    Add,
    /// `-`
    Subtract,
    /// `*`
    Multiply,
    /// `/`
    Divide,
    /// `<`
    Less,
    /// `<=`
    LessOrEqual,
    /// `>`
    More,
    /// `>=`
    MoreOrEqual,
    /// `==`
    Equal,
    /// `!=`
    Unequal,
    /// `and`
    And,
    /// `or`
    Or,
}

/// A loop, `for VARIABLE in SET`. The name of the set may contain placeholders. Without `in SET`, the set has the name
/// of the variable.
#[derive(Clone, Debug)]
pub struct Loop {
    /// The name that is bound to each element.
    pub variable: Arc<str>,
    /// The name of the set.
    pub set: Vec<Segment>,
    /// The location in the text.
    pub span: Range<usize>,
}

impl Loop {
    /// Returns whether the name of the set has no placeholder.
    pub fn has_fixed_set(&self) -> bool {
        self.set.iter().all(|piece| matches!(piece, Segment::Literal(_)))
    }
}

impl ExpressionError {
    /// Returns an error at a location in the text of an expression.
    pub fn new(
        source: &SpannedString,
        span: Range<usize>,
        message: impl Into<String>,
        label: impl Into<String>,
    ) -> ExpressionError {
        ExpressionError {
            source: Arc::new(source.clone()),
            span,
            message: message.into(),
            label: label.into(),
            help: Vec::new(),
        }
    }

    /// Returns an error of the whole text of an expression.
    pub fn of_text(source: &SpannedString, message: impl Into<String>, label: impl Into<String>) -> ExpressionError {
        ExpressionError::new(source, 0..source.text.len(), message, label)
    }

    /// Adds a line of help, unless it is empty.
    pub fn help(mut self, help: impl Into<String>) -> ExpressionError {
        let help = help.into();
        self.help.extend((!help.is_empty()).then_some(help));
        self
    }
}

impl ReferenceError {
    /// Returns the error that no `noun` is called `name`. Its label is the nearest of the known names, or otherwise
    /// `label`, and its help lists the known names after `heading`.
    pub fn unknown_name<'a>(
        noun: &str,
        name: &str,
        label: &str,
        (heading, known): (&str, impl Iterator<Item = &'a str> + Clone),
    ) -> ReferenceError {
        ReferenceError {
            message: format!("there is no {noun} `{name}`"),
            label: suggest::label(name, known.clone(), label),
            help: format!("{heading}: {}", suggest::phrase(known)),
        }
    }

    /// Returns the error with its location in the text of an expression.
    pub fn at(self, source: &SpannedString, span: Range<usize>) -> ExpressionError {
        ExpressionError::new(source, span, self.message, self.label).help(self.help)
    }

    /// Returns the error with the whole text `source` as its location.
    pub fn of_text(self, source: &SpannedString) -> ExpressionError {
        self.at(source, 0..source.text.len())
    }
}
