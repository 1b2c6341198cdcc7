//! Lists of tables, and tables under names that the user chose.

use super::diagnostics;
use super::read_context::DiagnosticLevel;
use super::record::{RecordedItem, Step};
use super::schema::{Form, Need, TableShape};
use super::table::{ReadNamedTable, Table};
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
        let shape = self.read_elements(key, false, &mut |name, table| values.push((name.to_string(), read(table))));
        self.note_key(key, doc, Form::Map(shape), Need::Optional);
        values
    }

    /// Reads the list of tables `key`, which is empty if the key is absent.
    pub fn list<T>(
        &mut self,
        key: &'static str,
        doc: &'static str,
        mut read: impl FnMut(&mut Table<'_>) -> T,
    ) -> Vec<T> {
        if !self.context.describing {
            self.context.record(self.path_of(key), RecordedItem::List);
        }
        let mut values = Vec::new();
        let shape = self.read_elements(key, true, &mut |_, table| values.push(read(table)));
        self.note_key(key, doc, Form::List(shape), Need::Optional);
        values
    }

    /// Reads each table of the list `key`, or without `is_list` of the map `key`, and returns the shape of the tables.
    fn read_elements(&self, key: &'static str, is_list: bool, read: &mut ReadNamedTable<'_>) -> TableShape {
        let elements: Vec<(&str, Step, Option<&'t TreeNode>)> = match self.child(key).map(|node| (node, &node.value)) {
            None if self.context.describing && is_list => vec![("", Step::Index(0), None)],
            None if self.context.describing => vec![("NAME", Step::Name("NAME".to_string()), None)],
            None => Vec::new(),
            Some((_, TreeValue::List(items))) if is_list => {
                items.iter().enumerate().map(|(index, node)| ("", Step::Index(index), Some(node))).collect()
            }
            Some((_, TreeValue::Table(tree))) if !is_list => {
                let named = |(name, node): (&'t str, &'t TreeNode)| (name, Step::Name(name.to_string()), Some(node));
                tree.in_order().into_iter().map(named).collect()
            }
            Some((node, _)) => {
                let problem = diagnostics::not_a_table_problem(&self.path_of(key), node, is_list);
                self.context.report(DiagnosticLevel::PresentKeys, problem);
                Vec::new()
            }
        };
        let mut shape = TableShape::default();
        for (name, step, node) in elements {
            shape = self.read_below(&[Step::Key(key), step], node, &mut |table| read(name, table));
        }
        shape
    }
}
