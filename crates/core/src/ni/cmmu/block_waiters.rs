//! The programs of a node that wait for a block, or that have been granted one and have not used it.
//!
//! A program waits for one block at a time, and several programs of a node may wait for the same block. When the block
//! arrives, all of them are granted it. The block may be evicted or invalidated once the last of them has used it.

use crate::ni::extensions::Grant;
use crate::protocol::directory::BlockId;
use std::collections::BTreeMap;

/// The accesses of all programs of a node that wait for a block or have been granted one.
#[derive(Default)]
pub(super) struct BlockWaiters {
    waiting_grants: BTreeMap<BlockId, Vec<Grant>>,
    /// Number of programs that have been granted each block and have not used it yet.
    unused_grants: BTreeMap<BlockId, usize>,
}

impl BlockWaiters {
    /// Registers an access that waits for `block`, and returns its grant.
    pub fn register(&mut self, block: BlockId) -> Grant {
        let grant = Grant::default();
        self.waiting_grants.entry(block).or_default().push(grant.clone());
        grant
    }

    /// Grants the block to all accesses that wait for it.
    pub fn grant(&mut self, block: BlockId) {
        let waiting_grants = self.waiting_grants.remove(&block).expect("a granted block is waited for");
        self.unused_grants.insert(block, waiting_grants.len());
        waiting_grants.iter().for_each(|grant| grant.set(true));
    }

    /// Returns whether a program has been granted the block and has not used it.
    pub fn is_granted(&self, block: BlockId) -> bool {
        self.unused_grants.contains_key(&block)
    }

    /// Returns whether a program has been granted any block and has not used it.
    pub fn has_unused_grant(&self) -> bool {
        !self.unused_grants.is_empty()
    }

    /// Records that a program has used the block; returns whether it was the last one.
    pub fn end_use(&mut self, block: BlockId) -> bool {
        let count = self.unused_grants.get_mut(&block).expect("a used block was granted");
        *count -= 1;
        let is_last = *count == 0;
        if is_last {
            self.unused_grants.remove(&block);
        }
        is_last
    }
}
