//! What an expression gives.

use std::cmp::Ordering;

/// A value of an axis.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Key {
    /// As points are named by it.
    pub key: String,
    /// As people are told it.
    pub label: String,
}

/// What an expression gives.
#[derive(Clone, PartialEq, Debug)]
pub enum Value {
    /// A number.
    Number(f64),
    /// Words.
    Text(String),
    /// Whether something is so.
    Flag(bool),
    /// A value of an axis.
    Key(Key),
    /// Elements in order.
    List(Vec<Element>),
}

/// An element of a list.
#[derive(Clone, PartialEq, Debug)]
pub struct Element {
    /// The values of the axes that it belongs to.
    pub at: Vec<Key>,
    /// Itself.
    pub value: Value,
}

impl Value {
    /// A list of numbers that belong to no axis.
    pub fn numbers(numbers: impl IntoIterator<Item = f64>) -> Value {
        Value::List(
            numbers.into_iter().map(|number| Element { at: Vec::new(), value: Value::Number(number) }).collect(),
        )
    }

    /// What it is, with its article.
    pub fn what(&self) -> &'static str {
        match self {
            Value::Number(_) => "a number",
            Value::Text(_) => "a text",
            Value::Flag(_) => "a yes or no",
            Value::Key(_) => "a value of an axis",
            Value::List(_) => "a list",
        }
    }

    /// The number that it is or that its key says.
    pub fn number(&self) -> Option<f64> {
        match self {
            Value::Number(number) => Some(*number),
            Value::Key(key) => key.key.parse().ok(),
            _ => None,
        }
    }

    /// Itself as it stands in the name of a point.
    pub fn key(&self) -> String {
        match self {
            Value::Number(number) => number.to_string(),
            Value::Text(text) => text.clone(),
            Value::Flag(flag) => flag.to_string(),
            Value::Key(key) => key.key.clone(),
            Value::List(_) => String::new(),
        }
    }

    /// How it compares with another; none for what cannot be compared.
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
