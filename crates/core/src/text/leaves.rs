//! The values of a description before it is read: each path with its value in the form of the text.
//!
//! These values serve to show a part alone, which is not a whole description. Defaults are not included.

use super::load::Loaded;
use super::origin::Origin;
use super::tree::{TreeNode, TreeValue};

/// A value of a text, with its key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Leaf {
    /// The key with all keys above it.
    pub path: String,
    /// The value as it is written; strings without their quotes.
    pub value: String,
    /// The source location.
    pub origin: Option<Origin>,
    /// The comment after the value.
    pub note: Option<String>,
}

impl Loaded {
    /// Returns all values in the order of the texts. An empty table counts as one value.
    pub fn leaves(&self) -> Vec<Leaf> {
        let mut leaves = Vec::new();
        self.collect_leaves(String::new(), &self.root, &mut leaves);
        leaves
    }

    fn collect_leaves(&self, path: String, node: &TreeNode, leaves: &mut Vec<Leaf>) {
        match &node.value {
            TreeValue::Table(tree) if tree.keys().next().is_some() => {
                for (key, node) in tree.in_order() {
                    let path = if path.is_empty() { key.to_string() } else { format!("{path}.{key}") };
                    self.collect_leaves(path, node, leaves);
                }
            }
            _ => leaves.push(self.leaf(path, node)),
        }
    }

    fn leaf(&self, path: String, node: &TreeNode) -> Leaf {
        let value = match (&node.value, &node.place) {
            (TreeValue::Table(_), _) => String::new(),
            (TreeValue::Text(text), _) => text.clone(),
            (_, Some(place)) => self.texts.slice(place).to_string(),
            (_, None) => String::new(),
        };
        let origin = node.place.as_ref().map(|place| self.texts.origin(place));
        let note = node.place.as_ref().and_then(|place| self.texts.note(place));
        Leaf { path, value, origin, note }
    }
}
