//! The small language in which a study says what is measured, drawn and claimed.
//!
//! An expression is arithmetic on named values of the study:
//!
//! ```text
//! 1 - latency[{system}/8K/pure] / latency[{system}/8K/whole]     values, their arguments in brackets
//! gain[{system}] for system                                       a list: one element for each
//! max(rate[{a}/{b}] for a for b in small if a != b)               over two axes, some left out
//! all(rising(rate[{policy}/{size}] for size, 0.02) for policy)    functions of lists
//! if(x > 1, 'more', 'less: {x:2}')                                texts with holes
//! ```
//!
//! A text with holes (`{EXPRESSION:FORMAT}`) is how claims and figures say in words what was seen.
//!
//! | file | does |
//! |---|---|
//! | `mod.rs` | the tree that an expression is |
//! | `parse.rs`, `read.rs` | from text to tree, and from a study's tables |
//! | `value.rs` | what an expression gives |
//! | `eval.rs` | from tree to value; `eval/functions.rs`: the functions |
//! | `format.rs` | a value in words |

mod eval;
mod format;
mod parse;
pub mod read;
mod value;

pub use eval::{Bound, FUNCTIONS, Names, Scope, Stop};
pub use format::Format;
pub use parse::{expression, looped, template};
pub use value::{Element, Key, Value};

use narrows_core::text::Said;
use std::ops::Range;
use std::sync::Arc;

/// What is wrong with an expression, and where in it.
#[derive(Clone, Debug)]
pub struct Mistake {
    /// The text that it is within.
    pub said: Arc<Said>,
    /// Where.
    pub span: Range<usize>,
    /// What is wrong.
    pub message: String,
    /// What is said at the place.
    pub label: String,
    /// What is allowed.
    pub help: Vec<String>,
}

/// An expression of a study.
#[derive(Clone, Debug)]
pub struct Expression {
    /// The text it was read from.
    pub said: Arc<Said>,
    /// The tree.
    pub tree: Syntax,
}

/// A text with holes of a study.
#[derive(Clone, Debug)]
pub struct Template {
    /// The text it was read from.
    pub said: Arc<Said>,
    /// Its parts.
    pub pieces: Vec<Segment>,
}

impl Template {
    /// Returns the same template with each hole written as a key, as names of points are.
    pub fn keyed(&self) -> Template {
        let key = |piece: &Segment| match piece {
            Segment::Hole(tree, _) => Segment::Hole(tree.clone(), Format::parse("key")),
            words => words.clone(),
        };
        Template { said: self.said.clone(), pieces: self.pieces.iter().map(key).collect() }
    }
}

/// A part of a text with holes.
#[derive(Clone, Debug)]
pub enum Segment {
    /// Words.
    Words(String),
    /// A hole, and how its value is written.
    Hole(Syntax, Format),
}

/// A part of an expression, and where it stands.
#[derive(Clone, Debug)]
pub struct Syntax {
    /// What it is.
    pub node: Term,
    /// Where it stands.
    pub span: Range<usize>,
}

/// What a part of an expression is.
#[derive(Clone, Debug)]
pub enum Term {
    /// A number.
    Number(f64),
    /// `true` or `false`.
    Flag(bool),
    /// A text with holes.
    Text(Vec<Segment>),
    /// A value of the study, with its arguments; or, without any, what a name is bound to.
    Value(String, Vec<Vec<Segment>>),
    /// `-x` or `not x`.
    Unary(Unary, Box<Syntax>),
    /// `a + b` and the like.
    Binary(Binary, Box<Syntax>, Box<Syntax>),
    /// A function of arguments.
    Call(String, Vec<Syntax>),
    /// One element for each value of axes.
    Each(Box<Syntax>, Vec<Loop>, Option<Box<Syntax>>),
}

/// An operator before what it is about.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Unary {
    /// `-`
    Minus,
    /// `not`
    Not,
}

/// An operator between what it is about.
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

/// `for VARIABLE in SET`; the set's name may have holes, and is the variable's where it is left out.
#[derive(Clone, Debug)]
pub struct Loop {
    /// What each element is called.
    pub variable: String,
    /// What it ranges over.
    pub set: Vec<Segment>,
    /// Where it stands.
    pub span: Range<usize>,
}

impl Mistake {
    /// A fault at a part of an expression's text.
    pub fn new(said: &Said, span: Range<usize>, message: impl Into<String>, label: impl Into<String>) -> Mistake {
        Mistake { said: Arc::new(said.clone()), span, message: message.into(), label: label.into(), help: Vec::new() }
    }

    /// The same fault with one more line of help; an empty one is left out.
    pub fn help(mut self, help: impl Into<String>) -> Mistake {
        let help = help.into();
        self.help.extend((!help.is_empty()).then_some(help));
        self
    }
}
