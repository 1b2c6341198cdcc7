//! The check that each packet arrives once and with the words that were sent. It also counts packets out of order.

use super::super::parallel;
use crate::messaging::active::Received;
use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};

/// The packets that have arrived at each node, by sender.
pub(super) struct Receipts {
    numbers_by_node: RefCell<Vec<BTreeMap<usize, ReceivedNumbers>>>,
    count: Cell<u64>,
    out_of_order: Cell<u64>,
}

/// The packets that have arrived from one node: all with numbers below `next_number`, and those in `later_numbers`.
#[derive(Default)]
struct ReceivedNumbers {
    next_number: u32,
    later_numbers: BTreeSet<u32>,
}

impl Receipts {
    pub fn new(nodes: usize) -> Receipts {
        let numbers_by_node = RefCell::new((0..nodes).map(|_| BTreeMap::new()).collect());
        Receipts { numbers_by_node, count: Cell::new(0), out_of_order: Cell::new(0) }
    }

    /// Records a packet that `node` received. Panics if a model changed its bytes or delivered it twice.
    pub fn record(&self, node: usize, received: &Received<'_>) {
        let number = received.words[0];
        for (index, word) in received.words.iter().enumerate().skip(1) {
            assert_eq!(
                *word,
                parallel::payload_word(received.from.index(), node, number, index),
                "a packet arrived with wrong bytes"
            );
        }
        self.count.set(self.count.get() + 1);
        let mut numbers_by_node = self.numbers_by_node.borrow_mut();
        let received_numbers = numbers_by_node[node].entry(received.from.index()).or_default();
        assert!(
            number >= received_numbers.next_number && !received_numbers.later_numbers.contains(&number),
            "a packet arrived twice"
        );
        if number != received_numbers.next_number {
            self.out_of_order.set(self.out_of_order.get() + 1);
            received_numbers.later_numbers.insert(number);
            return;
        }
        received_numbers.next_number += 1;
        while received_numbers.later_numbers.remove(&received_numbers.next_number) {
            received_numbers.next_number += 1;
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
