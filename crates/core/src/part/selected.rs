//! A specification together with the table that it was read from.

use super::PartSpec;
use super::siblings::SiblingTable;
use std::fmt::{self, Debug, Formatter};
use std::ops::Deref;
use std::sync::Arc;

/// A part that a description selects. Clones share the specification.
pub struct Selected<S: ?Sized> {
    spec: Arc<S>,
    family_table: Arc<str>,
    siblings: &'static [SiblingTable],
}

impl<S: ?Sized> Clone for Selected<S> {
    fn clone(&self) -> Self {
        Selected { spec: self.spec.clone(), family_table: self.family_table.clone(), siblings: self.siblings }
    }
}

impl<S: ?Sized + Debug> Debug for Selected<S> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {:?}", self.family_table, &*self.spec)
    }
}

impl<S: ?Sized> Deref for Selected<S> {
    type Target = S;

    fn deref(&self) -> &S {
        &self.spec
    }
}

impl<S: ?Sized + PartSpec> Selected<S> {
    /// Returns the part `spec`, described below the table `family_table`, such as `workload` or `hosts.a`.
    pub fn new(spec: Arc<S>, family_table: impl Into<Arc<str>>) -> Self {
        Selected { spec, family_table: family_table.into(), siblings: &[] }
    }

    /// States which sibling tables describe more of the part.
    #[must_use]
    pub fn with_siblings(mut self, siblings: &'static [SiblingTable]) -> Self {
        self.siblings = siblings;
        self
    }

    /// Returns the specification itself.
    pub fn spec(&self) -> &Arc<S> {
        &self.spec
    }

    /// Returns the name of the part within its family, such as `ping-pong`.
    pub fn name(&self) -> &'static str {
        self.spec.info().key
    }

    /// Returns the table below which the part is described, such as `workload` or `hosts.a`.
    pub fn family_table(&self) -> &str {
        &self.family_table
    }

    /// Returns the path of the part's table, such as `workload.ping-pong`.
    pub fn table(&self) -> String {
        format!("{}.{}", self.family_table, self.name())
    }

    /// Returns the full path of a key of the part or of its sibling tables, or of the part's table if `key` is empty.
    pub fn key(&self, key: &str) -> String {
        let first = key.split('.').next().unwrap_or_default();
        if self.siblings.iter().any(|table| table.key == first) {
            format!("{}.{key}", self.family_table)
        } else if key.is_empty() {
            self.table()
        } else {
            format!("{}.{key}", self.table())
        }
    }

    /// Returns the key of the part that has the full path `path`, in the form that [`key`](Self::key) takes; `None` if
    /// the path is not one of the part's.
    pub fn relative_key<'p>(&self, path: &'p str) -> Option<&'p str> {
        if let Some(key) = path.strip_prefix(&self.table()) {
            return key.strip_prefix('.');
        }
        let key = path.strip_prefix(&*self.family_table)?.strip_prefix('.')?;
        let first = key.split('.').next().unwrap_or_default();
        self.siblings.iter().any(|table| table.key == first).then_some(key)
    }

    /// Returns the same selection below another table.
    #[must_use]
    pub fn nested_in(self, family_table: impl Into<Arc<str>>) -> Self {
        Selected { family_table: family_table.into(), ..self }
    }

    /// Returns the same selection with another specification, which was resolved from this one.
    #[must_use]
    pub fn with_spec(&self, spec: Arc<S>) -> Self {
        Selected { spec, family_table: self.family_table.clone(), siblings: self.siblings }
    }

    /// Returns the parameters, if the part is of kind `P`.
    pub fn of<P: 'static>(&self) -> Option<&P> {
        self.spec.as_any().downcast_ref()
    }
}
