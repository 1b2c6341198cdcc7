//! What a link counts.

use std::hash::{Hash, Hasher};

/// Counts, in packets. They change no behaviour, and are left out of the hash: links that will act
/// alike hash alike.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct WindowStatistics {
    /// Packets sent for the first time.
    pub sent: u64,
    /// Copies sent after a time-out.
    pub retransmitted: u64,
    /// Acknowledgements sent.
    pub acknowledgements: u64,
    /// Packets that got a place in the arrivals, in order.
    pub accepted: u64,
    /// Packets that came and had come before.
    pub duplicates: u64,
    /// Packets dropped for lack of room.
    pub refused: u64,
}

impl Hash for WindowStatistics {
    fn hash<H: Hasher>(&self, _: &mut H) {}
}
