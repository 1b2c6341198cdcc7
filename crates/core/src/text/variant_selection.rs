//! Determines which member of a family a table selects, and whether two members of one layer conflict.

use super::origin::TextSpan;
use super::tree::{Rank, Tree, TreeNode};

/// The members that a table defines.
#[derive(Default)]
pub(super) struct Selection {
    /// The index of the selected member.
    pub chosen: Option<usize>,
    /// The indices of members that the selected member overrides, or that conflict with it.
    pub unselected: Vec<usize>,
    /// Two members that one layer defines, each with its source location.
    pub conflict: Option<[(usize, Option<TextSpan>); 2]>,
}

impl Selection {
    /// Selects the member with index `index`, regardless of the layers.
    pub fn choose(&mut self, index: usize) {
        self.unselected.extend(self.chosen.replace(index));
        self.unselected.retain(|other| *other != index);
    }
}

/// Returns the members, out of `names`, that a table defines. The member in the highest layer is selected.
pub(super) fn select_variant<'a>(tree: &Tree, names: impl Iterator<Item = &'a str>) -> Selection {
    let mut defined_members: Vec<(usize, &TreeNode)> =
        names.enumerate().filter_map(|(index, name)| Some((index, tree.get(name)?))).collect();
    defined_members.sort_by(|(_, a), (_, b)| b.rank().cmp(&a.rank()).then(a.key().cmp(&b.key())));
    let chosen = defined_members.first().map(|(index, _)| *index);
    let unselected = defined_members.iter().skip(1).map(|(index, _)| *index).collect();
    Selection { chosen, unselected, conflict: conflict(&defined_members) }
}

/// Returns two members that one layer defines, if there are such members.
fn conflict(defined_members: &[(usize, &TreeNode)]) -> Option<[(usize, Option<TextSpan>); 2]> {
    let key_in = |node: &TreeNode, rank: Rank| {
        node.definitions.iter().rfind(|definition| definition.rank == rank).map(|definition| definition.key.clone())
    };
    for (position, (first, node)) in defined_members.iter().enumerate() {
        for definition in node.definitions.iter().rev() {
            for (second, other) in &defined_members[position + 1..] {
                if let Some(place) = key_in(other, definition.rank) {
                    let mut conflicting = [(*first, key_in(node, definition.rank)), (*second, Some(place))];
                    conflicting.sort_by(|(_, a), (_, b)| a.cmp(b));
                    return Some(conflicting);
                }
            }
        }
    }
    None
}
