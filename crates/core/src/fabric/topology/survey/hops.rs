//! Hops between nodes: over the fewest links of the wiring, and as the shape's formula counts them.

use super::super::{End, Shape, Wiring};
use std::collections::VecDeque;

/// Hops over pairs of different nodes.
#[derive(Default)]
pub struct Hops {
    /// Links from router to router, at the fewest.
    pub router_hops: Count,
    /// As the rule counts.
    pub distance: Count,
}

/// The most, and the mean.
#[derive(Default)]
pub struct Count {
    /// The most.
    pub most: u32,
    sum: u64,
    pairs: u64,
}

impl Count {
    fn add(&mut self, hops: u32) {
        self.most = self.most.max(hops);
        self.sum += u64::from(hops);
        self.pairs += 1;
    }

    /// The mean; 0 of none.
    pub fn mean(&self) -> f64 {
        self.sum as f64 / self.pairs.max(1) as f64
    }
}

/// From these sources to all nodes.
pub fn hops(shape: &Shape, sources: &[u32]) -> Hops {
    let exits = exits(&shape.wiring);
    let mut hops = Hops::default();
    for &from in sources {
        let steps = steps(&shape.wiring, shape.wiring.entry(from).0);
        for to in (0..shape.wiring.nodes()).filter(|to| *to != from) {
            if let Some(steps) = exits[to as usize].and_then(|router| steps[router as usize]) {
                hops.router_hops.add(steps);
                hops.distance.add(shape.routing.distance(from, to));
            }
        }
    }
    hops
}

/// The hops between these two alone.
pub fn between(shape: &Shape, (from, to): (u32, u32)) -> Option<(u32, u32)> {
    let router = exits(&shape.wiring)[to as usize]?;
    let steps = steps(&shape.wiring, shape.wiring.entry(from).0)[router as usize]?;
    Some((steps, shape.routing.distance(from, to)))
}

/// For each node the router that leads to it.
fn exits(wiring: &Wiring) -> Vec<Option<u32>> {
    let mut exits = vec![None; wiring.nodes() as usize];
    for router in 0..wiring.routers() {
        for end in wiring.outputs(router) {
            if let End::Node(node) = end {
                exits[*node as usize] = Some(router);
            }
        }
    }
    exits
}

/// The fewest links to each router.
fn steps(wiring: &Wiring, from: u32) -> Vec<Option<u32>> {
    let mut steps = vec![None; wiring.routers() as usize];
    steps[from as usize] = Some(0);
    let mut queue = VecDeque::from([(from, 0)]);
    while let Some((router, step)) = queue.pop_front() {
        for end in wiring.outputs(router) {
            if let End::Router { router: next, .. } = *end
                && steps[next as usize].is_none()
            {
                steps[next as usize] = Some(step + 1);
                queue.push_back((next, step + 1));
            }
        }
    }
    steps
}
