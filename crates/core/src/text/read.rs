//! Reads a description. One function for each part states the names of its keys, their meaning, their valid values and
//! their defaults.
//!
//! After a problem, reading continues, so that all problems are reported together. If the function of a part is run
//! without a description, in describing mode, it yields the [`Schema`]. The functions that read a table are in `table`,
//! `field` and `family`.

use super::diagnostics;
use super::load::Loaded;
use super::origin::{Layer, Origin, Texts};
use super::problem::{Problem, Problems};
use super::read_context::{Findings, ReadContext};
use super::record::{Entry, Records, RenamedKey};
use super::schema::Schema;
use super::table::{Table, with_value};
use serde_json::Value as Json;
use std::path::PathBuf;

/// A merged description that is ready to be read.
pub struct DescriptionReader {
    loaded: Loaded,
}

/// A description that was read, with the records of the reading.
#[derive(Clone, Debug)]
pub struct Read<T> {
    pub value: T,
    loaded: Loaded,
    records: Records,
    files: Vec<(String, PathBuf)>,
    renamed_keys: Vec<RenamedKey>,
}

impl DescriptionReader {
    /// Creates a reader of the merged layers.
    pub fn new(loaded: Loaded) -> DescriptionReader {
        DescriptionReader { loaded }
    }

    /// Reads the whole description.
    ///
    /// # Errors
    ///
    /// Returns all problems of the description together.
    pub fn read<T>(self, read: impl FnOnce(&mut Table<'_>) -> T) -> Result<Read<T>, Problems> {
        let context = ReadContext::new(self.loaded.texts.clone(), self.loaded.parts, false);
        let root = Table::new(&context, Vec::new(), Some(&self.loaded.root), None);
        let (value, _) = with_value(read, |read| root.run(read));
        let Findings { problems, records, files, mut renamed_keys } = context.finish();
        renamed_keys.sort();
        renamed_keys.dedup();
        match problems.is_empty() {
            true => Ok(Read { value, loaded: self.loaded, records, files, renamed_keys }),
            false => Err(Problems::new(problems, &self.loaded.texts)),
        }
    }
}

/// Returns the value that `read` yields for an empty description.
///
/// # Panics
///
/// Panics if a key is required.
pub(super) fn read_defaults<T>(read: impl FnOnce(&mut Table<'_>) -> T) -> T {
    let context = ReadContext::new(Texts::default(), &[], false);
    let root = Table::new(&context, Vec::new(), None, None);
    let (value, _) = with_value(read, |read| root.run(read));
    let problems = context.finish().problems;
    assert!(problems.is_empty(), "these have no defaults: {problems:?}");
    value
}

/// Returns the schema of what `read` accepts.
pub fn describe<T>(read: impl FnOnce(&mut Table<'_>) -> T) -> Schema {
    let context = ReadContext::new(Texts::default(), &[], true);
    let root = Table::new(&context, Vec::new(), None, None);
    let (_, shape) = with_value(read, |read| root.run(read));
    Schema { root: shape }
}

impl<T> Read<T> {
    /// Returns every value with its origin, in reading order.
    pub fn entries(&self) -> Vec<Entry> {
        self.records.entries(&self.loaded.texts)
    }

    /// Returns the number of values and tables that were read.
    pub fn item_count(&self) -> usize {
        self.records.0.len()
    }

    /// Returns the complete description with all defaults and overrides in the form of a result, with snake_case keys
    /// and canonical values.
    pub fn resolved(&self) -> Json {
        self.records.resolved()
    }

    /// Returns the files that values of the description name, each with the path of the value.
    pub fn files(&self) -> &[(String, PathBuf)] {
        &self.files
    }

    /// Returns the keys that the description calls by their former names.
    pub fn renamed_keys(&self) -> &[RenamedKey] {
        &self.renamed_keys
    }

    /// Returns the texts from which the description was read.
    pub fn texts(&self) -> &Texts {
        &self.loaded.texts
    }

    /// Returns the path in `paths` whose value comes from the highest layer, or the first of several such paths. A
    /// conflict between the values is best reported and corrected there.
    pub fn highest_layer<'p>(&self, paths: &[&'p str]) -> &'p str {
        let precedence =
            |path: &&&str| self.records.find(path).map_or(0, |value| 1 + value.layer(&self.loaded.texts).precedence());
        paths.iter().rev().max_by_key(precedence).expect("`paths` is not empty")
    }

    /// Returns whether any layer defines `path`; a default does not count.
    pub fn is_defined(&self, path: &str) -> bool {
        self.loaded.root.node_at(self.as_written(path).split('.')).is_some()
    }

    /// Returns the origin of the key at `path` in every layer that defines it, from the lowest layer to the highest.
    pub fn definitions(&self, path: &[&str]) -> Vec<Origin> {
        let node = self.loaded.root.node_at(path.iter().copied());
        let definitions = node.into_iter().flat_map(|node| &node.definitions);
        definitions.map(|definition| self.loaded.texts.origin(&definition.key)).collect()
    }

    /// Returns the path of the key at `path` as the description spells it, with the key's former name if the
    /// description uses that.
    fn as_written<'p>(&'p self, path: &'p str) -> &'p str {
        let is_current = || self.loaded.root.node_at(path.split('.')).is_some();
        let former = self.renamed_keys.iter().find(|key| key.new == path).filter(|_| !is_current());
        former.map_or(path, |key| &key.old)
    }

    /// Replaces the default at `path` by `word`, if the whole description determines the effective value. A value that
    /// is defined in any layer is kept.
    pub fn replace_default(&mut self, path: &str, word: &str) {
        if !self.is_defined(path) {
            self.records.replace_default(path, word);
        }
    }

    /// Returns a problem with the value at `path` that was found after reading.
    pub fn problem_at(&self, path: &str, message: &str, help: &str) -> Problem {
        let (root, written_path) = (&self.loaded.root, self.as_written(path));
        let problem =
            diagnostics::problem_at(root, &self.records, written_path, path, root.place.clone(), message).help(help);
        let layer = problem.place.as_ref().map(|place| &self.loaded.texts.get(place.text).layer);
        match layer {
            Some(Layer::Part(name)) => {
                let is_table = root.node_at(written_path.split('.')).is_some_and(|node| node.table().is_some());
                let remedy = match is_table {
                    true => "remove it from `parts`, or name another part in its place",
                    false => "name another part in its place, or override this value",
                };
                problem.help(format!("\"{name}\" is a shipped part that the description names: {remedy}"))
            }
            _ => problem,
        }
    }

    /// Returns problems found after reading, with the texts that they refer to.
    pub fn problems(&self, list: Vec<Problem>) -> Problems {
        Problems::new(list, &self.loaded.texts)
    }

    /// Converts the value by `convert`, and keeps the records.
    pub fn map<U>(self, convert: impl FnOnce(T) -> U) -> Read<U> {
        let Read { value, loaded, records, files, renamed_keys } = self;
        Read { value: convert(value), loaded, records, files, renamed_keys }
    }
}

#[cfg(test)]
mod tests;
