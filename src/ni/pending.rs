//! How many packets for each node are under way: an instrument, no part decides by it.

use crate::engine::NodeId;
use std::cell::Cell;
use std::rc::Rc;

/// For each node, the packets for it that are in the fabric or wait for its reader: an instrument.
#[derive(Debug, Default)]
pub struct Pending(Vec<Cell<u64>>);

impl Pending {
    /// Of `nodes` nodes, none.
    pub fn new(nodes: usize) -> Rc<Pending> {
        Rc::new(Pending((0..nodes).map(|_| Cell::new(0)).collect()))
    }

    /// Those for a node.
    pub fn of(&self, node: NodeId) -> u64 {
        self.0[node.index()].get()
    }

    pub(super) fn add(&self, node: NodeId) {
        let pending = &self.0[node.index()];
        pending.set(pending.get() + 1);
    }

    pub(super) fn remove(&self, node: NodeId) {
        let pending = &self.0[node.index()];
        pending.set(pending.get() - 1);
    }
}
