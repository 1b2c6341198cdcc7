//! Hypercubes: a packet crosses the dimensions in which its source and destination differ, the lowest first (e-cube).
//!
//! The hypercube of Sullivan and Bashkow (1977) has a node for each number of `dimensions` bits, and a link in each
//! direction between nodes whose numbers differ in one bit. Output and input port `n` cross dimension `n`; the last
//! port is the node's. The module does not model adaptive routing.

use super::{End, RouteOptions, RouteQuery, Routing, Shape, ShapeError, Wiring, every_channel};
use crate::text::Parameters;
use std::sync::Arc;

/// The parameters of a hypercube.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Parameters)]
pub struct HypercubeParameters {
    /// Number of dimensions; each doubles the number of nodes.
    ///
    /// The number of dimensions equals the number of bits of a node's number.
    #[param(min = 1, max = 16, meaning = Structure)]
    pub dimensions: u32,
}

impl HypercubeParameters {
    /// Returns the number of nodes.
    pub fn nodes(&self) -> u32 {
        1 << self.dimensions
    }

    /// Builds the shape.
    pub fn shape(&self) -> Result<Shape, Vec<ShapeError>> {
        let HypercubeParameters { dimensions } = *self;
        let outputs = |router: u32| {
            let neighbour = |bit: u32| End::Router { router: router ^ 1 << bit, port: bit as u8 };
            (0..dimensions).map(neighbour).chain([End::Node(router)]).collect()
        };
        let routers: Vec<Vec<End>> = (0..self.nodes()).map(outputs).collect();
        let wiring = Wiring::new(&routers, (0..self.nodes()).map(|node| (node, dimensions as u8)).collect());
        let name = format!("{}-node hypercube", self.nodes());
        Ok(Shape { name, wiring, routing: Arc::new(Hypercube { node_port: dimensions as u8 }) })
    }
}

/// The routing rule of a hypercube.
#[derive(Clone, Copy, Debug)]
struct Hypercube {
    node_port: u8,
}

impl Routing for Hypercube {
    fn route(&self, query: &RouteQuery, virtual_channels: u8) -> RouteOptions {
        let port = match query.router ^ query.destination {
            0 => self.node_port,
            differing => differing.trailing_zeros() as u8,
        };
        RouteOptions::single_port(port, every_channel(virtual_channels))
    }

    fn distance(&self, from: u32, to: u32) -> u32 {
        (from ^ to).count_ones()
    }

    fn farthest(&self) -> Option<(u32, u32)> {
        Some((0, (1 << self.node_port) - 1))
    }

    fn depends_on_input(&self) -> bool {
        false
    }
}

#[cfg(test)]
mod tests {
    use super::super::walk::{Walk, assert_reverse_links, fewest_links};
    use super::*;

    #[test]
    fn every_differing_dimension_is_crossed_once() {
        for dimensions in [1, 2, 3, 6] {
            let shape = HypercubeParameters { dimensions }.shape().unwrap();
            assert_reverse_links(&shape.wiring);
            let fewest = fewest_links(&shape.wiring);
            Walk::new(&shape, 2).every_pair(|pair| {
                assert_eq!(pair.links, fewest[pair.from as usize][pair.to as usize]);
                assert_eq!(pair.links, 2 + shape.routing.distance(pair.from, pair.to));
            });
        }
        assert_eq!(HypercubeParameters { dimensions: 4 }.shape().unwrap().name, "16-node hypercube");
    }
}
