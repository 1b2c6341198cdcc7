//! The spelling of keys in descriptions, according to their schema: results write `_` where descriptions write `-`.

use crate::text::Schema;
use crate::text::schema::{Family, Form, Item, TableShape};
use std::collections::BTreeSet;

/// The spelling of keys in descriptions.
#[derive(Clone, Default, Debug)]
pub(super) struct KeySpelling {
    /// Keys below which users choose the names.
    map_keys: BTreeSet<&'static str>,
}

impl KeySpelling {
    /// Returns the spelling that a schema describes.
    pub fn from_schema(schema: &Schema) -> KeySpelling {
        let mut key_spelling = KeySpelling::default();
        key_spelling.add_table(&schema.root);
        key_spelling
    }

    fn add_table(&mut self, shape: &TableShape) {
        for item in &shape.items {
            match item {
                Item::Family(family) => self.add_family(family),
                Item::Key { key, form, .. } => match form {
                    Form::Table(shape) | Form::List(shape) => self.add_table(shape),
                    Form::Map(shape) => {
                        self.map_keys.insert(*key);
                        self.add_table(shape);
                    }
                    Form::OneOf(family, siblings) => {
                        self.add_family(family);
                        self.add_table(siblings);
                    }
                    Form::Value(..) | Form::Like(_) | Form::Parts => {}
                },
            }
        }
    }

    fn add_family(&mut self, family: &Family) {
        for member in &family.members {
            self.add_table(&member.shape);
        }
    }

    /// Returns `key`, which is below the key `parent`, in the spelling of descriptions. Names that users choose are not
    /// changed.
    pub fn canonical_key(&self, parent: Option<&str>, key: &str) -> String {
        match parent.is_some_and(|parent| self.map_keys.contains(parent)) {
            true => key.to_owned(),
            false => key.replace('_', "-"),
        }
    }
}
