//! The keys of descriptions, and the families of which a key selects a member.

use narrows_core::machine::Registry;
use narrows_core::part::ResultName;
use narrows_core::text::schema::{Family, Line};
use narrows_study::catalog::list;
use std::sync::Arc;

/// The keys of descriptions of the parts of a registry.
pub struct KeyCatalog {
    lines: Vec<Line>,
    families: Vec<(String, Family)>,
}

impl KeyCatalog {
    pub fn new(registry: &Arc<Registry>) -> KeyCatalog {
        KeyCatalog { lines: registry.schema().lines(), families: list::families(registry) }
    }

    /// Returns what the schema states about the key of `path`.
    pub fn line(&self, path: &str) -> Option<&Line> {
        let exact = self.lines.iter().find(|line| line.path == path);
        exact.or_else(|| self.lines.iter().find(|line| is_path_of(&line.path, path)))
    }

    /// Returns the family of which the key of `path` selects a member.
    pub fn family(&self, path: &str) -> Option<&Family> {
        self.families.iter().find(|(key, _)| is_path_of(key, path)).map(|(_, family)| family)
    }
}

/// Returns whether `path` is a path of the key `key`, in which each word in capitals stands for one name.
fn is_path_of(key: &str, path: &str) -> bool {
    key.matches('.').count() == path.matches('.').count() && ResultName::matches_words(key, path)
}
