//! Strings that keep their source location, so that an error within a string can be reported there; the kinds of values
//! that are numbers or strings, and of tables under user-defined names. This module does not interpret strings.

use super::super::origin::{TextSpan, Texts};
use super::super::quantity::ParseError;
use super::super::tree::{TreeNode, TreeValue};
use super::{Decoded, Kind, ValueKind, invalid_value, unexpected_type};
use serde_json::{Value as Json, json};
use std::ops::Range;

/// A string with its source location.
#[derive(Clone, Debug, Default)]
pub struct SpannedString {
    /// The text.
    pub text: String,
    /// The source location, quotes included.
    pub place: Option<TextSpan>,
}

impl SpannedString {
    /// Creates a string without a source location.
    pub fn without_location(text: impl Into<String>) -> SpannedString {
        SpannedString { text: text.into(), place: None }
    }

    /// Returns the location of the bytes `range` of the string, or of the whole string if escapes make the location of
    /// these bytes unknown.
    pub fn location_of(&self, texts: &Texts, range: &Range<usize>) -> Option<TextSpan> {
        let place = self.place.as_ref()?;
        let raw = texts.slice(place);
        let text_offset = raw.find(self.text.as_str()).filter(|_| !self.text.is_empty());
        let Some(offset) = text_offset else { return Some(place.clone()) };
        let start = place.span.start + offset;
        Some(TextSpan { text: place.text, span: start + range.start..start + range.end })
    }
}

impl AsRef<str> for SpannedString {
    fn as_ref(&self) -> &str {
        &self.text
    }
}

impl From<SpannedString> for String {
    fn from(string: SpannedString) -> String {
        string.text
    }
}

/// A number or a text.
#[derive(Clone, PartialEq, Debug)]
pub enum Constant {
    /// A number.
    Number(f64),
    /// A text.
    Text(String),
}

/// The kind of a [`Constant`].
#[derive(Clone, Debug)]
pub struct NumberOrText;

impl ValueKind for NumberOrText {
    type Value = Constant;
    type Literal<'d> = f64;

    fn describe(&self) -> Kind {
        Kind::named("number or text")
    }

    fn allowed(&self) -> String {
        "write a bare number, or a string in quotes".to_string()
    }

    fn to_tree_value(&self, default: f64) -> TreeValue {
        TreeValue::Float(default)
    }

    fn decode(&self, node: &TreeNode, _: &Texts) -> Decoded<Constant> {
        match &node.value {
            TreeValue::Integer(Some(number)) => Ok(Constant::Number(*number as f64)),
            TreeValue::Float(number) if number.is_finite() => Ok(Constant::Number(*number)),
            TreeValue::Text(text) => Ok(Constant::Text(text.clone())),
            other => invalid_value(node, unexpected_type("a number or a string", other, self.allowed())),
        }
    }

    fn placeholder(&self) -> Constant {
        Constant::Number(1.0)
    }

    fn json(&self, value: &Constant, _: &TreeNode) -> Json {
        match value {
            Constant::Number(number) => json!(number),
            Constant::Text(text) => json!(text),
        }
    }

    fn schema(&self) -> Json {
        json!({ "type": ["number", "string"] })
    }
}

/// A table of values of one kind under names that the user chooses, in the order of the file.
#[derive(Clone, Debug)]
pub struct MapOf<K>(pub K);

impl<K: ValueKind> ValueKind for MapOf<K> {
    type Value = Vec<(SpannedString, K::Value)>;
    type Literal<'d> = ();

    fn describe(&self) -> Kind {
        Kind::named(format!("{} by name", self.0.describe()))
    }

    fn allowed(&self) -> String {
        format!("write a table of names of your choice; for each: {}", self.0.allowed())
    }

    fn to_tree_value(&self, (): ()) -> TreeValue {
        TreeValue::Table(Default::default())
    }

    fn decode(&self, node: &TreeNode, texts: &Texts) -> Decoded<Self::Value> {
        let TreeValue::Table(tree) = &node.value else {
            let label = format!("a table is expected, not {}", node.value.type_with_article());
            return invalid_value(node, ParseError::new(label, self.allowed()));
        };
        let (mut values, mut invalid_values) = (Vec::new(), Vec::new());
        for (name, node) in tree.in_order() {
            let name = SpannedString { text: name.to_string(), place: node.key().cloned() };
            match self.0.decode(node, texts) {
                Ok(value) => values.push((name, value)),
                Err(errors) => invalid_values.extend(errors),
            }
        }
        if invalid_values.is_empty() { Ok(values) } else { Err(invalid_values) }
    }

    fn placeholder(&self) -> Self::Value {
        Vec::new()
    }

    fn json(&self, values: &Self::Value, node: &TreeNode) -> Json {
        let TreeValue::Table(tree) = &node.value else { return json!({}) };
        let json_entry = |(name, value): &(SpannedString, K::Value)| {
            let json = tree.get(&name.text).map_or(Json::Null, |node| self.0.json(value, node));
            (name.text.clone(), json)
        };
        Json::Object(values.iter().map(json_entry).collect())
    }

    fn schema(&self) -> Json {
        json!({ "type": "object", "additionalProperties": self.0.schema() })
    }
}
