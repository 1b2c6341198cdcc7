//! Crossbars: one router joins all nodes.
//!
//! The output port and the input port of a node have the node's number; only packets to the same node compete. The
//! module does not support crossbars with more ports than a router can have.

use super::{End, PORTS_MAX, RouteOptions, RouteQuery, Routing, Shape, ShapeError, Wiring, every_channel};
use crate::text::Parameters;
use std::sync::Arc;

/// The parameters of a crossbar.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Parameters)]
pub struct CrossbarParameters {
    /// Number of nodes.
    #[param(min = 2, max = PORTS_MAX, meaning = Structure)]
    pub nodes: u32,
}

impl CrossbarParameters {
    /// Builds the shape.
    pub fn shape(&self) -> Result<Shape, Vec<ShapeError>> {
        let outputs: Vec<End> = (0..self.nodes).map(End::Node).collect();
        let wiring = Wiring::new(&[outputs], (0..self.nodes).map(|node| (0, node as u8)).collect());
        Ok(Shape { name: format!("{}-node crossbar", self.nodes), wiring, routing: Arc::new(Crossbar) })
    }
}

/// The routing rule of a crossbar.
#[derive(Clone, Copy, Debug)]
struct Crossbar;

impl Routing for Crossbar {
    fn route(&self, query: &RouteQuery, virtual_channels: u8) -> RouteOptions {
        RouteOptions::single_port(query.destination as u8, every_channel(virtual_channels))
    }

    /// Returns 1: the router is the only hop.
    fn distance(&self, _: u32, _: u32) -> u32 {
        1
    }

    fn depends_on_input(&self) -> bool {
        false
    }
}

#[cfg(test)]
mod tests {
    use super::super::walk::{Walk, assert_reverse_links};
    use super::*;

    #[test]
    fn one_router_joins_all() {
        for nodes in [2, 5, 64] {
            let shape = CrossbarParameters { nodes }.shape().unwrap();
            assert_reverse_links(&shape.wiring);
            Walk::new(&shape, 1).every_pair(|pair| assert_eq!(pair.links, 2));
        }
    }
}
