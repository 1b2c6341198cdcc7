//! Bytes that a unit sends, by purpose (Chong et al. 1998, §5.1, Figure 5): invalidations and their answers, requests
//! and answers without a block, headers of blocks and of messages, and data.
//!
//! The module leaves out the bytes that the network adds to a packet.

use super::wire::HEADER_BYTES;
use crate::protocol::directory::CoherenceKind;
use std::cell::Cell;

/// The counters of bytes by purpose.
#[derive(Default)]
pub(super) struct TrafficVolume {
    invalidates: Cell<u64>,
    requests: Cell<u64>,
    headers: Cell<u64>,
    data: Cell<u64>,
}

fn add(counter: &Cell<u64>, bytes: u64) {
    counter.set(counter.get() + bytes);
}

impl TrafficVolume {
    /// Counts a packet of the coherence protocol.
    pub fn count_coherence(&self, kind: CoherenceKind, bytes: u64) {
        use CoherenceKind::{Invalidate, Invalidated};
        match kind {
            Invalidate | Invalidated => add(&self.invalidates, bytes),
            _ if kind.carries_block() => self.count_message(bytes),
            _ => add(&self.requests, bytes),
        }
    }

    /// Counts a packet with a header and data.
    pub fn count_message(&self, bytes: u64) {
        add(&self.headers, HEADER_BYTES.get());
        add(&self.data, bytes - HEADER_BYTES.get());
    }

    /// Returns the counters with their names.
    pub fn counts(&self) -> [(&'static str, u64); 4] {
        [
            ("volume.invalidates", self.invalidates.get()),
            ("volume.requests", self.requests.get()),
            ("volume.headers", self.headers.get()),
            ("volume.data", self.data.get()),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_counted_by_purpose() {
        let traffic_volume = TrafficVolume::default();
        traffic_volume.count_coherence(CoherenceKind::Read, 8);
        traffic_volume.count_coherence(CoherenceKind::Shared, 24);
        traffic_volume.count_coherence(CoherenceKind::Invalidate, 8);
        traffic_volume.count_coherence(CoherenceKind::Invalidated, 8);
        traffic_volume.count_message(64);
        assert_eq!(traffic_volume.counts().map(|(_, bytes)| bytes), [16, 8, 16, 72]);
    }
}
