//! The kinds of values that a description contains: how a value of each kind is read, checked, shown and described.
//!
//! The kinds are quantities, counts, numbers, flags, texts, words, paths, and lists of these. Tables are read by
//! `read`, and `field` decides whether a key is required.

use super::meaning::Meaning;
use super::origin::{TextSpan, Texts};
use super::quantity::{ParseError, Unit};
use super::tree::{TreeNode, TreeValue};
use serde_json::Value as Json;
use std::fmt::Display;
use std::path::Path;

mod amount;
mod list_of;
mod number;
mod spanned;
mod word;

pub use amount::Amount;
pub(super) use amount::parse_literal;
pub use list_of::ListOf;
pub use number::{Count, Flag, Number};
pub use spanned::{Constant, MapOf, NumberOrText, SpannedString, SpannedStringKind};
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
    /// Returns the name of the kind in listings.
    fn name(&self) -> String;
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
