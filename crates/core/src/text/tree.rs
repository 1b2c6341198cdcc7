//! A description as a tree of values, each with its source location and the layers that define it.
//!
//! The tree is built from TOML, and merged layer by layer. The reader checks which keys and kinds of values are valid.

use super::origin::{TextId, TextSpan};
use std::collections::BTreeMap;
use std::sync::Arc;
use toml::Spanned;
use toml::de::{DeInteger, DeTable, DeValue};

/// The number of a layer; a higher layer overrides a lower one.
pub type Rank = usize;

/// A value, with its source location.
#[derive(Clone, Debug)]
pub struct TreeNode {
    /// The value.
    pub value: TreeValue,
    /// The source location of the effective value; `None` for a default.
    pub place: Option<TextSpan>,
    /// The location of the value's key in every layer that defines it, from the lowest layer to the highest.
    pub definitions: Vec<Definition>,
    /// The table of a lower layer that this value overrides.
    pub shadowed: Option<Box<TreeNode>>,
}

/// The definition of a key in one layer.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Definition {
    /// The layer.
    pub rank: Rank,
    /// The location of the key in that layer.
    pub key: TextSpan,
}

/// The value of a node.
#[derive(Clone, Debug)]
pub enum TreeValue {
    /// A string.
    Text(String),
    /// An integer, or `None` if it does not fit into 128 bits.
    Integer(Option<i128>),
    /// A number with a point or exponent, which may also be infinite or NaN.
    Float(f64),
    /// `true` or `false`.
    Flag(bool),
    /// A date, which no description needs.
    Date,
    /// A list.
    List(Vec<TreeNode>),
    /// A table.
    Table(Tree),
}

/// The keys of a table. A clone shares them until one of the two is changed.
#[derive(Clone, Debug, Default)]
pub struct Tree {
    nodes: Arc<BTreeMap<String, TreeNode>>,
}

impl TreeValue {
    /// Returns the type of the value, as messages name it, with its article.
    pub fn type_with_article(&self) -> &'static str {
        match self {
            TreeValue::Text(_) => "a string",
            TreeValue::Integer(_) => "a bare integer",
            TreeValue::Float(_) => "a bare number",
            TreeValue::Flag(_) => "a flag",
            TreeValue::Date => "a date",
            TreeValue::List(_) => "a list",
            TreeValue::Table(_) => "a table",
        }
    }
}

impl TreeNode {
    /// Creates a node without a source location.
    pub fn synthetic(value: TreeValue) -> TreeNode {
        TreeNode { value, place: None, definitions: Vec::new(), shadowed: None }
    }

    /// Returns the table, if the value is one.
    pub fn table(&self) -> Option<&Tree> {
        match &self.value {
            TreeValue::Table(tree) => Some(tree),
            _ => None,
        }
    }

    /// Returns the table mutably, if the value is one.
    pub fn table_mut(&mut self) -> Option<&mut Tree> {
        match &mut self.value {
            TreeValue::Table(tree) => Some(tree),
            _ => None,
        }
    }

    /// Returns the text, if the value is a string.
    pub fn text(&self) -> Option<&str> {
        match &self.value {
            TreeValue::Text(text) => Some(text),
            _ => None,
        }
    }

    /// Returns the highest layer that defines the node's key.
    pub fn rank(&self) -> Option<Rank> {
        self.definitions.last().map(|definition| definition.rank)
    }

    /// Returns the location of the node's key in the highest layer.
    pub fn key(&self) -> Option<&TextSpan> {
        self.definitions.last().map(|definition| &definition.key)
    }

    /// Returns the locations of both keys in the highest layer that defines both this node and `other`, if there is
    /// one.
    pub fn keys_in_same_layer(&self, other: &TreeNode) -> Option<(TextSpan, TextSpan)> {
        let definition_of_rank = |rank: Rank| other.definitions.iter().rfind(|definition| definition.rank == rank);
        let conflicting_keys =
            |definition: &Definition| Some((definition.key.clone(), definition_of_rank(definition.rank)?.key.clone()));
        self.definitions.iter().rev().find_map(conflicting_keys)
    }

    /// Returns the node at a path of keys and list indices below this node.
    pub fn node_at<'k>(&self, path: impl IntoIterator<Item = &'k str>) -> Option<&TreeNode> {
        path.into_iter().try_fold(self, |node, key| match &node.value {
            TreeValue::Table(tree) => tree.get(key),
            TreeValue::List(items) => items.get(key.parse::<usize>().ok()?),
            _ => None,
        })
    }
}

impl Tree {
    /// Returns the value of a key.
    pub fn get(&self, key: &str) -> Option<&TreeNode> {
        self.nodes.get(key)
    }

    /// Returns the value of a key mutably.
    pub fn get_mut(&mut self, key: &str) -> Option<&mut TreeNode> {
        match self.nodes.contains_key(key) {
            true => Arc::make_mut(&mut self.nodes).get_mut(key),
            false => None,
        }
    }

    /// Removes a key, and returns its value.
    pub fn remove(&mut self, key: &str) -> Option<TreeNode> {
        match self.nodes.contains_key(key) {
            true => Arc::make_mut(&mut self.nodes).remove(key),
            false => None,
        }
    }

    /// Inserts a key with its value.
    pub fn insert(&mut self, key: String, node: TreeNode) {
        Arc::make_mut(&mut self.nodes).insert(key, node);
    }

    /// Returns the keys and values in the order of their first definitions.
    pub fn in_order(&self) -> Vec<(&str, &TreeNode)> {
        let mut all: Vec<(&str, &TreeNode)> = self.nodes.iter().map(|(key, node)| (key.as_str(), node)).collect();
        all.sort_by(|(_, a), (_, b)| a.definitions.first().cmp(&b.definitions.first()));
        all
    }

    /// Returns the keys and mutable values in the order of their first definitions.
    pub fn in_order_mut(&mut self) -> Vec<(&str, &mut TreeNode)> {
        let mut all: Vec<(&str, &mut TreeNode)> =
            Arc::make_mut(&mut self.nodes).iter_mut().map(|(key, node)| (key.as_str(), node)).collect();
        all.sort_by(|(_, a), (_, b)| a.definitions.first().cmp(&b.definitions.first()));
        all
    }

    /// Returns the keys, sorted.
    pub fn keys(&self) -> impl Iterator<Item = &str> {
        self.nodes.keys().map(String::as_str)
    }

    /// Returns the values mutably.
    pub fn nodes_mut(&mut self) -> impl Iterator<Item = &mut TreeNode> {
        Arc::make_mut(&mut self.nodes).values_mut()
    }

    /// Merges a higher layer into this one: tables are merged key by key, and other values are overridden.
    pub fn merge_layer(&mut self, higher: Tree) {
        let nodes = Arc::make_mut(&mut self.nodes);
        for (key, node) in Arc::unwrap_or_clone(higher.nodes) {
            let merged = match nodes.remove(&key) {
                Some(lower) => shadow(lower, node),
                None => node,
            };
            nodes.insert(key, merged);
        }
    }
}

/// Returns `lower` overridden by `higher`.
pub fn shadow(lower: TreeNode, mut higher: TreeNode) -> TreeNode {
    let mut definitions = lower.definitions.clone();
    definitions.append(&mut higher.definitions);
    let place = higher.place.or_else(|| lower.place.clone());
    match (lower.value, higher.value) {
        (TreeValue::Table(mut lower_tree), TreeValue::Table(higher_tree)) => {
            lower_tree.merge_layer(higher_tree);
            TreeNode { value: TreeValue::Table(lower_tree), place, definitions, shadowed: lower.shadowed }
        }
        // A string had overridden a table, so the new table is merged into that table.
        (TreeValue::Text(_), TreeValue::Table(higher_tree)) if lower.shadowed.is_some() => {
            let shadowed = *lower.shadowed.expect("the guard checked it");
            TreeNode {
                definitions,
                ..shadow(shadowed, TreeNode { place, ..TreeNode::synthetic(TreeValue::Table(higher_tree)) })
            }
        }
        // Only tables are kept when they are overridden, because a string may name one of their keys.
        (lower_value @ TreeValue::Table(_), higher_value) => {
            let shadowed = Some(Box::new(TreeNode { value: lower_value, ..lower }));
            TreeNode { value: higher_value, place, definitions, shadowed }
        }
        (_, higher_value) => TreeNode { value: higher_value, place, definitions, shadowed: lower.shadowed },
    }
}

/// Reads TOML values of one text into nodes of one layer.
#[derive(Clone, Copy, Debug)]
pub struct TreeBuilder {
    /// The number of the text.
    pub text: TextId,
    /// The rank of the layer.
    pub rank: Rank,
    /// The byte offset at which the TOML begins.
    pub offset: usize,
}

impl TreeBuilder {
    /// Builds the tree of a TOML table.
    pub fn tree(&self, table: &DeTable<'_>) -> Tree {
        let mut tree = Tree::default();
        for (key, value) in table {
            let definition = Definition { rank: self.rank, key: self.place(key.span()) };
            let node = TreeNode { definitions: vec![definition], ..self.node(value) };
            tree.insert(key.get_ref().to_string(), node);
        }
        tree
    }

    /// Builds the node of a TOML value without a key.
    pub fn node(&self, value: &Spanned<DeValue<'_>>) -> TreeNode {
        let node = TreeNode::synthetic(self.value(value.get_ref()));
        TreeNode { place: Some(self.place(value.span())), ..node }
    }

    fn value(&self, value: &DeValue<'_>) -> TreeValue {
        match value {
            DeValue::String(text) => TreeValue::Text(text.to_string()),
            DeValue::Integer(number) => TreeValue::Integer(integer(number)),
            DeValue::Float(number) => TreeValue::Float(number.as_str().parse().unwrap_or(f64::NAN)),
            DeValue::Boolean(flag) => TreeValue::Flag(*flag),
            DeValue::Datetime(_) => TreeValue::Date,
            DeValue::Array(items) => TreeValue::List(items.iter().map(|item| self.node(item)).collect()),
            DeValue::Table(table) => TreeValue::Table(self.tree(table)),
        }
    }

    /// Returns the location in the text of a span in the TOML.
    pub fn place(&self, span: std::ops::Range<usize>) -> TextSpan {
        TextSpan { text: self.text, span: span.start + self.offset..span.end + self.offset }
    }
}

fn integer(number: &DeInteger<'_>) -> Option<i128> {
    i128::from_str_radix(number.as_str(), number.radix()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tree(text: &str, rank: Rank) -> Tree {
        let builder = TreeBuilder { text: rank, rank, offset: 0 };
        builder.tree(DeTable::parse(text).expect("the text is TOML").get_ref())
    }

    #[test]
    fn tables_merge_and_values_replace() {
        let mut all = tree("[a]\nx = 1\ny = 2\n", 0);
        all.merge_layer(tree("[a]\ny = 3\nz = [4]\n", 1));
        let root = TreeNode::synthetic(TreeValue::Table(all));
        let number = |path: [&str; 2]| match root.node_at(path).map(|node| &node.value) {
            Some(TreeValue::Integer(n)) => *n,
            _ => None,
        };
        assert_eq!((number(["a", "x"]), number(["a", "y"])), (Some(1), Some(3)));
        assert_eq!(root.node_at(["a", "y"]).and_then(TreeNode::rank), Some(1));
        assert_eq!(root.node_at(["a"]).map(|a| a.definitions.len()), Some(2));
        assert!(root.node_at(["a", "z", "0"]).is_some() && root.node_at(["a", "z", "1"]).is_none());
    }

    #[test]
    fn keys_keep_the_order_of_the_text() {
        let tree = tree("z = 1\na = 2\n[m]\n", 0);
        let keys: Vec<&str> = tree.in_order().into_iter().map(|(key, _)| key).collect();
        assert_eq!(keys, ["z", "a", "m"]);
    }

    #[test]
    fn a_string_keeps_the_table_that_it_replaced() {
        let mut all = tree("[policy.a]\nx = 1\n", 0);
        all.merge_layer(tree("policy = 'a'", 1));
        let policy = all.get("policy").expect("it is defined");
        assert_eq!(policy.text(), Some("a"));
        assert!(policy.shadowed.as_ref().is_some_and(|shadowed| shadowed.node_at(["a", "x"]).is_some()));
        all.merge_layer(tree("policy = 'b'", 2));
        all.merge_layer(tree("[policy.a]\ny = 2", 3));
        let a = all.get("policy").and_then(|policy| policy.node_at(["a"])).expect("it is defined");
        assert!(a.node_at(["x"]).is_some() && a.node_at(["y"]).is_some() && a.rank() == Some(3));
    }
}
