//! The kinds of values a description holds: how each is read, checked, shown and described.
//!
//! Quantities, counts, numbers, flags, texts, words, paths, and lists of these. Leaves out:
//! tables, which `read` knows, and whether a key must stand, which `field` knows.

use super::origin::{Place, Texts};
use super::quantity::{self, Fault, Quantity};
use super::suggest;
use super::tree::{Node, Value};
use serde_json::{Value as Json, json};
use std::path::PathBuf;

/// A value that does not fit its key, and where.
#[derive(Clone, Debug)]
pub struct Misfit {
    /// The value, or the element of it.
    pub place: Option<Place>,
    /// What is wrong with it.
    pub fault: Fault,
}

/// A value, or all that is wrong with it.
pub type Decoded<T> = Result<T, Vec<Misfit>>;

fn misfit<T>(node: &Node, fault: Fault) -> Decoded<T> {
    Err(vec![Misfit { place: node.place.clone(), fault }])
}

/// A kind of value.
pub trait Kind {
    /// What a program gets.
    type Value;
    /// How a default is written in the program.
    type Written<'d>: Copy + 'd;
    /// The kind's name in listings.
    fn name(&self) -> String;
    /// What is allowed, as an advice.
    fn allowed(&self) -> String;
    /// A default as it would stand in a file.
    fn written(&self, default: Self::Written<'_>) -> Value;
    /// The value of a node.
    fn decode(&self, node: &Node, texts: &Texts) -> Decoded<Self::Value>;
    /// Some valid value, with which reading goes on after a problem.
    fn placeholder(&self) -> Self::Value;
    /// The value for a result, canonical; `node` is what it was read from.
    fn json(&self, value: &Self::Value, node: &Node) -> Json;
    /// The kind as JSON Schema.
    fn schema(&self) -> Json;
}

/// A quantity with its bounds.
#[derive(Clone, Debug)]
pub struct Amount<Q> {
    /// The least allowed.
    pub min: Option<Q>,
    /// The most allowed.
    pub max: Option<Q>,
}

impl<Q> Amount<Q> {
    /// Any amount.
    pub const ANY: Amount<Q> = Amount { min: None, max: None };
}

/// A quantity that stands in the program's own text.
pub(super) fn own<Q: Quantity>(text: &str) -> Q {
    match quantity::parse(text) {
        Ok(value) => value,
        Err(fault) => panic!("the program itself writes {text:?}: {}", fault.label),
    }
}

impl<Q: Quantity> Kind for Amount<Q> {
    type Value = Q;
    type Written<'d> = &'d str;

    fn name(&self) -> String {
        Q::KIND.to_string() + &bounds(&self.min, &self.max)
    }

    fn allowed(&self) -> String {
        quantity::write_example::<Q>() + &bounds(&self.min, &self.max)
    }

    fn written(&self, default: &str) -> Value {
        own::<Q>(default);
        Value::Text(default.to_string())
    }

    fn decode(&self, node: &Node, texts: &Texts) -> Decoded<Q> {
        let value = match &node.value {
            Value::Text(text) => quantity::parse::<Q>(text),
            Value::Integer(_) | Value::Float(_) => {
                Err(quantity::no_unit::<Q>(node.place.as_ref().map_or("", |place| texts.slice(place))))
            }
            other => Err(Fault::new(format!("{} cannot be {}", Q::WHAT, other.what()), quantity::write_example::<Q>())),
        };
        match value.and_then(|value| within(value, &self.min, &self.max)) {
            Ok(value) => Ok(value),
            Err(fault) => misfit(node, fault),
        }
    }

    fn placeholder(&self) -> Q {
        self.min.or(self.max).unwrap_or_else(|| own(Q::EXAMPLE))
    }

    fn json(&self, value: &Q, _: &Node) -> Json {
        json!(value.to_string())
    }

    fn schema(&self) -> Json {
        let units: Vec<&str> = Q::UNITS.iter().map(|(name, _)| *name).chain((Q::KIND == "time").then_some("µs")).collect();
        json!({
            "type": "string",
            "pattern": format!(r"^\s*[0-9]+(\.[0-9]+)?\s*({})\s*$", units.join("|")),
            "examples": [Q::EXAMPLE],
        })
    }
}

/// `, 1 to 5`, `, at least 1`, `, at most 5` or nothing.
fn bounds<T: std::fmt::Display>(min: &Option<T>, max: &Option<T>) -> String {
    match (min, max) {
        (Some(min), Some(max)) => format!(", {min} to {max}"),
        (Some(min), None) => format!(", at least {min}"),
        (None, Some(max)) => format!(", at most {max}"),
        (None, None) => String::new(),
    }
}

fn within<T: PartialOrd + std::fmt::Display>(value: T, min: &Option<T>, max: &Option<T>) -> Result<T, Fault> {
    let label = match (min, max) {
        (Some(min), _) if value < *min => format!("must be at least {min}"),
        (_, Some(max)) if value > *max => format!("must be at most {max}"),
        _ => return Ok(value),
    };
    Err(Fault::new(label, format!("allowed is any value{}", bounds(min, max))))
}

/// A whole number of things.
#[derive(Clone, Debug)]
pub struct Count {
    /// The least allowed.
    pub min: Option<u64>,
    /// The most allowed.
    pub max: Option<u64>,
}

impl Count {
    const ANY: Count = Count { min: None, max: None };

    fn check(&self, node: &Node) -> Result<u64, Fault> {
        let help = || format!("write a bare integer{}", bounds(&self.min, &self.max));
        match &node.value {
            Value::Integer(number) => match number.map(u64::try_from) {
                Some(Ok(number)) => within(number, &self.min, &self.max),
                Some(Err(_)) if *number < Some(0) => Err(Fault::new("a count is not negative", help())),
                _ => Err(Fault::new("too large for a count", help())),
            },
            Value::Text(_) => Err(Fault::new("a count has no quotes and no unit", help())),
            other => Err(Fault::new(format!("a count cannot be {}", other.what()), help())),
        }
    }
}

impl Kind for Count {
    type Value = u64;
    type Written<'d> = u64;

    fn name(&self) -> String {
        "count".to_string() + &bounds(&self.min, &self.max)
    }

    fn allowed(&self) -> String {
        format!("write a bare integer{}", bounds(&self.min, &self.max))
    }

    fn written(&self, default: u64) -> Value {
        Value::Integer(Some(default.into()))
    }

    fn decode(&self, node: &Node, _: &Texts) -> Decoded<u64> {
        self.check(node).or_else(|fault| misfit(node, fault))
    }

    fn placeholder(&self) -> u64 {
        self.min.unwrap_or(1).min(self.max.unwrap_or(u64::MAX))
    }

    fn json(&self, value: &u64, _: &Node) -> Json {
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
    /// The least allowed.
    pub min: Option<f64>,
    /// The most allowed.
    pub max: Option<f64>,
}

impl Number {
    fn check(&self, node: &Node) -> Result<f64, Fault> {
        let number = match &node.value {
            Value::Float(number) if number.is_finite() => *number,
            Value::Float(_) => return Err(Fault::new("the number must be finite", self.allowed())),
            Value::Integer(Some(number)) => *number as f64,
            Value::Text(_) => return Err(Fault::new("a number has no quotes and no unit", self.allowed())),
            other => return Err(Fault::new(format!("a number cannot be {}", other.what()), self.allowed())),
        };
        within(number, &self.min, &self.max)
    }
}

impl Kind for Number {
    type Value = f64;
    type Written<'d> = f64;

    fn name(&self) -> String {
        "number".to_string() + &bounds(&self.min, &self.max)
    }

    fn allowed(&self) -> String {
        format!("write a bare number{}", bounds(&self.min, &self.max))
    }

    fn written(&self, default: f64) -> Value {
        Value::Float(default)
    }

    fn decode(&self, node: &Node, _: &Texts) -> Decoded<f64> {
        self.check(node).or_else(|fault| misfit(node, fault))
    }

    fn placeholder(&self) -> f64 {
        self.min.or(self.max).unwrap_or(1.0)
    }

    fn json(&self, value: &f64, _: &Node) -> Json {
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

impl Kind for Flag {
    type Value = bool;
    type Written<'d> = bool;

    fn name(&self) -> String {
        "flag".to_string()
    }

    fn allowed(&self) -> String {
        "write true or false, without quotes".to_string()
    }

    fn written(&self, default: bool) -> Value {
        Value::Flag(default)
    }

    fn decode(&self, node: &Node, _: &Texts) -> Decoded<bool> {
        match &node.value {
            Value::Flag(flag) => Ok(*flag),
            other => misfit(node, Fault::new(format!("a flag cannot be {}", other.what()), self.allowed())),
        }
    }

    fn placeholder(&self) -> bool {
        false
    }

    fn json(&self, value: &bool, _: &Node) -> Json {
        json!(value)
    }

    fn schema(&self) -> Json {
        json!({ "type": "boolean" })
    }
}

/// The text of a node that must be a string.
fn text_of(node: &Node, what: &str, allowed: String) -> Decoded<String> {
    match &node.value {
        Value::Text(text) => Ok(text.clone()),
        other => misfit(node, Fault::new(format!("{what} cannot be {}", other.what()), allowed)),
    }
}

/// Any text.
#[derive(Clone, Debug)]
pub struct Words;

impl Kind for Words {
    type Value = String;
    type Written<'d> = &'d str;

    fn name(&self) -> String {
        "text".to_string()
    }

    fn allowed(&self) -> String {
        "write a text in quotes".to_string()
    }

    fn written(&self, default: &str) -> Value {
        Value::Text(default.to_string())
    }

    fn decode(&self, node: &Node, _: &Texts) -> Decoded<String> {
        text_of(node, "a text", self.allowed())
    }

    fn placeholder(&self) -> String {
        String::new()
    }

    fn json(&self, value: &String, _: &Node) -> Json {
        json!(value)
    }

    fn schema(&self) -> Json {
        json!({ "type": "string" })
    }
}

/// One word of a closed set, and what each stands for.
#[derive(Clone, Debug)]
pub struct Choice<T> {
    /// The words and their meanings.
    pub words: Vec<(&'static str, T)>,
}

impl<T> Choice<T> {
    fn names(&self) -> impl Iterator<Item = &'static str> {
        self.words.iter().map(|(word, _)| *word)
    }
}

impl<T: Clone> Kind for Choice<T> {
    type Value = T;
    type Written<'d> = &'d str;

    fn name(&self) -> String {
        self.names().map(|word| format!("\"{word}\"")).collect::<Vec<_>>().join(" | ")
    }

    fn allowed(&self) -> String {
        let words: Vec<String> = self.names().map(|word| format!("\"{word}\"")).collect();
        format!("write one of {}", words.join(", "))
    }

    fn written(&self, default: &str) -> Value {
        assert!(self.names().any(|word| word == default), "the default {default:?} is none of {}", self.name());
        Value::Text(default.to_string())
    }

    fn decode(&self, node: &Node, _: &Texts) -> Decoded<T> {
        let given = text_of(node, "a word", self.allowed())?;
        if let Some((_, value)) = self.words.iter().find(|(word, _)| *word == given) {
            return Ok(value.clone());
        }
        let label = match suggest::nearest(&given, self.names()) {
            Some(near) => format!("did you mean \"{near}\"?"),
            None => "not one of the words allowed here".to_string(),
        };
        misfit(node, Fault::new(label, self.allowed()))
    }

    fn placeholder(&self) -> T {
        self.words.first().expect("a choice has at least one word").1.clone()
    }

    fn json(&self, _: &T, node: &Node) -> Json {
        json!(node.text().unwrap_or_default())
    }

    fn schema(&self) -> Json {
        json!({ "type": "string", "enum": self.names().collect::<Vec<_>>() })
    }
}

/// A file, named relative to the file it is named in; in `--set`, to the working directory.
#[derive(Clone, Debug)]
pub struct FilePath;

impl Kind for FilePath {
    type Value = PathBuf;
    type Written<'d> = &'d str;

    fn name(&self) -> String {
        "path".to_string()
    }

    fn allowed(&self) -> String {
        "write the name of a file in quotes, relative to the file it stands in".to_string()
    }

    fn written(&self, default: &str) -> Value {
        Value::Text(default.to_string())
    }

    fn decode(&self, node: &Node, texts: &Texts) -> Decoded<PathBuf> {
        let name = text_of(node, "a path", self.allowed())?;
        if name.is_empty() || name.contains('\0') {
            return misfit(node, Fault::new("this names no file", self.allowed()));
        }
        let folder = node.place.as_ref().and_then(|place| texts.get(place.text).folder.clone());
        Ok(folder.unwrap_or_default().join(name))
    }

    fn placeholder(&self) -> PathBuf {
        PathBuf::new()
    }

    fn json(&self, _: &PathBuf, node: &Node) -> Json {
        json!(node.text().unwrap_or_default())
    }

    fn schema(&self) -> Json {
        json!({ "type": "string", "minLength": 1 })
    }
}

/// A list of values of one kind.
#[derive(Clone, Debug)]
pub struct Several<K> {
    /// The kind of each element.
    pub each: K,
    /// The fewest elements allowed.
    pub fewest: usize,
    /// The most elements allowed.
    pub most: usize,
}

impl<K> Several<K> {
    /// Any number of elements of a kind.
    pub fn of(each: K) -> Several<K> {
        Several { each, fewest: 0, most: usize::MAX }
    }
}

impl Several<Count> {
    /// Any number of counts.
    pub fn counts() -> Several<Count> {
        Several::of(Count::ANY)
    }
}

impl<K: Kind> Several<K> {
    fn length_fault(&self, length: usize) -> Option<Fault> {
        let plural = |n: usize| if n == 1 { "1 element".to_string() } else { format!("{n} elements") };
        let label = match length {
            n if n < self.fewest => format!("must have at least {}", plural(self.fewest)),
            n if n > self.most => format!("must have at most {}", plural(self.most)),
            _ => return None,
        };
        Some(Fault::new(label, self.allowed()))
    }
}

impl<K: Kind> Kind for Several<K> {
    type Value = Vec<K::Value>;
    type Written<'d> = &'d [K::Written<'d>];

    fn name(&self) -> String {
        format!("list of {}", self.each.name())
    }

    fn allowed(&self) -> String {
        format!("write a list [..., ...]; for each element: {}", self.each.allowed())
    }

    fn written<'d>(&self, default: &'d [K::Written<'d>]) -> Value {
        Value::List(default.iter().map(|each| Node::made_up(self.each.written(*each))).collect())
    }

    fn decode(&self, node: &Node, texts: &Texts) -> Decoded<Self::Value> {
        let Value::List(items) = &node.value else {
            let label = format!("a list is expected, not {}", node.value.what());
            return misfit(node, Fault::new(label, self.allowed()));
        };
        if let Some(fault) = self.length_fault(items.len()) {
            return misfit(node, fault);
        }
        let (mut values, mut misfits) = (Vec::with_capacity(items.len()), Vec::new());
        for item in items {
            match self.each.decode(item, texts) {
                Ok(value) => values.push(value),
                Err(more) => misfits.extend(more),
            }
        }
        if misfits.is_empty() { Ok(values) } else { Err(misfits) }
    }

    fn placeholder(&self) -> Self::Value {
        (0..self.fewest).map(|_| self.each.placeholder()).collect()
    }

    fn json(&self, values: &Self::Value, node: &Node) -> Json {
        let Value::List(items) = &node.value else { return json!([]) };
        values.iter().zip(items).map(|(value, item)| self.each.json(value, item)).collect()
    }

    fn schema(&self) -> Json {
        let mut schema = json!({ "type": "array", "items": self.each.schema(), "minItems": self.fewest });
        if self.most < usize::MAX {
            schema["maxItems"] = json!(self.most);
        }
        schema
    }
}
