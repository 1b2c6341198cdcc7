//! Nodes with a read-only copy: a few pointers in hardware, and software's list of all others.
//!
//! As in LimitLESS (Chaiken, Kubiatowicz and Agarwal, *LimitLESS Directories: A Scalable Cache Coherence Scheme*,
//! ASPLOS 1991), a read that finds all pointers in use traps. Software moves all pointers into a list in memory, so
//! that hardware serves the next reads again; the next write also traps. If the number of pointers is unlimited, there
//! is no list. A pointer may repeat a node of the list, because hardware does not read the list. The home's own
//! processor is never a sharer.

use crate::engine::NodeId;
use std::collections::BTreeSet;

/// The sharers of a block: hardware's pointers and software's list, each in ascending order.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub(super) struct Sharers {
    pointers: Vec<NodeId>,
    software_list: BTreeSet<NodeId>,
}

/// The work that the addition of a sharer causes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum SharerAddition {
    /// The node had a pointer already.
    Present,
    /// A pointer was written.
    Pointer,
    /// All pointers were in use: software moved them into its list.
    Overflow,
}

impl Sharers {
    /// Returns the set with `node` as the only sharer.
    pub fn one(node: NodeId) -> Sharers {
        Sharers { pointers: vec![node], software_list: BTreeSet::new() }
    }

    /// Adds a sharer; a block has at most `limit` pointers.
    pub fn add(&mut self, node: NodeId, limit: Option<u32>) -> SharerAddition {
        let Err(index) = self.pointers.binary_search(&node) else { return SharerAddition::Present };
        if limit.is_some_and(|limit| self.pointers.len() >= limit as usize) {
            self.software_list.extend(self.pointers.drain(..));
            self.software_list.insert(node);
            return SharerAddition::Overflow;
        }
        self.pointers.insert(index, node);
        SharerAddition::Pointer
    }

    /// Removes a sharer, if it is one.
    pub fn remove(&mut self, node: NodeId) {
        self.pointers.retain(|pointer| *pointer != node);
        self.software_list.remove(&node);
    }

    /// Returns whether there is no sharer.
    pub fn is_empty(&self) -> bool {
        self.pointers.is_empty() && self.software_list.is_empty()
    }

    /// Returns whether `node` is a sharer.
    pub fn has(&self, node: NodeId) -> bool {
        self.pointers.binary_search(&node).is_ok() || self.software_list.contains(&node)
    }

    /// Returns whether software's list has sharers.
    pub fn is_extended(&self) -> bool {
        !self.software_list.is_empty()
    }

    /// Returns all sharers, each once.
    pub fn all(&self) -> BTreeSet<NodeId> {
        self.pointers.iter().chain(&self.software_list).copied().collect()
    }
}
