//! A shape whose nodes are renumbered. A machine numbers its nodes in the order of its description, and a graph numbers
//! its nodes in the order of its file. This file maps the machine's numbers to the graph's numbers, which are called
//! *positions* here.

use super::relabelled::RelabelledRouting;
use super::{End, Routing, Shape, Wiring, WiringDetails};
use std::sync::Arc;

impl Shape {
    /// Returns the shape in which node `n` is at position `positions[n]`. The nodes after these take the remaining
    /// positions in order.
    ///
    /// # Panics
    ///
    /// Panics if a position occurs twice or does not exist.
    #[must_use]
    pub fn with_positions(&self, positions: &[u32]) -> Shape {
        let nodes = self.wiring.nodes();
        let mut is_taken = vec![false; nodes as usize];
        for position in positions {
            assert!(!std::mem::replace(&mut is_taken[*position as usize], true), "each position has one node");
        }
        let remaining_positions = (0..nodes).filter(|position| !is_taken[*position as usize]);
        let positions: Vec<u32> = positions.iter().copied().chain(remaining_positions).collect();
        let mut nodes_by_position = vec![0; nodes as usize];
        positions.iter().zip(0..).for_each(|(position, node)| nodes_by_position[*position as usize] = node);
        let rule = RelabelledRule { rule: self.routing.clone(), positions: positions.clone() };
        Shape {
            name: self.name.clone(),
            wiring: self.wiring.with_positions(&positions, &nodes_by_position),
            routing: Arc::new(rule),
        }
    }
}

impl Wiring {
    fn with_positions(&self, positions: &[u32], nodes_by_position: &[u32]) -> Wiring {
        let renumbered_end = |end: &End| match *end {
            End::Node(position) => End::Node(nodes_by_position[position as usize]),
            other => other,
        };
        let outputs = self.outputs.iter().map(renumbered_end).collect();
        let entries = positions.iter().map(|position| self.entry(*position)).collect();
        let details = self.details.as_ref().map(|details| {
            let entries =
                positions.iter().filter_map(|position| details.entries.get(*position as usize).copied()).collect();
            let nodes =
                positions.iter().filter_map(|position| details.node_names.get(*position as usize).cloned()).collect();
            Arc::new(WiringDetails { entries, node_names: nodes, ..WiringDetails::clone(details) })
        });
        Wiring { outputs, first_outputs: self.first_outputs.clone(), entries, details }
    }
}

/// A routing rule that is called with positions instead of nodes.
#[derive(Debug)]
struct RelabelledRule {
    rule: Arc<dyn Routing>,
    /// The position of each node.
    positions: Vec<u32>,
}

impl RelabelledRouting for RelabelledRule {
    fn rule(&self) -> &dyn Routing {
        &*self.rule
    }

    fn position(&self, node: u32) -> u32 {
        self.positions[node as usize]
    }

    fn node(&self, position: u32) -> Option<u32> {
        self.positions.iter().position(|other| *other == position).map(|node| node as u32)
    }
}

#[cfg(test)]
mod tests {
    use super::super::mesh::MeshParameters;
    use super::super::walk::{Walk, fewest_links};

    #[test]
    fn packets_reach_nodes_at_other_positions() {
        let mesh = MeshParameters { shape: vec![3, 2] }.shape();
        let placed_mesh = mesh.with_positions(&[5, 0, 3]);
        assert_eq!([0, 1, 2].map(|node| placed_mesh.wiring.entry(node)), [5, 0, 3].map(|node| mesh.wiring.entry(node)));
        assert_eq!((placed_mesh.routing.distance(0, 1), mesh.routing.distance(5, 0)), (3, 3));
        let fewest_link_counts = fewest_links(&placed_mesh.wiring);
        Walk::new(&placed_mesh, 1)
            .every_pair(|pair| assert_eq!(pair.links, fewest_link_counts[pair.from as usize][pair.to as usize]));
    }
}
