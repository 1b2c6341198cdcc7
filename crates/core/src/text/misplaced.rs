//! Reports keys that are defined in the wrong table. Each is reported once, with the table to which it belongs.
//!
//! Mistyped keys are reported in `unknown_keys`, with the nearest valid name.

use super::problem::Problem;
use super::read_context::DiagnosticLevel;
use super::suggest;
use super::table::Table;

impl Table<'_> {
    /// Reports, in one problem, the keys out of `keys` that this table defines although they belong in the table
    /// `destination`. These keys are then reported neither as unknown in this table nor as missing in
    /// `destination`.
    pub fn report_misplaced(&self, keys: &[&'static str], destination: &str, why: &str) {
        let defined = keys.iter().filter_map(|key| Some((*key, self.child(key)?)));
        let misplaced_keys: Vec<_> = defined.collect();
        let Some((_, first)) = misplaced_keys.iter().min_by_key(|(_, node)| node.key()) else { return };
        for (key, _) in &misplaced_keys {
            self.context.suppress_unknown(self.full_path(key));
            self.context.suppress_missing(&format!("{destination}.{key}"));
        }
        let names = suggest::phrase(misplaced_keys.iter().map(|(key, _)| *key));
        let (verb, pronoun) = if misplaced_keys.len() == 1 { ("belongs", "it") } else { ("belong", "them") };
        let problem = Problem::new(format!("{names} of `{}` {verb} in [{destination}]", self.table_path()))
            .with_location(first.key().cloned(), why)
            .help(format!("write {pronoun} below [{destination}]"));
        self.context.report(DiagnosticLevel::PresentKeys, problem);
    }

    /// Reports that nothing reads `key`, which a description for an earlier version may have, with the reason and the
    /// replacement.
    pub fn report_replaced(&self, key: &str, why: &str, help: &str) {
        let Some(node) = self.child(key) else { return };
        let path = self.full_path(key);
        self.context.suppress_unknown(path.clone());
        self.context.report(
            DiagnosticLevel::PresentKeys,
            Problem::new(format!("`{path}` {why}")).with_location(node.key().cloned(), "").help(help),
        );
    }

    /// Reports that `name`, which the description selects as a table below `key` or as a word, is not a member of the
    /// family at `key`. `explain` returns what `name` is instead, and what to write.
    pub fn not_a_variant(&self, key: &str, name: &str, explain: impl FnOnce() -> (String, String)) {
        let Some(family) = self.child(key) else { return };
        let is_word = family.text().is_some_and(|word| word == name);
        let place = match family.table().and_then(|tree| tree.get(name)) {
            Some(member) => member.key().cloned(),
            None if is_word => family.place.clone(),
            None => return,
        };
        let (message, help) = explain();
        let path = format!("{}.{name}", self.full_path(key));
        self.context.suppress_unknown(path.clone());
        self.context.report(
            DiagnosticLevel::PresentKeys,
            Problem::new(format!("there is no `{path}`")).with_location(place, message).help(help),
        );
    }
}
