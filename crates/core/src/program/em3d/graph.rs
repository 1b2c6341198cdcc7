//! A bipartite graph of given parameters, drawn from the run's seed, and a serial run on it.
//!
//! Each graph node has `d-nodes` arcs from nodes of the other side: of 100, `local-p` from its own
//! processor, the others from a processor up to `dist-span` before or behind it in a ring of all,
//! every distance and direction equally likely (chosen: the paper names the parameters only).

use super::Em3d;
use crate::engine::rng;
use rand::RngExt;
use std::ops::Range;

/// E and H.
pub(super) const SIDES: usize = 2;

/// An arc: the graph node of the other side it comes from, and its weight.
pub(super) type Arc = (u32, f64);

/// The graph.
pub(super) struct Graph {
    /// Graph nodes of a side on each processor.
    share: usize,
    degree: usize,
    /// By side: the arcs into each of its nodes, as many for each.
    arcs: [Vec<Arc>; SIDES],
    initial: [Vec<f64>; SIDES],
}

impl Graph {
    pub fn new(parameters: &Em3d, processors: usize, seed: u64) -> Graph {
        let (share, degree) = (parameters.n_nodes as usize, parameters.d_nodes as usize);
        let mut random = rng::stream(seed, "graph of the field");
        let nodes = share * processors;
        let mut arcs = [(); SIDES].map(|()| Vec::with_capacity(nodes * degree));
        for side in &mut arcs {
            for arc in 0..nodes * degree {
                let from = processor(parameters, arc / degree / share, processors, &mut random);
                let place = random.random_range(0..parameters.n_nodes) as usize;
                // Less than one over the degree, so that values stay small.
                side.push(((from * share + place) as u32, random.random::<f64>() / degree as f64));
            }
        }
        let initial = [(); SIDES].map(|()| (0..nodes).map(|_| random.random::<f64>()).collect());
        Graph { share, degree, arcs, initial }
    }

    /// The graph nodes of a processor.
    pub fn of(&self, processor: usize) -> Range<usize> {
        processor * self.share..(processor + 1) * self.share
    }

    /// The processor of a graph node, and its place there.
    pub fn at(&self, node: u32) -> (usize, usize) {
        (node as usize / self.share, node as usize % self.share)
    }

    /// How many graph nodes a side has.
    pub fn nodes(&self) -> usize {
        self.initial[0].len()
    }

    /// The first values of a side.
    pub fn initial(&self, side: usize) -> &[f64] {
        &self.initial[side]
    }

    /// The arcs into some nodes of a side.
    pub fn arcs(&self, side: usize, nodes: &Range<usize>) -> &[Arc] {
        &self.arcs[side][nodes.start * self.degree..nodes.end * self.degree]
    }

    /// New values of some nodes of a side, from their old ones and the `known` values of the other.
    pub fn step(&self, side: usize, nodes: Range<usize>, old: &[f64], known: &[f64]) -> Vec<f64> {
        let arcs = self.arcs(side, &nodes).chunks(self.degree);
        let less = |value: f64, (from, weight): &Arc| value - weight * known[*from as usize];
        arcs.zip(old).map(|(arcs, old)| arcs.iter().fold(*old, less)).collect()
    }

    /// What one processor alone makes of it.
    pub fn serial(&self, iterations: u64) -> [Vec<f64>; SIDES] {
        let mut values = self.initial.clone();
        for _ in 0..iterations {
            values[1] = self.step(1, 0..self.nodes(), &values[1], &values[0]);
            values[0] = self.step(0, 0..self.nodes(), &values[0], &values[1]);
        }
        values
    }
}

/// The processor that an arc into a node of processor `own` comes from.
fn processor(parameters: &Em3d, own: usize, processors: usize, random: &mut rng::RandomStream) -> usize {
    if random.random_range(0..100u64) < parameters.local_p {
        return own;
    }
    let distance = random.random_range(1..=parameters.span(processors)) as usize;
    let is_behind = random.random::<bool>();
    (own + if is_behind { processors - distance } else { distance }) % processors
}
