//! Counters of the packets in flight to each node, for measurement only; they do not affect the simulation.

use crate::engine::NodeId;
use std::cell::Cell;
use std::rc::Rc;

/// The number of packets to each node that are in the fabric or wait for their reader.
#[derive(Debug, Default)]
pub struct InFlight(Vec<Cell<u64>>);

impl InFlight {
    /// Returns counters for `nodes` nodes, all zero.
    pub fn new(nodes: usize) -> Rc<InFlight> {
        Rc::new(InFlight((0..nodes).map(|_| Cell::new(0)).collect()))
    }

    /// Returns the number of packets in flight to `node`.
    pub fn packets_to(&self, node: NodeId) -> u64 {
        self.0[node.index()].get()
    }

    pub(super) fn add(&self, node: NodeId) {
        let count = &self.0[node.index()];
        count.set(count.get() + 1);
    }

    pub(super) fn remove(&self, node: NodeId) {
        let count = &self.0[node.index()];
        count.set(count.get() - 1);
    }
}
