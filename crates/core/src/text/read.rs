//! Reading a description: one function per part says at once what its keys are called, what
//! they mean, which values they take and what holds when they are left out.
//!
//! A problem is recorded and reading goes on, so that all problems are reported together. Run on
//! nothing, in describing mode, the same function yields the [`Schema`]. Leaves out: what a table is
//! read with (`table`, `field`, `family`).

use super::diagnostics;
use super::load::Loaded;
use super::origin::Texts;
use super::problem::{Problem, Problems};
use super::read_context::{Findings, ReadContext};
use super::record::{Entry, Records, RenamedKey};
use super::schema::Schema;
use super::table::Table;
use serde_json::Value as Json;
use std::path::PathBuf;

/// A description about to be read.
pub struct Reading {
    loaded: Loaded,
}

/// A description that was read, and how.
#[derive(Clone, Debug)]
pub struct Read<T> {
    pub value: T,
    loaded: Loaded,
    records: Records,
    files: Vec<(String, PathBuf)>,
    renamed: Vec<RenamedKey>,
}

impl Reading {
    /// Creates a reading of the merged layers.
    pub fn new(loaded: Loaded) -> Reading {
        Reading { loaded }
    }

    /// Reads the whole description.
    ///
    /// # Errors
    ///
    /// All problems of the description together.
    pub fn read<T>(self, read: impl FnOnce(&mut Table<'_>) -> T) -> Result<Read<T>, Problems> {
        let context = ReadContext::new(self.loaded.texts.clone(), self.loaded.parts, false);
        let root = Table::new(&context, Vec::new(), Some(&self.loaded.root), None);
        let value = root.run(read).0;
        let Findings { problems, records, files, mut renamed } = context.finish();
        renamed.sort();
        renamed.dedup();
        match problems.is_empty() {
            true => Ok(Read { value, loaded: self.loaded, records, files, renamed }),
            false => Err(Problems::new(problems, &self.loaded.texts)),
        }
    }
}

/// Returns the value that `read` gives for an empty description.
///
/// # Panics
///
/// Panics if a key is required.
pub(super) fn nothing<T>(read: impl FnOnce(&mut Table<'_>) -> T) -> T {
    let context = ReadContext::new(Texts::default(), &[], false);
    let value = Table::new(&context, Vec::new(), None, None).run(read).0;
    let problems = context.finish().problems;
    assert!(problems.is_empty(), "these have no defaults: {problems:?}");
    value
}

/// Returns the schema of what `read` accepts.
pub fn describe<T>(read: impl FnOnce(&mut Table<'_>) -> T) -> Schema {
    let context = ReadContext::new(Texts::default(), &[], true);
    Schema { root: Table::new(&context, Vec::new(), None, None).run(read).1 }
}

impl<T> Read<T> {
    /// Returns every value with its origin, in reading order.
    pub fn entries(&self) -> Vec<Entry> {
        self.records.entries(&self.loaded.texts)
    }

    /// Returns the complete description with all defaults and overrides, for a result: snake_case keys, canonical
    /// values.
    pub fn resolved(&self) -> Json {
        self.records.resolved()
    }

    /// Returns the files that its values name, each with the path of the value.
    pub fn files(&self) -> &[(String, PathBuf)] {
        &self.files
    }

    /// Returns the keys that the description calls by their former names.
    pub fn renamed_keys(&self) -> &[RenamedKey] {
        &self.renamed
    }

    /// Returns the texts that it was read from.
    pub fn texts(&self) -> &Texts {
        &self.loaded.texts
    }

    /// Returns the path whose value comes from the highest layer; within one layer, the first of `paths`. A conflict
    /// between values is best reported and corrected there.
    pub fn foremost<'p>(&self, paths: &[&'p str]) -> &'p str {
        let height =
            |path: &&&str| self.records.find(path).map_or(0, |value| 1 + value.layer(&self.loaded.texts).height());
        paths.iter().rev().max_by_key(height).expect("there is a value at least")
    }

    /// Returns whether any layer defines `path`; a default does not count.
    pub fn is_defined(&self, path: &str) -> bool {
        self.loaded.root.at(self.as_written(path).split('.')).is_some()
    }

    /// Returns the path by which the description calls the key at `path`: its former name, if that is in use.
    fn as_written<'p>(&'p self, path: &'p str) -> &'p str {
        let is_current = || self.loaded.root.at(path.split('.')).is_some();
        let former = self.renamed.iter().find(|key| key.new == path).filter(|_| !is_current());
        former.map_or(path, |key| &key.old)
    }

    /// Replaces the default at `path` by the word that holds instead, which only the whole description determines. A
    /// value that is defined in any layer is kept.
    pub fn replace_default(&mut self, path: &str, word: &str) {
        if !self.is_defined(path) {
            self.records.replace_default(path, word);
        }
    }

    /// Returns a problem with the value at `path` that was found after reading.
    pub fn wrong(&self, path: &str, message: &str, help: &str) -> Problem {
        let (root, written) = (&self.loaded.root, self.as_written(path));
        diagnostics::positioned(root, &self.records, written, path, root.place.clone(), message).help(help)
    }

    /// Returns problems found after reading, with the texts that they refer to.
    pub fn problems(&self, list: Vec<Problem>) -> Problems {
        Problems::new(list, &self.loaded.texts)
    }

    /// Converts the value and keeps the rest.
    pub fn map<U>(self, act: impl FnOnce(T) -> U) -> Read<U> {
        let Read { value, loaded, records, files, renamed } = self;
        Read { value: act(value), loaded, records, files, renamed }
    }
}

#[cfg(test)]
mod tests;
