//! The kinds of values that a description contains: how a value of each kind is read, checked, shown and described.
//!
//! The kinds are quantities, counts, numbers, flags, texts, words, paths, and lists of these. Tables are read by
//! `read`, and `field` decides whether a key is required.

use super::meaning::Meaning;
use super::origin::{TextSpan, Texts};
use super::quantity::{ParseError, Unit};
use super::tree::{TreeNode, TreeValue};
use serde_json::Value as Json;
use std::borrow::Cow;
use std::fmt::{self, Display};
use std::path::Path;

mod amount;
mod list_of;
mod number;
mod spanned;
mod word;

pub use amount::Amount;
pub(super) use amount::parse_literal;
pub use list_of::ListOf;
pub use number::{Bare, BareNumber, Count, Flag, Number};
pub use spanned::{Constant, MapOf, NumberOrText, SpannedString};
pub use word::{Choice, FilePath, TextKind};

/// A value that is not valid for its key, with its source location.
#[derive(Clone, Debug)]
pub struct InvalidValue {
    /// The source location of the value, or of the invalid element in it.
    pub place: Option<TextSpan>,
    /// The reason why it is not valid.
    pub fault: ParseError,
}

/// A value, or every reason why it is not valid.
pub type Decoded<T> = Result<T, Vec<InvalidValue>>;

fn invalid_value<T>(node: &TreeNode, fault: ParseError) -> Decoded<T> {
    Err(vec![InvalidValue { place: node.place.clone(), fault }])
}

/// Returns the error of a value of another type than the type `expected`; `allowed` are the allowed values.
fn unexpected_type(expected: &str, found: &TreeValue, allowed: String) -> ParseError {
    ParseError::new(format!("expected {expected}, found {}", found.type_with_article()), allowed)
}

/// The kind of a value as data. Its text is that of listings: `time, at most 1 s` or `"held" | "split"`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kind {
    /// The name, such as `time`, `count` or `list of text`.
    pub name: Cow<'static, str>,
    /// The smallest allowed value of a number, with its unit.
    pub least: Option<String>,
    /// The largest allowed value of a number, with its unit.
    pub most: Option<String>,
    /// The allowed values, if they are words; `false` and `true` of a flag.
    pub words: Vec<&'static str>,
}

impl Kind {
    /// The name of the kind of a word of a closed set.
    pub const WORD: &'static str = "word";
    /// The name of the kind of a selected table of a family.
    pub const CHOICE: &'static str = "choice";

    /// Returns the kind with this name that allows any value.
    pub fn named(name: impl Into<Cow<'static, str>>) -> Kind {
        Kind { name: name.into(), least: None, most: None, words: Vec::new() }
    }

    /// Returns the kind of numbers with this name and these bounds.
    fn bounded<T: Display>(name: &'static str, min: &Option<T>, max: &Option<T>) -> Kind {
        let text = |bound: &Option<T>| bound.as_ref().map(T::to_string);
        Kind { least: text(min), most: text(max), ..Kind::named(name) }
    }

    /// Returns the kind with this name that allows these words.
    pub fn of_words(name: &'static str, words: impl IntoIterator<Item = &'static str>) -> Kind {
        Kind { words: words.into_iter().collect(), ..Kind::named(name) }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.name == Kind::WORD {
            return f.write_str(&self.words.iter().map(|word| format!("\"{word}\"")).collect::<Vec<_>>().join(" | "));
        }
        write!(f, "{}{}", self.name, format_bounds(&self.least, &self.most))
    }
}

/// A kind of value.
pub trait ValueKind {
    /// The type that the program receives.
    type Value;
    /// The form in which a default is written in the program.
    type Literal<'d>: Copy + 'd;
    /// The meaning of a number of this kind, unless the parameter declares another.
    const MEANING: Option<Meaning> = None;
    /// The units of which a literal of this kind has one; empty for a kind without units.
    const UNITS: &'static [Unit] = &[];
    /// Returns the kind as data, for listings and for programs that choose other values.
    fn describe(&self) -> Kind;
    /// Returns the allowed values as a help line.
    fn allowed(&self) -> String;
    /// Returns a default as it would be written in a file.
    fn to_tree_value(&self, default: Self::Literal<'_>) -> TreeValue;
    /// Decodes the value of a node.
    fn decode(&self, node: &TreeNode, texts: &Texts) -> Decoded<Self::Value>;
    /// Returns a valid value, with which reading continues after a problem.
    fn placeholder(&self) -> Self::Value;
    /// Returns the file that the value names, whose contents are part of the description.
    fn file<'v>(&self, _: &'v Self::Value) -> Option<&'v Path> {
        None
    }

    /// Returns the canonical value for a result; `node` is the node that it was read from.
    fn json(&self, value: &Self::Value, node: &TreeNode) -> Json;
    /// Returns the kind as JSON Schema.
    fn schema(&self) -> Json;
}

/// Formats the bounds as `, 1 to 5`, `, at least 1`, `, at most 5` or nothing.
fn format_bounds<T: Display>(min: &Option<T>, max: &Option<T>) -> String {
    match (min, max) {
        (Some(min), Some(max)) => format!(", {min} to {max}"),
        (Some(min), None) => format!(", at least {min}"),
        (None, Some(max)) => format!(", at most {max}"),
        (None, None) => String::new(),
    }
}

fn check_bounds<T: PartialOrd + Display>(value: T, min: &Option<T>, max: &Option<T>) -> Result<T, ParseError> {
    let label = match (min, max) {
        (Some(min), _) if value < *min => format!("must be at least {min}"),
        (_, Some(max)) if value > *max => format!("must be at most {max}"),
        _ => return Ok(value),
    };
    let allowed = format_bounds(min, max);
    Err(ParseError::new(label, format!("allowed: {}", allowed.trim_start_matches(", "))))
}
