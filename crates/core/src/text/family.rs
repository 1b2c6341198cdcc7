//! Families of tables: a description selects exactly one member.
//!
//! A layer may replace the choice of a lower layer; two choices within one layer contradict each other. If the family
//! has a key of its own, the choice may also be written as a word: `policy = "store-and-forward"`.

use super::kind::Kind;
use super::origin::TextSpan;
use super::problem::Problem;
use super::read_context::DiagnosticLevel;
use super::record::{Step, dotted};
use super::schema::{Family, Form, Item, Member, Need, TableShape};
use super::suggest;
use super::table::{ReadNamedTable, ReadTable, Table, tree_of};
use super::tree::TreeNode;
use super::variant_selection::select_variant;
use std::cell::RefCell;

/// The members of a family, each as its name and its meaning.
pub type Members<'m> = &'m [(&'static str, &'static str)];

/// The effect if no member of a family is defined.
#[derive(Clone, Copy, PartialEq)]
enum Absence {
    IsAnError,
    IsAllowed,
    SelectsDefault(&'static str),
    /// The family's key is a word that names this member, which then overrides any member table.
    SelectsWord(&'static str),
}

/// The location of a family's members.
#[derive(Clone, Copy)]
enum FamilyLocation<'t> {
    /// Among the other keys of the table.
    InTable,
    /// Below a key of the family, which has this value.
    UnderKey(Option<&'t TreeNode>),
}

impl<'t> FamilyLocation<'t> {
    /// Returns the source location of the word that names a member, if the family's key is a word.
    fn word_place(self) -> Option<&'t TextSpan> {
        match self {
            FamilyLocation::UnderKey(Some(node)) if node.text().is_some() => node.place.as_ref(),
            _ => None,
        }
    }
}

/// Sibling tables of the members of a family, and the function that reads them once the member has been read.
struct Siblings<'a> {
    names: &'a [&'a str],
    read: Option<&'a mut ReadTable<'a>>,
}

impl Siblings<'_> {
    const NONE: Self = Siblings { names: &[], read: None };
}

impl<'t> Table<'t> {
    /// Reads one of several tables below `key`, and reports a problem if none is defined.
    pub fn one_of<T>(
        &mut self,
        key: &'static str,
        doc: &'static str,
        members: Members<'_>,
        read: impl FnMut(&str, &mut Table<'_>) -> T,
    ) -> T {
        self.one_below(key, doc, members, Absence::IsAnError, read).expect("one is always read")
    }

    /// Reads one of several tables below `key`, and its sibling tables `names`, which belong to the selected member;
    /// `siblings` reads them, given the value of the member.
    pub fn one_of_with_siblings<T>(
        &mut self,
        key: &'static str,
        doc: &'static str,
        members: Members<'_>,
        mut read: impl FnMut(&str, &mut Table<'_>) -> T,
        names: &[&str],
        mut siblings: impl FnMut(&mut Table<'_>, &T),
    ) -> T {
        let value = RefCell::new(None);
        let mut read = |name: &str, table: &mut Table<'_>| *value.borrow_mut() = Some(read(name, table));
        let mut read_siblings = |table: &mut Table<'_>| {
            if let Some(value) = &*value.borrow() {
                siblings(table, value);
            }
        };
        let siblings = Siblings { names, read: Some(&mut read_siblings) };
        self.choose_below(key, doc, members, Absence::IsAnError, &mut read, siblings);
        value.into_inner().expect("one is always read")
    }

    /// States that the family below `key`, or at this table if `key` is empty, may have members beyond the known ones.
    /// If the description selects an unknown member, the problem contains `hint`.
    pub fn open_family(&self, key: &str, hint: &'static str) {
        // If nothing is selected, no diagnostic needs the hint.
        if key.is_empty() || self.child(key).is_some() {
            self.context.mark_open_family(self.full_path(key), hint);
        }
    }

    /// Reads one of several tables below `key`, or `default` with its defaults if none is defined.
    pub fn one_of_or<T>(
        &mut self,
        key: &'static str,
        doc: &'static str,
        members: Members<'_>,
        default: &'static str,
        read: impl FnMut(&str, &mut Table<'_>) -> T,
    ) -> T {
        self.one_below(key, doc, members, Absence::SelectsDefault(default), read).expect("one is always read")
    }

    /// Reads one of several tables below `key`, if one is defined.
    pub fn optional_one_of<T>(
        &mut self,
        key: &'static str,
        doc: &'static str,
        members: Members<'_>,
        read: impl FnMut(&str, &mut Table<'_>) -> T,
    ) -> Option<T> {
        self.one_below(key, doc, members, Absence::IsAllowed, read)
    }

    /// Reads one of several tables among the other keys of this table, and reports a problem if none is defined.
    pub fn alternatives<T>(
        &mut self,
        doc: &'static str,
        members: Members<'_>,
        read: impl FnMut(&str, &mut Table<'_>) -> T,
    ) -> T {
        self.one_in_table(doc, members, Absence::IsAnError, read).expect("one is always read")
    }

    /// Reads one of several tables among the other keys of this table, if one is defined.
    pub fn optional_alternatives<T>(
        &mut self,
        doc: &'static str,
        members: Members<'_>,
        read: impl FnMut(&str, &mut Table<'_>) -> T,
    ) -> Option<T> {
        self.one_in_table(doc, members, Absence::IsAllowed, read)
    }

    /// Returns the key, out of several alternatives, that the highest layer defines, or `None` if no layer defines one.
    /// If one layer defines two of them, that is reported.
    pub fn select_key(&self, keys: &[&'static str]) -> Option<&'static str> {
        let names = keys.iter().copied();
        let selection = tree_of(self.node).map(|tree| select_variant(tree, names)).unwrap_or_default();
        let members: Vec<(&'static str, &'static str)> = keys.iter().map(|key| (*key, "")).collect();
        self.report_conflict(&selection, &members);
        selection.chosen.map(|index| keys[index])
    }

    fn one_in_table<T>(
        &mut self,
        doc: &'static str,
        members: Members<'_>,
        absence: Absence,
        mut read: impl FnMut(&str, &mut Table<'_>) -> T,
    ) -> Option<T> {
        let mut value = None;
        let mut read = |name: &str, table: &mut Table<'_>| value = Some(read(name, table));
        let (is_chosen, family) = self.choose(doc, members, absence, FamilyLocation::InTable, &mut read);
        self.add_item(Item::Family(family));
        value.filter(|_| is_chosen)
    }

    fn one_below<T>(
        &mut self,
        key: &'static str,
        doc: &'static str,
        members: Members<'_>,
        absence: Absence,
        mut read: impl FnMut(&str, &mut Table<'_>) -> T,
    ) -> Option<T> {
        let mut value = None;
        let mut read = |name: &str, table: &mut Table<'_>| value = Some(read(name, table));
        let is_chosen = self.choose_below(key, doc, members, absence, &mut read, Siblings::NONE);
        value.filter(|_| is_chosen)
    }

    /// Reads one of several tables below `key`, and returns whether one was chosen. The chosen one is read last.
    fn choose_below(
        &mut self,
        key: &'static str,
        doc: &'static str,
        members: Members<'_>,
        absence: Absence,
        read: &mut ReadNamedTable<'_>,
        mut siblings: Siblings<'_>,
    ) -> bool {
        self.members_below.borrow_mut().extend(members.iter().map(|(name, _)| (key, *name)));
        if self.child(key).is_none() && absence == Absence::IsAllowed && !self.context.describing {
            self.add_known(key);
            return false;
        }
        let (mut is_chosen, mut family) = (false, None);
        let location = FamilyLocation::UnderKey(self.child(key));
        let sibling_names = siblings.names;
        let mut choose = |table: &mut Table<'_>, absence| {
            let (is_member_chosen, chosen_family) = table.choose(doc, members, absence, location, read);
            table.add_item(Item::Family(chosen_family.clone()));
            (is_chosen, family) = (is_member_chosen, Some(chosen_family));
            if let (Some(read), true) = (&mut siblings.read, is_chosen) {
                read(table);
            }
        };
        let steps = [Step::Key(key)];
        let mut shape = match self.child(key) {
            Some(node) if node.text().is_some() => match self.variant_for_word(key, node, members) {
                Some((name, table)) => {
                    self.read_below(&steps, table, &mut |table| choose(table, Absence::SelectsWord(name)))
                }
                None => self.context.with_level(DiagnosticLevel::Off, || {
                    self.read_below(&steps, None, &mut |table| choose(table, Absence::IsAnError))
                }),
            },
            // The keys of this table are not members, and are reported as unknown. No further problem is needed.
            Some(node) if absence == Absence::IsAnError && has_only_unknown_keys(node, members, sibling_names) => {
                self.context.with_level(DiagnosticLevel::PresentKeys, || {
                    let default = Absence::SelectsDefault(members[0].0);
                    self.read_below(&steps, Some(node), &mut |table| choose(table, default))
                })
            }
            node => self.read_below(&steps, node, &mut |table| choose(table, absence)),
        };
        shape.items.retain(|item| matches!(item, Item::Key { .. }));
        let family = family.unwrap_or_else(|| Family { doc, members: empty_members(members), need: Need::Optional });
        let need = family.need.clone();
        self.note_key(key, doc, Form::OneOf(family, shape), need);
        is_chosen
    }

    /// Returns the member that a word names, and the table of a lower layer that contains the member's keys.
    fn variant_for_word(
        &self,
        key: &'static str,
        node: &'t TreeNode,
        members: Members<'_>,
    ) -> Option<(&'static str, Option<&'t TreeNode>)> {
        let word = node.text().unwrap_or_default();
        let names = members.iter().map(|(name, _)| *name);
        if let Some(name) = names.clone().find(|name| *name == word) {
            return Some((name, node.shadowed.as_deref()));
        }
        if self.context.is_unknown_suppressed(&self.full_path(&format!("{key}.{word}"))) {
            return None;
        }
        let (label, open_hint) = match suggest::nearest(word, names.clone()) {
            Some(near) => (format!("did you mean \"{near}\"?"), ""),
            None => ("none of the choices here".to_string(), self.context.open_hint(&self.full_path(key))),
        };
        let problem = Problem::bad_value(&dotted(&self.path_of(key)))
            .with_location(node.place.clone(), label)
            .help(format!("choose one of {}", suggest::phrase(names)))
            .help(open_hint);
        self.context.report(DiagnosticLevel::PresentKeys, problem);
        None
    }

    /// Reads the selected member of this table, and returns whether there is one. It is read last.
    fn choose(
        &self,
        doc: &'static str,
        members: Members<'_>,
        absence: Absence,
        location: FamilyLocation<'t>,
        read: &mut ReadNamedTable<'_>,
    ) -> (bool, Family) {
        let mut shapes = empty_members(members);
        let mut read_member = |index: usize, node: Option<&'t TreeNode>| {
            let name = members[index].0;
            shapes[index].shape = self.read_below(&[Step::Key(name)], node, &mut |table| read(name, table));
        };
        let names = members.iter().map(|(name, _)| *name);
        let member_index = |name: &str| names.clone().position(|member| member == name).expect("a default is a member");
        let mut selection = tree_of(self.node).map(|tree| select_variant(tree, names.clone())).unwrap_or_default();
        if let Absence::SelectsWord(name) = absence {
            selection.choose(member_index(name));
        }
        self.report_conflict(&selection, members);
        self.context.with_level(DiagnosticLevel::PresentKeys, || {
            for index in &selection.unselected {
                read_member(*index, self.child(members[*index].0));
            }
        });
        let chosen = selection.chosen.or(match absence {
            Absence::SelectsDefault(name) | Absence::SelectsWord(name) => Some(member_index(name)),
            Absence::IsAnError | Absence::IsAllowed => None,
        });
        if let (FamilyLocation::UnderKey(_), Some(index)) = (location, chosen) {
            self.note_choice(doc, members, index, location.word_place());
        }
        let is_describing = self.context.describing;
        match (selection.chosen, absence) {
            _ if is_describing => (0..members.len()).for_each(|index| read_member(index, None)),
            (Some(index), _) => {
                let node = self.child(members[index].0);
                self.read_with_missing_summary(members[index].0, node, location, || read_member(index, node));
            }
            (None, Absence::SelectsDefault(name) | Absence::SelectsWord(name)) => read_member(member_index(name), None),
            (None, Absence::IsAllowed) => (),
            (None, Absence::IsAnError) => {
                self.report_no_variant(doc, members);
                self.context.with_level(DiagnosticLevel::Off, || read_member(0, None));
            }
        }
        let is_chosen = is_describing || selection.chosen.is_some() || absence != Absence::IsAllowed;
        (is_chosen, Family { doc, members: shapes, need: absence.need() })
    }

    /// Reads a member. If the description gives only its name and a shipped part describes the rest, all missing keys
    /// are reported in one problem.
    fn read_with_missing_summary(
        &self,
        name: &str,
        node: Option<&'t TreeNode>,
        location: FamilyLocation<'t>,
        read: impl FnOnce(),
    ) {
        let is_empty_table = tree_of(node).is_none_or(|tree| tree.keys().next().is_none());
        let part = if is_empty_table { self.part_called(name) } else { None };
        let problems_before = self.context.problems.borrow().len();
        read();
        let Some(part) = part else { return };
        let path = self.full_path(name);
        let missing = self.context.missing_since(problems_before, &path);
        if missing.len() > 1 {
            let place = location.word_place().or_else(|| node.and_then(TreeNode::key)).cloned();
            let place = place.or_else(|| self.place());
            let keys = suggest::phrase(missing.iter().map(String::as_str));
            let problem = Problem::new(format!("[{path}] is selected, but not described"))
                .with_location(place, format!("{} values are missing", missing.len()))
                .help(format!("add the shipped part \"{part}\" to `parts`, or write below [{path}]: {keys}"));
            self.context.replace_missing(problems_before, &path, problem);
        }
    }

    /// Returns the shipped part that describes the member `name` of the family at this table.
    fn part_called(&self, name: &str) -> Option<&str> {
        let table_path = self.table_path();
        let describes = |part: &&str| {
            let part_in_folder = part.split_once('/').filter(|(folder, _)| folder.trim_end_matches('s') == table_path);
            let rest = part_in_folder.and_then(|(_, part_name)| part_name.strip_prefix(name));
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('-'))
        };
        self.context.parts.iter().copied().find(describes)
    }

    /// Records the selected member, and its source location. Only a family that is not open is a choice among words.
    fn note_choice(&self, doc: &'static str, members: Members<'_>, index: usize, word_place: Option<&TextSpan>) {
        let (name, is_open) = (members[index].0, !self.context.open_hint(&self.table_path()).is_empty());
        let kind = Kind::of_words(Kind::CHOICE, members.iter().filter(|_| !is_open).map(|(name, _)| *name));
        self.record_choice(doc, name, kind, word_place.or_else(|| self.child(name).and_then(TreeNode::key)));
    }
}

impl Absence {
    fn need(self) -> Need {
        match self {
            Absence::IsAnError => Need::Required,
            Absence::IsAllowed => Need::Optional,
            Absence::SelectsDefault(name) | Absence::SelectsWord(name) => Need::Default(name.to_string(), name.into()),
        }
    }
}

/// Returns whether a table has keys, but neither a member nor any of `sibling_names`.
fn has_only_unknown_keys(node: &TreeNode, members: Members<'_>, sibling_names: &[&str]) -> bool {
    let is_known = |key: &str| sibling_names.contains(&key) || members.iter().any(|(name, _)| *name == key);
    node.table().is_some_and(|tree| tree.keys().next().is_some() && !tree.keys().any(is_known))
}

fn empty_members(members: Members<'_>) -> Vec<Member> {
    members.iter().map(|(name, doc)| Member { name, doc, shape: TableShape::default() }).collect()
}
