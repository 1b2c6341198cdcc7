//! Reports keys that are defined in the wrong table, once, with the table that they belong to.
//!
//! Leaves out: mistyped keys, for which the unknown-key diagnostic suggests the nearest valid name.

use super::problem::Problem;
use super::read_context::DiagnosticLevel;
use super::suggest;
use super::table::Table;

impl Table<'_> {
    /// Reports in one problem that those of `keys` which this table defines belong in the table `to`. They are then
    /// reported neither as unknown here nor as missing there.
    pub fn report_misplaced(&self, keys: &[&'static str], to: &str, why: &str) {
        let defined = keys.iter().filter_map(|key| Some((*key, self.child(key)?)));
        let found: Vec<_> = defined.collect();
        let Some((_, first)) = found.iter().min_by_key(|(_, node)| node.key()) else { return };
        for (key, _) in &found {
            self.context.suppress_unknown(self.full(key));
            self.context.suppress_missing(&format!("{to}.{key}"));
        }
        let names = suggest::phrase(found.iter().map(|(key, _)| *key));
        let (belong, them) = if found.len() == 1 { ("belongs", "it") } else { ("belong", "them") };
        let problem = Problem::new(format!("{names} of `{}` {belong} in [{to}]", self.here()))
            .at(first.key().cloned(), why)
            .help(format!("write {them} below [{to}]"));
        self.context.report(DiagnosticLevel::PresentKeys, problem);
    }

    /// Reports `key`, which a description of an earlier version may have: why nothing reads it, and what to write instead.
    pub fn replaced(&self, key: &str, why: &str, help: &str) {
        let Some(node) = self.child(key) else { return };
        let path = self.full(key);
        self.context.suppress_unknown(path.clone());
        self.context.report(
            DiagnosticLevel::PresentKeys,
            Problem::new(format!("`{path}` {why}")).at(node.key().cloned(), "").help(help),
        );
    }

    /// Reports that `name`, given as a table below `key` or as its word, is not a member of that family; `explain` says
    /// what it is instead, and what to write.
    pub fn not_a_variant(&self, key: &str, name: &str, explain: impl FnOnce() -> (String, String)) {
        let Some(family) = self.child(key) else { return };
        let as_word = family.text().is_some_and(|word| word == name);
        let place = match family.table().and_then(|tree| tree.get(name)) {
            Some(member) => member.key().cloned(),
            None if as_word => family.place.clone(),
            None => return,
        };
        let (what, help) = explain();
        let path = format!("{}.{name}", self.full(key));
        self.context.suppress_unknown(path.clone());
        self.context.report(
            DiagnosticLevel::PresentKeys,
            Problem::new(format!("there is no `{path}`")).at(place, what).help(help),
        );
    }
}
