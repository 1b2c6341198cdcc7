//! What all tables of one reading share: the texts, the problems found, the values read.

use super::origin::Texts;
use super::problem::Problem;
use super::record::{Mark, Records, Step};
use super::diagnostics;
use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// How closely the reader attends to what it reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum DiagnosticLevel {
    /// Not at all: it only needs something to go on with.
    Off,
    /// To what stands there and is wrong, but it keeps nothing.
    PresentKeys,
    /// To everything.
    Full,
}

/// What all tables of one reading share.
pub(super) struct ReadContext {
    pub(super) texts: Texts,
    /// The names of the shipped parts.
    pub(super) parts: Vec<String>,
    pub(super) describing: bool,
    level: Cell<DiagnosticLevel>,
    pub(super) problems: RefCell<Vec<Problem>>,
    pub(super) records: RefCell<Records>,
    /// The files that values name, by the paths of these.
    files: RefCell<Vec<(String, PathBuf)>>,
    /// The paths of values that are missing or bad, so that nothing can be said about them.
    invalid: RefCell<BTreeSet<String>>,
    /// What is told of values that are missing, and is not to be told.
    suppressed_missing: RefCell<BTreeSet<String>>,
    /// The paths of keys that nothing reads, and of which it was told why.
    suppressed_unknown: RefCell<BTreeSet<String>>,
    /// Hints at more members of the families at these paths.
    open: RefCell<BTreeMap<String, &'static str>>,
}

impl ReadContext {
    pub(super) fn new(texts: Texts, parts: Vec<String>, describing: bool) -> ReadContext {
        let level = Cell::new(if describing { DiagnosticLevel::Off } else { DiagnosticLevel::Full });
        let (problems, records, files, invalid, suppressed_missing, suppressed_unknown, open) = Default::default();
        ReadContext { texts, parts, describing, level, problems, records, files, invalid, suppressed_missing, suppressed_unknown, open }
    }

    /// Does `act` with no more than this attention.
    pub(super) fn with_level<T>(&self, level: DiagnosticLevel, act: impl FnOnce() -> T) -> T {
        let before = self.level.replace(self.level.get().min(level));
        let done = act();
        self.level.set(before);
        done
    }

    /// Keeps a problem, if that much attention is paid.
    pub(super) fn report(&self, least: DiagnosticLevel, problem: Problem) {
        if self.level.get() >= least {
            self.problems.borrow_mut().push(problem);
        }
    }

    /// Takes back that the value at this path is missing: it stands under a mistyped key, and
    /// that is told.
    pub(super) fn suppress_missing(&self, path: &str) {
        self.suppressed_missing.borrow_mut().insert(diagnostics::missing_title(path));
    }

    /// Nothing reads the key at this path, and it is told why.
    pub(super) fn suppress_unknown(&self, path: String) {
        self.suppressed_unknown.borrow_mut().insert(path);
    }

    /// States that the family at this path may have members beyond those that are known.
    pub(super) fn mark_open_family(&self, path: String, hint: &'static str) {
        self.open.borrow_mut().insert(path, hint);
    }

    /// Returns the hint at more members of the family at this path; empty if there is none.
    pub(super) fn open_hint(&self, path: &str) -> &'static str {
        self.open.borrow().get(path).copied().unwrap_or_default()
    }

    /// True if it was told why nothing reads the key at this path.
    pub(super) fn is_unknown_suppressed(&self, path: &str) -> bool {
        self.suppressed_unknown.borrow().contains(path)
    }

    /// The keys of the table at `path` that were told as missing since there were `known` problems.
    pub(super) fn missing_since(&self, known: usize, path: &str) -> Vec<String> {
        self.problems.borrow()[known..].iter().filter_map(|it| diagnostics::missing_key(&it.message, path)).collect()
    }

    /// Tells one problem in place of those since there were `known` that keys of the table at `path` are
    /// missing.
    pub(super) fn replace_missing(&self, known: usize, path: &str, problem: Problem) {
        let mut problems = self.problems.borrow_mut();
        let since = problems.split_off(known);
        problems.extend(since.into_iter().filter(|it| diagnostics::missing_key(&it.message, path).is_none()));
        problems.push(problem);
    }

    /// What is wrong; what was read, and the files that it names.
    pub(super) fn finish(self) -> (Vec<Problem>, Records, Vec<(String, PathBuf)>) {
        let (mut problems, suppressed) = (self.problems.into_inner(), self.suppressed_missing.into_inner());
        problems.retain(|problem| !suppressed.contains(&problem.message));
        (problems, self.records.into_inner(), self.files.into_inner())
    }

    /// Keeps what was read.
    pub(super) fn record(&self, path: Vec<Step>, mark: Mark) {
        if self.level.get() == DiagnosticLevel::Full {
            self.records.borrow_mut().0.push((path, mark));
        }
    }

    /// Keeps that a value names a file.
    pub(super) fn note_file(&self, path: String, file: &Path) {
        if self.level.get() == DiagnosticLevel::Full {
            self.files.borrow_mut().push((path, file.to_path_buf()));
        }
    }

    /// Tells a problem with the value of a key, about which nothing more is told then.
    pub(super) fn report_value(&self, least: DiagnosticLevel, path: String, problem: Problem) {
        self.report(least, problem);
        self.invalid.borrow_mut().insert(path);
    }

    /// True if the value at this path is missing or bad.
    pub(super) fn is_invalid(&self, path: &str) -> bool {
        self.invalid.borrow().contains(path)
    }
}
