//! Values without a unit and without quotes: counts, plain numbers, flags.

use super::super::origin::Texts;
use super::super::quantity::ParseError;
use super::super::tree::{TreeNode, TreeValue};
use super::{Decoded, Kind, ValueKind, check_bounds, format_bounds, invalid_value};
use serde_json::{Value as Json, json};

/// A whole number without a unit.
#[derive(Clone, Debug)]
pub struct Count {
    /// The smallest allowed count.
    pub min: Option<u64>,
    /// The largest allowed count.
    pub max: Option<u64>,
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

impl Count {
    /// The kind that allows any count.
    pub const UNBOUNDED: Count = Count { min: None, max: None };

    fn check(&self, node: &TreeNode) -> Result<u64, ParseError> {
        let help = || format!("write a bare integer{}", format_bounds(&self.min, &self.max));
        match &node.value {
            TreeValue::Integer(number) => match number.map(u64::try_from) {
                Some(Ok(number)) => check_bounds(number, &self.min, &self.max),
                Some(Err(_)) if *number < Some(0) => Err(ParseError::new("must not be negative", help())),
                _ => Err(ParseError::new("too large for an integer of 64 bits", help())),
            },
            TreeValue::Text(text) => Err(ParseError::new(unexpected_string("an integer", text), help())),
            TreeValue::Float(number) => Err(ParseError::new(non_integer_message(*number), help())),
            other => Err(ParseError::new(format!("expected an integer, found {}", other.type_with_article()), help())),
        }
    }
}

impl ValueKind for Count {
    type Value = u64;
    type Literal<'d> = u64;

    fn describe(&self) -> Kind {
        Kind::bounded("count", &self.min, &self.max)
    }

    fn allowed(&self) -> String {
        format!("write a bare integer{}", format_bounds(&self.min, &self.max))
    }

    fn to_tree_value(&self, default: u64) -> TreeValue {
        TreeValue::Integer(Some(default.into()))
    }

    fn decode(&self, node: &TreeNode, _: &Texts) -> Decoded<u64> {
        self.check(node).or_else(|fault| invalid_value(node, fault))
    }

    fn placeholder(&self) -> u64 {
        self.min.unwrap_or(1).min(self.max.unwrap_or(u64::MAX))
    }

    fn json(&self, value: &u64, _: &TreeNode) -> Json {
        json!(value)
    }

    fn schema(&self) -> Json {
        let mut schema = json!({ "type": "integer", "minimum": self.min.unwrap_or(0) });
        if let Some(max) = self.max {
            schema["maximum"] = json!(max);
        }
        schema
    }
}

/// A plain number without a unit.
#[derive(Clone, Debug)]
pub struct Number {
    /// The smallest allowed number.
    pub min: Option<f64>,
    /// The largest allowed number.
    pub max: Option<f64>,
}

impl Number {
    fn check(&self, node: &TreeNode) -> Result<f64, ParseError> {
        let number = match &node.value {
            TreeValue::Float(number) if number.is_finite() => *number,
            TreeValue::Float(_) => return Err(ParseError::new("the number must be finite", self.allowed())),
            TreeValue::Integer(Some(number)) => *number as f64,
            TreeValue::Text(text) => return Err(ParseError::new(unexpected_string("a number", text), self.allowed())),
            other => {
                return Err(ParseError::new(
                    format!("expected a number, found {}", other.type_with_article()),
                    self.allowed(),
                ));
            }
        };
        check_bounds(number, &self.min, &self.max)
    }
}

impl ValueKind for Number {
    type Value = f64;
    type Literal<'d> = f64;

    fn describe(&self) -> Kind {
        Kind::bounded("number", &self.min, &self.max)
    }

    fn allowed(&self) -> String {
        format!("write a bare number{}", format_bounds(&self.min, &self.max))
    }

    fn to_tree_value(&self, default: f64) -> TreeValue {
        TreeValue::Float(default)
    }

    fn decode(&self, node: &TreeNode, _: &Texts) -> Decoded<f64> {
        self.check(node).or_else(|fault| invalid_value(node, fault))
    }

    fn placeholder(&self) -> f64 {
        self.min.or(self.max).unwrap_or(1.0)
    }

    fn json(&self, value: &f64, _: &TreeNode) -> Json {
        json!(value)
    }

    fn schema(&self) -> Json {
        let mut schema = json!({ "type": "number" });
        for (bound, value) in [("minimum", self.min), ("maximum", self.max)] {
            if let Some(value) = value {
                schema[bound] = json!(value);
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
            other => invalid_value(
                node,
                ParseError::new(format!("expected true or false, found {}", other.type_with_article()), self.allowed()),
            ),
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
