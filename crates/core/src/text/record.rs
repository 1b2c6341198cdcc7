//! The values that were read, one by one. `narrows show` prints them, and a result contains them as its description.

use super::meaning::ParameterDeclaration;
use super::origin::{Layer, Origin, Place};
use serde_json::{Map, Value as Json};

/// One value that was read.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// The key with all keys above it, such as `ni.trapeze.poll`.
    pub path: String,
    /// The value as it is written.
    pub value: String,
    /// The name of the value's kind.
    pub kind: String,
    /// The declaration of the number by its part.
    pub declared: ParameterDeclaration,
    /// The layer and source location from which the value comes.
    pub origin: Origin,
    /// The comment after the value, which states the source of a number.
    pub note: Option<String>,
    /// The meaning of the key.
    pub doc: &'static str,
}

/// A key that has its former name in the description.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct RenamedKey {
    /// The former name, with all keys above it.
    pub old: String,
    /// The present name, with all keys above it.
    pub new: String,
    /// The source location of the key.
    pub place: Option<Place>,
}

/// One step of a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// A key of the description language.
    Key(&'static str),
    /// A name that the user chose.
    Name(String),
    /// The index of an element of a list.
    Index(usize),
}

impl Step {
    /// Returns the step as it is written in TOML.
    fn text(&self) -> String {
        match self {
            Step::Key(key) => (*key).to_string(),
            Step::Name(name) => name.clone(),
            Step::Index(index) => index.to_string(),
        }
    }

    /// Returns the step as it is written in JSON.
    fn json_key(&self) -> String {
        match self {
            Step::Key(key) => key.replace('-', "_"),
            other => other.text(),
        }
    }
}

/// Formats a path as text.
pub(super) fn dotted(path: &[Step]) -> String {
    path.iter().map(Step::text).collect::<Vec<_>>().join(".")
}

/// The record of a value, a table or a selection at a path.
#[derive(Clone, Debug)]
pub(super) enum Mark {
    Table,
    List,
    Value(Box<Entry>, Json),
    /// The selected table of a family. In a result, the table itself shows the selection.
    Choice(Box<Entry>),
}

/// All that was read, in reading order.
#[derive(Clone, Debug, Default)]
pub(super) struct Records(pub Vec<(Vec<Step>, Mark)>);

impl Records {
    /// Returns the values that were read.
    pub fn entries(&self) -> Vec<Entry> {
        self.each().cloned().collect()
    }

    /// Returns the value at a path. The search begins with the values read last, which are requested most often.
    pub fn find(&self, path: &str) -> Option<&Entry> {
        self.each().rfind(|entry| entry.path == path)
    }

    /// Replaces the value at `path`, if it is a default, by the word that applies instead.
    pub fn replace_default(&mut self, path: &str, word: &str) {
        let values = self.0.iter_mut().filter_map(|(_, mark)| match mark {
            Mark::Value(entry, json) if entry.path == path && entry.origin.layer == Layer::Default => {
                Some((entry, json))
            }
            _ => None,
        });
        for (entry, json) in values {
            word.clone_into(&mut entry.value);
            *json = word.into();
        }
    }

    fn each(&self) -> impl DoubleEndedIterator<Item = &Entry> {
        self.0.iter().filter_map(|(_, mark)| match mark {
            Mark::Value(entry, _) | Mark::Choice(entry) => Some(&**entry),
            Mark::Table | Mark::List => None,
        })
    }

    /// Returns all values as JSON.
    pub fn resolved(&self) -> Json {
        let mut root = Json::Object(Map::new());
        for (path, mark) in &self.0 {
            let value = match mark {
                Mark::Table | Mark::Choice(_) => Json::Object(Map::new()),
                Mark::List => Json::Array(Vec::new()),
                Mark::Value(_, json) => json.clone(),
            };
            put(&mut root, path, value);
        }
        root
    }
}

/// Puts a value at a path, below tables and lists that were put there before.
fn put(at: &mut Json, path: &[Step], value: Json) {
    let Some((step, rest)) = path.split_first() else { return };
    let slot = match (at, step) {
        (Json::Array(items), Step::Index(index)) => {
            if items.len() <= *index {
                items.resize(index + 1, Json::Null);
            }
            &mut items[*index]
        }
        (Json::Object(map), step) => map.entry(step.json_key()).or_insert(Json::Null),
        _ => return,
    };
    match rest {
        [] if slot.is_null() => *slot = value,
        [] => {}
        rest => {
            if slot.is_null() {
                *slot = Json::Object(Map::new());
            }
            put(slot, rest, value);
        }
    }
}
