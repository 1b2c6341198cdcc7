//! A shape whose nodes are renumbered. A machine numbers its nodes in the order of its description, and a graph numbers
//! its nodes in the order of its file. This file maps the former numbers to the latter, which are called *places* here.

use super::relabelled::RelabelledRouting;
use super::{End, Routing, Shape, Wiring, WiringDetails};
use std::sync::Arc;

impl Shape {
    /// Returns the shape in which node `n` is at place `places[n]`. The remaining places keep their order and follow.
    ///
    /// # Panics
    ///
    /// Panics if a place occurs twice or does not exist.
    #[must_use]
    pub fn placed(&self, places: &[u32]) -> Shape {
        let nodes = self.wiring.nodes();
        let mut is_taken = vec![false; nodes as usize];
        for place in places {
            assert!(!std::mem::replace(&mut is_taken[*place as usize], true), "each place has one node");
        }
        let rest = (0..nodes).filter(|place| !is_taken[*place as usize]);
        let places: Vec<u32> = places.iter().copied().chain(rest).collect();
        let mut node_at = vec![0; nodes as usize];
        places.iter().zip(0..).for_each(|(place, node)| node_at[*place as usize] = node);
        let rule = Placed { rule: self.routing.clone(), places: places.clone() };
        Shape { name: self.name.clone(), wiring: self.wiring.placed(&places, &node_at), routing: Arc::new(rule) }
    }
}

impl Wiring {
    fn placed(&self, places: &[u32], node_at: &[u32]) -> Wiring {
        let end = |end: &End| match *end {
            End::Node(place) => End::Node(node_at[place as usize]),
            other => other,
        };
        let outputs = self.outputs.iter().map(end).collect();
        let entries = places.iter().map(|place| self.entry(*place)).collect();
        let details = self.details.as_ref().map(|details| {
            let entries = places.iter().filter_map(|place| details.entries.get(*place as usize).copied()).collect();
            let nodes = places.iter().filter_map(|place| details.nodes.get(*place as usize).cloned()).collect();
            Arc::new(WiringDetails { entries, nodes, ..WiringDetails::clone(details) })
        });
        Wiring { outputs, first: self.first.clone(), entries, details }
    }
}

/// A routing rule that is called with places instead of nodes.
#[derive(Debug)]
struct Placed {
    rule: Arc<dyn Routing>,
    /// For each node, its place.
    places: Vec<u32>,
}

impl RelabelledRouting for Placed {
    fn rule(&self) -> &dyn Routing {
        &*self.rule
    }

    fn place(&self, node: u32) -> u32 {
        self.places[node as usize]
    }

    fn node(&self, place: u32) -> Option<u32> {
        self.places.iter().position(|other| *other == place).map(|node| node as u32)
    }
}

#[cfg(test)]
mod tests {
    use super::super::mesh::MeshParameters;
    use super::super::walk::{Walk, fewest_links};

    #[test]
    fn packets_reach_nodes_on_other_places() {
        let mesh = MeshParameters { shape: vec![3, 2] }.shape();
        let placed = mesh.placed(&[5, 0, 3]);
        assert_eq!([0, 1, 2].map(|node| placed.wiring.entry(node)), [5, 0, 3].map(|node| mesh.wiring.entry(node)));
        assert_eq!((placed.routing.distance(0, 1), mesh.routing.distance(5, 0)), (3, 3));
        let fewest = fewest_links(&placed.wiring);
        Walk::new(&placed, 1).every_pair(|pair| assert_eq!(pair.links, fewest[pair.from as usize][pair.to as usize]));
    }
}
