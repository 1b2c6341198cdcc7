//! Quantities with a unit, within bounds.

use super::super::meaning::Meaning;
use super::super::origin::Texts;
use super::super::quantity::{self, Quantity, Unit};
use super::super::tree::{TreeNode, TreeValue};
use super::{Decoded, Kind, ValueKind, check_bounds, format_bounds, invalid_value, unexpected_type};
use serde_json::{Value as Json, json};

/// A quantity with its bounds.
#[derive(Clone, Debug)]
pub struct Amount<Q> {
    /// The smallest allowed quantity.
    pub min: Option<Q>,
    /// The largest allowed quantity.
    pub max: Option<Q>,
}

impl<Q> Amount<Q> {
    /// The kind that allows any amount.
    pub const UNBOUNDED: Amount<Q> = Amount { min: None, max: None };
}

/// Parses a quantity that is written in the program itself.
///
/// # Panics
///
/// Panics if `text` is not a valid quantity.
pub(in super::super) fn parse_literal<Q: Quantity>(text: &str) -> Q {
    match quantity::parse(text) {
        Ok(value) => value,
        Err(fault) => panic!("invalid quantity in the source code, {text:?}: {}", fault.label),
    }
}

impl<Q: Quantity> ValueKind for Amount<Q> {
    type Value = Q;
    type Literal<'d> = &'d str;
    const MEANING: Option<Meaning> = Q::MEANING;
    const UNITS: &'static [Unit] = Q::UNITS;

    fn describe(&self) -> Kind {
        Kind::bounded(Q::NAME, &self.min, &self.max)
    }

    fn allowed(&self) -> String {
        quantity::example_help::<Q>() + &format_bounds(&self.min, &self.max)
    }

    fn to_tree_value(&self, default: &str) -> TreeValue {
        parse_literal::<Q>(default);
        TreeValue::Text(default.to_string())
    }

    fn decode(&self, node: &TreeNode, texts: &Texts) -> Decoded<Q> {
        let value = match &node.value {
            TreeValue::Text(text) => quantity::parse::<Q>(text),
            TreeValue::Integer(_) | TreeValue::Float(_) => {
                Err(quantity::missing_unit::<Q>(node.place.as_ref().map_or("", |place| texts.slice(place))))
            }
            other => Err(unexpected_type(Q::NAME_WITH_ARTICLE, other, quantity::example_help::<Q>())),
        };
        match value.and_then(|value| check_bounds(value, &self.min, &self.max)) {
            Ok(value) => Ok(value),
            Err(error) => invalid_value(node, error),
        }
    }

    fn placeholder(&self) -> Q {
        self.min.or(self.max).unwrap_or_else(|| parse_literal(Q::EXAMPLE))
    }

    fn json(&self, value: &Q, _: &TreeNode) -> Json {
        json!(value.to_string())
    }

    fn schema(&self) -> Json {
        let units: Vec<&str> =
            Q::UNITS.iter().map(|(name, _)| *name).chain((Q::NAME == "time").then_some("µs")).collect();
        json!({
            "type": "string",
            "pattern": format!(r"^\s*[0-9]+(\.[0-9]+)?\s*({})\s*$", units.join("|")),
            "examples": [Q::EXAMPLE],
        })
    }
}
