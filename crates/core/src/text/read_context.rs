//! The state that all tables of one reading share: the texts, the problems found and the values read.

use super::diagnostics;
use super::origin::Texts;
use super::problem::Problem;
use super::record::{RecordedItem, Records, RenamedKey, Step};
use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// The diagnostics that the reader reports.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum DiagnosticLevel {
    /// No diagnostics: the reader only needs a value with which it can continue.
    #[default]
    Off,
    /// Errors in keys that are present. Missing keys are not reported, and no value is recorded.
    PresentKeys,
    /// All diagnostics, and every value is recorded.
    Full,
}

/// The state that all tables of one reading share.
#[derive(Default)]
pub(super) struct ReadContext {
    pub(super) texts: Texts,
    /// The names of the shipped parts.
    pub(super) parts: &'static [&'static str],
    pub(super) describing: bool,
    level: Cell<DiagnosticLevel>,
    pub(super) problems: RefCell<Vec<Problem>>,
    pub(super) records: RefCell<Records>,
    /// The files that values name, each with the path of the value.
    files: RefCell<Vec<(String, PathBuf)>>,
    /// The paths of values that are missing or invalid; checks that need them are skipped.
    invalid_paths: RefCell<BTreeSet<String>>,
    /// The paths of missing values and tables whose diagnostics are dropped at the end.
    suppressed_missing: RefCell<BTreeSet<String>>,
    /// The paths of families whose diagnostics of a missing member are dropped at the end.
    suppressed_no_variant: RefCell<BTreeSet<String>>,
    /// The paths of required tables that are absent, each with its help text.
    absent_tables: RefCell<BTreeMap<String, &'static str>>,
    /// The paths of unknown keys that another problem already explains.
    suppressed_unknown: RefCell<BTreeSet<String>>,
    /// Hints that the families at these paths may have further members.
    open_families: RefCell<BTreeMap<String, &'static str>>,
    /// Keys that the description calls by their former names.
    renamed_keys: RefCell<Vec<RenamedKey>>,
}

/// The results of a reading other than its value.
pub(super) struct Findings {
    /// The problems.
    pub problems: Vec<Problem>,
    /// The values that were read.
    pub records: Records,
    /// The files that values name, each with the path of the value.
    pub files: Vec<(String, PathBuf)>,
    /// Keys that the description calls by their former names.
    pub renamed_keys: Vec<RenamedKey>,
}

impl ReadContext {
    pub(super) fn new(texts: Texts, parts: &'static [&'static str], describing: bool) -> ReadContext {
        let level = Cell::new(if describing { DiagnosticLevel::Off } else { DiagnosticLevel::Full });
        ReadContext { texts, parts, describing, level, ..ReadContext::default() }
    }

    /// Runs `function` with this level, or with the present level if that is lower.
    pub(super) fn with_level<T>(&self, level: DiagnosticLevel, function: impl FnOnce() -> T) -> T {
        let previous_level = self.level.replace(self.level.get().min(level));
        let result = function();
        self.level.set(previous_level);
        result
    }

    /// Records a problem if the current level is at least `min_level`.
    pub(super) fn report(&self, min_level: DiagnosticLevel, problem: Problem) {
        if self.level.get() >= min_level {
            self.problems.borrow_mut().push(problem);
        }
    }

    /// Drops the diagnostics that the value at `path`, or one below it, is missing, because the diagnostic about the
    /// mistyped key already suggests the missing key.
    pub(super) fn suppress_missing(&self, path: &str) {
        self.suppressed_missing.borrow_mut().insert(path.to_owned());
    }

    /// Drops the diagnostic that the family at `path` has no member, because the diagnostic about the mistyped key
    /// already suggests a member.
    pub(super) fn suppress_no_variant(&self, path: &str) {
        self.suppressed_no_variant.borrow_mut().insert(path.to_owned());
    }

    /// Records that the required table at `path` is absent: its missing keys are reported in one problem.
    pub(super) fn note_absent_table(&self, path: String, doc: &'static str) {
        self.absent_tables.borrow_mut().insert(path, doc);
    }

    /// Suppresses the unknown-key diagnostic for `path`, because another problem explains it.
    pub(super) fn suppress_unknown(&self, path: String) {
        self.suppressed_unknown.borrow_mut().insert(path);
    }

    /// States that the family at this path may have members beyond the known ones.
    pub(super) fn mark_open_family(&self, path: String, hint: &'static str) {
        self.open_families.borrow_mut().insert(path, hint);
    }

    /// Returns the hint that the family at this path may have further members, or an empty text if there is no such
    /// hint.
    pub(super) fn open_hint(&self, path: &str) -> &'static str {
        self.open_families.borrow().get(path).copied().unwrap_or_default()
    }

    /// Returns whether another problem already explains why nothing reads the key at `path`.
    pub(super) fn is_unknown_suppressed(&self, path: &str) -> bool {
        self.suppressed_unknown.borrow().contains(path)
    }

    /// Returns the keys of the table at `path` that were reported as missing after the first `problems_before`
    /// problems.
    pub(super) fn missing_since(&self, problems_before: usize, path: &str) -> Vec<String> {
        self.problems.borrow()[problems_before..]
            .iter()
            .filter_map(|problem| diagnostics::missing_key(&problem.message, path))
            .collect()
    }

    /// Replaces the missing-key problems of the table at `path` after the first `problems_before` problems by
    /// `problem`.
    pub(super) fn replace_missing(&self, problems_before: usize, path: &str, problem: Problem) {
        let mut problems = self.problems.borrow_mut();
        let later_problems = problems.split_off(problems_before);
        problems.extend(
            later_problems.into_iter().filter(|problem| diagnostics::missing_key(&problem.message, path).is_none()),
        );
        problems.push(problem);
    }

    /// Returns the results of the reading other than its value.
    pub(super) fn finish(self) -> Findings {
        let (mut problems, suppressed) = (self.problems.into_inner(), self.suppressed_missing.into_inner());
        let families = self.suppressed_no_variant.into_inner();
        problems.retain(|problem| {
            let is_missing = suppressed.iter().any(|path| diagnostics::is_missing_title(&problem.message, path));
            !is_missing && !families.iter().any(|path| diagnostics::is_no_variant_title(&problem.message, path))
        });
        for (path, doc) in self.absent_tables.into_inner() {
            diagnostics::summarize_missing(&mut problems, &path, doc);
        }
        let (records, files, renamed_keys) =
            (self.records.into_inner(), self.files.into_inner(), self.renamed_keys.into_inner());
        Findings { problems, records, files, renamed_keys }
    }

    /// Records a key that the description calls by its former name.
    pub(super) fn note_renamed(&self, key: RenamedKey) {
        if self.level.get() != DiagnosticLevel::Off {
            self.renamed_keys.borrow_mut().push(key);
        }
    }

    /// Records a value that was read.
    pub(super) fn record(&self, path: Vec<Step>, item: RecordedItem) {
        if self.level.get() == DiagnosticLevel::Full {
            self.records.borrow_mut().0.push((path, item));
        }
    }

    /// Records that a value names a file.
    pub(super) fn note_file(&self, path: String, file: &Path) {
        if self.level.get() == DiagnosticLevel::Full {
            self.files.borrow_mut().push((path, file.to_path_buf()));
        }
    }

    /// Reports a problem with the value at `path` and marks the value as invalid, so that no further check uses it.
    pub(super) fn report_value(&self, min_level: DiagnosticLevel, path: String, problem: Problem) {
        self.report(min_level, problem);
        self.invalid_paths.borrow_mut().insert(path);
    }

    /// Returns whether the value at `path` is missing or invalid.
    pub(super) fn is_invalid(&self, path: &str) -> bool {
        self.invalid_paths.borrow().contains(path)
    }
}
