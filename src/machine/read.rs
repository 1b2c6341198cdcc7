//! Reading a description: one function per part says at once what its keys are called, what
//! they mean, which values they take and what holds when they are left out.
//!
//! A problem is recorded and reading goes on, so that all problems are told together. Run on
//! nothing, in describing mode, the same function yields the [`Schema`]. Leaves out: single
//! values (`field`, `kind`) and choices among tables (`family`).

use super::kind::Misfit;
use super::load::Loaded;
use super::origin::{Layer, Origin, Place, Texts};
use super::problem::{Problem, Problems};
use super::record::{Entry, Mark, Records, Step, dotted};
use super::schema::{Form, Item, Need, Schema, Shape};
use super::suggest;
use super::tree::{Node, Tree, Value};
use serde_json::Value as Json;
use std::cell::{Cell, Ref, RefCell};

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
    texts: Texts,
    pub(super) describing: bool,
    attention: Cell<Attention>,
    problems: RefCell<Vec<Problem>>,
    records: RefCell<Records>,
}

impl Pen {
    fn new(texts: Texts, describing: bool) -> Pen {
        let attention = Cell::new(if describing { Attention::Off } else { Attention::Full });
        Pen { texts, describing, attention, problems: RefCell::default(), records: RefCell::default() }
    }

    /// Does `act` with no more than this attention.
    pub(super) fn attending<T>(&self, attention: Attention, act: impl FnOnce() -> T) -> T {
        let before = self.attention.replace(self.attention.get().min(attention));
        let done = act();
        self.attention.set(before);
        done
    }

    pub(super) fn tell(&self, least: Attention, problem: Problem) {
        if self.attention.get() >= least {
            self.problems.borrow_mut().push(problem);
        }
    }

    fn record(&self, path: Vec<Step>, mark: Mark) {
        if self.attention.get() == Attention::Full {
            self.records.borrow_mut().0.push((path, mark));
        }
    }
}

/// A description about to be read.
pub struct Reading {
    loaded: Loaded,
}

/// A description that was read, and how.
#[derive(Clone, Debug)]
pub struct Read<T> {
    /// What was read.
    pub value: T,
    loaded: Loaded,
    records: Records,
}

impl Reading {
    /// Of these layers.
    pub fn new(loaded: Loaded) -> Reading {
        Reading { loaded }
    }

    /// Reads the whole; all problems are told together.
    pub fn read<T>(self, read: impl FnOnce(&mut Table<'_>) -> T) -> Result<Read<T>, Problems> {
        let pen = Pen::new(self.loaded.texts.clone(), false);
        let root = Table::new(&pen, Vec::new(), Some(&self.loaded.root), None);
        let value = root.run(read).0;
        let (problems, records) = (pen.problems.into_inner(), pen.records.into_inner());
        match problems.is_empty() {
            true => Ok(Read { value, loaded: self.loaded, records }),
            false => Err(Problems::new(problems, &self.loaded.texts)),
        }
    }
}

/// What `read` would take.
pub fn describe<T>(read: impl FnOnce(&mut Table<'_>) -> T) -> Schema {
    let pen = Pen::new(Texts::default(), true);
    Schema { root: Table::new(&pen, Vec::new(), None, None).run(read).1 }
}

impl<T> Read<T> {
    /// Every value with its origin, in reading order.
    pub fn entries(&self) -> Vec<Entry> {
        self.records.entries()
    }

    /// The whole description as it counts, for a result: snake_case keys, canonical values.
    pub fn resolved(&self) -> Json {
        self.records.resolved()
    }

    /// The texts it was read from.
    pub fn texts(&self) -> &Texts {
        &self.loaded.texts
    }

    /// A problem with the value at `path`, found after reading.
    pub fn wrong(&self, path: &str, message: &str, help: &str) -> Problem {
        positioned(&self.loaded.root, &self.records, path, path, self.loaded.root.place.clone(), message).help(help)
    }

    /// Problems found after reading, ready to be told.
    pub fn problems(&self, list: Vec<Problem>) -> Problems {
        Problems::new(list, &self.loaded.texts)
    }

    /// The same description read into something else.
    pub fn map<U>(self, act: impl FnOnce(T) -> U) -> Read<U> {
        Read { value: act(self.value), loaded: self.loaded, records: self.records }
    }
}

/// A problem at the deepest node that stands on the way to `path` below `node`.
fn positioned(
    node: &Node,
    records: &Records,
    path: &str,
    full: &str,
    nearest: Option<Place>,
    message: &str,
) -> Problem {
    let keys: Vec<&str> = path.split('.').filter(|key| !key.is_empty()).collect();
    let title = if full.is_empty() { message.to_string() } else { format!("`{full}`: {message}") };
    let problem = Problem::new(title);
    if let Some(found) = node.at(keys.iter().copied()) {
        return problem.at(found.place.clone().or(nearest), "");
    }
    let above = (0..keys.len()).rev().find_map(|n| node.at(keys[..n].iter().copied())?.place.clone());
    let entry = records.entries().into_iter().find(|entry| entry.path == full);
    let label = entry.map(|entry| format!("`{full}` is {} by default", entry.value)).unwrap_or_default();
    problem.at(above.or(nearest), label)
}

/// One table of a description while it is read.
pub struct Table<'t> {
    pub(super) pen: &'t Pen,
    path: Vec<Step>,
    pub(super) node: Option<&'t Node>,
    /// The place of this table, or else of the nearest one above.
    nearest: Option<Place>,
    shape: RefCell<Shape>,
}

impl<'t> Table<'t> {
    fn new(pen: &'t Pen, path: Vec<Step>, node: Option<&'t Node>, above: Option<Place>) -> Table<'t> {
        let nearest = node.and_then(|node| node.place.clone()).or(above);
        Table { pen, path, node, nearest, shape: RefCell::default() }
    }

    /// Reads this table to its end; what is left over is unknown.
    fn run<T>(mut self, read: impl FnOnce(&mut Table<'_>) -> T) -> (T, Shape) {
        if !self.path.is_empty() {
            self.pen.record(self.path.clone(), Mark::Table);
        }
        let value = read(&mut self);
        self.tell_unknown();
        (value, self.shape.into_inner())
    }

    /// Reads a table below this one, which may be absent; anything but a table is a problem.
    pub(super) fn below<T>(
        &self,
        steps: &[Step],
        node: Option<&'t Node>,
        read: impl FnOnce(&mut Table<'_>) -> T,
    ) -> (T, Shape) {
        let path: Vec<Step> = self.path.iter().chain(steps).cloned().collect();
        let table = node.filter(|node| node.table().is_some());
        let below = Table::new(self.pen, path, table, self.nearest.clone());
        match (node, table) {
            (Some(other), None) => {
                self.pen.tell(Attention::Wrong, not_a_table(&below.path, other));
                self.pen.attending(Attention::Off, || below.run(read))
            }
            _ => below.run(read),
        }
    }

    /// A table of its own; where absent, it is read from nothing, so that its defaults hold and
    /// its required keys are missed.
    pub fn table<T>(
        &mut self,
        key: &'static str,
        doc: &'static str,
        read: impl FnOnce(&mut Table<'_>) -> T,
    ) -> T {
        let (value, shape) = self.below(&[Step::Key(key)], self.child(key), read);
        self.note_key(key, doc, Form::Table(shape), Need::Required);
        value
    }

    /// A table of its own, or none.
    pub fn optional_table<T>(
        &mut self,
        key: &'static str,
        doc: &'static str,
        read: impl FnOnce(&mut Table<'_>) -> T,
    ) -> Option<T> {
        let node = self.child(key);
        if node.is_none() && !self.pen.describing {
            self.note_key(key, doc, Form::Table(Shape::default()), Need::Optional);
            return None;
        }
        let (value, shape) = self.below(&[Step::Key(key)], node, read);
        self.note_key(key, doc, Form::Table(shape), Need::Optional);
        Some(value)
    }

    /// Tables under names the user chose, in the order of the file; none where absent.
    pub fn map<T>(
        &mut self,
        key: &'static str,
        doc: &'static str,
        mut read: impl FnMut(&mut Table<'_>) -> T,
    ) -> Vec<(String, T)> {
        let mut shape = Shape::default();
        let mut each = |name: &str, node: Option<&'t Node>| {
            let (value, found) = self.below(&[Step::Key(key), Step::Name(name.to_string())], node, &mut read);
            shape = found;
            (name.to_string(), value)
        };
        let values = match self.child(key) {
            None if self.pen.describing => vec![each("NAME", None)],
            None => Vec::new(),
            Some(node) => match &node.value {
                Value::Table(tree) => {
                    tree.in_order().into_iter().map(|(name, node)| each(name, Some(node))).collect()
                }
                _ => {
                    self.pen.tell(Attention::Wrong, not_a_table(&self.path_of(key), node));
                    Vec::new()
                }
            },
        };
        self.note_key(key, doc, Form::Map(shape), Need::Optional);
        values
    }

    /// A list of tables; empty where absent.
    pub fn list<T>(
        &mut self,
        key: &'static str,
        doc: &'static str,
        mut read: impl FnMut(&mut Table<'_>) -> T,
    ) -> Vec<T> {
        let mut shape = Shape::default();
        let mut each = |index: usize, node: Option<&'t Node>| {
            let (value, found) = self.below(&[Step::Key(key), Step::Index(index)], node, &mut read);
            shape = found;
            value
        };
        if !self.pen.describing {
            self.pen.record(self.path_of(key), Mark::List);
        }
        let values = match self.child(key) {
            None if self.pen.describing => vec![each(0, None)],
            None => Vec::new(),
            Some(node) => match &node.value {
                Value::List(items) => items.iter().enumerate().map(|(index, item)| each(index, Some(item))).collect(),
                _ => {
                    self.pen.tell(Attention::Wrong, not_a_list(&self.path_of(key), node));
                    Vec::new()
                }
            },
        };
        self.note_key(key, doc, Form::List(shape), Need::Optional);
        values
    }

    /// A problem with a value (its key, or keys joined by `.`), or with the table itself (`""`),
    /// found by comparing values. It is told at the value, or where that is a default, at the
    /// table. Not told where the value itself already was a problem.
    pub fn wrong(&self, key: &str, message: impl Into<String>, help: impl Into<String>) {
        let full = [self.here().as_str(), key].into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(".");
        let nothing = Node::made_up(Value::Flag(false));
        let node = self.node.unwrap_or(&nothing);
        let records = self.pen.records.borrow();
        let problem = positioned(node, &records, key, &full, self.nearest.clone(), &message.into()).help(help);
        let bad = |told: &Problem| told.is_bad_value() && told.place.is_some() && told.place == problem.place;
        if !self.pen.problems.borrow().iter().any(bad) {
            self.pen.tell(Attention::Full, problem);
        }
    }

    /// True while nothing that was read so far was wrong: checks that compare values may rely
    /// on them.
    pub fn sound(&self) -> bool {
        self.pen.problems.borrow().is_empty()
    }

    /// True if the reader only asks what may stand, and every value is made up.
    pub fn describing(&self) -> bool {
        self.pen.describing
    }

    /// True if the key stands in any layer.
    pub fn has(&self, key: &str) -> bool {
        self.child(key).is_some()
    }

    /// The path of this table, such as `ni.trapeze`.
    pub fn here(&self) -> String {
        dotted(&self.path)
    }

    pub(super) fn child(&self, key: &str) -> Option<&'t Node> {
        self.node?.table()?.get(key)
    }

    pub(super) fn all_texts(&self) -> &'t Texts {
        &self.pen.texts
    }

    pub(super) fn path_of(&self, key: &'static str) -> Vec<Step> {
        self.path.iter().cloned().chain([Step::Key(key)]).collect()
    }

    pub(super) fn place(&self) -> Option<Place> {
        self.nearest.clone()
    }

    /// Notes that a key may stand here.
    pub(super) fn note_key(&self, key: &'static str, doc: &'static str, form: Form, need: Need) {
        self.note(Item::Key { key, doc, form, need });
    }

    pub(super) fn note(&self, item: Item) {
        let mut shape = self.shape.borrow_mut();
        let again = |known: &Item| matches!((known, &item), (Item::Key { key: a, .. }, Item::Key { key: b, .. }) if a == b);
        if !shape.items.iter().any(again) {
            shape.items.push(item);
        }
    }

    /// Keeps a value that was read, from a node or by default.
    pub(super) fn note_value(
        &self,
        key: &'static str,
        doc: &'static str,
        kind: String,
        node: Option<&Node>,
        value: String,
        json: Json,
    ) {
        let place = node.and_then(|node| node.place.as_ref());
        let origin = match place {
            Some(place) => self.all_texts().origin(place),
            None => Origin { layer: Layer::Default, place: None, line: None },
        };
        let note = place.and_then(|place| self.all_texts().note(place));
        let path = self.path_of(key);
        let entry = Entry { path: dotted(&path), value, kind, origin, note, doc };
        self.pen.record(path, Mark::Value(Box::new(entry), json));
    }

    /// The node as the user wrote it, strings without their quotes; lists over several lines
    /// are left to their canonical form.
    pub(super) fn as_written(&self, node: &Node) -> Option<String> {
        if let Some(text) = node.text() {
            return Some(text.to_string());
        }
        let slice = self.all_texts().slice(node.place.as_ref()?);
        (!slice.contains('\n')).then(|| slice.to_string())
    }

    pub(super) fn missing(&self, key: &'static str, doc: &str, allowed: &str) {
        let path = dotted(&self.path_of(key));
        let problem = Problem::new(format!("`{path}` is missing"))
            .at(self.nearest.clone(), format!("`{key}` belongs here"))
            .help(format!("`{key}`: {doc}"))
            .help(allowed);
        self.pen.tell(Attention::Full, problem);
    }

    pub(super) fn misfits(&self, key: &'static str, doc: &str, misfits: Vec<Misfit>) {
        for misfit in misfits {
            let problem = Problem::bad_value(&dotted(&self.path_of(key)))
                .at(misfit.place.or_else(|| self.nearest.clone()), misfit.fault.label);
            let problem = misfit.fault.help.into_iter().fold(problem, Problem::help);
            self.pen.tell(Attention::Wrong, problem.help(format!("`{key}`: {doc}")));
        }
    }

    fn tell_unknown(&self) {
        let Some(tree) = self.node.and_then(Node::table) else { return };
        let shape = self.shape.borrow();
        let known = shape.keys();
        for (key, node) in tree.in_order() {
            if !known.contains(&key) {
                self.pen.tell(Attention::Wrong, self.unknown(key, node, &shape));
            }
        }
    }

    fn unknown(&self, key: &str, node: &Node, shape: &Ref<'_, Shape>) -> Problem {
        let mut known = shape.keys();
        known.sort_unstable();
        let within = if self.path.is_empty() { String::new() } else { format!(" in `{}`", self.here()) };
        let label = match suggest::nearest(key, known.iter().copied()) {
            Some(near) => format!("did you mean `{near}`?"),
            None => "nothing reads this key".to_string(),
        };
        Problem::new(format!("unknown key `{}`{within}", key.escape_debug()))
            .at(node.key().cloned(), label)
            .help(format!("allowed here: {}", suggest::phrase(known)))
    }
}

pub(super) fn not_a_table(path: &[Step], node: &Node) -> Problem {
    let path = dotted(path);
    Problem::bad_value(&path)
        .at(node.place.clone(), format!("a table is expected, not {}", node.value.what()))
        .help(format!("write [{path}] and its keys below"))
}

fn not_a_list(path: &[Step], node: &Node) -> Problem {
    let path = dotted(path);
    Problem::bad_value(&path)
        .at(node.place.clone(), format!("a list of tables is expected, not {}", node.value.what()))
        .help(format!("write [[{path}]] before the keys of each element"))
}

/// The tables of a family that stand in a table.
pub(super) fn tree_of(node: Option<&Node>) -> Option<&Tree> {
    node.and_then(Node::table)
}

#[cfg(test)]
mod tests;
