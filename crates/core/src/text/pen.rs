//! What all tables of one reading share: the texts, the problems found, the values read.

use super::origin::Texts;
use super::problem::Problem;
use super::record::{Mark, Records, Step};
use super::told;
use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// How closely the reader attends to what it reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Attention {
    /// Not at all: it only needs something to go on with.
    Off,
    /// To what stands there and is wrong, but it keeps nothing.
    Wrong,
    /// To everything.
    Full,
}

/// What all tables of one reading share.
pub(super) struct Pen {
    pub(super) texts: Texts,
    /// The names of the shipped parts.
    pub(super) parts: Vec<String>,
    pub(super) describing: bool,
    attention: Cell<Attention>,
    pub(super) problems: RefCell<Vec<Problem>>,
    pub(super) records: RefCell<Records>,
    /// The files that values name, by the paths of these.
    files: RefCell<Vec<(String, PathBuf)>>,
    /// The paths of values that are missing or bad, so that nothing can be said about them.
    unsound: RefCell<BTreeSet<String>>,
    /// What is told of values that are missing, and is not to be told.
    mistyped: RefCell<BTreeSet<String>>,
    /// The paths of keys that nothing reads, and of which it was told why.
    told: RefCell<BTreeSet<String>>,
    /// Hints at more members of the families at these paths.
    open: RefCell<BTreeMap<String, &'static str>>,
}

impl Pen {
    pub(super) fn new(texts: Texts, parts: Vec<String>, describing: bool) -> Pen {
        let attention = Cell::new(if describing { Attention::Off } else { Attention::Full });
        let (problems, records, files, unsound, mistyped, told, open) = Default::default();
        Pen { texts, parts, describing, attention, problems, records, files, unsound, mistyped, told, open }
    }

    /// Does `act` with no more than this attention.
    pub(super) fn attending<T>(&self, attention: Attention, act: impl FnOnce() -> T) -> T {
        let before = self.attention.replace(self.attention.get().min(attention));
        let done = act();
        self.attention.set(before);
        done
    }

    /// Keeps a problem, if that much attention is paid.
    pub(super) fn tell(&self, least: Attention, problem: Problem) {
        if self.attention.get() >= least {
            self.problems.borrow_mut().push(problem);
        }
    }

    /// Takes back that the value at this path is missing: it stands under a mistyped key, and
    /// that is told.
    pub(super) fn not_missing(&self, path: &str) {
        self.mistyped.borrow_mut().insert(told::missing_title(path));
    }

    /// Nothing reads the key at this path, and it is told why.
    pub(super) fn not_unknown(&self, path: String) {
        self.told.borrow_mut().insert(path);
    }

    /// States that the family at this path may have members beyond those that are known.
    pub(super) fn note_open(&self, path: String, hint: &'static str) {
        self.open.borrow_mut().insert(path, hint);
    }

    /// Returns the hint at more members of the family at this path; empty if there is none.
    pub(super) fn open_hint(&self, path: &str) -> &'static str {
        self.open.borrow().get(path).copied().unwrap_or_default()
    }

    /// True if it was told why nothing reads the key at this path.
    pub(super) fn is_told(&self, path: &str) -> bool {
        self.told.borrow().contains(path)
    }

    /// The keys of the table at `path` that were told as missing since there were `known` problems.
    pub(super) fn missing_since(&self, known: usize, path: &str) -> Vec<String> {
        self.problems.borrow()[known..].iter().filter_map(|it| told::missing_key(&it.message, path)).collect()
    }

    /// Tells one problem in place of those since there were `known` that keys of the table at `path` are
    /// missing.
    pub(super) fn instead_of_missing(&self, known: usize, path: &str, problem: Problem) {
        let mut problems = self.problems.borrow_mut();
        let since = problems.split_off(known);
        problems.extend(since.into_iter().filter(|it| told::missing_key(&it.message, path).is_none()));
        problems.push(problem);
    }

    /// What is wrong; what was read, and the files that it names.
    pub(super) fn done(self) -> (Vec<Problem>, Records, Vec<(String, PathBuf)>) {
        let (mut problems, mistyped) = (self.problems.into_inner(), self.mistyped.into_inner());
        problems.retain(|problem| !mistyped.contains(&problem.message));
        (problems, self.records.into_inner(), self.files.into_inner())
    }

    /// Keeps what was read.
    pub(super) fn record(&self, path: Vec<Step>, mark: Mark) {
        if self.attention.get() == Attention::Full {
            self.records.borrow_mut().0.push((path, mark));
        }
    }

    /// Keeps that a value names a file.
    pub(super) fn note_file(&self, path: String, file: &Path) {
        if self.attention.get() == Attention::Full {
            self.files.borrow_mut().push((path, file.to_path_buf()));
        }
    }

    /// Tells a problem with the value of a key, about which nothing more is told then.
    pub(super) fn tell_of_value(&self, least: Attention, path: String, problem: Problem) {
        self.tell(least, problem);
        self.unsound.borrow_mut().insert(path);
    }

    /// True if the value at this path is missing or bad.
    pub(super) fn is_unsound(&self, path: &str) -> bool {
        self.unsound.borrow().contains(path)
    }
}
