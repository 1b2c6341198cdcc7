//! Lists of tables, and tables under names that the user chose.

use super::diagnostics;
use super::read_context::DiagnosticLevel;
use super::record::{RecordedItem, Step};
use super::schema::{Form, Need, TableShape};
use super::table::{ReadNamedTable, ReadTable, Table};
use super::tree::{TreeNode, TreeValue};

impl<'t> Table<'t> {
    /// Reads tables under names that the user chose, in the order of the file. If the key is absent, the result is
    /// empty.
    pub fn map<T>(
        &mut self,
        key: &'static str,
        doc: &'static str,
        mut read: impl FnMut(&mut Table<'_>) -> T,
    ) -> Vec<(String, T)> {
        let mut values = Vec::new();
        self.read_map(key, doc, &mut |name, table| values.push((name.to_string(), read(table))));
        values
    }

    fn read_map(&mut self, key: &'static str, doc: &'static str, read: &mut ReadNamedTable<'_>) {
        let mut shape = TableShape::default();
        let mut read_named = |name: &str, node: Option<&'t TreeNode>| {
            let steps = [Step::Key(key), Step::Name(name.to_string())];
            shape = self.read_below(&steps, node, &mut |table| read(name, table));
        };
        match self.child(key).map(|node| (node, &node.value)) {
            None if self.context.describing => read_named("NAME", None),
            None => (),
            Some((_, TreeValue::Table(tree))) => {
                tree.in_order().into_iter().for_each(|(name, node)| read_named(name, Some(node)));
            }
            Some((node, _)) => {
                let problem = diagnostics::not_a_table_problem(&self.path_of(key), node);
                self.context.report(DiagnosticLevel::PresentKeys, problem);
            }
        }
        self.note_key(key, doc, Form::Map(shape), Need::Optional);
    }

    /// Reads the list of tables `key`, which is empty if the key is absent.
    pub fn list<T>(
        &mut self,
        key: &'static str,
        doc: &'static str,
        mut read: impl FnMut(&mut Table<'_>) -> T,
    ) -> Vec<T> {
        let mut values = Vec::new();
        self.read_list(key, doc, &mut |table| values.push(read(table)));
        values
    }

    fn read_list(&mut self, key: &'static str, doc: &'static str, read: &mut ReadTable<'_>) {
        let mut shape = TableShape::default();
        let mut read_element = |index: usize, node: Option<&'t TreeNode>| {
            shape = self.read_below(&[Step::Key(key), Step::Index(index)], node, read);
        };
        if !self.context.describing {
            self.context.record(self.path_of(key), RecordedItem::List);
        }
        match self.child(key).map(|node| (node, &node.value)) {
            None if self.context.describing => read_element(0, None),
            None => (),
            Some((_, TreeValue::List(items))) => {
                items.iter().enumerate().for_each(|(index, item)| read_element(index, Some(item)));
            }
            Some((node, _)) => {
                let problem = diagnostics::not_a_list_problem(&self.path_of(key), node);
                self.context.report(DiagnosticLevel::PresentKeys, problem);
            }
        }
        self.note_key(key, doc, Form::List(shape), Need::Optional);
    }
}
