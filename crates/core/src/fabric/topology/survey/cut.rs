//! The bisection: the fewest links, including those of nodes, that separate the lower half of the nodes, by number,
//! from the upper. It is computed as a maximum flow (Dinic 1970) in each direction, and the two flows are added, as in
//! the bisection channel count of Dally and Towles (2004, chapter 3).
//!
//! The module does not search other divisions of the nodes into halves, some of which may cut fewer links.

use super::super::{End, Wiring};
use std::collections::VecDeque;

/// Returns the bisection: the fewest links that separate the lower half of the nodes from the upper, plus the fewest
/// that separate the upper half from the lower.
pub fn bisection(wiring: &Wiring) -> u64 {
    let half = wiring.nodes() / 2;
    min_cut(wiring, |node| node < half) + min_cut(wiring, |node| node >= half)
}

/// Returns the smallest number of links whose removal leaves no path from the nodes for which `is_source` is true to
/// the others.
fn min_cut(wiring: &Wiring, is_source: impl Fn(u32) -> bool) -> u64 {
    let (source, sink) = (wiring.routers(), wiring.routers() + 1);
    let mut flow = FlowNetwork::new(wiring.routers() as usize + 2);
    (0..wiring.nodes()).filter(|node| is_source(*node)).for_each(|node| flow.add_link(source, wiring.entry(node).0));
    for router in 0..wiring.routers() {
        for end in wiring.outputs(router) {
            match *end {
                End::Router { router: next, .. } => flow.add_link(router, next),
                End::Node(node) if !is_source(node) => flow.add_link(router, sink),
                End::Node(_) | End::Unconnected => {}
            }
        }
    }
    flow.max_flow(source, sink)
}

/// A flow network of links with capacity 1. Link `n ^ 1` is the reverse of link `n`.
struct FlowNetwork {
    outgoing_links: Vec<Vec<u32>>,
    targets: Vec<u32>,
    /// Whether each link can carry flow in addition to the present flow.
    is_free: Vec<bool>,
}

impl FlowNetwork {
    fn new(vertices: usize) -> FlowNetwork {
        FlowNetwork { outgoing_links: vec![Vec::new(); vertices], targets: Vec::new(), is_free: Vec::new() }
    }

    fn add_link(&mut self, from: u32, to: u32) {
        for (from, to, is_free) in [(from, to, true), (to, from, false)] {
            self.outgoing_links[from as usize].push(self.targets.len() as u32);
            self.targets.push(to);
            self.is_free.push(is_free);
        }
    }

    fn max_flow(&mut self, source: u32, sink: u32) -> u64 {
        let mut total = 0;
        loop {
            let levels = self.levels(source);
            if levels[sink as usize] == u32::MAX {
                return total;
            }
            let mut tried_links = vec![0; self.outgoing_links.len()];
            while self.add_path(source, sink, &levels, &mut tried_links) {
                total += 1;
            }
        }
    }

    /// Returns the level of each vertex, the least number of free links from the source to it; `u32::MAX` for a vertex
    /// that is not reachable.
    fn levels(&self, source: u32) -> Vec<u32> {
        let mut levels = vec![u32::MAX; self.outgoing_links.len()];
        levels[source as usize] = 0;
        let mut queue = VecDeque::from([source]);
        while let Some(vertex) = queue.pop_front() {
            for &link in self.outgoing_links[vertex as usize].iter().filter(|link| self.is_free[**link as usize]) {
                let target = self.targets[link as usize];
                if levels[target as usize] == u32::MAX {
                    levels[target as usize] = levels[vertex as usize] + 1;
                    queue.push_back(target);
                }
            }
        }
        levels
    }

    /// Adds flow on one more path, each of whose links leads to the next level. Returns `false` if there is no such
    /// path.
    fn add_path(&mut self, source: u32, sink: u32, levels: &[u32], tried_links: &mut [usize]) -> bool {
        let mut path: Vec<u32> = Vec::new();
        let mut vertex = source;
        while vertex != sink {
            let is_admissible = |link: u32| {
                let target = self.targets[link as usize] as usize;
                self.is_free[link as usize] && levels[target] == levels[vertex as usize] + 1
            };
            match self.outgoing_links[vertex as usize].get(tried_links[vertex as usize]) {
                Some(&link) if is_admissible(link) => {
                    path.push(link);
                    vertex = self.targets[link as usize];
                }
                Some(_) => tried_links[vertex as usize] += 1,
                None => {
                    let Some(link) = path.pop() else { return false };
                    vertex = self.targets[link as usize ^ 1];
                    tried_links[vertex as usize] += 1;
                }
            }
        }
        for link in path {
            self.is_free[link as usize] = false;
            self.is_free[link as usize ^ 1] = true;
        }
        true
    }
}
