//! The state of a node in a sort, and the handlers of its messages.

use crate::messaging::active::Received;
use std::cell::{Cell, RefCell};
use std::collections::VecDeque;

/// Handler of the sum of a bucket over the nodes before the receiver.
pub(super) const SCAN_HANDLER: u8 = 0;
/// Handler of the sum of a bucket over all nodes.
pub(super) const TOTAL_HANDLER: u8 = 1;
/// Handler of a key and its position.
pub(super) const COALESCE_HANDLER: u8 = 2;

/// The state of a node.
pub(super) struct NodeState {
    /// Number of own keys in each bucket.
    pub counts: RefCell<Vec<u32>>,
    /// Number of keys of all nodes before this one in each bucket.
    pub prefix_counts: RefCell<Vec<Option<u32>>>,
    /// Number of keys of all nodes in each bucket.
    pub totals: RefCell<Vec<Option<u32>>>,
    /// Sums that have arrived and are to be forwarded, each as its handler, its bucket and the sum.
    pub pending_sums: RefCell<VecDeque<(u8, u32, u32)>>,
    /// Keys that have arrived, by position.
    keys_by_position: RefCell<Vec<Option<u32>>>,
    /// Number of keys that have arrived.
    arrived_count: Cell<usize>,
}

impl NodeState {
    pub fn new(buckets: usize, keys: usize) -> NodeState {
        NodeState {
            counts: RefCell::new(vec![0; buckets]),
            prefix_counts: RefCell::new(vec![None; buckets]),
            totals: RefCell::new(vec![None; buckets]),
            pending_sums: RefCell::default(),
            keys_by_position: RefCell::new(vec![None; keys]),
            arrived_count: Cell::new(0),
        }
    }

    /// Counts the node's own keys by their digits.
    pub fn count_keys(&self, digits: impl Iterator<Item = usize>) {
        let mut counts = self.counts.borrow_mut();
        counts.fill(0);
        digits.for_each(|digit| counts[digit] += 1);
    }

    /// Handles a message. Panics if the sum of a bucket arrives twice.
    pub fn handle(&self, received: &Received<'_>) {
        let (bucket_or_position, sum_or_key) = (received.words[0], received.words[1]);
        let sums = match received.handler {
            SCAN_HANDLER => &self.prefix_counts,
            TOTAL_HANDLER => &self.totals,
            _ => return self.store(bucket_or_position, sum_or_key),
        };
        let previous = sums.borrow_mut()[bucket_or_position as usize].replace(sum_or_key);
        assert!(previous.is_none(), "the sum of a bucket arrived twice");
        self.pending_sums.borrow_mut().push_back((received.handler, bucket_or_position, sum_or_key));
    }

    /// Stores a key at its position.
    pub fn store(&self, index: u32, key: u32) {
        let previous = self.keys_by_position.borrow_mut()[index as usize].replace(key);
        assert!(previous.is_none(), "two keys have the same position: a model corrupted data");
        self.arrived_count.set(self.arrived_count.get() + 1);
    }

    /// Returns whether all keys have arrived.
    pub fn is_full(&self) -> bool {
        self.arrived_count.get() == self.keys_by_position.borrow().len()
    }

    /// Removes and returns the keys that have arrived, by position.
    pub fn take_keys(&self) -> Vec<u32> {
        self.arrived_count.set(0);
        self.keys_by_position.borrow_mut().iter_mut().map(|key| key.take().expect("all keys have arrived")).collect()
    }
}
