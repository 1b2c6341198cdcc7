//! Which members of a family stand in a table, and two that contradict each other.

use super::origin::Place;
use super::tree::{Rank, Tree, TreeNode};

/// Which members stand.
#[derive(Default)]
pub(super) struct Selection {
    /// The one that counts, by its number.
    pub chosen: Option<usize>,
    /// Those it replaced or that contradict it.
    pub others: Vec<usize>,
    /// Two of one layer, and the place of each.
    pub conflict: Option<[(usize, Option<Place>); 2]>,
}

impl Selection {
    /// Prefers one member to what the layers say.
    pub fn choose(&mut self, at: usize) {
        self.others.extend(self.chosen.replace(at));
        self.others.retain(|other| *other != at);
    }
}

/// Returns which members of these names stand in a table: the one of the highest layer counts.
pub(super) fn select_variant<'a>(tree: &Tree, names: impl Iterator<Item = &'a str>) -> Selection {
    let mut found: Vec<(usize, &TreeNode)> =
        names.enumerate().filter_map(|(at, name)| Some((at, tree.get(name)?))).collect();
    found.sort_by(|(_, a), (_, b)| b.rank().cmp(&a.rank()).then(a.key().cmp(&b.key())));
    let chosen = found.first().map(|(at, _)| *at);
    let others = found.iter().skip(1).map(|(at, _)| *at).collect();
    Selection { chosen, others, conflict: conflict(&found) }
}

/// Two members that stand in one layer.
fn conflict(found: &[(usize, &TreeNode)]) -> Option<[(usize, Option<Place>); 2]> {
    let key_in = |node: &TreeNode, rank: Rank| {
        node.definitions.iter().rfind(|definition| definition.rank == rank).map(|definition| definition.key.clone())
    };
    for (n, (first, node)) in found.iter().enumerate() {
        for definition in node.definitions.iter().rev() {
            for (second, other) in &found[n + 1..] {
                if let Some(place) = key_in(other, definition.rank) {
                    let mut both = [(*first, key_in(node, definition.rank)), (*second, Some(place))];
                    both.sort_by(|(_, a), (_, b)| a.cmp(b));
                    return Some(both);
                }
            }
        }
    }
    None
}
