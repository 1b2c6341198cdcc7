//! The blocks that transactions move, while neither the supplier nor the receiver has them.
//!
//! A circuit-switched bus has at most one. On a split bus there are several, and each block is moved by one transaction
//! at a time.

use crate::engine::{Signal, Sim};
use crate::host::block::{Address, Block};
use std::cell::RefCell;

/// The blocks in flight.
pub(super) struct InFlight {
    /// Each block, and its data if the data is known.
    blocks: RefCell<Vec<(Address, Option<Block>)>>,
    /// Notified when a transaction has ended.
    ended: Signal,
}

impl InFlight {
    pub(super) fn new(sim: &Sim, name: &str) -> InFlight {
        InFlight {
            blocks: RefCell::default(),
            ended: Signal::new(sim, format!("a block that moves on the {name} bus")),
        }
    }

    /// Returns the signal that is notified when a transaction has ended.
    pub(super) fn ended(&self) -> &Signal {
        &self.ended
    }

    pub(super) fn is_empty(&self) -> bool {
        self.blocks.borrow().is_empty()
    }

    /// Returns whether a transaction moves `block`.
    pub(super) fn has(&self, block: Address) -> bool {
        self.blocks.borrow().iter().any(|(moved, _)| *moved == block)
    }

    /// Returns the data of `block`, if a transaction moves the block and its data is known.
    pub(super) fn data(&self, block: Address) -> Option<Block> {
        self.blocks.borrow().iter().find(|(moved, _)| *moved == block)?.1
    }

    /// Adds a block whose data is not known.
    pub(super) fn add(&self, block: Address) {
        debug_assert!(!self.has(block), "two transactions move block {block:#x}");
        self.blocks.borrow_mut().push((block, None));
    }

    /// Sets the data of a block, and adds the block if no transaction moves it.
    #[inline]
    pub(super) fn set_data(&self, block: Address, data: &Block) {
        let mut blocks = self.blocks.borrow_mut();
        match blocks.iter_mut().find(|(moved, _)| *moved == block) {
            Some((_, moved)) => *moved = Some(*data),
            None => blocks.push((block, Some(*data))),
        }
    }

    /// Removes a block whose transaction has ended.
    #[inline]
    pub(super) fn remove(&self, block: Address) {
        let mut blocks = self.blocks.borrow_mut();
        if let Some(index) = blocks.iter().position(|(moved, _)| *moved == block) {
            blocks.remove(index);
        }
        drop(blocks);
        self.ended.notify();
    }
}
