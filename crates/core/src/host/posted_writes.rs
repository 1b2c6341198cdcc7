//! The posted writes of a device, which are not visible in memory yet.

use crate::engine::{Signal, Sim};
use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;
use std::rc::Rc;

/// The posted writes of a device.
pub struct PostedWrites {
    /// Number of the next write.
    next_number: Cell<u64>,
    /// Numbers of the writes that are not visible yet.
    pending_numbers: RefCell<BTreeSet<u64>>,
    change: Signal,
}

/// A posted write, which becomes visible when this value is dropped.
pub struct PostedWrite {
    writes: Rc<PostedWrites>,
    number: u64,
}

impl PostedWrites {
    /// Creates the record of the device `name`, which has posted no writes.
    pub fn new(sim: &Sim, name: &str) -> PostedWrites {
        let change = Signal::new(sim, format!("a posted write of {name}"));
        PostedWrites { next_number: Cell::new(0), pending_numbers: RefCell::default(), change }
    }

    /// Posts a write.
    pub fn post(self: &Rc<PostedWrites>) -> PostedWrite {
        let number = self.next_number.replace(self.next_number.get() + 1);
        self.pending_numbers.borrow_mut().insert(number);
        PostedWrite { writes: self.clone(), number }
    }

    /// Returns the number of the next write; all writes with lower numbers have been posted.
    pub fn next_number(&self) -> u64 {
        self.next_number.get()
    }

    /// Returns whether all writes with numbers below `next` are visible.
    pub fn are_visible_before(&self, next: u64) -> bool {
        self.pending_numbers.borrow().first().is_none_or(|oldest| *oldest >= next)
    }

    /// Waits until all writes with numbers below `next` are visible.
    pub async fn wait_until_visible_before(&self, next: u64) {
        while !self.are_visible_before(next) {
            self.change.wait().await;
        }
    }
}

impl Drop for PostedWrite {
    fn drop(&mut self) {
        self.writes.pending_numbers.borrow_mut().remove(&self.number);
        self.writes.change.notify();
    }
}
