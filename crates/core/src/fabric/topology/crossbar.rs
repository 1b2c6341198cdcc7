//! Crossbars: one router joins all nodes.
//!
//! Models: the port of a node, of outputs and inputs alike, has the node's number; only packets to
//! one node compete. Leaves out: crossbars of more ports than a router has.

use super::{Asking, End, PORTS_MAX, Routing, Shape, Ways, Wiring, Wrong, every_channel};
use crate::text::Parameters;
use std::sync::Arc;

/// What a crossbar is like.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Parameters)]
pub struct CrossbarParameters {
    /// How many nodes.
    #[param(min = 2, max = PORTS_MAX, meaning = Structure)]
    pub nodes: u32,
}

impl CrossbarParameters {
    /// The shape.
    pub fn shape(&self) -> Result<Shape, Vec<Wrong>> {
        let outputs: Vec<End> = (0..self.nodes).map(End::Node).collect();
        let wiring = Wiring::new(&[outputs], (0..self.nodes).map(|node| (0, node as u8)).collect());
        Ok(Shape { name: format!("{}-node crossbar", self.nodes), wiring, routing: Arc::new(Crossbar) })
    }
}

/// A crossbar's rule.
#[derive(Clone, Copy, Debug)]
struct Crossbar;

impl Routing for Crossbar {
    fn ways(&self, asking: &Asking, virtual_channels: u8) -> Ways {
        Ways::one(asking.destination as u8, every_channel(virtual_channels))
    }

    /// The router is the one hop.
    fn distance(&self, _: u32, _: u32) -> u32 {
        1
    }

    fn looks_back(&self) -> bool {
        false
    }
}

#[cfg(test)]
mod tests {
    use super::super::walk::{Walk, leads_back};
    use super::*;

    #[test]
    fn one_router_joins_all() {
        for nodes in [2, 5, 64] {
            let shape = CrossbarParameters { nodes }.shape().unwrap();
            leads_back(&shape.wiring);
            Walk::new(&shape, 1).every_pair(|pair| assert_eq!(pair.links, 2));
        }
    }
}
