//! Reports the keys of a table that nothing read, and suggests the key that was probably meant.
//!
//! Keys that belong to another table are reported in `misplaced`.

use super::diagnostics;
use super::read_context::DiagnosticLevel;
use super::set::PARTS;
use super::suggest;
use super::table::{Table, tree_of};
use super::tree::Tree;

impl Table<'_> {
    /// Returns the keys of the families below this table that have a member called `name`.
    pub(super) fn families_with(&self, name: &str) -> Vec<&'static str> {
        let members_below = self.members_below.borrow();
        members_below.iter().filter(|(_, member)| *member == name).map(|(key, _)| *key).collect()
    }

    /// Reports the keys that nothing read. If all keys of a table are unknown, its missing keys are listed with the
    /// first suggestion instead of being reported separately.
    pub(super) fn report_unknown_keys(&self, problems_before: usize) {
        let (shape, known_keys, variants) = (self.shape.borrow(), self.known_keys.borrow(), self.variants.borrow());
        let is_known = |key: &str| known_keys.contains(&key) || shape.renamed_keys.iter().any(|(old, _)| *old == key);
        let keys = tree_of(self.node).map(Tree::in_order).unwrap_or_default();
        // The loader reads the key `parts` of a description.
        let parts_key = (self.path.is_empty() && !self.context.parts.is_empty()).then_some(PARTS);
        let allowed: Vec<&'static str> = known_keys.iter().copied().chain(parts_key).collect();
        let mut is_first_suggestion = !keys.iter().any(|(key, _)| is_known(key)) && !self.path.is_empty();
        for (key, node) in keys {
            if is_known(key) || self.context.is_unknown_suppressed(&self.full_path(key)) {
                continue;
            }
            let families = self.families_with(key);
            let mut problem = diagnostics::unknown_key_problem(&self.path, key, node, allowed.clone(), &families);
            if !families.is_empty() {
                families.iter().for_each(|family| self.context.suppress_no_variant(&self.full_path(family)));
                self.context.report(DiagnosticLevel::PresentKeys, problem);
                continue;
            }
            let mut open_hint = self.context.open_hint(&self.table_path());
            if let Some(meant_key) = suggest::nearest(key, allowed.iter().copied()) {
                self.context.suppress_missing(&self.full_path(meant_key));
                open_hint = "";
                if variants.contains(&meant_key) {
                    self.context.suppress_no_variant(&self.table_path());
                }
                if std::mem::take(&mut is_first_suggestion) {
                    let missing = self.context.missing_since(problems_before, &self.table_path());
                    missing.iter().for_each(|key| self.context.suppress_missing(&self.full_path(key)));
                    problem = problem.help(diagnostics::required_help(meant_key, &missing));
                }
            }
            self.context.report(DiagnosticLevel::PresentKeys, problem.help(open_hint));
        }
    }
}
