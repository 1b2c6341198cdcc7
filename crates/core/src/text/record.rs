//! Records of the values that were read. `narrows show` prints them, and a result contains them as its description.

use super::kind::Kind;
use super::meaning::ParameterDeclaration;
use super::origin::{Layer, Origin, TextSpan, Texts};
use serde_json::{Map, Value as Json};
use std::borrow::Cow;

/// One value that was read.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// The key with all keys above it, such as `ni.trapeze.poll`.
    pub path: String,
    /// The value as it is written.
    pub value: String,
    /// The kind of the value, with the values that are allowed.
    pub kind: Kind,
    /// The declaration of the number by its part.
    pub declaration: ParameterDeclaration,
    /// The layer and source location from which the value comes.
    pub origin: Origin,
    /// The comment after the value, which states the source of a number.
    pub note: Option<String>,
    /// The meaning of the key.
    pub doc: &'static str,
}

/// A key that the description calls by its former name.
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
    /// Returns the step as it is written in TOML.
    fn text(&self) -> Cow<'_, str> {
        match self {
            Step::Key(key) => (*key).into(),
            Step::Name(name) => name.into(),
            Step::Index(index) => index.to_string().into(),
        }
    }

    /// Returns the step as it is written in JSON.
    fn json_key(&self) -> Cow<'_, str> {
        match self {
            Step::Key(key) if key.contains('-') => key.replace('-', "_").into(),
            step => step.text(),
        }
    }
}

/// Formats a path as text, with a `.` between its steps.
pub(super) fn dotted(path: &[Step]) -> String {
    let mut text = String::with_capacity(48);
    for (depth, step) in path.iter().enumerate() {
        if depth > 0 {
            text.push('.');
        }
        text.push_str(&step.text());
    }
    text
}

/// Returns whether `text` is the path in the form of [`dotted`].
fn is_dotted(path: &[Step], text: &str) -> bool {
    let mut rest = text;
    path.iter().enumerate().all(|(depth, step)| {
        let step_text = if depth == 0 { Some(rest) } else { rest.strip_prefix('.') };
        let remainder = step_text.and_then(|text| text.strip_prefix(&*step.text()));
        rest = remainder.unwrap_or_default();
        remainder.is_some()
    }) && rest.is_empty()
}

/// A value as it was read. It is converted to an [`Entry`] only on request.
#[derive(Clone, Debug)]
pub(super) struct RecordedValue {
    pub value: String,
    pub kind: Kind,
    pub declaration: ParameterDeclaration,
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
        let RecordedValue { value, kind, declaration, place, doc } = self.clone();
        let origin = match &place {
            Some(place) => texts.origin(place),
            None => Origin { layer: Layer::Default, place: None, line: None },
        };
        let note = place.and_then(|place| texts.note(&place));
        Entry { path: dotted(path), value, kind, declaration, origin, note, doc }
    }
}

/// The record of a value, a table or a selection at a path.
#[derive(Clone, Debug)]
pub(super) enum RecordedItem {
    Table,
    List,
    Value(Box<RecordedValue>, Json),
    /// The selected table of a family. In a result, the table itself shows the selection.
    Choice(Box<RecordedValue>),
}

/// The records of everything that was read, in reading order.
#[derive(Clone, Debug, Default)]
pub(super) struct Records(pub Vec<(Vec<Step>, RecordedItem)>);

impl Records {
    /// Returns the values that were read from `texts`.
    pub fn entries(&self, texts: &Texts) -> Vec<Entry> {
        self.values().map(|(path, value)| value.entry(path, texts)).collect()
    }

    /// Returns the value at a path. The search begins with the values read last, which are requested most often.
    pub fn find(&self, path: &str) -> Option<&RecordedValue> {
        self.values().rfind(|(steps, _)| is_dotted(steps, path)).map(|(_, value)| value)
    }

    /// Replaces the value at `path`, if it is a default, by `word`.
    pub fn replace_default(&mut self, path: &str, word: &str) {
        for (steps, item) in &mut self.0 {
            if let RecordedItem::Value(value, json) = item
                && value.place.is_none()
                && is_dotted(steps, path)
            {
                word.clone_into(&mut value.value);
                *json = word.into();
            }
        }
    }

    fn values(&self) -> impl DoubleEndedIterator<Item = (&[Step], &RecordedValue)> {
        self.0.iter().filter_map(|(path, item)| match item {
            RecordedItem::Value(value, _) | RecordedItem::Choice(value) => Some((&path[..], &**value)),
            RecordedItem::Table | RecordedItem::List => None,
        })
    }

    /// Returns all values as JSON.
    pub fn resolved(&self) -> Json {
        let mut tree = JsonTree::default();
        for (path, item) in &self.0 {
            let value = match item {
                RecordedItem::Table | RecordedItem::Choice(_) => Json::Object(Map::new()),
                RecordedItem::List => Json::Array(Vec::new()),
                RecordedItem::Value(_, json) => json.clone(),
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
    /// The tables and lists along a path, outermost first, each with its step. While a table is in this list, its slot
    /// in the enclosing table holds null.
    open_tables: Vec<(&'a Step, Json)>,
}

impl Default for JsonTree<'_> {
    fn default() -> Self {
        JsonTree { root: Json::Object(Map::new()), open_tables: Vec::new() }
    }
}

impl<'a> JsonTree<'a> {
    /// Inserts a value at a path, below the tables and lists that exist already. An existing value at the path is kept.
    fn insert(&mut self, path: &'a [Step], value: Json) {
        let Some((last_step, parents)) = path.split_last() else { return };
        let shared_depth =
            self.open_tables.iter().zip(parents).take_while(|((open_step, _), step)| open_step == step).count();
        self.close_tables(shared_depth);
        for step in &parents[shared_depth..] {
            let Some(slot) = slot(self.innermost(), step) else { return };
            let child = match slot.take() {
                Json::Null => Json::Object(Map::new()),
                child => child,
            };
            self.open_tables.push((step, child));
        }
        if let Some(slot) = slot(self.innermost(), last_step)
            && slot.is_null()
        {
            *slot = value;
        }
    }

    fn innermost(&mut self) -> &mut Json {
        self.open_tables.last_mut().map_or(&mut self.root, |(_, json)| json)
    }

    /// Puts all but the outermost `kept_count` open tables back into those above them.
    fn close_tables(&mut self, kept_count: usize) {
        while self.open_tables.len() > kept_count {
            let (step, json) = self.open_tables.pop().expect("one is open");
            *slot(self.innermost(), step).expect("it was opened here") = json;
        }
    }

    fn finish(mut self) -> Json {
        self.close_tables(0);
        self.root
    }
}

/// Returns the slot of a step in a table or list, which holds null if the slot is new. Returns `None` if `container` is
/// neither.
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
