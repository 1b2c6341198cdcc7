//! Check-ins: a node returns a read-only copy to its home. The return takes one message; an invalidation of the copy by
//! a later write takes two.
//!
//! This is the check-in of cooperative shared memory (Hill, Larus, Reinhardt and Wood, *Cooperative Shared Memory:
//! Software and Hardware for Scalable Multiprocessors*, ASPLOS 1992), for programs in which one node produces data that
//! others read once. The check-in is not acknowledged.
//!
//! **Order.** The network may deliver a node's next request for the block before the check-in. A home that served the
//! request first would then consider the new copy returned. A node therefore counts its check-ins of each block, modulo
//! two, and states the count in its requests; a home that has received fewer check-ins keeps the request until the
//! missing check-in arrives, which needs no further message. One bit suffices: a node checks in again only after it was
//! granted a new copy, so at most one check-in of a node for a block is in the network.
//!
//! An invalidation may cross the check-in. The node acknowledges it as for any copy that it no longer has, and the home
//! ignores the check-in of a node that is not a sharer.

use crate::engine::EndpointId;
use crate::protocol::directory::{BlockId, CoherenceKind};
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

/// The bit of a request's word that states whether the number of the node's check-ins of the block is odd. Software
/// shares at most 4 GiB of each endpoint in blocks of 32 bytes or more, so the numbers of blocks never use this bit.
const CHECK_INS_ODD: u32 = 1 << 31;

/// The check-ins of an endpoint, as a node with copies and as a home.
#[derive(Default)]
pub(super) struct CheckIns {
    /// Blocks of other homes of which this endpoint has sent an odd number of check-ins.
    sent_odd: RefCell<BTreeSet<BlockId>>,
    /// Pairs of a node and the number of a block of this home, if an odd number of the node's check-ins of the block
    /// has arrived.
    received_odd: RefCell<BTreeSet<(EndpointId, u32)>>,
    /// Words of requests that arrived before the check-in that their node sent earlier, by node and number of the
    /// block.
    early_requests: RefCell<BTreeMap<(EndpointId, u32), u32>>,
}

/// Returns whether messages of this kind state the number of check-ins.
fn is_request(kind: CoherenceKind) -> bool {
    matches!(kind, CoherenceKind::Read | CoherenceKind::Write | CoherenceKind::Upgrade)
}

/// Adds or removes an element of a set.
fn toggle<T: Ord>(set: &mut BTreeSet<T>, element: T) {
    if !set.remove(&element) {
        set.insert(element);
    }
}

impl CheckIns {
    /// Counts a check-in that this endpoint sends.
    pub fn count_sent(&self, block: BlockId) {
        toggle(&mut self.sent_odd.borrow_mut(), block);
    }

    /// Returns the word of a message of this endpoint about `block`, with the number of check-ins in requests.
    pub fn stamp(&self, word: u32, kind: CoherenceKind, block: BlockId) -> u32 {
        assert!(word & CHECK_INS_ODD == 0, "a block's number leaves a bit of the word free");
        let is_odd = is_request(kind) && self.sent_odd.borrow().contains(&block);
        if is_odd { word | CHECK_INS_ODD } else { word }
    }

    /// Returns a word as it was before [`stamp`](CheckIns::stamp).
    pub fn remove_stamp(word: u32) -> u32 {
        word & !CHECK_INS_ODD
    }

    /// Keeps a request for block `number` of this home if a check-in that the requesting node sent earlier has not
    /// arrived. Returns whether the request is kept.
    pub fn defer_if_early(&self, from: EndpointId, word: u32, kind: CoherenceKind, number: u32) -> bool {
        let has_all_check_ins = (word & CHECK_INS_ODD != 0) == self.received_odd.borrow().contains(&(from, number));
        if has_all_check_ins || !is_request(kind) {
            return false;
        }
        let previous = self.early_requests.borrow_mut().insert((from, number), word);
        assert!(previous.is_none(), "{from} has one request for a block outstanding");
        true
    }

    /// Counts a check-in of block `number` of this home that has arrived. Returns the word of the request that has
    /// waited for the check-in, if any.
    pub fn count_arrived(&self, from: EndpointId, number: u32) -> Option<u32> {
        toggle(&mut self.received_odd.borrow_mut(), (from, number));
        self.early_requests.borrow_mut().remove(&(from, number))
    }
}
