//! Values without a unit and without quotes: counts, plain numbers, flags.

use super::super::origin::Texts;
use super::super::quantity::ParseError;
use super::super::tree::{TreeNode, TreeValue};
use super::{Decoded, Kind, ValueKind, check_bounds, format_bounds, invalid_value, unexpected_type};
use serde_json::{Value as Json, json};
use std::fmt::Display;

/// A number without a unit, with its bounds.
#[derive(Clone, Debug)]
pub struct Bare<T> {
    /// The smallest allowed number.
    pub min: Option<T>,
    /// The largest allowed number.
    pub max: Option<T>,
}

/// A whole number without a unit.
pub type Count = Bare<u64>;

/// A plain number without a unit.
pub type Number = Bare<f64>;

/// A type of numbers that are written without a unit.
pub trait BareNumber: Copy + PartialOrd + Display + Into<Json> + 'static {
    /// The name of the kind in listings.
    const NAME: &'static str;
    /// The name of the type in messages and in JSON Schema.
    const TYPE: &'static str;
    /// The least number of the type, if it has one.
    const LEAST: Option<Self>;
    /// Returns a default as it would be written in a file.
    fn to_tree_value(self) -> TreeValue;
    /// Returns the number of a node without checking its bounds; `allowed` are the allowed values.
    fn of_node(node: &TreeNode, allowed: impl Fn() -> String) -> Result<Self, ParseError>;
    /// Returns a number within the bounds.
    fn placeholder(min: Option<Self>, max: Option<Self>) -> Self;
}

/// Returns the message for the string `text`, found in place of a value of the kind `expected`.
fn unexpected_string(expected: &str, text: &str) -> String {
    let text = text.trim();
    match text.trim_start_matches(['-', '+']).starts_with(|c: char| c.is_ascii_digit()) {
        true if text.parse::<f64>().is_ok() => format!("expected {expected}, found a string: remove the quotes"),
        true => format!("expected {expected}, found a string: remove the quotes and the unit"),
        false => format!("expected {expected}, found a string"),
    }
}

/// Returns the reason why a number with a decimal point or an exponent is not a count, with a valid spelling if there
/// is one.
fn non_integer_message(number: f64) -> String {
    match number {
        _ if !number.is_finite() => "expected an integer, found a number that is not finite".to_owned(),
        // Below this bound, `f64` represents every whole number exactly.
        whole if whole.fract() == 0.0 && (0.0..9e15).contains(&whole) => {
            format!("expected an integer without point and exponent: {whole:.0}")
        }
        _ if number < 0.0 => "must not be negative".to_owned(),
        _ => "expected an integer, found a fraction".to_owned(),
    }
}

impl BareNumber for u64 {
    const NAME: &'static str = "count";
    const TYPE: &'static str = "integer";
    const LEAST: Option<u64> = Some(0);

    fn to_tree_value(self) -> TreeValue {
        TreeValue::Integer(Some(self.into()))
    }

    fn of_node(node: &TreeNode, allowed: impl Fn() -> String) -> Result<u64, ParseError> {
        match &node.value {
            TreeValue::Integer(number) => match number.map(u64::try_from) {
                Some(Ok(number)) => Ok(number),
                Some(Err(_)) if *number < Some(0) => Err(ParseError::new("must not be negative", allowed())),
                _ => Err(ParseError::new("too large for an integer of 64 bits", allowed())),
            },
            TreeValue::Text(text) => Err(ParseError::new(unexpected_string("an integer", text), allowed())),
            TreeValue::Float(number) => Err(ParseError::new(non_integer_message(*number), allowed())),
            other => Err(unexpected_type("an integer", other, allowed())),
        }
    }

    fn placeholder(min: Option<u64>, max: Option<u64>) -> u64 {
        min.unwrap_or(1).min(max.unwrap_or(u64::MAX))
    }
}

impl BareNumber for f64 {
    const NAME: &'static str = "number";
    const TYPE: &'static str = "number";
    const LEAST: Option<f64> = None;

    fn to_tree_value(self) -> TreeValue {
        TreeValue::Float(self)
    }

    fn of_node(node: &TreeNode, allowed: impl Fn() -> String) -> Result<f64, ParseError> {
        match &node.value {
            TreeValue::Float(number) if number.is_finite() => Ok(*number),
            TreeValue::Float(_) => Err(ParseError::new("the number must be finite", allowed())),
            TreeValue::Integer(Some(number)) => Ok(*number as f64),
            TreeValue::Text(text) => Err(ParseError::new(unexpected_string("a number", text), allowed())),
            other => Err(unexpected_type("a number", other, allowed())),
        }
    }

    fn placeholder(min: Option<f64>, max: Option<f64>) -> f64 {
        min.or(max).unwrap_or(1.0)
    }
}

impl<T: BareNumber> Bare<T> {
    /// The kind that allows any number of the type.
    pub const UNBOUNDED: Bare<T> = Bare { min: None, max: None };
}

impl<T: BareNumber> ValueKind for Bare<T> {
    type Value = T;
    type Literal<'d> = T;

    fn describe(&self) -> Kind {
        Kind::bounded(T::NAME, &self.min, &self.max)
    }

    fn allowed(&self) -> String {
        format!("write a bare {}{}", T::TYPE, format_bounds(&self.min, &self.max))
    }

    fn to_tree_value(&self, default: T) -> TreeValue {
        default.to_tree_value()
    }

    fn decode(&self, node: &TreeNode, _: &Texts) -> Decoded<T> {
        let number = T::of_node(node, || self.allowed());
        number.and_then(|number| check_bounds(number, &self.min, &self.max)).or_else(|fault| invalid_value(node, fault))
    }

    fn placeholder(&self) -> T {
        T::placeholder(self.min, self.max)
    }

    fn json(&self, value: &T, _: &TreeNode) -> Json {
        (*value).into()
    }

    fn schema(&self) -> Json {
        let mut schema = json!({ "type": T::TYPE });
        for (bound, value) in [("minimum", self.min.or(T::LEAST)), ("maximum", self.max)] {
            if let Some(value) = value {
                schema[bound] = value.into();
            }
        }
        schema
    }
}

/// `true` or `false`.
#[derive(Clone, Debug)]
pub struct Flag;

impl ValueKind for Flag {
    type Value = bool;
    type Literal<'d> = bool;

    fn describe(&self) -> Kind {
        Kind::of_words("flag", ["false", "true"])
    }

    fn allowed(&self) -> String {
        "write true or false, without quotes".to_string()
    }

    fn to_tree_value(&self, default: bool) -> TreeValue {
        TreeValue::Flag(default)
    }

    fn decode(&self, node: &TreeNode, _: &Texts) -> Decoded<bool> {
        match &node.value {
            TreeValue::Flag(flag) => Ok(*flag),
            other => invalid_value(node, unexpected_type("true or false", other, self.allowed())),
        }
    }

    fn placeholder(&self) -> bool {
        false
    }

    fn json(&self, value: &bool, _: &TreeNode) -> Json {
        json!(value)
    }

    fn schema(&self) -> Json {
        json!({ "type": "boolean" })
    }
}
