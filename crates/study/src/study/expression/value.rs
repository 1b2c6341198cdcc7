//! The values of expressions.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

/// A value of an axis. Both texts are shared, because a loop over many axes copies each value for each combination.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Key {
    /// The value as it occurs in the names of points.
    pub key: Arc<str>,
    /// The display name.
    pub label: Arc<str>,
}

impl Hash for Key {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        self.key.hash(hasher);
    }
}

/// The value of an expression.
#[derive(Clone, PartialEq, Debug)]
pub enum Value {
    /// A number.
    Number(f64),
    /// A text.
    Text(String),
    /// A Boolean.
    Flag(bool),
    /// A value of an axis.
    Key(Key),
    /// A list.
    List(Vec<Element>),
}

/// An element of a list.
#[derive(Clone, PartialEq, Debug)]
pub struct Element {
    /// The values of the axes that the element belongs to.
    pub keys: Vec<Key>,
    /// The value of the element.
    pub value: Value,
}

impl Value {
    /// Returns a list of numbers that belong to no axis.
    pub fn numbers(numbers: impl IntoIterator<Item = f64>) -> Value {
        Value::List(
            numbers.into_iter().map(|number| Element { keys: Vec::new(), value: Value::Number(number) }).collect(),
        )
    }

    /// Returns the type of the value, with its article.
    pub fn type_name(&self) -> &'static str {
        match self {
            Value::Number(_) => "a number",
            Value::Text(_) => "a text",
            Value::Flag(_) => "a Boolean",
            Value::Key(_) => "a value of an axis",
            Value::List(_) => "a list",
        }
    }

    /// Returns the number, or for a key the number that its text denotes. Returns `None` for any other value or text.
    pub fn number(&self) -> Option<f64> {
        match self {
            Value::Number(number) => Some(*number),
            Value::Key(key) => key.key.parse().ok(),
            _ => None,
        }
    }

    /// Returns the value as it occurs in the name of a point.
    pub fn key(&self) -> Cow<'_, str> {
        match self {
            Value::Number(number) => number.to_string().into(),
            Value::Text(text) => text.into(),
            Value::Flag(flag) => flag.to_string().into(),
            Value::Key(key) => Cow::Borrowed(&key.key),
            Value::List(_) => "".into(),
        }
    }

    /// Compares two values; `None` if their types are not comparable.
    pub fn compare(&self, other: &Value) -> Option<Ordering> {
        match (self.number(), other.number(), self, other) {
            (Some(a), Some(b), _, _) => a.partial_cmp(&b),
            (_, _, Value::Flag(a), Value::Flag(b)) => Some(a.cmp(b)),
            (_, _, Value::Key(_) | Value::Text(_), Value::Key(_) | Value::Text(_)) => {
                Some(self.key().cmp(&other.key()))
            }
            _ => None,
        }
    }
}

impl From<f64> for Value {
    fn from(number: f64) -> Value {
        Value::Number(number)
    }
}
