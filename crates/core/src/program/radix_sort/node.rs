//! What a node holds in a sort, and what messages do to it.

use crate::messaging::active::Received;
use std::cell::{Cell, RefCell};
use std::collections::VecDeque;

/// What messages are: the sum of a bucket over the nodes before the receiver.
pub(super) const SCAN: u8 = 0;
/// The sum of a bucket over all nodes.
pub(super) const TOTAL: u8 = 1;
/// A key and its place.
pub(super) const COALESCE: u8 = 2;

/// The state of a node.
pub(super) struct NodeState {
    /// Its own keys, by bucket.
    pub counts: RefCell<Vec<u32>>,
    /// The keys of all nodes before it, by bucket.
    pub before: RefCell<Vec<Option<u32>>>,
    /// The keys of all nodes, by bucket.
    pub totals: RefCell<Vec<Option<u32>>>,
    /// Sums that have come and are to be sent on: what they are, the bucket, the sum.
    pub work: RefCell<VecDeque<(u8, u32, u32)>>,
    /// The keys that have come, by place.
    incoming: RefCell<Vec<Option<u32>>>,
    /// How many.
    came: Cell<usize>,
}

impl NodeState {
    pub fn new(buckets: usize, keys: usize) -> NodeState {
        NodeState {
            counts: RefCell::new(vec![0; buckets]),
            before: RefCell::new(vec![None; buckets]),
            totals: RefCell::new(vec![None; buckets]),
            work: RefCell::default(),
            incoming: RefCell::new(vec![None; keys]),
            came: Cell::new(0),
        }
    }

    /// Counts its own keys by their digits.
    pub fn count(&self, digits: impl Iterator<Item = usize>) {
        let mut counts = self.counts.borrow_mut();
        counts.fill(0);
        digits.for_each(|digit| counts[digit] += 1);
    }

    /// Takes a message; panics if it is none that may come.
    pub fn take(&self, received: &Received<'_>) {
        let (first, second) = (received.words[0], received.words[1]);
        let sums = match received.handler {
            SCAN => &self.before,
            TOTAL => &self.totals,
            _ => return self.put(first, second),
        };
        let had = sums.borrow_mut()[first as usize].replace(second);
        assert!(had.is_none(), "the sum of a bucket arrived twice");
        self.work.borrow_mut().push_back((received.handler, first, second));
    }

    /// Puts a key in its place.
    pub fn put(&self, index: u32, key: u32) {
        let had = self.incoming.borrow_mut()[index as usize].replace(key);
        assert!(had.is_none(), "two keys have one place: a model moved wrong bytes");
        self.came.set(self.came.get() + 1);
    }

    /// Whether all keys have come.
    pub fn is_full(&self) -> bool {
        self.came.get() == self.incoming.borrow().len()
    }

    /// The keys that have come, in their places; there is room for others.
    pub fn keys(&self) -> Vec<u32> {
        self.came.set(0);
        self.incoming.borrow_mut().iter_mut().map(|key| key.take().expect("all keys have come")).collect()
    }
}
