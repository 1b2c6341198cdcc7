//! The values that were read, one by one. `narrows show` prints them, and a result contains them as its description.

use super::meaning::ParameterDeclaration;
use super::origin::{Layer, Origin, TextSpan, Texts};
use serde_json::{Map, Value as Json};
use std::borrow::Cow;
use std::fmt::Write;

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
    pub place: Option<TextSpan>,
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
    /// Appends the step as it is written in TOML.
    fn write(&self, text: &mut String) {
        match self {
            Step::Key(key) => text.push_str(key),
            Step::Name(name) => text.push_str(name),
            Step::Index(index) => {
                let _ = write!(text, "{index}");
            }
        }
    }

    /// Returns what follows the step at the beginning of `text`.
    fn strip_from<'t>(&self, text: &'t str) -> Option<&'t str> {
        match self {
            Step::Key(key) => text.strip_prefix(key),
            Step::Name(name) => text.strip_prefix(name.as_str()),
            Step::Index(index) => text.strip_prefix(index.to_string().as_str()),
        }
    }

    /// Returns the step as it is written in JSON.
    fn json_key(&self) -> Cow<'_, str> {
        match self {
            Step::Key(key) if key.contains('-') => key.replace('-', "_").into(),
            Step::Key(key) => (*key).into(),
            Step::Name(name) => name.into(),
            Step::Index(index) => index.to_string().into(),
        }
    }
}

/// Formats a path as text.
pub(super) fn dotted(path: &[Step]) -> String {
    let mut text = String::with_capacity(48);
    for (depth, step) in path.iter().enumerate() {
        if depth > 0 {
            text.push('.');
        }
        step.write(&mut text);
    }
    text
}

/// Returns whether `text` is the path in the form of [`dotted`].
fn is_dotted(path: &[Step], text: &str) -> bool {
    let mut rest = text;
    path.iter().enumerate().all(|(depth, step)| {
        let after = if depth == 0 { Some(rest) } else { rest.strip_prefix('.') };
        let left = after.and_then(|after| step.strip_from(after));
        rest = left.unwrap_or_default();
        left.is_some()
    }) && rest.is_empty()
}

/// A value as it was read. It is converted to an [`Entry`] only on request.
#[derive(Clone, Debug)]
pub(super) struct RecordedValue {
    pub value: String,
    pub kind: String,
    pub declared: ParameterDeclaration,
    /// The source location; `None` for a default.
    pub place: Option<TextSpan>,
    pub doc: &'static str,
}

impl RecordedValue {
    /// Returns the layer that the value comes from.
    pub fn layer<'t>(&self, texts: &'t Texts) -> &'t Layer {
        self.place.as_ref().map_or(&Layer::Default, |place| &texts.get(place.text).layer)
    }

    fn entry(&self, path: &[Step], texts: &Texts) -> Entry {
        let RecordedValue { value, kind, declared, place, doc } = self.clone();
        let origin = match &place {
            Some(place) => texts.origin(place),
            None => Origin { layer: Layer::Default, place: None, line: None },
        };
        let note = place.and_then(|place| texts.note(&place));
        Entry { path: dotted(path), value, kind, declared, origin, note, doc }
    }
}

/// The record of a value, a table or a selection at a path.
#[derive(Clone, Debug)]
pub(super) enum Mark {
    Table,
    List,
    Value(Box<RecordedValue>, Json),
    /// The selected table of a family. In a result, the table itself shows the selection.
    Choice(Box<RecordedValue>),
}

/// All that was read, in reading order.
#[derive(Clone, Debug, Default)]
pub(super) struct Records(pub Vec<(Vec<Step>, Mark)>);

impl Records {
    /// Returns the values that were read from `texts`.
    pub fn entries(&self, texts: &Texts) -> Vec<Entry> {
        self.values().map(|(path, value)| value.entry(path, texts)).collect()
    }

    /// Returns the value at a path. The search begins with the values read last, which are requested most often.
    pub fn find(&self, path: &str) -> Option<&RecordedValue> {
        self.values().rfind(|(steps, _)| is_dotted(steps, path)).map(|(_, value)| value)
    }

    /// Replaces the value at `path`, if it is a default, by the word that applies instead.
    pub fn replace_default(&mut self, path: &str, word: &str) {
        for (steps, mark) in &mut self.0 {
            if let Mark::Value(value, json) = mark
                && value.place.is_none()
                && is_dotted(steps, path)
            {
                word.clone_into(&mut value.value);
                *json = word.into();
            }
        }
    }

    fn values(&self) -> impl DoubleEndedIterator<Item = (&[Step], &RecordedValue)> {
        self.0.iter().filter_map(|(path, mark)| match mark {
            Mark::Value(value, _) | Mark::Choice(value) => Some((&path[..], &**value)),
            Mark::Table | Mark::List => None,
        })
    }

    /// Returns all values as JSON.
    pub fn resolved(&self) -> Json {
        let mut tree = JsonTree::default();
        for (path, mark) in &self.0 {
            let value = match mark {
                Mark::Table | Mark::Choice(_) => Json::Object(Map::new()),
                Mark::List => Json::Array(Vec::new()),
                Mark::Value(_, json) => json.clone(),
            };
            tree.insert(path, value);
        }
        tree.finish()
    }
}

/// A JSON object to which values are added by path. The tables along the path of the last value are kept open, since
/// the next value is mostly in one of them: a name is then looked up once for each table, and not for each value.
struct JsonTree<'a> {
    root: Json,
    /// The tables and lists along a path, outermost first, each with its step; null in the table above.
    open: Vec<(&'a Step, Json)>,
}

impl Default for JsonTree<'_> {
    fn default() -> Self {
        JsonTree { root: Json::Object(Map::new()), open: Vec::new() }
    }
}

impl<'a> JsonTree<'a> {
    /// Puts a value at a path, below tables and lists that are already there. A value that is there already is kept.
    fn insert(&mut self, path: &'a [Step], value: Json) {
        let Some((last, above)) = path.split_last() else { return };
        let shared = self.open.iter().zip(above).take_while(|((open, _), step)| open == step).count();
        self.close_tables(shared);
        for step in &above[shared..] {
            let Some(slot) = slot(self.innermost(), step) else { return };
            let below = match slot.take() {
                Json::Null => Json::Object(Map::new()),
                below => below,
            };
            self.open.push((step, below));
        }
        if let Some(slot) = slot(self.innermost(), last)
            && slot.is_null()
        {
            *slot = value;
        }
    }

    fn innermost(&mut self) -> &mut Json {
        self.open.last_mut().map_or(&mut self.root, |(_, json)| json)
    }

    /// Puts all but the outermost `kept_open` open tables back into those above them.
    fn close_tables(&mut self, kept_open: usize) {
        while self.open.len() > kept_open {
            let (step, json) = self.open.pop().expect("one is open");
            *slot(self.innermost(), step).expect("it was opened here") = json;
        }
    }

    fn finish(mut self) -> Json {
        self.close_tables(0);
        self.root
    }
}

/// Returns the value of a step below a table or list, null if it is new; `None` if there is nothing below `container`.
fn slot<'j>(container: &'j mut Json, step: &Step) -> Option<&'j mut Json> {
    match (container, step) {
        (Json::Array(items), Step::Index(index)) => {
            if items.len() <= *index {
                items.resize(index + 1, Json::Null);
            }
            Some(&mut items[*index])
        }
        (Json::Object(map), step) => Some(map.entry(step.json_key()).or_insert(Json::Null)),
        _ => None,
    }
}
