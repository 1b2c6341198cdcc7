//! The schema of descriptions, for editors (JSON Schema) and for listings.
//!
//! The schema is collected by running the reader itself, so that the two cannot disagree.

use super::meaning::ParameterDeclaration;
use serde_json::Value as Json;

mod json;

/// The prefix of the kind that a listing shows for a member of a family; the key of the family follows.
const CHOICE_PREFIX: &str = "choice for";

/// Whether a key is required.
#[derive(Clone, Debug, PartialEq)]
pub enum Need {
    /// The key is required.
    Required,
    /// The key may be left out and has no default.
    Optional,
    /// The key may be left out and has this default, as text and as JSON.
    Default(String, Json),
}

/// The keys of a table.
#[derive(Clone, Debug, Default)]
pub struct TableShape {
    /// The entries of the table, in reading order.
    pub items: Vec<Item>,
    /// The keys that were read more than once.
    pub repeated_keys: Vec<&'static str>,
    /// Renamed keys, each as the former name, which is still read, and the present name.
    pub renamed_keys: Vec<(&'static str, &'static str)>,
}

/// One entry of a table.
#[derive(Clone, Debug)]
pub enum Item {
    /// One key.
    Key {
        key: &'static str,
        /// The help text.
        doc: &'static str,
        /// The form of the key's value.
        form: Form,
        /// Whether the key is required.
        need: Need,
    },
    /// Several tables of which one is selected.
    Family(Family),
}

/// Tables of which one is selected.
#[derive(Clone, Debug)]
pub struct Family {
    /// The help text.
    pub doc: &'static str,
    /// The tables that can be selected.
    pub members: Vec<Member>,
    /// Whether a selection is required.
    pub need: Need,
}

/// One table of a family.
#[derive(Clone, Debug)]
pub struct Member {
    /// The key of the table.
    pub name: &'static str,
    /// The help text.
    pub doc: &'static str,
    /// The keys of the table.
    pub shape: TableShape,
}

/// The form of a key's value.
#[derive(Clone, Debug)]
pub enum Form {
    /// A value of the kind with this name, with its JSON Schema and its declaration by the part.
    Value(String, Json, ParameterDeclaration),
    /// A table.
    Table(TableShape),
    /// A table of tables under names that the user chooses.
    Map(TableShape),
    /// A list of tables.
    List(TableShape),
    /// A table that selects one member of a family, or the member's name as a word, together with the sibling keys of
    /// the selection.
    OneOf(Family, TableShape),
    /// The form of another key: the top-level key with this name.
    Like(&'static str),
    /// Names of shipped parts.
    Parts,
}

/// The schema of a whole description.
#[derive(Clone, Debug)]
pub struct Schema {
    /// The top-level keys.
    pub root: TableShape,
}

/// One line of a listing.
#[derive(Clone, Debug, PartialEq)]
pub struct Line {
    /// The key with all keys above it.
    pub path: String,
    /// The form of the key's value.
    pub kind: String,
    /// Whether the key is required.
    pub need: Need,
    /// The help text.
    pub doc: &'static str,
    /// The declaration of the number by its part.
    pub declaration: ParameterDeclaration,
}

impl TableShape {
    /// Adds an entry; a key that is there already is listed as repeated.
    pub(super) fn add(&mut self, item: Item) {
        let is_same = |existing: &Item| matches!((existing, &item), (Item::Key { key: a, .. }, Item::Key { key: b, .. }) if a == b);
        match item {
            Item::Key { key, .. } if self.items.iter().any(is_same) => self.repeated_keys.push(key),
            item => self.items.push(item),
        }
    }

    fn append_lines(&self, parent_path: &str, lines: &mut Vec<Line>) {
        for item in &self.items {
            match item {
                Item::Key { key, doc, form, need } => {
                    let path = join_path(parent_path, key);
                    let (kind, declaration) = (form.name(), form.declaration());
                    lines.push(Line { path: path.clone(), kind, need: need.clone(), doc, declaration });
                    form.append_lines(&path, lines);
                }
                Item::Family(family) => family.append_lines(parent_path, lines),
            }
        }
    }
}

fn join_path(parent_path: &str, key: &str) -> String {
    if parent_path.is_empty() { key.to_string() } else { format!("{parent_path}.{key}") }
}

impl Family {
    fn append_lines(&self, parent_path: &str, lines: &mut Vec<Line>) {
        for member in &self.members {
            let path = join_path(parent_path, member.name);
            lines.push(Line {
                path: path.clone(),
                kind: format!("{CHOICE_PREFIX} `{parent_path}`"),
                need: self.need.clone(),
                doc: member.doc,
                declaration: ParameterDeclaration::default(),
            });
            member.shape.append_lines(&path, lines);
        }
    }

    fn names(&self) -> Vec<&'static str> {
        self.members.iter().map(|member| member.name).collect()
    }
}

impl Form {
    fn name(&self) -> String {
        match self {
            Form::Value(name, ..) => name.clone(),
            Form::Table(_) => "table".to_string(),
            Form::Map(_) => "named tables".to_string(),
            Form::List(_) => "list of tables".to_string(),
            Form::OneOf(family, _) => format!("one of {}", family.names().join(" | ")),
            Form::Like(key) => format!("as `{key}`"),
            Form::Parts => "names of parts".to_string(),
        }
    }

    /// Returns the declaration of the value by its part.
    fn declaration(&self) -> ParameterDeclaration {
        if let Form::Value(.., declaration) = self { *declaration } else { ParameterDeclaration::default() }
    }

    fn append_lines(&self, path: &str, lines: &mut Vec<Line>) {
        match self {
            Form::Value(..) | Form::Like(_) | Form::Parts => {}
            Form::Table(shape) => shape.append_lines(path, lines),
            Form::Map(shape) => shape.append_lines(&join_path(path, "NAME"), lines),
            Form::List(shape) => shape.append_lines(&join_path(path, "INDEX"), lines),
            Form::OneOf(family, siblings) => {
                family.append_lines(path, lines);
                siblings.append_lines(path, lines);
            }
        }
    }
}

impl Schema {
    /// Returns all keys with their kinds, defaults and meanings, in the order in which they are read.
    pub fn lines(&self) -> Vec<Line> {
        let mut lines = Vec::new();
        self.root.append_lines("", &mut lines);
        lines
    }

    /// Returns the lines as plain text.
    pub fn listing(&self) -> String {
        let line = |line: &Line| {
            let need = match &line.need {
                Need::Required if line.kind.starts_with(CHOICE_PREFIX) => "one is required".to_string(),
                Need::Required => "required".to_string(),
                Need::Optional => "optional".to_string(),
                Need::Default(text, _) => format!("default {text}"),
            };
            let declaration = line.declaration.text().map(|text| format!("; {text}")).unwrap_or_default();
            format!("{}  ({}{declaration}; {need})\n    {}\n", line.path, line.kind, line.doc)
        };
        self.lines().iter().map(line).collect()
    }
}
