//! Event counts of a unit.

use std::hash::{Hash, Hasher};

/// Counts, in packets. They change no behaviour, and are left out of the hash: units that will act
/// alike hash alike.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct NifdyStatistics {
    /// Scalar packets sent, to be acknowledged.
    pub scalar: u64,
    /// Bulk packets sent.
    pub bulk: u64,
    /// Packets sent past the protocol.
    pub unacknowledged: u64,
    /// Packets that the processor accepted.
    pub accepted: u64,
    /// Acknowledgements sent by themselves.
    pub acknowledgements: u64,
    /// Acknowledgements that rode in answers.
    pub carried: u64,
    /// Dialogs granted to senders.
    pub granted: u64,
    /// Requests for a dialog that were rejected.
    pub rejected: u64,
    /// Copies sent because a timer went off.
    pub retransmitted: u64,
    /// Copies that arrived of what had arrived before.
    pub duplicates: u64,
}

impl Hash for NifdyStatistics {
    fn hash<H: Hasher>(&self, _: &mut H) {}
}
