//! The bisection: the fewest links, including those of nodes, that separate the lower half of the nodes, by number,
//! from the upper. It is computed as a maximum flow (Dinic 1970) in each direction, and the two flows are added, as in
//! the bisection channel count of Dally and Towles (2004, chapter 3).
//!
//! The module leaves out other divisions of the nodes into halves, some of which may cut fewer links.

use super::super::{End, Wiring};
use std::collections::VecDeque;

/// Returns the fewest links from the lower half of the nodes to the upper, and from the upper to the lower, together.
pub fn bisection(wiring: &Wiring) -> u64 {
    let lower = wiring.nodes() / 2;
    one_way(wiring, |node| node < lower) + one_way(wiring, |node| node >= lower)
}

/// Returns the fewest links from the nodes for which `sends` is true to all others.
fn one_way(wiring: &Wiring, sends: impl Fn(u32) -> bool) -> u64 {
    let (source, sink) = (wiring.routers(), wiring.routers() + 1);
    let mut flow = Flow::new(wiring.routers() as usize + 2);
    (0..wiring.nodes()).filter(|node| sends(*node)).for_each(|node| flow.link(source, wiring.entry(node).0));
    for router in 0..wiring.routers() {
        for end in wiring.outputs(router) {
            match *end {
                End::Router { router: next, .. } => flow.link(router, next),
                End::Node(node) if !sends(node) => flow.link(router, sink),
                End::Node(_) | End::Nowhere => {}
            }
        }
    }
    flow.max_flow(source, sink)
}

/// A flow network of links with capacity 1. Link `n ^ 1` is the reverse of link `n`.
struct Flow {
    leaving: Vec<Vec<u32>>,
    to: Vec<u32>,
    is_free: Vec<bool>,
}

impl Flow {
    fn new(vertices: usize) -> Flow {
        Flow { leaving: vec![Vec::new(); vertices], to: Vec::new(), is_free: Vec::new() }
    }

    fn link(&mut self, from: u32, to: u32) {
        for (from, to, is_free) in [(from, to, true), (to, from, false)] {
            self.leaving[from as usize].push(self.to.len() as u32);
            self.to.push(to);
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
            let mut tried = vec![0; self.leaving.len()];
            while self.fill(source, sink, &steps, &mut tried) {
                total += 1;
            }
        }
    }

    /// Returns the number of free links from the source to each vertex; `u32::MAX` for a vertex that is not reachable.
    fn steps(&self, source: u32) -> Vec<u32> {
        let mut steps = vec![u32::MAX; self.leaving.len()];
        steps[source as usize] = 0;
        let mut queue = VecDeque::from([source]);
        while let Some(at) = queue.pop_front() {
            for &link in self.leaving[at as usize].iter().filter(|link| self.is_free[**link as usize]) {
                let to = self.to[link as usize];
                if steps[to as usize] == u32::MAX {
                    steps[to as usize] = steps[at as usize] + 1;
                    queue.push_back(to);
                }
            }
        }
        steps
    }

    /// Adds flow on one more path, each of whose links leads one step farther from the source. Returns `false` if there
    /// is no such path.
    fn fill(&mut self, source: u32, sink: u32, steps: &[u32], tried: &mut [usize]) -> bool {
        let mut path: Vec<u32> = Vec::new();
        let mut at = source;
        while at != sink {
            let onward = |link: u32| {
                let to = self.to[link as usize] as usize;
                self.is_free[link as usize] && steps[to] == steps[at as usize] + 1
            };
            match self.leaving[at as usize].get(tried[at as usize]) {
                Some(&link) if onward(link) => {
                    path.push(link);
                    at = self.to[link as usize];
                }
                Some(_) => tried[at as usize] += 1,
                None => {
                    let Some(link) = path.pop() else { return false };
                    at = self.to[link as usize ^ 1];
                    tried[at as usize] += 1;
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
