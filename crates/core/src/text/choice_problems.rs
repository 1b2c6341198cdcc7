//! The problems in the choice of a family's member: none is chosen, or two are.

use super::diagnostics;
use super::family::Members;
use super::problem::Problem;
use super::read_context::DiagnosticLevel;
use super::suggest;
use super::table::Table;
use super::variant_selection::Selection;

impl Table<'_> {
    pub(super) fn report_no_variant(&self, doc: &str, members: Members<'_>) {
        let names = || members.iter().map(|(name, _)| *name);
        let table_path = self.table_path();
        let path = self.full_path(members[0].0);
        let (title, label) = match (members, table_path.is_empty()) {
            ([_], _) => (diagnostics::missing_title(&path), "it is missing here"),
            (_, true) => (format!("one of {} is missing", suggest::phrase(names())), "no alternative is defined here"),
            (_, false) => (
                diagnostics::no_variant_title(&table_path, &suggest::phrase(names())),
                "no alternative is defined here",
            ),
        };
        let problem = Problem::new(title).with_location(self.place(), label).help(format!("`{table_path}`: {doc}"));
        let problem = problem.help(format!("write for example [{path}]"));
        self.context.report(DiagnosticLevel::Full, problem.help(self.parts_for(&table_path)));
    }

    /// Returns a hint at the shipped parts that define `path`. The parts are found by the name of their folder.
    fn parts_for(&self, path: &str) -> String {
        let defines_path = |part: &&str| {
            let folder = part.split('/').next().unwrap_or_default();
            !path.is_empty() && (folder == path || folder.strip_suffix('s') == Some(path))
        };
        let parts: Vec<&str> = self.context.parts.iter().copied().filter(defines_path).collect();
        match parts.first() {
            Some(first) => format!("or start from a shipped part, as with parts = [\"{first}\"]"),
            None => String::new(),
        }
    }

    pub(super) fn report_conflict(&self, selection: &Selection, members: Members<'_>) {
        let Some([(first_index, first_place), (second_index, second_place)]) = &selection.conflict else { return };
        let (first, second) = (members[*first_index].0, members[*second_index].0);
        let table_path = self.table_path();
        let table_phrase = if table_path.is_empty() { String::new() } else { format!(" in `{table_path}`") };
        let mut problem = Problem::new(format!("`{first}` and `{second}` are mutually exclusive{table_phrase}"))
            .with_location(second_place.clone(), format!("`{second}` is defined here"))
            .help("define exactly one of them: leave the other out");
        if let Some(place) = first_place {
            problem = problem.related(place.clone(), format!("and `{first}` here"));
        }
        self.context.report(DiagnosticLevel::PresentKeys, problem);
    }
}
