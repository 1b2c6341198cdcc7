//! The transactions under way, and their blocks while neither the supplier nor the receiver has them.
//!
//! A circuit-switched bus has at most one. On a split bus there are several, and each block is moved by one transaction
//! at a time.

use crate::engine::{Signal, Sim, Time};
use crate::host::block::{Address, Block};
use std::cell::RefCell;
use std::ops::Range;

/// The transactions under way.
pub(super) struct InFlight {
    transactions: RefCell<Vec<Move>>,
    /// Notified when a transaction has ended.
    ended: Signal,
}

/// A transaction that moves a block.
#[derive(Clone, Copy)]
struct Move {
    block: Address,
    /// End of the transaction.
    until: Time,
    /// The bytes of the block, if they are known.
    data: Option<Block>,
}

impl InFlight {
    pub(super) fn new(sim: &Sim, name: &str) -> InFlight {
        let ended = Signal::new(sim, format!("the end of a transaction on the {name} bus"));
        InFlight { transactions: RefCell::default(), ended }
    }

    /// Returns the signal that is notified when a transaction has ended.
    pub(super) fn ended(&self) -> &Signal {
        &self.ended
    }

    pub(super) fn is_empty(&self) -> bool {
        self.transactions.borrow().is_empty()
    }

    /// Returns whether a transaction moves `block`.
    pub(super) fn has(&self, block: Address) -> bool {
        self.transactions.borrow().iter().any(|moving| moving.block == block)
    }

    /// Returns the data of `block`, if a transaction moves the block and its data is known.
    pub(super) fn data(&self, block: Address) -> Option<Block> {
        self.transactions.borrow().iter().find(|moving| moving.block == block)?.data
    }

    /// Returns the end of the last transaction that moves a block in `range`, if there is one.
    pub(super) fn until(&self, range: Range<Address>) -> Option<Time> {
        let transactions = self.transactions.borrow();
        transactions.iter().filter(|moving| range.contains(&moving.block)).map(|moving| moving.until).max()
    }

    /// Adds a transaction that moves `block` until `until`. The data is not known.
    #[inline]
    pub(super) fn add(&self, block: Address, until: Time) {
        debug_assert!(!self.has(block), "two transactions move block {block:#x}");
        self.transactions.borrow_mut().push(Move { block, until, data: None });
    }

    /// Sets the data of `block`, which a transaction moves.
    #[inline]
    pub(super) fn set_data(&self, block: Address, data: &Block) {
        let mut transactions = self.transactions.borrow_mut();
        if let Some(moving) = transactions.iter_mut().find(|moving| moving.block == block) {
            moving.data = Some(*data);
        }
    }

    /// Removes a block whose transaction has ended.
    #[inline]
    pub(super) fn remove(&self, block: Address) {
        let mut transactions = self.transactions.borrow_mut();
        if let Some(index) = transactions.iter().position(|moving| moving.block == block) {
            transactions.swap_remove(index);
        }
        drop(transactions);
        self.ended.notify();
    }
}
