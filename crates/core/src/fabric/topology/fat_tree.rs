//! Fat trees: a packet climbs by any parents to a router above both nodes, and descends by the only path to its
//! destination.
//!
//! The module models the k-ary n-trees of Petrini and Vanneschi (1997), and the CM-5 tree of Leiserson et al. (1992)
//! with two parents in the first two levels: a subtree of level `l` joins `arity` subtrees of the level below, and each
//! of its top routers has one link down to each of these. A router has one link up to each of its parents, whose number
//! depends on the level. A packet that climbs takes a parent with a free channel, or one that is drawn at random. If
//! the top level joins fewer subtrees than its routers have links down, it has fewer routers, each with several links
//! down to every subtree. A subtree that is not full of nodes keeps all of its routers.
//!
//! Routers are numbered from the bottom level up, and within a level from node 0 on; ports down precede ports up.
//! Routes are computed, not looked up. The module does not model trees whose levels differ in arity.

use super::{End, PortSet, RouteOptions, RouteQuery, Routing, Shape, ShapeError, Wiring, every_channel};
use crate::text::{ParameterChoice, Parameters};
use std::sync::Arc;

/// Largest number of nodes of a fat tree.
const NODES_MAX: u64 = 1 << 18;
/// Largest number of ports of all routers together.
const PORTS_TOTAL_MAX: u64 = 1 << 23;

/// The parameters of a fat tree.
#[derive(Clone, PartialEq, Eq, Debug, Parameters)]
#[param(meaning = Structure)]
pub struct FatTreeParameters {
    /// Children of a router.
    ///
    /// A router has one link down to each child.
    #[param(min = 2, max = 32, default = 4)]
    pub arity: u32,
    /// Number of parents of a router at each level, from the bottom up; the last number applies to all levels above; by
    /// default the number of children.
    #[param(each(min = 1, max = 32), length(min = 1, max = 18), optional_or = vec![arity])]
    pub parents: Vec<u32>,
    /// Number of nodes, a multiple of the arity.
    #[param(min = 2, max = NODES_MAX)]
    pub nodes: u32,
    /// Parent that a packet takes on its way up: `any-parent` is any with a free channel, `drawn-parent` one drawn at
    /// random, even if it is busy.
    #[param(key = "routing", default = "any-parent")]
    pub climb: ParentChoice,
}

/// The choice of the parent by which a packet climbs.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ParameterChoice)]
pub enum ParentChoice {
    /// The first parent with a free channel, in a search that begins at a parent drawn at random.
    #[param(key = "any-parent")]
    Any,
    /// A parent drawn at random, however busy it is.
    #[param(key = "drawn-parent")]
    Drawn,
}

impl FatTreeParameters {
    /// Returns the errors of parameters with which the shape cannot be built.
    pub fn check(&self) -> Vec<ShapeError> {
        if !self.nodes.is_multiple_of(self.arity) {
            let (rounded_down, arity) = (self.nodes / self.arity * self.arity, self.arity);
            let message = format!("{} nodes do not fill routers with {arity} children each", self.nodes);
            let nearest = if rounded_down == 0 {
                arity.to_string()
            } else {
                format!("{rounded_down} or {}", rounded_down + arity)
            };
            return vec![("nodes", message, format!("the nearest multiple of the arity: {nearest}"))];
        }
        match self.tree().filter(|tree| tree.ports() <= PORTS_TOTAL_MAX) {
            Some(_) => Vec::new(),
            None => {
                let message = format!("the routers of this tree would have more than {PORTS_TOTAL_MAX} ports");
                vec![("parents", message, "fewer parents or fewer nodes make it smaller".to_owned())]
            }
        }
    }

    /// Builds the shape.
    ///
    /// # Errors
    ///
    /// Returns the errors of the parameters.
    pub fn shape(&self) -> Result<Shape, Vec<ShapeError>> {
        let errors = self.check();
        let Some(tree) = self.tree().filter(|_| errors.is_empty()) else { return Err(errors) };
        Ok(Shape { name: self.name(&tree), wiring: tree.wiring(), routing: Arc::new(tree) })
    }

    fn name(&self, tree: &FatTree) -> String {
        let is_full = tree.levels.iter().rev().skip(1).all(|level| level.parents == self.arity);
        let parents = self.parents.iter().map(u32::to_string).collect::<Vec<_>>().join(", ");
        let parents = if is_full { String::new() } else { format!(", parents {parents}") };
        format!("{}-node fat tree of arity {}{parents}", self.nodes, self.arity)
    }

    /// Returns the levels of the tree, or `None` if the number of routers overflows.
    fn tree(&self) -> Option<FatTree> {
        let mut levels: Vec<TreeLevel> = Vec::new();
        let (mut nodes_below, mut subtree_nodes, mut first_router, mut subtree_links) =
            (1, u64::from(self.arity), 0_u32, 1);
        loop {
            let subtrees = u64::from(self.nodes).div_ceil(subtree_nodes);
            let children = if subtrees == 1 { u64::from(self.nodes).div_ceil(nodes_below) } else { self.arity.into() };
            // This is the largest number of links down to each subtree that divides the links evenly among the top
            // routers.
            let link_count =
                (1..=u64::from(self.arity) / children).rev().find(|link_count| subtree_links % link_count == 0)?;
            let breadth = u32::try_from(subtree_links / link_count).ok()?;
            let parents = *self.parents.get(levels.len()).or(self.parents.last())?;
            let links_per_child = link_count as u32;
            levels.push(TreeLevel {
                first_router,
                breadth,
                nodes_below: nodes_below as u32,
                subtree_nodes,
                links_per_child,
                parents,
            });
            if subtrees == 1 {
                levels.last_mut()?.parents = 0;
                let router_count = first_router.checked_add(breadth)?;
                let (arity, nodes, climb) = (self.arity, self.nodes, self.climb);
                return Some(FatTree { arity, nodes, climb, levels, router_count });
            }
            first_router = first_router.checked_add(u32::try_from(subtrees.checked_mul(breadth.into())?).ok()?)?;
            subtree_links = u64::from(breadth) * u64::from(parents);
            (nodes_below, subtree_nodes) = (subtree_nodes, subtree_nodes * u64::from(self.arity));
        }
    }
}

/// A level of routers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct TreeLevel {
    /// First router of the level.
    first_router: u32,
    /// Number of top routers of each subtree.
    breadth: u32,
    /// Number of nodes of a subtree of the level below.
    nodes_below: u32,
    /// Number of nodes of a subtree.
    subtree_nodes: u64,
    /// Number of downward links of a router to each subtree below.
    links_per_child: u32,
    /// Number of upward links of a router.
    parents: u32,
}

/// The levels of a tree, and its routing rule.
#[derive(Clone, Debug)]
struct FatTree {
    arity: u32,
    nodes: u32,
    climb: ParentChoice,
    levels: Vec<TreeLevel>,
    router_count: u32,
}

impl FatTree {
    fn ports(&self) -> u64 {
        let ports_of = |(level_index, level): (usize, &TreeLevel)| {
            let next_level_router =
                self.levels.get(level_index + 1).map_or(self.router_count, |next| next.first_router);
            u64::from(next_level_router - level.first_router) * u64::from(self.arity + level.parents)
        };
        self.levels.iter().enumerate().map(ports_of).sum()
    }

    /// Returns the level of a router, the subtree at whose top the router is, and its index among the top routers.
    fn position(&self, router: u32) -> (usize, u32, u32) {
        let level = self.levels.partition_point(|level| level.first_router <= router) - 1;
        let TreeLevel { first_router, breadth, .. } = self.levels[level];
        (level, (router - first_router) / breadth, (router - first_router) % breadth)
    }

    /// Returns the target of a link down: a top router of the child's subtree, with the port at that router, or a node.
    fn downward_target(&self, level: usize, subtree: u32, index: u32, port: u32) -> End {
        let TreeLevel { breadth, nodes_below, links_per_child, .. } = self.levels[level];
        let child = subtree * self.arity + port / links_per_child;
        if level == 0 {
            return End::Node(child);
        }
        if u64::from(child) * u64::from(nodes_below) >= u64::from(self.nodes) {
            return End::Unconnected;
        }
        let link = port % links_per_child * breadth + index;
        let lower_level = &self.levels[level - 1];
        let router = lower_level.first_router + child * lower_level.breadth + link / lower_level.parents;
        End::Router { router, port: (self.arity + link % lower_level.parents) as u8 }
    }

    /// Returns the target of a link up: a top router of the parent's subtree, with the port at that router.
    fn upward_target(&self, level: usize, subtree: u32, index: u32, parent: u32) -> End {
        let upper_level = &self.levels[level + 1];
        let link = index * self.levels[level].parents + parent;
        let router = upper_level.first_router + subtree / self.arity * upper_level.breadth + link % upper_level.breadth;
        let port = subtree % self.arity * upper_level.links_per_child + link / upper_level.breadth;
        End::Router { router, port: port as u8 }
    }

    fn wiring(&self) -> Wiring {
        let outputs = |router| {
            let (level, subtree, index) = self.position(router);
            let down_ports = (0..self.arity).map(|port| self.downward_target(level, subtree, index, port));
            let up_ports =
                (0..self.levels[level].parents).map(|parent| self.upward_target(level, subtree, index, parent));
            down_ports.chain(up_ports).collect()
        };
        let routers: Vec<Vec<End>> = (0..self.router_count).map(outputs).collect();
        let entries = (0..self.nodes).map(|node| (node / self.arity, (node % self.arity) as u8));
        Wiring::new(&routers, entries.collect())
    }
}

impl Routing for FatTree {
    fn route(&self, query: &RouteQuery, virtual_channels: u8) -> RouteOptions {
        let (level, subtree, _) = self.position(query.router);
        let TreeLevel { nodes_below, subtree_nodes, links_per_child, parents, .. } = self.levels[level];
        let (port_count, first_port) = match u64::from(query.destination) / subtree_nodes == u64::from(subtree) {
            true => (links_per_child, query.destination / nodes_below % self.arity * links_per_child),
            false => (parents, self.arity),
        };
        RouteOptions {
            ports: PortSet::Mask(((1 << port_count) - 1) << first_port),
            channels: every_channel(virtual_channels),
            escape: None,
        }
    }

    fn is_oblivious_random(&self) -> bool {
        self.climb == ParentChoice::Drawn
    }

    fn distance(&self, from: u32, to: u32) -> u32 {
        let (from, to) = (u64::from(from), u64::from(to));
        let is_common = |level: &TreeLevel| from / level.subtree_nodes == to / level.subtree_nodes;
        let level = self.levels.iter().position(is_common).expect("the top is above all nodes");
        2 * (level as u32 + 1)
    }

    /// Returns the first and the last node, whose routes meet at the top.
    fn farthest(&self) -> Option<(u32, u32)> {
        Some((0, self.nodes - 1))
    }

    fn depends_on_input(&self) -> bool {
        false
    }
}

#[cfg(test)]
mod tests {
    use super::super::walk::{Walk, assert_reverse_links, input_count};
    use super::*;

    fn tree(nodes: u32, arity: u32, parents: &[u32]) -> Shape {
        FatTreeParameters { nodes, arity, parents: parents.to_vec(), climb: ParentChoice::Any }.shape().unwrap()
    }

    #[test]
    fn every_pair_meets_in_every_tree() {
        let full_trees = [16, 32, 64, 256].map(|nodes| (nodes, 4, vec![4]));
        let cm5_trees = [16, 32, 64, 256].map(|nodes| (nodes, 4, vec![2, 2, 4]));
        let partial_trees =
            [(4, 4, vec![4]), (48, 4, vec![4]), (20, 4, vec![4]), (84, 4, vec![2, 3]), (72, 4, vec![1])];
        let other_arities = [(16, 2, vec![2]), (54, 3, vec![3]), (96, 8, vec![8]), (32, 16, vec![5]), (2, 2, vec![2])];
        for (nodes, arity, parents) in full_trees.into_iter().chain(cm5_trees).chain(partial_trees).chain(other_arities)
        {
            let shape = tree(nodes, arity, &parents);
            assert_reverse_links(&shape.wiring);
            Walk::new(&shape, 1).every_pair(|pair| assert_eq!(pair.links, shape.routing.distance(pair.from, pair.to)));
        }
    }

    #[test]
    fn sampled_routes_of_large_trees_have_the_formulas_length() {
        for nodes in [1024, 4096, 65536] {
            for parents in [vec![4], vec![2, 2, 4]] {
                let shape = tree(nodes, 4, &parents);
                assert_reverse_links(&shape.wiring);
                let levels = nodes.ilog2() / 2;
                let mut distance_max = 0;
                Walk::new(&shape, 1).some_pairs(200, |pair| {
                    let distance = shape.routing.distance(pair.from, pair.to);
                    assert_eq!(pair.links, distance);
                    distance_max = distance_max.max(distance);
                });
                assert_eq!(distance_max, 2 * levels);
            }
        }
        assert_eq!(tree(65536, 4, &[4]).wiring.routers(), 131_072);
    }

    #[test]
    fn input_counts_match_the_paper() {
        assert_eq!(input_count(&tree(64, 4, &[4]).wiring), 5 * 64);
        assert_eq!(input_count(&tree(64, 4, &[2, 2, 4]).wiring) * 2, 5 * 64);
    }

    #[test]
    fn all_upward_ports_are_allowed_until_the_common_router() {
        let shape = tree(64, 4, &[2, 2, 4]);
        let options = |router, destination| {
            let query = RouteQuery { router, input: 0, channel: 0, source: 0, destination };
            shape.routing.route(&query, 2)
        };
        assert_eq!(options(0, 63), RouteOptions { ports: 0b11_0000.into(), channels: 0b11, escape: None });
        assert_eq!(options(0, 2), RouteOptions::single_port(2, 0b11));
        assert_eq!(shape.wiring.routers(), 16 + 8 + 4);
        assert_eq!(shape.name, "64-node fat tree of arity 4, parents 2, 2, 4");
        // Two subtrees meet at the top, and a top router has two links down to each of them.
        let shape = tree(32, 4, &[4]);
        assert_eq!((shape.wiring.routers(), shape.name.as_str()), (24, "32-node fat tree of arity 4"));
        let query = RouteQuery { router: 16, input: 0, channel: 0, source: 0, destination: 17 };
        assert_eq!(shape.routing.route(&query, 1).ports.mask(), 0b1100);
    }

    #[test]
    fn parameters_that_cannot_be_built_are_errors() {
        let errors = |nodes, arity, parents: &[u32]| {
            FatTreeParameters { nodes, arity, parents: parents.to_vec(), climb: ParentChoice::Any }
                .shape()
                .unwrap_err()
                .remove(0)
        };
        let (key, message, help) = errors(30, 4, &[4]);
        assert_eq!((key, message.as_str()), ("nodes", "30 nodes do not fill routers with 4 children each"));
        assert_eq!(help, "the nearest multiple of the arity: 28 or 32");
        assert_eq!(errors(3, 4, &[4]).2, "the nearest multiple of the arity: 4");
        assert_eq!(errors(1 << 18, 2, &[32]).0, "parents");
    }
}
