//! One key of a table while it is read: its kind, its bounds, and whether it is required.

use super::kind::{
    Amount, Bare, BareNumber, Choice, Count, Decoded, FilePath, Flag, InvalidValue, ListOf, MapOf, Number,
    NumberOrText, SpannedString, TextKind, ValueKind, parse_literal,
};
use super::meaning::{Meaning, ParameterDeclaration};
use super::quantity::Quantity;
use super::schema::{Form, Need};
use super::table::{RecordedKey, Table};
use super::tree::TreeNode;
use crate::engine::{Bytes, Hertz, Rate, Time};

/// The declaration of a key that is about to be read. [`required`](Field::required), [`or`](Field::or) or
/// [`optional`](Field::optional) reads the key.
#[must_use = "a key is read by `required`, `or` or `optional`"]
pub struct Field<'f, 't, K> {
    table: &'f mut Table<'t>,
    key: &'static str,
    doc: &'static str,
    declaration: ParameterDeclaration,
    kind: K,
}

impl<'t> Table<'t> {
    fn field<K: ValueKind>(&mut self, key: &'static str, doc: &'static str, kind: K) -> Field<'_, 't, K> {
        let declaration = ParameterDeclaration { meaning: K::MEANING, resource: None };
        Field { table: self, key, doc, declaration, kind }
    }

    /// Declares the key `key`, whose value is a time, such as `"40 ns"`.
    pub fn time(&mut self, key: &'static str, doc: &'static str) -> Field<'_, 't, Amount<Time>> {
        self.field(key, doc, Amount::UNBOUNDED)
    }

    /// Declares the key `key`, whose value is an amount of data, such as `"8 KiB"`.
    pub fn bytes(&mut self, key: &'static str, doc: &'static str) -> Field<'_, 't, Amount<Bytes>> {
        self.field(key, doc, Amount::UNBOUNDED)
    }

    /// Declares the key `key`, whose value is a rate, such as `"160 MB/s"`.
    pub fn rate(&mut self, key: &'static str, doc: &'static str) -> Field<'_, 't, Amount<Rate>> {
        self.field(key, doc, Amount::UNBOUNDED)
    }

    /// Declares the key `key`, whose value is a frequency, such as `"33 MHz"`.
    pub fn hertz(&mut self, key: &'static str, doc: &'static str) -> Field<'_, 't, Amount<Hertz>> {
        self.field(key, doc, Amount::UNBOUNDED)
    }

    /// Declares the key `key`, whose value is a bare non-negative integer.
    pub fn count(&mut self, key: &'static str, doc: &'static str) -> Field<'_, 't, Count> {
        self.field(key, doc, Count::UNBOUNDED)
    }

    /// Declares the key `key`, whose value is a bare number.
    pub fn number(&mut self, key: &'static str, doc: &'static str) -> Field<'_, 't, Number> {
        self.field(key, doc, Number::UNBOUNDED)
    }

    /// Declares the key `key`, whose value is a bare number from 0 to 1.
    pub fn fraction(&mut self, key: &'static str, doc: &'static str) -> Field<'_, 't, Number> {
        self.field(key, doc, Number { min: Some(0.0), max: Some(1.0) })
    }

    /// Declares the key `key`, whose value is `true` or `false`.
    pub fn flag(&mut self, key: &'static str, doc: &'static str) -> Field<'_, 't, Flag> {
        self.field(key, doc, Flag)
    }

    /// Declares the key `key`, whose value is any text.
    pub fn text(&mut self, key: &'static str, doc: &'static str) -> Field<'_, 't, TextKind> {
        self.field(key, doc, TextKind::default())
    }

    /// Declares the key `key`, whose value is any text, read with its source location to be parsed later.
    pub fn phrase(&mut self, key: &'static str, doc: &'static str) -> Field<'_, 't, TextKind<SpannedString>> {
        self.field(key, doc, TextKind::default())
    }

    /// Declares the key `key`, whose value is a list of texts with their source locations.
    pub fn phrases(&mut self, key: &'static str, doc: &'static str) -> Field<'_, 't, ListOf<TextKind<SpannedString>>> {
        self.field(key, doc, ListOf::new(TextKind::default()))
    }

    /// Declares the key `key`, whose value is a number or a text.
    pub fn constant(&mut self, key: &'static str, doc: &'static str) -> Field<'_, 't, NumberOrText> {
        self.field(key, doc, NumberOrText)
    }

    /// Declares the key `key`, whose value is a table of values of one kind under names that the user chooses.
    pub fn by_name<K: ValueKind>(
        &mut self,
        key: &'static str,
        doc: &'static str,
        value_kind: K,
    ) -> Field<'_, 't, MapOf<K>> {
        self.field(key, doc, MapOf(value_kind))
    }

    /// Declares the key `key`, whose value is one word of a fixed set, read as text.
    pub fn word(
        &mut self,
        key: &'static str,
        doc: &'static str,
        words: &[&'static str],
    ) -> Field<'_, 't, Choice<&'static str>> {
        self.field(
            key,
            doc,
            Choice { words: words.iter().map(|word| (*word, *word)).collect(), former_words: Vec::new() },
        )
    }

    /// Declares the key `key`, whose value is one word of a fixed set, read as the value that the word denotes.
    pub fn choice<T: Clone>(
        &mut self,
        key: &'static str,
        doc: &'static str,
        words: &[(&'static str, T)],
    ) -> Field<'_, 't, Choice<T>> {
        self.field(key, doc, Choice { words: words.to_vec(), former_words: Vec::new() })
    }

    /// Declares the key `key`, whose value is the path of a file.
    pub fn path(&mut self, key: &'static str, doc: &'static str) -> Field<'_, 't, FilePath> {
        self.field(key, doc, FilePath)
    }

    /// Declares the key `key`, whose value is a list of bare non-negative integers.
    pub fn counts(&mut self, key: &'static str, doc: &'static str) -> Field<'_, 't, ListOf<Count>> {
        self.field(key, doc, ListOf::new(Count::UNBOUNDED))
    }

    /// Declares the key `key`, whose value is a list of bare numbers.
    pub fn numbers(&mut self, key: &'static str, doc: &'static str) -> Field<'_, 't, ListOf<Number>> {
        self.field(key, doc, ListOf::new(Number::UNBOUNDED))
    }

    /// Declares the key `key`, whose value is a list of texts.
    pub fn texts(&mut self, key: &'static str, doc: &'static str) -> Field<'_, 't, ListOf<TextKind>> {
        self.field(key, doc, ListOf::new(TextKind::default()))
    }

    /// Declares the key `key`, whose value is a list of times.
    pub fn times(&mut self, key: &'static str, doc: &'static str) -> Field<'_, 't, ListOf<Amount<Time>>> {
        self.field(key, doc, ListOf::new(Amount::UNBOUNDED))
    }

    /// Declares the key `key`, whose value is a list of amounts of data.
    pub fn sizes(&mut self, key: &'static str, doc: &'static str) -> Field<'_, 't, ListOf<Amount<Bytes>>> {
        self.field(key, doc, ListOf::new(Amount::UNBOUNDED))
    }
}

impl<Q: Quantity> Field<'_, '_, Amount<Q>> {
    /// Refuses values below `least`, which is given as text.
    pub fn min(mut self, least: &str) -> Self {
        self.kind.min = Some(parse_literal(least));
        self
    }

    /// Refuses values above `most`, which is given as text.
    pub fn max(mut self, most: &str) -> Self {
        self.kind.max = Some(parse_literal(most));
        self
    }
}

impl<T: Clone> Field<'_, '_, Choice<T>> {
    /// States that the word `current` was called `former`, which is still read.
    pub fn renamed_word(mut self, former: &'static str, current: &'static str) -> Self {
        self.kind.former_words.push((former, current));
        self
    }
}

impl<T: BareNumber> Field<'_, '_, Bare<T>> {
    /// Refuses values below `least`.
    pub fn min(mut self, least: T) -> Self {
        self.kind.min = Some(least);
        self
    }

    /// Refuses values above `most`.
    pub fn max(mut self, most: T) -> Self {
        self.kind.max = Some(most);
        self
    }

    /// Refuses values outside the range from `least` to `most`, both included.
    pub fn range(self, least: T, most: T) -> Self {
        self.min(least).max(most)
    }
}

impl Field<'_, '_, ListOf<Count>> {
    /// Refuses elements outside the range from `least` to `most`, both included.
    pub fn each(mut self, least: u64, most: u64) -> Self {
        self.kind.element_kind = Count { min: Some(least), max: Some(most) };
        self
    }
}

impl<'f, 't, K: ValueKind> Field<'f, 't, K> {
    /// Returns the field of a list of values of this kind.
    pub(super) fn list_of(self) -> Field<'f, 't, ListOf<K>> {
        let Field { table, key, doc, kind, .. } = self;
        Field { table, key, doc, declaration: ParameterDeclaration::default(), kind: ListOf::new(kind) }
    }
}

impl<K> Field<'_, '_, ListOf<K>> {
    /// Refuses a list with fewer than `length_min` or more than `length_max` elements.
    pub fn length(mut self, length_min: usize, length_max: usize) -> Self {
        (self.kind.length_min, self.kind.length_max) = (length_min, length_max);
        self
    }
}

impl<K: ValueKind> Field<'_, '_, K> {
    /// States the meaning of the number: the effect of a larger value on the speed of its part.
    pub fn meaning(mut self, meaning: Meaning) -> Self {
        self.declaration.meaning = Some(meaning);
        self
    }

    /// States the resource of the part to which the number belongs.
    pub fn resource(mut self, name: &'static str) -> Self {
        self.declaration.resource = Some(name);
        self
    }

    /// Returns the value. A missing value is reported as a problem.
    pub fn required(self) -> K::Value {
        self.note_in_schema(|| Need::Required);
        match self.table.child(self.key) {
            Some(node) => self.decode_node(node).unwrap_or_else(|| self.kind.placeholder()),
            None => {
                self.table.report_missing(self.key, self.doc, &self.kind.allowed());
                self.kind.placeholder()
            }
        }
    }

    /// Returns the value, or `None` if the key is absent.
    pub fn optional(self) -> Option<K::Value> {
        self.note_in_schema(|| Need::Optional);
        let node = self.table.child(self.key)?;
        self.decode_node(node)
    }

    /// Reports the errors in a value that another key overrides, without returning the value.
    pub fn report_overridden(self) {
        self.note_in_schema(|| Need::Optional);
        if let Some(Err(invalid_values)) =
            self.table.child(self.key).map(|node| self.kind.decode(node, self.table.all_texts()))
        {
            self.table.report_invalid_values(self.key, self.doc, invalid_values);
        }
    }

    /// Returns the value, or `default` if the key is absent.
    pub fn or(self, default: K::Literal<'_>) -> K::Value {
        let default_node = TreeNode::synthetic(self.kind.to_tree_value(default));
        let value = match self.kind.decode(&default_node, self.table.all_texts()) {
            Ok(value) => value,
            Err(invalid_values) => {
                panic!("the default of `{}` is not allowed: {}", self.key, first_invalid(&invalid_values))
            }
        };
        let json = self.kind.json(&value, &default_node);
        self.note_in_schema(|| Need::Default(without_quotes(&json), json.clone()));
        match self.table.child(self.key) {
            Some(node) => self.decode_node(node).unwrap_or(value),
            None => {
                let text = default_node.text().map_or_else(|| without_quotes(&json), str::to_string);
                self.table.record_value(self.recorded_key(), self.kind.describe(), None, text, json);
                self.note_file(&value);
                value
            }
        }
    }

    fn recorded_key(&self) -> RecordedKey {
        RecordedKey { key: self.key, doc: self.doc, declaration: self.declaration }
    }

    fn note_file(&self, value: &K::Value) {
        if let Some(file) = self.kind.file(value) {
            self.table.note_file(self.key, file);
        }
    }

    /// Notes that the table may hold the key. The form of the key's value is built only if the schema is collected.
    fn note_in_schema(&self, need: impl FnOnce() -> Need) {
        if self.table.describing() {
            let form = Form::Value(self.kind.describe().to_string(), self.kind.schema(), self.declaration);
            self.table.note_key(self.key, self.doc, form, need());
        } else {
            self.table.add_known(self.key);
        }
    }

    /// Returns the value of a node, or reports its problems and returns `None`.
    fn decode_node(&self, node: &TreeNode) -> Option<K::Value> {
        let decoded: Decoded<K::Value> = self.kind.decode(node, self.table.all_texts());
        match decoded {
            Ok(value) => {
                let json = self.kind.json(&value, node);
                let text = self.table.as_written(node).unwrap_or_else(|| without_quotes(&json));
                self.table.record_value(self.recorded_key(), self.kind.describe(), Some(node), text, json);
                self.note_file(&value);
                Some(value)
            }
            Err(invalid_values) => {
                self.table.report_invalid_values(self.key, self.doc, invalid_values);
                None
            }
        }
    }
}

fn first_invalid(invalid_values: &[InvalidValue]) -> &str {
    invalid_values.first().map_or("", |invalid_value| invalid_value.fault.label.as_str())
}

/// Formats JSON as text; a string is written without its quotes.
fn without_quotes(json: &serde_json::Value) -> String {
    json.as_str().map_or_else(|| json.to_string(), str::to_string)
}
