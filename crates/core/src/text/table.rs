//! One table of a description while it is read: the tables below it, and the diagnostics about its keys.
//!
//! Single values are read in `field` and `kind`, lists and maps of tables in `collection`, and choices among tables in
//! `family`.

use super::diagnostics;
use super::kind::{InvalidValue, Kind};
use super::meaning::ParameterDeclaration;
use super::origin::{TextSpan, Texts};
use super::problem::Problem;
use super::read_context::{DiagnosticLevel, ReadContext};
use super::record::{RecordedItem, RecordedValue, RenamedKey, Step, dotted};
use super::schema::{Form, Item, Need, TableShape};
use super::set::PARTS;
use super::tree::{Tree, TreeNode, TreeValue};
use serde_json::Value as Json;
use std::cell::RefCell;
use std::path::Path;

/// One table of a description while it is read.
pub struct Table<'t> {
    pub(super) context: &'t ReadContext,
    pub(super) path: Vec<Step>,
    pub(super) node: Option<&'t TreeNode>,
    /// The source location of this table, or of the nearest one above that has one.
    nearest_place: Option<TextSpan>,
    /// The keys that were read, and the members of families.
    pub(super) known_keys: RefCell<Vec<&'static str>>,
    /// The members of families.
    pub(super) variants: RefCell<Vec<&'static str>>,
    /// The members of families that have a key, each with that key.
    pub(super) members_below: RefCell<Vec<(&'static str, &'static str)>>,
    /// The renamed keys. If the schema is collected, also all other keys.
    pub(super) shape: RefCell<TableShape>,
}

/// A key whose value is recorded.
pub(super) struct RecordedKey {
    pub key: &'static str,
    pub doc: &'static str,
    pub declaration: ParameterDeclaration,
}

/// Reads a table. Tables are read into values of about a hundred types; the code that finds a table, records it and
/// reports its problems takes this function without the type, so that it is compiled once.
pub(super) type ReadTable<'r> = dyn FnMut(&mut Table<'_>) + 'r;

/// Reads a table, given its name.
pub(super) type ReadNamedTable<'r> = dyn FnMut(&str, &mut Table<'_>) + 'r;

impl<'t> Table<'t> {
    pub(super) fn new(
        context: &'t ReadContext,
        path: Vec<Step>,
        node: Option<&'t TreeNode>,
        enclosing_place: Option<TextSpan>,
    ) -> Table<'t> {
        let nearest_place = node.and_then(|node| node.place.clone()).or(enclosing_place);
        Table {
            context,
            path,
            node,
            nearest_place,
            known_keys: RefCell::default(),
            variants: RefCell::default(),
            members_below: RefCell::default(),
            shape: RefCell::default(),
        }
    }

    /// Reads this table with `read`, and returns the table's shape. Keys that `read` did not read are reported as
    /// unknown.
    pub(super) fn run(mut self, read: &mut ReadTable<'_>) -> TableShape {
        if !self.path.is_empty() {
            self.context.record(self.path.clone(), RecordedItem::Table);
        }
        let problems_before = self.context.problems.borrow().len();
        read(&mut self);
        self.report_unknown_keys(problems_before);
        self.shape.into_inner()
    }

    /// Reads a table below this one, which may be absent. If the key is not a table, a problem is reported.
    pub(super) fn read_below(
        &self,
        steps: &[Step],
        node: Option<&'t TreeNode>,
        read: &mut ReadTable<'_>,
    ) -> TableShape {
        let path: Vec<Step> = self.path.iter().chain(steps).cloned().collect();
        let table = node.filter(|node| node.table().is_some());
        let sub_table = Table::new(self.context, path, table, self.nearest_place.clone());
        match (node, table) {
            (Some(other), None) => {
                let problem = diagnostics::not_a_table_problem(&sub_table.path, other, false);
                self.context.report(DiagnosticLevel::PresentKeys, problem);
                self.context.with_level(DiagnosticLevel::Off, || sub_table.run(read))
            }
            _ => sub_table.run(read),
        }
    }

    /// Reads the sub-table `key`. If the sub-table is absent, an empty table is read, so that defaults apply and
    /// missing required keys are reported.
    pub fn table<T>(&mut self, key: &'static str, doc: &'static str, read: impl FnOnce(&mut Table<'_>) -> T) -> T {
        let node = self.child(key);
        if node.is_none() {
            self.context.note_absent_table(self.full_path(key), doc);
        }
        let (value, shape) = with_value(read, |read| self.read_below(&[Step::Key(key)], node, read));
        self.note_key(key, doc, Form::Table(shape), Need::Required);
        value
    }

    /// Reads the sub-table `key`, or returns `None` if it is absent.
    pub fn optional_table<T>(
        &mut self,
        key: &'static str,
        doc: &'static str,
        read: impl FnOnce(&mut Table<'_>) -> T,
    ) -> Option<T> {
        let node = self.child(key);
        if node.is_none() && !self.context.describing {
            self.note_key(key, doc, Form::Table(TableShape::default()), Need::Optional);
            return None;
        }
        let (value, shape) = with_value(read, |read| self.read_below(&[Step::Key(key)], node, read));
        self.note_key(key, doc, Form::Table(shape), Need::Optional);
        Some(value)
    }

    /// States that the key `new` was called `old`, and that the former name is still read. A description that uses the
    /// former name is reported by [`Read::renamed_keys`](super::Read::renamed_keys). Both names in one layer are an
    /// error; a higher layer overrides either name. The function must be called before `new` is read. If both names are
    /// tables, the tables are not merged.
    pub fn renamed_key(&mut self, old: &'static str, new: &'static str) {
        self.shape.borrow_mut().renamed_keys.push((old, new));
        let Some(tree) = tree_of(self.node) else { return };
        let Some(former) = tree.get(old) else { return };
        self.context.note_renamed(RenamedKey {
            old: self.full_path(old),
            new: self.full_path(new),
            place: former.key().cloned(),
        });
        let conflict = tree.get(new).and_then(|current| former.keys_in_same_layer(current));
        if let Some((former_place, current_place)) = conflict {
            let problem = Problem::new(format!("`{old}` and `{new}` are one key: `{old}` was renamed to `{new}`"));
            let problem = problem
                .with_location(Some(current_place), "set again")
                .related(former_place, "set here")
                .help(format!("remove `{old}`"));
            self.context.report(DiagnosticLevel::PresentKeys, problem);
        }
    }

    /// States that `key` may have the same values as the top-level key called `like`.
    pub fn describe_like(&mut self, key: &'static str, doc: &'static str, like: &'static str) {
        self.note_key(key, doc, Form::Like(like), Need::Optional);
    }

    /// States that the table may name parts, as the whole description does; the loader removes that key.
    pub fn describe_parts(&mut self, doc: &'static str) {
        self.note_key(PARTS, doc, Form::Parts, Need::Optional);
    }

    /// Reports a problem that was found by comparing values. `key` is the value's key, or keys joined by `.`; an empty
    /// `key` stands for the table itself. The problem is reported at the value, or at the table if the value is a
    /// default. It is dropped if the value is missing or invalid, because the reader then works with a placeholder.
    pub fn report_invalid(&self, key: &str, message: impl Into<String>, help: impl Into<String>) {
        let full_path = self.full_path(key);
        if self.context.is_invalid(&full_path) {
            return;
        }
        let placeholder = TreeNode::synthetic(TreeValue::Flag(false));
        let node = self.node.unwrap_or(&placeholder);
        let records = self.context.records.borrow();
        let written_key = self.as_written_key(key);
        let problem = diagnostics::problem_at(
            node,
            &records,
            written_key,
            &full_path,
            self.nearest_place.clone(),
            &message.into(),
        );
        self.context.report(DiagnosticLevel::Full, problem.help(help));
    }

    /// Reports a problem within a value of this table.
    pub fn report(&self, problem: Problem) {
        self.context.report(DiagnosticLevel::PresentKeys, problem);
    }

    /// Returns the texts from which the description is read.
    pub fn sources(&self) -> &'t Texts {
        self.all_texts()
    }

    /// Returns whether no problem has been found so far, so that checks may compare values.
    pub fn has_no_problems(&self) -> bool {
        self.context.problems.borrow().is_empty()
    }

    /// Returns whether only the schema is being collected, so that every value is a placeholder.
    pub fn describing(&self) -> bool {
        self.context.describing
    }

    /// Returns whether any layer defines the key.
    pub fn has(&self, key: &str) -> bool {
        self.child(key).is_some()
    }

    /// Returns the path of this table, such as `ni.trapeze`.
    pub fn table_path(&self) -> String {
        dotted(&self.path)
    }

    /// Returns the path of a key of this table, or of the table itself (`""`).
    pub(super) fn full_path(&self, key: &str) -> String {
        [self.table_path().as_str(), key].into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(".")
    }

    pub(super) fn child(&self, key: &str) -> Option<&'t TreeNode> {
        let tree = self.node?.table()?;
        let renamed = &self.shape.borrow().renamed_keys;
        if renamed.is_empty() {
            return tree.get(key);
        }
        let former = renamed.iter().filter(|(_, new)| *new == key).filter_map(|(old, _)| tree.get(old));
        // If ranks are equal, the last node is the maximum, which is the key itself.
        former.chain(tree.get(key)).max_by_key(|node| node.rank())
    }

    /// Returns the name by which the description calls a key: its former name, if only that is defined.
    fn as_written_key<'k>(&self, key: &'k str) -> &'k str {
        let is_defined = |name: &str| tree_of(self.node).is_some_and(|tree| tree.get(name).is_some());
        let renamed = &self.shape.borrow().renamed_keys;
        let former = renamed.iter().find(|(old, new)| *new == key && is_defined(old));
        former.filter(|_| !is_defined(key)).map_or(key, |(old, _)| old)
    }

    pub(super) fn all_texts(&self) -> &'t Texts {
        &self.context.texts
    }

    pub(super) fn path_of(&self, key: &'static str) -> Vec<Step> {
        self.path.iter().cloned().chain([Step::Key(key)]).collect()
    }

    pub(super) fn place(&self) -> Option<TextSpan> {
        self.nearest_place.clone()
    }

    /// Adds a key to the schema of this table.
    pub(super) fn note_key(&self, key: &'static str, doc: &'static str, form: Form, need: Need) {
        match self.context.describing {
            true => self.add_item(Item::Key { key, doc, form, need }),
            false => self.add_known(key),
        }
    }

    pub(super) fn add_item(&self, item: Item) {
        match &item {
            Item::Key { key, .. } => self.add_known(key),
            Item::Family(family) => {
                family.members.iter().for_each(|member| self.add_known(member.name));
                self.variants.borrow_mut().extend(family.members.iter().map(|member| member.name));
            }
        }
        if self.context.describing {
            self.shape.borrow_mut().add(item);
        }
    }

    /// Notes that the table may hold `key`.
    pub(crate) fn add_known(&self, key: &'static str) {
        let mut known = self.known_keys.borrow_mut();
        if !known.contains(&key) {
            known.push(key);
        }
    }

    /// Records a value that was read, from a node or by default.
    pub(super) fn record_value(
        &self,
        recorded_key: RecordedKey,
        kind: Kind,
        node: Option<&TreeNode>,
        value: String,
        json: Json,
    ) {
        let RecordedKey { key, doc, declaration } = recorded_key;
        let recorded = RecordedValue { value, kind, declaration, place: node.and_then(|node| node.place.clone()), doc };
        self.context.record(self.path_of(key), RecordedItem::Value(Box::new(recorded), json));
    }

    /// Records that the value of a key names a file.
    pub(super) fn note_file(&self, key: &'static str, file: &Path) {
        self.context.note_file(dotted(&self.path_of(key)), file);
    }

    /// Records the selected member of the family at this table.
    pub(super) fn record_choice(&self, doc: &'static str, name: &str, kind: Kind, place: Option<&TextSpan>) {
        let value = name.to_string();
        let (declaration, place) = (ParameterDeclaration::default(), place.cloned());
        let recorded = RecordedValue { value, kind, declaration, place, doc };
        self.context.record(self.path.clone(), RecordedItem::Choice(Box::new(recorded)));
    }

    /// Returns the node in the form in which the user wrote it, but with strings unquoted; `None` for a list over
    /// several lines, which is shown in canonical form.
    pub(super) fn as_written(&self, node: &TreeNode) -> Option<String> {
        if let Some(text) = node.text() {
            return Some(text.to_string());
        }
        let slice = self.all_texts().slice(node.place.as_ref()?);
        (!slice.contains('\n')).then(|| slice.to_string())
    }

    pub(super) fn report_missing(&self, key: &'static str, doc: &str, allowed: &str) {
        let path = self.path_of(key);
        let problem = diagnostics::missing_key_problem(&path, self.nearest_place.clone(), doc, allowed);
        self.context.report_value(DiagnosticLevel::Full, dotted(&path), problem);
    }

    pub(super) fn report_invalid_values(&self, key: &'static str, doc: &str, invalid_values: Vec<InvalidValue>) {
        let path = self.path_of(key);
        for invalid_value in invalid_values {
            let problem = diagnostics::invalid_value_problem(&path, invalid_value, self.nearest_place.clone(), doc);
            self.context.report_value(DiagnosticLevel::PresentKeys, dotted(&path), problem);
        }
    }
}

/// Returns the keys of a node, if it is a table.
pub(super) fn tree_of(node: Option<&TreeNode>) -> Option<&Tree> {
    node.and_then(TreeNode::table)
}

/// Returns the value that `read` returns when `run` calls it, and the result of `run`.
///
/// # Panics
///
/// Panics if `run` does not call the function exactly once.
pub(super) fn with_value<T, R>(
    read: impl FnOnce(&mut Table<'_>) -> T,
    run: impl FnOnce(&mut ReadTable<'_>) -> R,
) -> (T, R) {
    let (mut read, mut value) = (Some(read), None);
    let result = run(&mut |table| {
        let read = read.take().expect("a table is read once");
        value = Some(read(table));
    });
    (value.expect("a table is read"), result)
}
