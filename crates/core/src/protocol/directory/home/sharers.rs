//! Nodes with a read-only copy: a few pointers in hardware, and software's list of all others.
//!
//! As in LimitLESS (Chaiken, Kubiatowicz and Agarwal, *LimitLESS Directories: A Scalable Cache
//! Coherence Scheme*, ASPLOS 1991): a reader beyond the last pointer traps; software moves all
//! pointers into a list in memory, so that hardware serves the next readers again, and the next write
//! traps, too. Without a limit there is no list. A pointer may repeat what the list has: hardware does
//! not read it. The home's own processor is never among them.

use crate::engine::NodeId;
use std::collections::BTreeSet;

/// The sharers of a block, each in ascending order.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub(super) struct Sharers {
    pointers: Vec<NodeId>,
    listed: BTreeSet<NodeId>,
}

/// Work that adding a sharer took.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Added {
    /// There is a pointer to it.
    Known,
    /// A pointer was written.
    Pointer,
    /// There was none left: software emptied them.
    Overflow,
}

impl Sharers {
    /// Just this one.
    pub fn one(node: NodeId) -> Sharers {
        Sharers { pointers: vec![node], listed: BTreeSet::new() }
    }

    /// Adds one, with so many pointers at most.
    pub fn add(&mut self, node: NodeId, limit: Option<u32>) -> Added {
        let Err(place) = self.pointers.binary_search(&node) else { return Added::Known };
        if limit.is_some_and(|limit| self.pointers.len() >= limit as usize) {
            self.listed.extend(self.pointers.drain(..));
            self.listed.insert(node);
            return Added::Overflow;
        }
        self.pointers.insert(place, node);
        Added::Pointer
    }

    /// Whether this one is among them.
    pub fn has(&self, node: NodeId) -> bool {
        self.pointers.binary_search(&node).is_ok() || self.listed.contains(&node)
    }

    /// Whether some are known to software alone.
    pub fn is_extended(&self) -> bool {
        !self.listed.is_empty()
    }

    /// All of them, once.
    pub fn all(&self) -> BTreeSet<NodeId> {
        self.pointers.iter().chain(&self.listed).copied().collect()
    }
}
