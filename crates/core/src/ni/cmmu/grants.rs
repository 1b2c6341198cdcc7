//! Who waits for a block, and who has one that may not go yet.
//!
//! A program waits for one block at a time, and several of a node may wait for the same. When the block comes all
//! of them have it; when the last has used it, it may go.

use crate::ni::extensions::Grant;
use crate::protocol::directory::BlockId;
use std::collections::BTreeMap;

/// Of all programs of a node.
#[derive(Default)]
pub(super) struct Grants {
    waiting: BTreeMap<BlockId, Vec<Grant>>,
    /// How many programs have a block that they have not used yet.
    held: BTreeMap<BlockId, usize>,
}

impl Grants {
    /// One more waits.
    pub fn wait(&mut self, block: BlockId) -> Grant {
        let grant = Grant::default();
        self.waiting.entry(block).or_default().push(grant.clone());
        grant
    }

    /// All who wait have it.
    pub fn grant(&mut self, block: BlockId) {
        let all = self.waiting.remove(&block).expect("what is granted was waited for");
        self.held.insert(block, all.len());
        all.iter().for_each(|grant| grant.set(true));
    }

    /// Whether somebody has it who has not used it.
    pub fn is_held(&self, block: BlockId) -> bool {
        self.held.contains_key(&block)
    }

    /// Whether somebody has any.
    pub fn are_held(&self) -> bool {
        !self.held.is_empty()
    }

    /// One has used it; whether that was the last.
    pub fn used(&mut self, block: BlockId) -> bool {
        let left = self.held.get_mut(&block).expect("what is used was granted");
        *left -= 1;
        let is_last = *left == 0;
        if is_last {
            self.held.remove(&block);
        }
        is_last
    }
}
