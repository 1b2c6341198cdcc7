//! A barrier beside the network, as of a control network: it opens some cycles after the last node
//! has entered. Leaves out: its wires.

use crate::engine::{Hertz, Time};
use std::cell::Cell;

/// The barrier of all nodes.
pub(super) struct Barrier {
    nodes: usize,
    /// How many have entered the one that is not open yet.
    entered: Cell<usize>,
    /// How many barriers all nodes have entered, and when the last of these opens.
    opened: Cell<(u64, Time)>,
}

impl Barrier {
    pub fn new(nodes: usize) -> Barrier {
        Barrier { nodes, entered: Cell::new(0), opened: Cell::default() }
    }

    /// Enters it at `now`; whether that was the last node, after which it takes `cycles` to open.
    pub fn enter(&self, now: Time, clock: Hertz, cycles: u64) -> bool {
        self.entered.set(self.entered.get() + 1);
        let is_last = self.entered.get() == self.nodes;
        if is_last {
            self.entered.set(0);
            self.opened.set((self.last_opened() + 1, clock.edge_since(now, cycles)));
        }
        is_last
    }

    /// How many barriers all nodes have entered.
    pub fn last_opened(&self) -> u64 {
        self.opened.get().0
    }

    /// Whether the barrier of this number, counted from 0, is open.
    pub fn has_passed(&self, barrier: u64, now: Time) -> bool {
        let (opened, at) = self.opened.get();
        opened > barrier + 1 || (opened == barrier + 1 && now >= at)
    }

    /// When the barrier opens that all have entered.
    pub fn opens_after(&self, now: Time) -> Time {
        let (_, at) = self.opened.get();
        if at > now { at } else { Time::MAX }
    }
}
