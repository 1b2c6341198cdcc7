//! Hypercubes: packets cross the dimensions in which their ends differ, the lowest first (e-cube).
//!
//! Models (Sullivan and Bashkow 1977): a node for each number of `dimensions` bits, a link each way
//! between numbers that differ in one bit. Port `n`, of outputs and inputs alike, crosses dimension
//! `n`; the last is the node's. Leaves out: adaptive ways.

use super::{Asking, End, Routing, Shape, Ways, Wiring, Wrong, every_channel};
use crate::text::Parameters;
use std::sync::Arc;

/// What a hypercube is like.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Parameters)]
pub struct HypercubeParameters {
    /// Dimensions; each doubles the nodes.
    ///
    /// Bits of a node's number.
    #[param(min = 1, max = 16, meaning = Structure)]
    pub dimensions: u32,
}

impl HypercubeParameters {
    /// How many nodes.
    pub fn nodes(&self) -> u32 {
        1 << self.dimensions
    }

    /// The shape.
    pub fn shape(&self) -> Result<Shape, Vec<Wrong>> {
        let HypercubeParameters { dimensions } = *self;
        let outputs = |router: u32| {
            let across = |bit: u32| End::Router { router: router ^ 1 << bit, port: bit as u8 };
            (0..dimensions).map(across).chain([End::Node(router)]).collect()
        };
        let routers: Vec<Vec<End>> = (0..self.nodes()).map(outputs).collect();
        let wiring = Wiring::new(&routers, (0..self.nodes()).map(|node| (node, dimensions as u8)).collect());
        let name = format!("{}-node hypercube", self.nodes());
        Ok(Shape { name, wiring, routing: Arc::new(Hypercube { node_port: dimensions as u8 }) })
    }
}

/// A hypercube's rule.
#[derive(Clone, Copy, Debug)]
struct Hypercube {
    node_port: u8,
}

impl Routing for Hypercube {
    fn ways(&self, asking: &Asking, virtual_channels: u8) -> Ways {
        let port = match asking.router ^ asking.destination {
            0 => self.node_port,
            differing => differing.trailing_zeros() as u8,
        };
        Ways::one(port, every_channel(virtual_channels))
    }

    fn distance(&self, from: u32, to: u32) -> u32 {
        (from ^ to).count_ones()
    }

    fn farthest(&self) -> Option<(u32, u32)> {
        Some((0, (1 << self.node_port) - 1))
    }

    fn looks_back(&self) -> bool {
        false
    }
}

#[cfg(test)]
mod tests {
    use super::super::walk::{Walk, fewest_links, leads_back};
    use super::*;

    #[test]
    fn every_differing_dimension_is_crossed_once() {
        for dimensions in [1, 2, 3, 6] {
            let shape = HypercubeParameters { dimensions }.shape().unwrap();
            leads_back(&shape.wiring);
            let fewest = fewest_links(&shape.wiring);
            Walk::new(&shape, 2).every_pair(|pair| {
                assert_eq!(pair.links, fewest[pair.from as usize][pair.to as usize]);
                assert_eq!(pair.links, 2 + shape.routing.distance(pair.from, pair.to));
            });
        }
        assert_eq!(HypercubeParameters { dimensions: 4 }.shape().unwrap().name, "16-node hypercube");
    }
}
