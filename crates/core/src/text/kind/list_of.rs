//! Lists of values of one kind.

use super::super::origin::Texts;
use super::super::quantity::{ParseError, Unit};
use super::super::tree::{TreeNode, TreeValue};
use super::{Decoded, Kind, ValueKind, invalid_value};
use serde_json::{Value as Json, json};

/// A list of values of one kind.
#[derive(Clone, Debug)]
pub struct ListOf<K> {
    /// The kind of each element.
    pub element_kind: K,
    /// The smallest allowed number of elements.
    pub length_min: usize,
    /// The largest allowed number of elements.
    pub length_max: usize,
}

impl<K> ListOf<K> {
    /// Returns the kind of lists with any number of elements of kind `element_kind`.
    pub fn new(element_kind: K) -> ListOf<K> {
        ListOf { element_kind, length_min: 0, length_max: usize::MAX }
    }
}

impl<K: ValueKind> ListOf<K> {
    fn length_error(&self, length: usize) -> Option<ParseError> {
        let plural = |n: usize| if n == 1 { "1 element".to_string() } else { format!("{n} elements") };
        let label = match length {
            n if self.length_min == self.length_max && n != self.length_max => {
                format!("expected a list of {}, found {}", plural(self.length_max), plural(n))
            }
            n if n < self.length_min => format!("expected at least {}, found {}", plural(self.length_min), plural(n)),
            n if n > self.length_max => format!("expected at most {}, found {}", plural(self.length_max), plural(n)),
            _ => return None,
        };
        Some(ParseError::new(label, self.allowed()))
    }
}

impl<K: ValueKind> ValueKind for ListOf<K> {
    type Value = Vec<K::Value>;
    type Literal<'d> = &'d [K::Literal<'d>];
    const UNITS: &'static [Unit] = K::UNITS;

    fn describe(&self) -> Kind {
        Kind::named(format!("list of {}", self.element_kind.describe()))
    }

    fn allowed(&self) -> String {
        let list = match self.length_max {
            length @ 2..=8 if length == self.length_min => {
                let elements: Vec<String> = ('A'..).take(length).map(String::from).collect();
                format!("a list of {length} elements in brackets, as [{}]", elements.join(", "))
            }
            _ => "a list in brackets, as [A, B]".to_owned(),
        };
        format!("write {list}; for each element {}", self.element_kind.allowed())
    }

    fn to_tree_value<'d>(&self, default: &'d [K::Literal<'d>]) -> TreeValue {
        TreeValue::List(
            default.iter().map(|element| TreeNode::synthetic(self.element_kind.to_tree_value(*element))).collect(),
        )
    }

    fn decode(&self, node: &TreeNode, texts: &Texts) -> Decoded<Self::Value> {
        let TreeValue::List(items) = &node.value else {
            let label = format!("a list is expected, not {}", node.value.type_with_article());
            return invalid_value(node, ParseError::new(label, self.allowed()));
        };
        if let Some(error) = self.length_error(items.len()) {
            return invalid_value(node, error);
        }
        let (mut values, mut invalid_values) = (Vec::with_capacity(items.len()), Vec::new());
        for item in items {
            match self.element_kind.decode(item, texts) {
                Ok(value) => values.push(value),
                Err(errors) => invalid_values.extend(errors),
            }
        }
        if invalid_values.is_empty() { Ok(values) } else { Err(invalid_values) }
    }

    fn placeholder(&self) -> Self::Value {
        (0..self.length_min).map(|_| self.element_kind.placeholder()).collect()
    }

    fn json(&self, values: &Self::Value, node: &TreeNode) -> Json {
        let TreeValue::List(items) = &node.value else { return json!([]) };
        values.iter().zip(items).map(|(value, item)| self.element_kind.json(value, item)).collect()
    }

    fn schema(&self) -> Json {
        let mut schema = json!({ "type": "array", "items": self.element_kind.schema(), "minItems": self.length_min });
        if self.length_max < usize::MAX {
            schema["maxItems"] = json!(self.length_max);
        }
        schema
    }
}
