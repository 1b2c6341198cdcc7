//! A bipartite graph with given parameters, drawn from the run's seed, and a serial run on it.
//!
//! Each graph node has `d-nodes` arcs from nodes of the other side. `local-p` per cent of the arcs come from the node's
//! own processor. The others come from a processor up to `dist-span` before or after it in a ring of all processors;
//! each distance and direction has equal probability (chosen: the paper only names the parameters).

use super::Em3d;
use crate::engine::rng;
use rand::RngExt;
use std::ops::Range;

/// The sides of the graph: E and H.
pub(super) const SIDES: usize = 2;

/// An arc into a graph node: the graph node of the other side from which it comes, and its weight.
pub(super) type IncomingArc = (u32, f64);

/// The bipartite graph.
pub(super) struct Graph {
    /// Number of graph nodes of a side on each processor.
    nodes_per_processor: usize,
    degree: usize,
    /// Arcs into the nodes of each side, the same number for each node.
    arcs: [Vec<IncomingArc>; SIDES],
    initial_values: [Vec<f64>; SIDES],
}

impl Graph {
    pub fn new(parameters: &Em3d, processors: usize, seed: u64) -> Graph {
        let (nodes_per_processor, degree) =
            (parameters.nodes_per_processor as usize, parameters.arcs_per_node as usize);
        let mut random = rng::stream(seed, "graph of the field");
        let nodes = nodes_per_processor * processors;
        let mut arcs = [(); SIDES].map(|()| Vec::with_capacity(nodes * degree));
        for side in &mut arcs {
            for arc in 0..nodes * degree {
                let from = draw_processor(parameters, arc / degree / nodes_per_processor, processors, &mut random);
                let index = random.random_range(0..parameters.nodes_per_processor) as usize;
                // The weight is less than one over the degree, so that values stay small.
                side.push(((from * nodes_per_processor + index) as u32, random.random::<f64>() / degree as f64));
            }
        }
        let initial_values = [(); SIDES].map(|()| (0..nodes).map(|_| random.random::<f64>()).collect());
        Graph { nodes_per_processor, degree, arcs, initial_values }
    }

    /// Returns the graph nodes of a processor.
    pub fn nodes_of(&self, processor: usize) -> Range<usize> {
        processor * self.nodes_per_processor..(processor + 1) * self.nodes_per_processor
    }

    /// Returns the processor of a graph node, and the index of the node among the nodes of that processor.
    pub fn owner_and_index(&self, node: u32) -> (usize, usize) {
        (node as usize / self.nodes_per_processor, node as usize % self.nodes_per_processor)
    }

    /// Returns the number of graph nodes of a side.
    pub fn node_count(&self) -> usize {
        self.initial_values[0].len()
    }

    /// Returns the initial values of a side.
    pub fn initial_values(&self, side: usize) -> &[f64] {
        &self.initial_values[side]
    }

    /// Returns the arcs into some nodes of a side.
    pub fn arcs(&self, side: usize, nodes: &Range<usize>) -> &[IncomingArc] {
        &self.arcs[side][nodes.start * self.degree..nodes.end * self.degree]
    }

    /// Returns new values of some nodes of a side, given their old values and the values of the other side.
    pub fn compute_values(
        &self,
        side: usize,
        nodes: Range<usize>,
        old_values: &[f64],
        other_values: &[f64],
    ) -> Vec<f64> {
        let arcs = self.arcs(side, &nodes).chunks(self.degree);
        let subtract = |value: f64, (from, weight): &IncomingArc| value - weight * other_values[*from as usize];
        arcs.zip(old_values).map(|(arcs, old_value)| arcs.iter().fold(*old_value, subtract)).collect()
    }

    /// Runs the program on one processor and returns the values of both sides.
    pub fn run_serially(&self, iterations: u64) -> [Vec<f64>; SIDES] {
        let mut values = self.initial_values.clone();
        for _ in 0..iterations {
            values[1] = self.compute_values(1, 0..self.node_count(), &values[1], &values[0]);
            values[0] = self.compute_values(0, 0..self.node_count(), &values[0], &values[1]);
        }
        values
    }
}

/// Draws the processor from which an arc into a node of `own_processor` comes.
fn draw_processor(parameters: &Em3d, own_processor: usize, processors: usize, random: &mut rng::RandomStream) -> usize {
    if random.random_range(0..100u64) < parameters.local_percent {
        return own_processor;
    }
    let distance = random.random_range(1..=parameters.distance_max(processors)) as usize;
    let is_behind = random.random::<bool>();
    (own_processor + if is_behind { processors - distance } else { distance }) % processors
}
