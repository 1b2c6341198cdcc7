//! The transactions in progress, with the bytes of their blocks. During a transaction, the block may be neither at the
//! supplier nor at the receiver.
//!
//! A circuit-switched bus has at most one transaction in progress, and a split bus may have several. At most one
//! transaction moves a block at a time.

use crate::engine::{Signal, Sim, Time};
use crate::host::block::{Address, Block};
use std::cell::RefCell;
use std::ops::Range;

/// The transactions in progress.
pub(super) struct InFlight {
    transactions: RefCell<Vec<BlockTransfer>>,
    transaction_ended: Signal,
}

/// A transaction that moves a block.
#[derive(Clone, Copy)]
struct BlockTransfer {
    block: Address,
    /// End of the transaction.
    end: Time,
    /// The bytes of the block, if they are known.
    data: Option<Block>,
}

impl InFlight {
    pub(super) fn new(sim: &Sim, name: &str) -> InFlight {
        let transaction_ended = Signal::new(sim, format!("the end of a transaction on the {name} bus"));
        InFlight { transactions: RefCell::default(), transaction_ended }
    }

    /// Returns the signal that is notified when a transaction has ended.
    pub(super) fn transaction_ended(&self) -> &Signal {
        &self.transaction_ended
    }

    pub(super) fn is_empty(&self) -> bool {
        self.transactions.borrow().is_empty()
    }

    /// Returns whether a transaction moves `block`.
    pub(super) fn moves(&self, block: Address) -> bool {
        self.transactions.borrow().iter().any(|transfer| transfer.block == block)
    }

    /// Returns the data of `block`, if a transaction moves the block and its data is known.
    pub(super) fn data(&self, block: Address) -> Option<Block> {
        self.transactions.borrow().iter().find(|transfer| transfer.block == block)?.data
    }

    /// Returns the end of the last transaction that moves a block in `range`, if there is one.
    pub(super) fn last_end(&self, range: Range<Address>) -> Option<Time> {
        let transactions = self.transactions.borrow();
        transactions.iter().filter(|transfer| range.contains(&transfer.block)).map(|transfer| transfer.end).max()
    }

    /// Adds a transaction that moves `block` until `end`. The data is not known.
    #[inline]
    pub(super) fn add(&self, block: Address, end: Time) {
        debug_assert!(!self.moves(block), "two transactions move block {block:#x}");
        self.transactions.borrow_mut().push(BlockTransfer { block, end, data: None });
    }

    /// Sets the data of `block`, which a transaction moves.
    #[inline]
    pub(super) fn set_data(&self, block: Address, data: &Block) {
        let mut transactions = self.transactions.borrow_mut();
        if let Some(transfer) = transactions.iter_mut().find(|transfer| transfer.block == block) {
            transfer.data = Some(*data);
        }
    }

    /// Removes a block whose transaction has ended.
    #[inline]
    pub(super) fn remove(&self, block: Address) {
        let mut transactions = self.transactions.borrow_mut();
        if let Some(index) = transactions.iter().position(|transfer| transfer.block == block) {
            transactions.swap_remove(index);
        }
        drop(transactions);
        self.transaction_ended.notify();
    }
}
