//! The parts of one family, in the order in which they are listed, and the syntax by which a description names one.
//!
//! Several members may share *sibling tables*: `[fabric.router]` describes the routers of whichever shape is selected.

use super::{PartInfo, PartSpec, Selected, SiblingTables};
use crate::text::{Table, describe};
use std::fmt::{self, Debug, Formatter};
use std::sync::{Arc, OnceLock};

/// Reads the part of an entry from its table.
type PartReader<S> = dyn Fn(&mut Table<'_>) -> Arc<S> + Send + Sync;

/// Help for a description that selects a part which is not registered.
const REGISTRATION_HELP: &str =
    "if it is a part of your own in Rust, run the program that registers it (docs/extending.md)";

/// A part that a registry holds: its documentation, and how it is read.
pub struct PartEntry<S: ?Sized> {
    /// Name and documentation of the part.
    pub info: PartInfo,
    read: Arc<PartReader<S>>,
    siblings: Option<Arc<SiblingTables<S>>>,
}

impl<S: ?Sized> Clone for PartEntry<S> {
    fn clone(&self) -> Self {
        PartEntry { info: self.info, read: self.read.clone(), siblings: self.siblings.clone() }
    }
}

impl<S: ?Sized> PartEntry<S> {
    /// Returns the entry of a part that `read` reads from its table.
    pub fn new(info: PartInfo, read: impl Fn(&mut Table<'_>) -> Arc<S> + Send + Sync + 'static) -> Self {
        PartEntry { info, read: Arc::new(read), siblings: None }
    }

    /// States which sibling tables describe more of the part.
    #[must_use]
    pub fn with_siblings(mut self, siblings: &Arc<SiblingTables<S>>) -> Self {
        self.siblings = Some(siblings.clone());
        self
    }
}

/// A family of parts, by key.
pub struct PartFamily<S: ?Sized> {
    table: &'static str,
    summary: &'static str,
    default: Option<&'static str>,
    entries: Vec<PartEntry<S>>,
    default_parts: OnceLock<Vec<Selected<S>>>,
}

impl<S: ?Sized> Clone for PartFamily<S> {
    fn clone(&self) -> Self {
        let (entries, default_parts) = (self.entries.clone(), OnceLock::new());
        PartFamily { entries, default_parts, ..*self }
    }
}

impl<S: ?Sized> Debug for PartFamily<S> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.entries.iter().map(|entry| entry.info.key)).finish()
    }
}

impl<S: ?Sized + PartSpec> PartFamily<S> {
    /// Returns a family without parts, whose members are tables below `table`.
    pub const fn new(table: &'static str, summary: &'static str) -> Self {
        PartFamily { table, summary, default: None, entries: Vec::new(), default_parts: OnceLock::new() }
    }

    /// Sets the part that is selected if a description selects none. The parts of such a family have no sibling tables.
    #[must_use]
    pub const fn with_default(mut self, key: &'static str) -> Self {
        self.default = Some(key);
        self
    }

    /// Adds a part behind all others.
    ///
    /// # Panics
    ///
    /// Panics if another part of the family has the same key, because it would be unclear which of the two a
    /// description names.
    pub fn add(&mut self, entry: PartEntry<S>) {
        let key = entry.info.key;
        assert!(self.get(key).is_none(), "two parts are registered as `{}.{key}`: give one another key", self.table);
        self.entries.push(entry);
        self.default_parts.take();
    }

    /// Returns the key below which the family's parts are described.
    pub fn table(&self) -> &'static str {
        self.table
    }

    /// Returns the key of the part that is selected if a description selects none.
    pub fn default_key(&self) -> Option<&'static str> {
        self.default
    }

    /// Returns the description of the family in one line.
    pub fn summary(&self) -> &'static str {
        self.summary
    }

    /// Iterates over the parts in the order in which they are listed.
    pub fn iter(&self) -> impl Iterator<Item = &PartEntry<S>> {
        self.entries.iter()
    }

    /// Returns the part called `key`.
    pub fn get(&self, key: &str) -> Option<&PartEntry<S>> {
        self.entries.iter().find(|entry| entry.info.key == key)
    }

    /// Iterates over the keys of the parts that `other` does not have.
    pub fn keys_not_in(&self, other: &Self) -> impl Iterator<Item = &'static str> {
        self.entries.iter().map(|entry| entry.info.key).filter(|key| other.get(key).is_none())
    }

    /// Returns the table of the part called `key`, as its shortest description, if there is such a part.
    pub fn example_table(&self, key: &str) -> Option<String> {
        self.get(key).map(|entry| format!("[{}.{key}]\n{}\n", self.table, entry.info.example))
    }

    /// Returns the keys of the parts, each with its description in one line.
    pub fn members(&self) -> Vec<(&'static str, &'static str)> {
        self.entries.iter().map(|entry| (entry.info.key, entry.info.summary)).collect()
    }

    /// Reads the part called `key` from its table `t`, which is below `family_table`.
    ///
    /// # Panics
    ///
    /// Panics if there is no such part.
    pub fn read_member(&self, key: &str, t: &mut Table<'_>, family_table: &str) -> Selected<S> {
        let entry = self.get(key).expect("a table gives the name of a member");
        let selected = Selected::new((entry.read)(t), family_table);
        entry.siblings.iter().fold(selected, |selected, siblings| selected.with_siblings(siblings.tables))
    }

    /// Reads the part that a description selects by a table within `t`, whose path is `family_table`. It is an error if
    /// no part is selected.
    pub fn read_variant(&self, t: &mut Table<'_>, family_table: &str) -> Selected<S> {
        t.open_family("", REGISTRATION_HELP);
        t.alternatives(self.summary, &self.members(), |key, t| self.read_member(key, t, family_table))
    }

    /// Reads the part that a description selects below the family's table. It is an error if no part is selected and
    /// the family has no default.
    pub fn read(&self, t: &mut Table<'_>) -> Selected<S> {
        t.open_family(self.table, REGISTRATION_HELP);
        let read = |key: &str, t: &mut Table<'_>| self.read_member(key, t, self.table);
        match self.default {
            Some(default) => t.one_of_or(self.table, self.summary, &self.members(), default, read),
            None => self.select_with_siblings(t, read),
        }
    }

    /// Reads the part that a description selects, and its sibling tables.
    fn select_with_siblings(
        &self,
        t: &mut Table<'_>,
        read: impl FnMut(&str, &mut Table<'_>) -> Selected<S>,
    ) -> Selected<S> {
        let all_siblings = self.siblings();
        let keys: Vec<&str> = all_siblings.iter().flat_map(|siblings| siblings.tables).map(|table| table.key).collect();
        let mut selected_with_siblings = None;
        let read_all_siblings = |t: &mut Table<'_>, selected: &Selected<S>| {
            for siblings in &all_siblings {
                selected_with_siblings = self.read_siblings(siblings, t, selected).or(selected_with_siblings.take());
            }
        };
        let selected =
            t.one_of_with_siblings(self.table, self.summary, &self.members(), read, &keys, read_all_siblings);
        selected_with_siblings.unwrap_or(selected)
    }

    /// Returns the sibling tables of all members, each group of tables once.
    fn siblings(&self) -> Vec<&Arc<SiblingTables<S>>> {
        let mut all: Vec<&Arc<SiblingTables<S>>> = Vec::new();
        for siblings in self.entries.iter().filter_map(|entry| entry.siblings.as_ref()) {
            if !all.iter().any(|known| Arc::ptr_eq(known, siblings)) {
                all.push(siblings);
            }
        }
        all
    }

    /// Reads sibling tables, and returns the selected member with their values. If the member has no such tables,
    /// reports the sibling tables that the description has, and returns `None`.
    fn read_siblings(
        &self,
        siblings: &Arc<SiblingTables<S>>,
        t: &mut Table<'_>,
        selected: &Selected<S>,
    ) -> Option<Selected<S>> {
        let own_siblings = self.get(selected.name()).and_then(|entry| entry.siblings.as_ref());
        if t.describing() || own_siblings.is_some_and(|own_siblings| Arc::ptr_eq(own_siblings, siblings)) {
            return Some(selected.with_spec((siblings.read)(t, selected.spec())));
        }
        let described_tables: Vec<_> = siblings.tables.iter().filter(|table| t.has(table.key)).collect();
        if !described_tables.is_empty() {
            (siblings.read)(t, selected.spec());
        }
        for table in described_tables {
            let message = format!("[{}] {}", selected.table(), table.refusal);
            let help = format!("remove {}.{}, or {}", selected.family_table(), table.key, siblings.help);
            t.report_invalid(table.key, message, help);
        }
        None
    }

    /// Reads the part that a description selects below the family's table, if it selects one; `doc` describes the
    /// selection in one line.
    pub fn read_optional(&self, t: &mut Table<'_>, doc: &'static str) -> Option<Selected<S>> {
        t.open_family(self.table, REGISTRATION_HELP);
        let read = |key: &str, t: &mut Table<'_>| self.read_member(key, t, self.table);
        t.optional_one_of(self.table, doc, &self.members(), read)
    }

    /// Returns every part with default values, as its reader returns it for an empty description, for questions whose
    /// answer does not depend on the values. The parts are read once.
    pub fn default_parts(&self) -> &[Selected<S>] {
        self.default_parts.get_or_init(|| {
            let mut parts = Vec::new();
            for entry in &self.entries {
                describe(|t| parts.push(Selected::new((entry.read)(t), self.table)));
            }
            parts
        })
    }
}
