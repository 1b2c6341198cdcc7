//! Number of hops between nodes: the number on a shortest path of the wiring, and the number by the formula of the
//! shape.

use super::super::{End, Shape, Wiring};
use std::collections::VecDeque;

/// Statistics of the number of hops between different nodes.
#[derive(Default)]
pub struct Hops {
    /// Links between routers on a shortest path.
    pub router_hops: HopStatistics,
    /// Hops as the shape's latency formula counts them.
    pub distance: HopStatistics,
}

/// The maximum and the mean of the number of hops.
#[derive(Default)]
pub struct HopStatistics {
    pub max: u32,
    sum: u64,
    pairs: u64,
}

impl HopStatistics {
    fn add(&mut self, hops: u32) {
        self.max = self.max.max(hops);
        self.sum += u64::from(hops);
        self.pairs += 1;
    }

    /// Returns the mean, or 0 if no pair was counted.
    pub fn mean(&self) -> f64 {
        self.sum as f64 / self.pairs.max(1) as f64
    }
}

/// Counts the hops from `sources` to all other nodes that can be reached.
pub fn hops(shape: &Shape, sources: &[u32]) -> Hops {
    let exit_routers = exit_routers(&shape.wiring);
    let mut hops = Hops::default();
    for &source in sources {
        let link_counts = link_counts(&shape.wiring, shape.wiring.entry(source).0);
        for destination in (0..shape.wiring.nodes()).filter(|to| *to != source) {
            if let Some(link_count) = exit_routers[destination as usize].and_then(|router| link_counts[router as usize])
            {
                hops.router_hops.add(link_count);
                hops.distance.add(shape.routing.distance(source, destination));
            }
        }
    }
    hops
}

/// Returns the number of router links on a shortest path between two nodes, and the hops by the formula of the shape;
/// `None` if there is no path.
pub fn links_and_hops(shape: &Shape, (from, to): (u32, u32)) -> Option<(u32, u32)> {
    let router = exit_routers(&shape.wiring)[to as usize]?;
    let link_count = link_counts(&shape.wiring, shape.wiring.entry(from).0)[router as usize]?;
    Some((link_count, shape.routing.distance(from, to)))
}

/// Returns, for each node, the router that has an output to it.
fn exit_routers(wiring: &Wiring) -> Vec<Option<u32>> {
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

/// Returns the number of links on a shortest path from router `source` to each router.
fn link_counts(wiring: &Wiring, source: u32) -> Vec<Option<u32>> {
    let mut link_counts = vec![None; wiring.routers() as usize];
    link_counts[source as usize] = Some(0);
    let mut queue = VecDeque::from([(source, 0)]);
    while let Some((router, link_count)) = queue.pop_front() {
        for end in wiring.outputs(router) {
            if let End::Router { router: next_router, .. } = *end
                && link_counts[next_router as usize].is_none()
            {
                link_counts[next_router as usize] = Some(link_count + 1);
                queue.push_back((next_router, link_count + 1));
            }
        }
    }
    link_counts
}
