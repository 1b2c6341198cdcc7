//! Event counts of a unit.

use std::hash::{Hash, Hasher};

/// Event counts, in packets. They do not influence a unit's behaviour, so they are left out of the hash: units that
/// behave alike have equal hashes.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct NifdyStatistics {
    /// Scalar packets sent that require an acknowledgement.
    pub scalar: u64,
    /// Bulk packets sent.
    pub bulk: u64,
    /// Packets sent that bypass the protocol.
    pub unacknowledged: u64,
    /// Packets that the processor accepted.
    pub accepted: u64,
    /// Acknowledgements sent in frames of their own.
    pub acknowledgements: u64,
    /// Acknowledgements piggybacked on answers.
    pub piggybacked: u64,
    /// Dialogs granted to senders.
    pub granted: u64,
    /// Requests for a dialog that were rejected.
    pub rejected: u64,
    /// Copies sent because a timer expired.
    pub retransmitted: u64,
    /// Copies that arrived of packets that had already been received.
    pub duplicates: u64,
}

impl Hash for NifdyStatistics {
    fn hash<H: Hasher>(&self, _: &mut H) {}
}
