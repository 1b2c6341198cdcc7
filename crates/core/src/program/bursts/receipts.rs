//! The check that each packet arrives once and with the words that were sent. It also counts packets out of order.

use super::super::parallel;
use crate::messaging::active::Received;
use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};

/// The packets that have arrived at each node, by sender.
pub(super) struct Receipts {
    nodes: RefCell<Vec<BTreeMap<usize, Order>>>,
    count: Cell<u64>,
    out_of_order: Cell<u64>,
}

/// The packets that have arrived from one node: all with numbers below `next`, and those in `ahead`.
#[derive(Default)]
struct Order {
    next: u32,
    ahead: BTreeSet<u32>,
}

impl Receipts {
    pub fn new(nodes: usize) -> Receipts {
        let nodes = RefCell::new((0..nodes).map(|_| BTreeMap::new()).collect());
        Receipts { nodes, count: Cell::new(0), out_of_order: Cell::new(0) }
    }

    /// Records a packet that `node` received. Panics if a model changed its bytes or delivered it twice.
    pub fn record(&self, node: usize, received: &Received<'_>) {
        let number = received.words[0];
        for (at, word) in received.words.iter().enumerate().skip(1) {
            assert_eq!(
                *word,
                parallel::word(received.from.index(), node, number, at),
                "a packet arrived with wrong bytes"
            );
        }
        self.count.set(self.count.get() + 1);
        let mut nodes = self.nodes.borrow_mut();
        let order = nodes[node].entry(received.from.index()).or_default();
        assert!(number >= order.next && !order.ahead.contains(&number), "a packet arrived twice");
        if number != order.next {
            self.out_of_order.set(self.out_of_order.get() + 1);
            order.ahead.insert(number);
            return;
        }
        order.next += 1;
        while order.ahead.remove(&order.next) {
            order.next += 1;
        }
    }

    /// Returns the number of packets that have arrived.
    pub fn count(&self) -> u64 {
        self.count.get()
    }

    /// Returns the number of packets that arrived before an older one from the same node.
    pub fn out_of_order(&self) -> u64 {
        self.out_of_order.get()
    }
}
