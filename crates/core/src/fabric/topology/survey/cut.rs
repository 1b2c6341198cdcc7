//! The bisection: the fewest links, including those of nodes, that separate the lower half of the nodes, by number,
//! from the upper. It is computed as a maximum flow (Dinic 1970) in each direction, and the two flows are added, as in
//! the bisection channel count of Dally and Towles (2004, chapter 3).
//!
//! The module leaves out other divisions of the nodes into halves, some of which may cut fewer links.

use super::super::{End, Wiring};
use std::collections::VecDeque;

/// Returns the fewest links from the lower half of the nodes to the upper, and from the upper to the lower, together.
pub fn bisection(wiring: &Wiring) -> u64 {
    let half = wiring.nodes() / 2;
    one_way(wiring, |node| node < half) + one_way(wiring, |node| node >= half)
}

/// Returns the fewest links from the nodes for which `sends` is true to all others.
fn one_way(wiring: &Wiring, sends: impl Fn(u32) -> bool) -> u64 {
    let (source, sink) = (wiring.routers(), wiring.routers() + 1);
    let mut flow = Flow::new(wiring.routers() as usize + 2);
    (0..wiring.nodes()).filter(|node| sends(*node)).for_each(|node| flow.add_link(source, wiring.entry(node).0));
    for router in 0..wiring.routers() {
        for end in wiring.outputs(router) {
            match *end {
                End::Router { router: next, .. } => flow.add_link(router, next),
                End::Node(node) if !sends(node) => flow.add_link(router, sink),
                End::Node(_) | End::Unconnected => {}
            }
        }
    }
    flow.max_flow(source, sink)
}

/// A flow network of links with capacity 1. Link `n ^ 1` is the reverse of link `n`.
struct Flow {
    outgoing: Vec<Vec<u32>>,
    targets: Vec<u32>,
    is_free: Vec<bool>,
}

impl Flow {
    fn new(vertices: usize) -> Flow {
        Flow { outgoing: vec![Vec::new(); vertices], targets: Vec::new(), is_free: Vec::new() }
    }

    fn add_link(&mut self, from: u32, to: u32) {
        for (from, to, is_free) in [(from, to, true), (to, from, false)] {
            self.outgoing[from as usize].push(self.targets.len() as u32);
            self.targets.push(to);
            self.is_free.push(is_free);
        }
    }

    fn max_flow(&mut self, source: u32, sink: u32) -> u64 {
        let mut total = 0;
        loop {
            let steps = self.steps(source);
            if steps[sink as usize] == u32::MAX {
                return total;
            }
            let mut tried_links = vec![0; self.outgoing.len()];
            while self.add_path(source, sink, &steps, &mut tried_links) {
                total += 1;
            }
        }
    }

    /// Returns the number of free links from the source to each vertex; `u32::MAX` for a vertex that is not reachable.
    fn steps(&self, source: u32) -> Vec<u32> {
        let mut steps = vec![u32::MAX; self.outgoing.len()];
        steps[source as usize] = 0;
        let mut queue = VecDeque::from([source]);
        while let Some(at) = queue.pop_front() {
            for &link in self.outgoing[at as usize].iter().filter(|link| self.is_free[**link as usize]) {
                let target = self.targets[link as usize];
                if steps[target as usize] == u32::MAX {
                    steps[target as usize] = steps[at as usize] + 1;
                    queue.push_back(target);
                }
            }
        }
        steps
    }

    /// Adds flow on one more path, each of whose links leads one step farther from the source. Returns `false` if there
    /// is no such path.
    fn add_path(&mut self, source: u32, sink: u32, steps: &[u32], tried_links: &mut [usize]) -> bool {
        let mut path: Vec<u32> = Vec::new();
        let mut vertex = source;
        while vertex != sink {
            let onward = |link: u32| {
                let target = self.targets[link as usize] as usize;
                self.is_free[link as usize] && steps[target] == steps[vertex as usize] + 1
            };
            match self.outgoing[vertex as usize].get(tried_links[vertex as usize]) {
                Some(&link) if onward(link) => {
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
